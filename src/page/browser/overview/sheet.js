// The memory beside the list. Its neighbours are fetched before they are asked for.

import { find, findAs, targetOf } from '../elements.js';
import { indexOf, made, paint, reveal, shown } from './list.js';
import {
  base,
  fillWith,
  list,
  lost,
  note,
  noteSoon,
  page,
  pane,
  partAt,
  pathOf,
  pending,
  rows,
  sheet,
  view,
} from './state.js';

/**
 * @typedef {import('./state.js').Message} Message
 * @typedef {{ part: Promise<Element>, print: string, since: number, done: Element | null }} Fetched
 * @typedef {{ isStep?: boolean, message?: Message | undefined, isReading?: boolean }} Showing
 */

/** The server forgets a sheet's token after ten minutes. */
const FRESH_MS = 8 * 60000;
const MOST_SHEETS = 12;
/** @type {Map<string, Fetched>} */
export const sheets = new Map();
/** What is on the screen. */
export const onScreen = {
  kind: /** @type {'none' | 'sheet' | 'edit' | 'draft'} */ ('none'),
  key: '',
  print: '',
  since: 0,
  isSeen: false,
  isSent: false,
  isChanged: false,
};

/** @param {string} key */
export const printOf = (key) => {
  const row = rows.get(key);
  return row ? [row.version, row.tier, row.category].join(' ') : '';
};
/** @type {(key: string, auto: boolean) => Fetched} */
const fetchSheet = (key, auto) => {
  const kept = sheets.get(key);
  if (kept && kept.print === printOf(key) && performance.now() - kept.since < FRESH_MS) return kept;
  /** @type {Fetched} */
  const fetched = {
    part: partAt(pathOf('sheet', key), auto),
    print: printOf(key),
    since: performance.now(),
    done: null,
  };
  fetched.part.then(
    (part) => {
      fetched.done = part;
    },
    () => sheets.delete(key),
  );
  sheets.delete(key);
  sheets.set(key, fetched);
  for (const oldest of sheets.keys()) {
    if (sheets.size <= MOST_SHEETS) break;
    if (oldest !== view.key) sheets.delete(oldest);
    else break;
  }
  return fetched;
};

/**
 * What was refused stays for ten seconds, whatever is shown meanwhile: the person is at a later memory by then.
 * @type {(Message & { until: number }) | null}
 */
let refused = null;
const said = find('said');
/** @param {string} tone @param {string} sentence */
export const tell = (tone, sentence) => {
  const kept = refused && performance.now() < refused.until ? refused : { tone, sentence: '' };
  said.textContent = [...new Set([kept.sentence, sentence])].filter(Boolean).join(' ');
  said.className = `said ${said.textContent ? kept.tone : 'none'}`;
};
/** @param {string} tone @param {string} sentence */
export const refuse = (tone, sentence) => {
  refused = { tone, sentence, until: performance.now() + 10000 };
  tell(tone, '');
};

/**
 * The question that the authenticator has not answered yet. It ends when something else is on the screen.
 * @type {AbortController | null}
 */
export let asking = null;
export const startAsking = () => {
  asking = new AbortController();
  return asking;
};
export const stopAsking = () => {
  asking?.abort();
  asking = null;
};

/** @param {'sheet' | 'edit' | 'draft'} kind @param {string} key @param {Element} part */
export const put = (kind, key, part) => {
  stopAsking();
  fillWith(sheet, part);
  const since = performance.now();
  Object.assign(onScreen, { kind, key, print: printOf(key), since, isSeen: false, isSent: false, isChanged: false });
  pane.classList.remove('waits');
  // In the frame that shows it: before, the browser would lay out the document once more.
  requestAnimationFrame(() => {
    pane.scrollTop = 0;
    look();
  });
  const heading = sheet.querySelector('h1');
  if (heading) heading.tabIndex = -1;
  if (kind === 'edit') {
    typeAgain(key);
    /** @type {HTMLElement | null} */ (sheet.querySelector('[name=name]'))?.focus();
  }
  if (kind === 'sheet') lifeSoon(key);
};

