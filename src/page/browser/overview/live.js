// What others change while the page is open, and the end of the page.

import { find, targetOf } from '../elements.js';
import { hideToast, settle, showDone, undoing } from './answers.js';
import { refreshSoon } from './list.js';
import { chartsSoon, onScreen, printOf, refuse, selectAgain, sheets, showNothing, stopAsking, tell } from './sheet.js';
import {
  ask,
  base,
  dropRow,
  fillWith,
  lost,
  page,
  pane,
  partAt,
  pending,
  post,
  rows,
  setNames,
  setRow,
  sheet,
  view,
} from './state.js';

/** @typedef {import('./state.js').RowJson} RowJson */

/** How many changes the server had reported when it made these rows. */
let changes = 0;
/** @type {EventSource | undefined} */
let stream;
const rest = () => {
  if (!stream) return;
  stream.close();
  stream = undefined;
  find('live').textContent = '';
};

/** @type {Record<string, [title: string, text: string]>} */
const ENDS = {
  idle: ['This page was locked', 'Nobody used it for half an hour, so it shows nothing any more.'],
  expired: ['This page is closed', 'It was open for twelve hours, which is as long as a page may be.'],
  left: ['This page is closed', ''],
  closed: ['This page is closed', 'It was closed in the terminal.'],
  voided: [
    'This page is closed',
    'Its link was used by another browser or program, so it was closed for both. If that was not you, another program has read the link.',
  ],
};
/**
 * Nobody answers any more. Nothing of the store stays on the screen, but what the person has typed does.
 * @param {string} [how]
 * @param {string} [decided]
 */
const stop = (how = '', decided = '') => {
  if (page.isOver) return;
  page.isOver = true;
  rest();
  stopAsking();
  hideToast();
  const [gone, goneTitle, goneText] = [find('gone'), find('gone-title'), find('gone-text')];
  const [title, text] = ENDS[how] ?? [];
  if (title) {
    goneTitle.textContent = title;
    goneText.textContent = [text, decided].filter(Boolean).join(' ');
  } else if (undoing) goneText.append(' Your last answer was still held or on its way, so it may not be written.');
  document.title = goneTitle.textContent ?? '';
  if (onScreen.kind === 'edit') {
    for (const button of document.querySelectorAll('button')) button.disabled = true;
    document.querySelector('nav')?.remove();
    pane.prepend(gone);
  } else find('split').replaceWith(gone);
  for (const box of document.querySelectorAll('dialog')) box.remove();
  find('notices').remove();
  document.querySelector('search')?.remove();
  for (const name of ['charts', 'keys', 'close', 'live']) find(name).remove();
  gone.hidden = false;
  goneTitle.focus();
};
/** The server may be gone, or only this request. The next one finds out which. */
addEventListener('lost', (event) => {
  if (page.isOver) return;
  const sentence = /** @type {CustomEvent<string>} */ (event).detail;
  fetch(`${base}here?auto`, { credentials: 'same-origin' }).then(
    (reply) => {
      if (reply.ok) tell('warning', sentence);
      else stop();
    },
    () => stop(),
  );
});

/** Somebody changed the text that is on the screen: it takes no key until the new one is there. */
const changedUnderEyes = () => {
  const message = { tone: 'warning', sentence: 'It changed while you were looking at it. This is how it is now:' };
  onScreen.isChanged = true;
  if (onScreen.kind === 'sheet') selectAgain(onScreen.key, { message, isReading: false });
  else
    tell(
      'warning',
      'The stored text changed while you were writing. What you wrote is kept here; it cannot be stored over the new text.',
    );
};

/**
 * A sheet names memories that are nearly the same, with tiers that may have changed since it was made.
 * @param {Element} part
 */
const followNear = (part) => {
  for (const button of part.querySelectorAll('button')) {
    const { compare } = button.dataset;
    if (compare === undefined) continue;
    const [item, row] = [button.closest('li'), rows.get(compare)];
    const tier = item?.querySelector('.tier');
    // The last one goes with its heading.
    const gone = item?.parentElement?.childElementCount === 1 ? item.closest('section') : item;
    if (!row || row.tier === 'quarantined') gone?.remove();
    else if (tier && tier.textContent !== row.tier) {
      tier.className = `tier ${row.tier}`;
      tier.textContent = row.tier;
    }
  }
};

