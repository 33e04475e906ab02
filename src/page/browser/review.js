// The script of the review page: keys for its buttons, and a request that stays open to learn when the page has ended.
// Without the script, Tab and Enter work.
//
// Two rules prevent answers to unread text: keys count only after a quiet moment, as in the terminal, and a yes first
// scrolls through text that has not been on the screen yet.

import { find, submitterOf, targetOf } from './elements.js';
import { asksPasskey, notSigned, sendWith, signed } from './passkey.js';
import { rest, watchServer } from './watch.js';

const QUIET_MS = 400;
const loaded = performance.now();
const [gone, sheet, said] = [find('gone'), find('sheet'), find('said')];
const held = document.getElementById('held');
const form = document.forms.namedItem('answers');
const writing = document.querySelector('form.writing');
const heading = sheet.querySelector('h1');
if (heading && !document.querySelector('[autofocus]')) {
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

let sent = false;
let isOver = false;
/** Nobody answers any more. What the person has typed stays, so that it can be copied. */
const stop = () => {
  rest();
  isOver = true;
  sheet.hidden = !writing;
  for (const button of sheet.querySelectorAll('button')) button.disabled = true;
  sheet.before(gone);
  gone.hidden = false;
  find('where').hidden = true;
  const title = gone.querySelector('h1');
  title?.focus();
  document.title = title?.textContent ?? '';
};
let isLeaving = false;
/**
 * The server has a page that says how it is now; after an answer was sent, that page is on its way. It is asked for once:
 * whenever one tab loads that page, the server sends the end to all. Tabs that asked each time would never get theirs.
 */
const again = () => {
  if (sent || isLeaving) return;
  isLeaving = true;
  location.replace('./');
};
watchServer(
  () => isOver,
  () => sent || stop(),
  {
    over: writing ? stop : again,
    settled: ({ data }) => {
      if (document.getElementById('waits')) return again();
      const came = JSON.parse(data);
      if (sent || !came.sentence) return;
      if (held) held.hidden = true;
      said.className = `said ${came.tone}`;
      said.textContent = came.sentence;
    },
  },
);

/**
 * A key is one of the answers, or u. After the five seconds the server says that it is too late for u.
 * @param {string} key
 */
const buttonFor = (key) =>
  key === 'u' && held
    ? held.querySelector('button')
    : form && [...form.querySelectorAll('button')].find((each) => each.name === 'key' && each.value === key);
held?.addEventListener('submit', (event) => {
  if (sent || isOver) return event.preventDefault();
  sent = true;
});
addEventListener('keydown', (event) => {
  if (!(form || held)) return;
  if (isOver || event.repeat || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const target = targetOf(event);
  if (target.closest('input:not([type=checkbox]), textarea, select')) {
    if (event.key === 'Escape') target.blur();
    return;
  }
  const button = buttonFor(event.key.toLowerCase());
  if (!button) return;
  event.preventDefault();
  button.click();
});
if (form) takeAnswers(form);

/** @param {HTMLFormElement} form */
function takeAnswers(form) {
  const end = document.getElementById('end');
  const unread = document.getElementById('unread');
  const bar = /** @type {HTMLElement} */ (form.querySelector('.choices'));
  const visibleHeight = () => innerHeight - (getComputedStyle(bar).position === 'sticky' ? bar.offsetHeight : 0);
  let seen = end === null;
  const look = () => {
    if (end && end.getBoundingClientRect().top <= visibleHeight() + 2) seen = true;
    if (unread) unread.hidden = seen;
  };
  addEventListener('scroll', look, { passive: true });
  addEventListener('resize', look);
  addEventListener('load', look);
  look();

  let isAsking = false;
  /**
   * Sends the answer with what the passkey signed. Without that, nothing is sent.
   * @param {HTMLButtonElement} button
   */
  const askPasskey = async (button) => {
    if (isAsking) return;
    isAsking = true;
    try {
      const fields = { key: button.value, ...(await signed(button.dataset)) };
      // The person took the answer before back meanwhile.
      if (sent) return;
      sent = true;
      sendWith(form, fields);
    } catch {
      said.className = 'said warning';
      said.textContent = notSigned();
      scrollTo(0, 0);
    }
    isAsking = false;
  };

  form.addEventListener('submit', (event) => {
    if (sent || isOver || performance.now() - loaded < QUIET_MS) return event.preventDefault();
    const button = submitterOf(event);
    look();
    if (!seen && (button.value === 'y' || button.classList.contains('yes'))) {
      event.preventDefault();
      scrollBy(0, visibleHeight() * 0.85);
      requestAnimationFrame(look);
      return;
    }
    if (asksPasskey(button)) {
      event.preventDefault();
      void askPasskey(button);
      return;
    }
    sent = true;
  });
}
