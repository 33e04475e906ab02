// Deciding and taking back. The next memory is on the screen before the server has replied.

import { find, submitterOf } from '../elements.js';
import { asksPasskey, notSigned, signed } from '../passkey.js';
import { indexOf, nameOf, paint, refreshSoon, shown } from './list.js';
import {
  asking,
  look,
  onScreen,
  put,
  select,
  selectAgain,
  sheets,
  startAsking,
  step,
  stopAsking,
  tell,
  typed,
} from './sheet.js';
import { lost, note, page, pane, partAt, pathOf, pending, post, rows, sheet, view } from './state.js';

/**
 * @typedef {import('./state.js').Row} Row
 * @typedef {import('./state.js').Message} Message
 * @typedef {{ kind: 'held', key: string, means: string, undo: string, ms: number, then?: string }} Held
 * @typedef {Held
 *   | { kind: 'done', key: string, said?: Message }
 *   | { kind: 'show', key: string, view: 'sheet' | 'edit' | 'draft', said?: Message }
 *   | { kind: 'outdated' }} Reply What the server says to an answer
 */

/** Keys and clicks count only after a quiet moment, so that one meant for what was there before answers nothing. */
const QUIET_MS = 400;
/** The answer that can be taken back. @type {{ key: string, reply: Promise<Reply> } | null} */
export let undoing = null;
/** @type {number | undefined} */
let clock;
const toast = find('toast');

export const hideToast = () => {
  toast.hidden = true;
  clearTimeout(clock);
};
/** @param {string} text @param {number} ms */
export const showToast = (text, ms) => {
  find('toast-text').textContent = text;
  find('toast-before').textContent = '';
  find('undo').hidden = ms === 0;
  toast.hidden = false;
  toast.classList.toggle('runs', ms > 0);
  // Another one in its place, so that the browser starts it from the beginning.
  const before = /** @type {HTMLElement} */ (toast.querySelector('.clock'));
  const bar = /** @type {HTMLElement} */ (before.cloneNode());
  bar.style.animationDelay = `${Math.min(0, ms - 5000)}ms`;
  before.replaceWith(bar);
  clearTimeout(clock);
  clock = setTimeout(hideToast, ms === 0 ? 4000 : ms);
};

/**
 * Says what came of an answer. While a later one can be taken back, it is a line above that one, which keeps its button.
 * @param {string} sentence
 */
export const showDone = (sentence) => {
  if (!undoing) return showToast(sentence, 0);
  find('toast-before').textContent = sentence;
  toast.hidden = false;
};
/** The answer to this memory was carried out or refused, so it cannot be taken back. @param {string} key */
export const settle = (key) => {
  if (undoing?.key === key) {
    undoing = null;
    hideToast();
  }
  pending.delete(key);
};

/** The row after this one that has no answer yet; else the one before. @param {string} key */
const nextAfter = (key) => {
  const at = indexOf(key);
  /** @param {Row} row */
  const open = (row) => row.key !== key && !pending.has(row.key) && (view.show !== 'waiting' || row.waits);
  return shown.slice(at + 1).find(open) || shown.slice(0, Math.max(0, at)).findLast(open);
};

/**
 * Asks the authenticator, and sends the answer with what it signed. Without that, nothing is sent.
 * @param {HTMLButtonElement} button
 */
const askPasskey = async (button) => {
  const mine = startAsking();
  tell('warning', 'Your authenticator asks you now. Nothing is done before it has your answer.');
  try {
    const fields = await signed(button.dataset, mine.signal);
    if (asking !== mine) return;
    stopAsking();
    tell('none', '');
    send(button, fields);
  } catch {
    // Aborted: something else is on the screen, which says what it has to say.
    if (asking !== mine) return;
    stopAsking();
    tell('warning', notSigned());
  }
};

/** @param {HTMLButtonElement} button */
export const answer = (button) => {
  const { key, kind } = onScreen;
  if (page.isOver || asking || onScreen.isSent || onScreen.isChanged || kind === 'none' || key !== view.key) return;
  if (kind !== 'edit' && performance.now() - onScreen.since < QUIET_MS) return;
  if (button.value === 's' && kind === 'sheet') return step(1);
  look();
  const isYes = button.value === 'y' || button.classList.contains('yes');
  if (!onScreen.isSeen && isYes && kind !== 'edit') {
    pane.scrollBy(0, pane.clientHeight * 0.75);
    requestAnimationFrame(look);
  } else if (asksPasskey(button)) void askPasskey(button);
  else send(button, {});
};

