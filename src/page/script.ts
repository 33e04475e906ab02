import { PASSKEY_JS } from './passkeys/script.ts';

/**
 * The page's only script: keys for its buttons, and a request that stays open to learn when the page has ended. Without the
 * script, Tab and Enter work.
 *
 * Two rules prevent answers to unread text: keys count only after a quiet moment, as in the terminal, and a yes first
 * scrolls through text that has not been on the screen yet.
 */
export const SCRIPT_JS = `'use strict';
(() => {
  ${PASSKEY_JS}
  const QUIET_MS = 400;
  const loaded = performance.now();
  const find = (id) => document.getElementById(id);
  const [form, end, unread, gone, sheet, held] = ['answers', 'end', 'unread', 'gone', 'sheet', 'held'].map(find);
  const writing = document.querySelector('form.writing');
  const heading = sheet.querySelector('h1');
  if (heading && !document.querySelector('[autofocus]')) {
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  }

  let sent = false;
  let isOver = false;
  let stream;
  const rest = () => {
    if (stream) stream.close();
    stream = undefined;
  };
  /** Nobody answers any more. What the person has typed stays, so that it can be copied. */
  const stop = () => {
    rest();
    isOver = true;
    sheet.hidden = !writing;
    for (const button of sheet.querySelectorAll('button')) button.disabled = true;
    sheet.before(gone);
    gone.hidden = false;
    find('where').hidden = true;
    gone.querySelector('h1').focus();
    document.title = gone.querySelector('h1').textContent;
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
  const watch = () => {
    if (stream || isOver || document.hidden) return;
    let failures = 0;
    stream = new EventSource('watch');
    stream.onopen = () => { failures = 0; };
    stream.onerror = () => {
      if (!sent && (stream.readyState === EventSource.CLOSED || ++failures > 1)) stop();
    };
    stream.addEventListener('over', writing ? stop : again);
    stream.addEventListener('settled', ({ data }) => {
      if (find('waits')) return again();
      const came = JSON.parse(data);
      if (sent || !came.sentence) return;
      if (held) held.hidden = true;
      const said = find('said');
      said.className = 'said ' + came.tone;
      said.textContent = came.sentence;
    });
    stream.addEventListener('rest', rest);
  };
  document.addEventListener('visibilitychange', watch);
  addEventListener('pagehide', rest);
  addEventListener('pageshow', watch);
  watch();

  /** A key is one of the answers, or u. After the five seconds the server says that it is too late for u. */
  const buttonFor = (key) =>
    key === 'u' && held
      ? held.querySelector('button')
      : form && [...form.querySelectorAll('button[name=key]')].find((each) => each.value === key);
  if (held) {
    held.addEventListener('submit', (event) => {
      if (sent || isOver) return event.preventDefault();
      sent = true;
    });
  }
  addEventListener('keydown', (event) => {
    if (!(form || held)) return;
    if (isOver || event.repeat || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target.closest('input, textarea, select')) {
      if (event.key === 'Escape') event.target.blur();
      return;
    }
    const button = buttonFor(event.key.toLowerCase());
    if (!button) return;
    event.preventDefault();
    button.click();
  });
  if (!form) return;

  const bar = form.querySelector('.choices');
  const visibleHeight = () => window.innerHeight - (getComputedStyle(bar).position === 'sticky' ? bar.offsetHeight : 0);
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
  /** Sends the answer with what the passkey signed. Without that, nothing is sent. */
  const askPasskey = async (button) => {
    if (isAsking) return;
    isAsking = true;
    try {
      const fields = { key: button.value, ...(await signed(button.dataset)) };
      // The person took the answer before back meanwhile.
      if (sent) return;
      for (const [name, value] of Object.entries(fields))
        form.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }));
      sent = true;
      form.submit();
    } catch {
      const said = find('said');
      said.className = 'said warning';
      said.textContent = notSigned();
      scrollTo(0, 0);
    }
    isAsking = false;
  };

  form.addEventListener('submit', (event) => {
    const key = event.submitter && event.submitter.value;
    if (sent || isOver || performance.now() - loaded < QUIET_MS) return event.preventDefault();
    look();
    if (!seen && (key === 'y' || event.submitter.classList.contains('yes'))) {
      event.preventDefault();
      scrollBy(0, visibleHeight() * 0.85);
      requestAnimationFrame(look);
      return;
    }
    if (asksPasskey(event.submitter)) {
      event.preventDefault();
      askPasskey(event.submitter);
      return;
    }
    sent = true;
  });
})();
`;