/** The list, the notices and the sheet follow the rows. */
const followRows = () => {
  refreshSoon();
  noticesSoon();
  for (const part of [sheet, ...[...sheets.values()].map(({ done }) => done)]) if (part) followNear(part);
  const { key, kind } = onScreen;
  if (kind !== 'none' && !onScreen.isSent && onScreen.print !== printOf(key)) changedUnderEyes();
  else if (view.isCharts) chartsSoon();
  else if (view.key === '') showNothing();
};
const reload = () => void load(true).then(followRows).catch(lost);
/**
 * A change that is in the rows already is passed over. Where one was missed, all rows are loaded.
 * @param {{ after: number, set: RowJson[], gone: string[] }} came
 */
const onRows = ({ after, set, gone }) => {
  if (after > changes) return reload();
  if (after < changes || set.length + gone.length === 0) return;
  changes += 1;
  set.forEach(setRow);
  gone.forEach(dropRow);
  followRows();
};
/** @param {{ key: string, tone: string, sentence: string, isDone: boolean }} came */
const onSaid = ({ key, tone, sentence, isDone }) => {
  settle(key);
  refreshSoon();
  if (tone === 'good') showDone(sentence);
  else refuse(tone, sentence);
  if (!isDone) sheets.delete(key);
};

/** @type {number | undefined} */
let noticing;
/** What syncs brought up, and machines that nobody here trusts. */
export const loadNotices = async () => {
  noticing = undefined;
  if (page.isOver) return;
  const part = await partAt(`${base}notices`, true);
  fillWith(find('notices'), part);
};
const noticesSoon = () => {
  if (noticing === undefined) noticing = setTimeout(() => void loadNotices().catch(() => {}), 3000);
};
find('notices').addEventListener('click', (event) => {
  const { seen } = targetOf(event).dataset;
  if (seen) void post('seen', { seen }).then(loadNotices).catch(lost);
});

export const watch = () => {
  if (stream || page.isOver || document.hidden) return;
  let failures = 0;
  const watched = new EventSource(`${base}watch`);
  stream = watched;
  const live = find('live');
  watched.onopen = () => {
    // What came of an answer may have been said meanwhile, and is not said again.
    if (failures > 0) reload();
    failures = 0;
    live.textContent = 'Live';
  };
  watched.onerror = () => {
    if (page.isOver) return;
    live.textContent = '';
    if (watched.readyState === EventSource.CLOSED || ++failures > 1) stop();
  };
  watched.addEventListener('rows', (event) => onRows(JSON.parse(event.data)));
  watched.addEventListener('said', (event) => onSaid(JSON.parse(event.data)));
  watched.addEventListener('over', (event) => {
    const { how, decided } = JSON.parse(event.data);
    stop(how, decided);
  });
  watched.addEventListener('rest', rest);
};
/**
 * All rows. What a hidden tab missed is in them. Rows older than those that are here are asked for again.
 * @type {(auto: boolean) => Promise<import('./answers.js').Held | null>}
 */
export const load = async (auto) => {
  const loaded = await ask(`${base}rows`, auto);
  if (loaded.changes < changes) return load(auto);
  page.now = loaded.now;
  changes = loaded.changes;
  /** @type {RowJson[]} */
  const all = loaded.rows;
  const there = new Set(all.map(([key]) => key));
  for (const key of rows.keys()) if (!there.has(key)) dropRow(key);
  all.forEach(setRow);
  for (const key of pending.keys()) if (undoing?.key !== key) pending.delete(key);
  setNames(loaded.names);
  return loaded.held;
};
document.addEventListener('visibilitychange', () => {
  if (document.hidden) return;
  if (!stream && !page.isOver) reload();
  watch();
});
addEventListener('pagehide', rest);
addEventListener('pageshow', watch);
find('close').addEventListener('click', () =>
  post('close', {}).then(
    ({ decided }) => stop('left', decided),
    () => stop(),
  ),
);