/** @param {HTMLButtonElement} button @param {Record<string, string>} signature */
const send = (button, signature) => {
  const { key, kind } = onScreen;
  onScreen.isSent = true;
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(button.form ?? undefined)) fields.append(name, String(value));
  fields.set('key', button.value);
  for (const [name, value] of Object.entries(signature)) fields.set(name, value);
  /** @type {Promise<Reply>} */
  const sent = post('answer', fields);
  sheets.delete(key);
  if (kind === 'sheet' && button.value !== 'e') {
    hold(key, button.lastChild?.textContent?.trim() ?? '', 5000, sent);
    select(nextAfter(key)?.key ?? '');
  }
  sent.then((reply) => {
    // Hints alone are stored without a draft.
    const isStored = reply.kind === 'done' || (kind === 'edit' && reply.kind === 'show' && reply.said?.tone === 'good');
    if (isStored || (kind !== 'sheet' && button.value === 'n')) typed.delete(key);
    replied(reply, key);
  }, lost);
};
/** @param {string} key @param {string} means @param {number} ms @param {Promise<Reply>} reply */
const hold = (key, means, ms, reply) => {
  pending.set(key, means);
  undoing = { key, reply };
  showToast(`${nameOf(rows.get(key) || { key, id: key })}: ${means}`, ms);
};

/**
 * A tab that is loaded while an answer is held offers to take it back too. It forgets that when the time is over.
 * @param {Held} held
 */
export const holdOn = (held) => {
  const reply = Promise.resolve(held);
  const { key, ms, means } = held;
  hold(key, means.charAt(0).toUpperCase() + means.slice(1), ms, reply);
  setTimeout(() => {
    if (undoing?.reply !== reply) return;
    undoing = null;
    pending.delete(key);
    refreshSoon();
  }, ms + 1000);
};

/** @param {Reply} reply @param {string} key */
const replied = (reply, key) => {
  if (reply.kind === 'held') {
    if (undoing?.key !== key) return;
    // The server may have been busy with the answer before: this one is held from now on.
    toast.hidden = false;
    clearTimeout(clock);
    clock = setTimeout(hideToast, reply.ms);
    if (reply.then) selectAgain(reply.then);
    return;
  }
  settle(key);
  if (reply.kind === 'done') {
    if (reply.said) {
      tell(reply.said.tone, reply.said.sentence);
      showDone(reply.said.sentence);
    }
    if (view.key === key) select(nextAfter(key)?.key ?? '', { message: reply.said });
    return paint();
  }
  if (reply.kind === 'outdated') {
    const sentence =
      'It was shown too long ago, or answered in another tab, so nothing was done. This is how it is now:';
    return selectAgain(key, { message: { tone: 'warning', sentence } });
  }
  const kind = reply.view;
  if (kind === 'sheet') return selectAgain(reply.key, { message: reply.said });
  partAt(pathOf(kind, reply.key), false).then((part) => {
    view.key = reply.key;
    tell(reply.said?.tone ?? 'none', reply.said?.sentence ?? '');
    put(kind, reply.key, part);
    note(false);
  }, lost);
};

/** Takes the last answer back; it may still be on its way to the server. */
const undo = async () => {
  const last = undoing;
  if (!last || page.isOver)
    return showToast('There is no answer to take back. surety demote and surety restore change what was written.', 0);
  undoing = null;
  hideToast();
  const reply = await last.reply;
  if (reply.kind !== 'held') return;
  const undone = await post('undo', { undo: reply.undo });
  if (undone.kind === 'undone') {
    pending.delete(undone.key);
    const sentence = `Taken back: nothing was done about ${undone.id}.`;
    selectAgain(undone.key, { message: { tone: 'good', sentence } });
  } else tell('warning', 'It is too late to take that back; surety demote and surety restore change it.');
};
/** The answer itself may be written by then, so it is not said that nothing was done. */
export const tryUndo = () =>
  void undo().catch((error) => lost(error, 'That did not reach Surety, so your answer was not taken back.'));
find('undo').addEventListener('click', tryUndo);

sheet.addEventListener('submit', (event) => {
  event.preventDefault();
  const button = submitterOf(event);
  if (button.name === 'key') answer(button);
});
