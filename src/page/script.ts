/**
 * The page's only script: keys for its buttons. Without it, Tab and Enter work.
 *
 * Two rules prevent answers to unread text: keys count only after a quiet moment, as in the terminal, and a yes first
 * scrolls through text that has not been on the screen yet.
 */
export const KEYS_JS = `'use strict';
(() => {
  const QUIET_MS = 400;
  const loaded = performance.now();
  const form = document.getElementById('answers');
  const end = document.getElementById('end');
  const said = document.getElementById('said');
  const heading = document.querySelector('h1');
  if (heading && !document.querySelector('[autofocus]')) {
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  }
  if (document.getElementById('waits')) setTimeout(() => location.reload(), 1000);
  if (!form) return;

  const bar = form.querySelector('.choices');
  const visibleHeight = () => window.innerHeight - (getComputedStyle(bar).position === 'sticky' ? bar.offsetHeight : 0);
  let seen = end === null;
  const look = () => {
    if (end && end.getBoundingClientRect().top <= visibleHeight() + 2) seen = true;
  };
  addEventListener('scroll', look, { passive: true });
  addEventListener('resize', look);
  addEventListener('load', look);
  look();

  let sent = false;
  form.addEventListener('submit', (event) => {
    const key = event.submitter && event.submitter.value;
    if (sent || performance.now() - loaded < QUIET_MS) return event.preventDefault();
    look();
    if (key === 'y' && !seen) {
      event.preventDefault();
      scrollBy(0, visibleHeight() * 0.85);
      said.className = 'said warning aside';
      said.textContent = 'There was more to read; a yes counts for the whole text.';
      requestAnimationFrame(look);
      return;
    }
    sent = true;
  });

  addEventListener('keydown', (event) => {
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target.closest('input, textarea, select')) {
      if (event.key === 'Escape') event.target.blur();
      return;
    }
    const button = [...form.querySelectorAll('button[name=key]')].find((each) => each.value === event.key.toLowerCase());
    if (!button) return;
    event.preventDefault();
    button.click();
  });
})();
`;
