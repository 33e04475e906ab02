// Keys, and the first view. The overview's script begins here.

import { find, findAs, targetOf } from '../elements.js';
import { answer, holdOn, showToast, tryUndo, undoing } from './answers.js';
import { refresh, searchAgain, shown } from './list.js';
import { load, loadNotices, watch } from './live.js';
import { leaveCharts, onScreen, select, showCharts, step, tell, toggleRaw } from './sheet.js';
import { base, list, lost, page, readAddress, rows, search, sheet, view } from './state.js';

/** A person who reads for long presses and moves, and that keeps the page open. */
const here = () => {
  if (!page.isOver && performance.now() - page.lastAsked > 60000) {
    page.lastAsked = performance.now();
    fetch(`${base}here`, { credentials: 'same-origin' }).catch(() => {});
  }
};
for (const name of ['keydown', 'pointerdown', 'wheel']) addEventListener(name, here, { passive: true });

const showKeys = () => findAs(HTMLDialogElement, 'help').showModal();
find('keys').addEventListener('click', showKeys);

/** @type {Record<string, number>} */
const MOVES = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1, PageDown: 10, PageUp: -10 };
/** @type {Record<string, () => unknown>} */
const PRESSES = {
  '/': () => {
    search.focus();
    search.select();
  },
  u: tryUndo,
  r: toggleRaw,
  c: () => (view.isCharts ? leaveCharts() : showCharts(true)),
  Escape: () => view.isCharts && leaveCharts(),
  '?': showKeys,
};
addEventListener('keydown', (event) => {
  if (page.isOver || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (document.querySelector('dialog[open]')) return;
  const field = /** @type {HTMLElement | null} */ (
    targetOf(event).closest('input:not([type=checkbox]), textarea, select')
  );
  if (field) {
    if (event.key === 'Escape') {
      // A browser empties the field too, and does not always say so.
      if (field === search && search.value !== '') {
        search.value = '';
        search.dispatchEvent(new Event('input'));
      }
      field.blur();
    }
    if (field === search && event.key === 'Enter' && shown[0]) {
      field.blur();
      select(shown[0].key, { isStep: true });
    }
    return;
  }
  const inList = document.activeElement === list;
  const by = MOVES[event.key];
  if (by !== undefined && (inList || event.key === 'j' || event.key === 'k')) {
    event.preventDefault();
    return step(by);
  }
  if (inList && (event.key === 'Home' || event.key === 'End')) {
    event.preventDefault();
    const row = shown.at(event.key === 'Home' ? 0 : -1);
    if (row) select(row.key);
    return;
  }
  if (inList && event.key === 'Enter' && view.key !== '') return document.body.classList.add('reading');
  if (event.repeat) return;
  const press = PRESSES[event.key];
  if (press) {
    event.preventDefault();
    press();
    return;
  }
  if (onScreen.kind === 'edit') return;
  const buttons = [...sheet.querySelectorAll('button')].filter(({ name }) => name === 'key');
  const button = buttons.find((each) => each.value === event.key.toLowerCase());
  if (!button) {
    const keys = buttons.map((each) => each.value).join(', ');
    if (!keys || !/^[a-z]$/.test(event.key)) return;
    const sentence = `${event.key} is no answer here. You can press ${keys}.`;
    // What can be taken back keeps its place on the screen.
    return undoing ? tell('warning', sentence) : showToast(sentence, 0);
  }
  event.preventDefault();
  answer(button);
});

const applyAddress = () => {
  readAddress();
  refresh();
  searchAgain();
  if (view.isCharts) return showCharts(false);
  if (view.key !== '' && !rows.has(view.key)) view.key = '';
  const first = view.key || (shown[0] && innerWidth > 720 ? shown[0].key : '');
  select(first, { isReading: view.key !== '' });
};
addEventListener('popstate', applyAddress);
load(false)
  .then((held) => {
    if (held && held.ms > 0) holdOn(held);
    applyAddress();
    watch();
    return loadNotices();
  })
  .catch(lost);