/**
 * What the person has typed about each memory and not stored. It survives a look at another memory, a refusal, and a form that is too old.
 * @type {Map<string, [name: string, value: FormDataEntryValue][]>}
 */
export const typed = new Map();
sheet.addEventListener('input', (event) => {
  const form = targetOf(event).closest('form');
  if (onScreen.kind === 'edit' && form) typed.set(onScreen.key, [...new FormData(form)]);
});
addEventListener('beforeunload', (event) => {
  if (typed.size > 0 && !page.isOver) event.preventDefault();
});
/** @param {string} key */
const typeAgain = (key) => {
  for (const [name, value] of typed.get(key) ?? []) {
    const field = /** @type {HTMLInputElement | null} */ (sheet.querySelector(`[name="${name}"]`));
    if (field && name !== 'token') field.value = String(value);
  }
};

/** Whether the end of the text has been on the screen. A yes counts for the whole text. */
export const look = () => {
  const end = document.getElementById('end');
  const bar = /** @type {HTMLElement | null} */ (sheet.querySelector('.choices'));
  const height = bar && getComputedStyle(bar).position === 'sticky' ? bar.offsetHeight : 0;
  if (!end || end.getBoundingClientRect().top <= pane.getBoundingClientRect().bottom - height + 2)
    onScreen.isSeen = true;
  const unread = document.getElementById('unread');
  if (unread) unread.hidden = onScreen.isSeen;
};
pane.addEventListener('scroll', look, { passive: true });
addEventListener('resize', look);

/** @type {number | undefined} */
let living;
/** @param {string} key */
const lifeSoon = (key) => {
  clearTimeout(living);
  living = setTimeout(async () => {
    try {
      const part = await partAt(pathOf('life', key), true);
      const box = document.getElementById('life');
      if (box && onScreen.key === key) fillWith(box, part);
    } catch {
      // No decision rests on its life.
    }
  }, 150);
};

/** @type {number | undefined} */
let prefetching;
const prefetchSoon = () => {
  clearTimeout(prefetching);
  prefetching = setTimeout(() => {
    const at = indexOf(view.key);
    for (const index of [at + 1, at + 2, at - 1, at + 3]) {
      const row = shown[index];
      if (row && !pending.has(row.key)) fetchSheet(row.key, true);
    }
  }, 20);
};

/**
 * Shows a memory. What is on the screen until its sheet is there takes no key.
 * @param {string} key
 * @param {Showing} [showing]
 */
export const select = (key, { isStep = false, message, isReading = true } = {}) => {
  stopAsking();
  view.key = key;
  view.isCharts = false;
  if (isStep) note(true);
  else noteSoon();
  if (key !== '' && isReading) document.body.classList.add('reading');
  const index = indexOf(key);
  if (index >= 0) reveal(index);
  paint();
  tell(message?.tone ?? 'none', message?.sentence ?? '');
  if (key === '') return showNothing();
  const fetched = fetchSheet(key, false);
  if (fetched.done) put('sheet', key, fetched.done);
  else {
    onScreen.kind = 'none';
    pane.classList.add('waits');
    fetched.part.then((part) => {
      if (view.key === key && onScreen.kind === 'none') put('sheet', key, part);
    }, lost);
  }
  prefetchSoon();
};
/**
 * Fetches a sheet again, because its token was used or the memory changed.
 * @type {(key: string, showing?: Showing) => void}
 */
export const selectAgain = (key, showing) => {
  sheets.delete(key);
  select(key, showing);
};
list.addEventListener('click', (event) => {
  const row = /** @type {HTMLElement | null} */ (targetOf(event).closest('.row'));
  if (row) select(row.dataset.key ?? '', { isStep: true });
});
/** @param {number} waits */
const waitingText = (waits) => {
  if (rows.size === 0) return 'Nothing is stored yet';
  if (waits === 0) return 'Nothing waits for you';
  return waits === 1 ? '1 memory waits for you' : `${waits} memories wait for you`;
};
export const showNothing = () => {
  onScreen.kind = 'none';
  onScreen.key = '';
  document.body.classList.remove('reading');
  const waits = [...rows.values()].filter((row) => row.waits && !pending.has(row.key)).length;
  const hint =
    rows.size === 0
      ? 'Your agents propose memories. To write one down yourself, type surety remember in a terminal.'
      : waits === 0
        ? 'All, above the list, shows every memory.'
        : 'Choose a memory in the list, or press j.';
  const empty = made('div', 'empty');
  empty.append(made('h1', '', waitingText(waits)), made('p', 'quiet', hint));
  sheet.replaceChildren(empty);
};
/** The memory that the charts took the place of. */
let beforeCharts = '';
/** The charts in the place of a memory. They take no key of a memory. @param {boolean} isStep */
const loadCharts = async (isStep) => {
  if (view.key !== '') beforeCharts = view.key;
  view.key = '';
  view.isCharts = true;
  onScreen.kind = 'none';
  onScreen.key = '';
  stopAsking();
  if (isStep) note(true);
  paint();
  tell('none', '');
  document.body.classList.add('reading');
  const part = await partAt(`${base}figures`, !isStep);
  if (!view.isCharts) return;
  const boxes = () => /** @type {NodeListOf<HTMLDetailsElement>} */ (sheet.querySelectorAll('.chart details'));
  const open = [...boxes()].map((box) => box.open);
  fillWith(sheet, part);
  boxes().forEach((box, i) => {
    box.open = open[i] || false;
  });
  pane.classList.remove('waits');
};
/** @param {boolean} isStep */
export const showCharts = (isStep) => void loadCharts(isStep).catch(lost);
export const leaveCharts = () => (indexOf(beforeCharts) < 0 ? step(1) : select(beforeCharts));
find('charts').addEventListener('click', () => showCharts(true));
/** @type {number | undefined} */
let charting;
/** The charts follow what changes, and not more often than every two seconds. */
export const chartsSoon = () => {
  if (charting !== undefined) return;
  charting = setTimeout(() => {
    charting = undefined;
    if (view.isCharts && !page.isOver) showCharts(false);
  }, 2000);
};
/** @param {number} by */
export const step = (by) => {
  const at = indexOf(view.key);
  const next = shown[at < 0 ? 0 : Math.min(shown.length - 1, Math.max(0, at + by))];
  if (next && next.key !== view.key) select(next.key);
};

/** @param {string} route @param {Record<string, string>} query */
const showDialog = async (route, query) => {
  const part = await partAt(`${pathOf(route, onScreen.key)}?${new URLSearchParams(query)}`, false);
  fillWith(find('compare-body'), part);
  findAs(HTMLDialogElement, 'compare').showModal();
};
sheet.addEventListener('click', (event) => {
  const button = targetOf(event).closest('button');
  if (!button) return;
  const { compare, earlier, to } = button.dataset;
  if (compare) void showDialog('beside', { other: compare }).catch(lost);
  else if (earlier) void showDialog('earlier', { digest: earlier }).catch(lost);
  else if (to) leaveTo(to);
});
find('compare-body').addEventListener('click', (event) => {
  const to = targetOf(event).closest('button')?.dataset.to;
  if (to !== undefined) leaveTo(to);
});
/** An address is shown once more before anything leads there. @param {string} to */
const leaveTo = (to) => {
  const link = findAs(HTMLAnchorElement, 'leave-link');
  link.textContent = to;
  link.href = to;
  findAs(HTMLDialogElement, 'leave').showModal();
};
find('back').addEventListener('click', () => {
  document.body.classList.remove('reading');
  list.focus();
});
export const toggleRaw = () => pane.classList.toggle('raw');
