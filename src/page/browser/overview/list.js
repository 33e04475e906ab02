// The list: only the rows in the window are in the document, so that ten thousand scroll like ten.

import { find, targetOf } from '../elements.js';
import {
  ask,
  base,
  FILTERS,
  filterOf,
  filters,
  fits,
  list,
  lost,
  names,
  note,
  page,
  pending,
  rows,
  SHOWS,
  SORTS,
  search,
  setNames,
  view,
  WORDS,
} from './state.js';

/**
 * @typedef {import('./state.js').Row} Row
 * @typedef {{ id: string, fields: string[], excerpt: { text: string, isMatch: boolean }[] }} Hit
 * @typedef {HTMLElement & { print?: string }} RowElement
 */

/** The rows in the list, in its order. @type {Row[]} */
export let shown = [];
/** @type {{ found: Hit[], nothing?: string } | null} */
let hits = null;

/** Makes the list from the rows, the filters and what was found. */
const choose = () => {
  listProjects();
  const wanted = SHOWS[view.show] ?? (() => true);
  const some = hits === null ? [...rows.values()] : hits.found.flatMap(({ id }) => rows.get(id) ?? []);
  shown = some.filter((row) => wanted(row) && fits(row));
  if (hits === null) shown.sort(SORTS[view.sort]);
  /** @type {Record<string, number>} */
  const counts = { waiting: 0, all: rows.size };
  for (const row of rows.values()) {
    counts[row.tier] = (counts[row.tier] ?? 0) + 1;
    if (row.waits) counts.waiting = (counts.waiting ?? 0) + 1;
  }
  for (const button of find('shows').querySelectorAll('button')) {
    button.querySelector('.count')?.replaceChildren((counts[button.value] ?? 0).toLocaleString('en'));
    button.setAttribute('aria-pressed', String(button.value === view.show));
  }
  const many = shown.length === 1 ? '1 memory' : `${shown.length.toLocaleString('en')} memories`;
  find('tally').textContent = hits === null ? many : `${many} found, best first`;
  const set = FILTERS.filter((name) => view[name] !== '');
  find('chosen').textContent = set.map((name) => view[name]).join(', ');
  const isNone = shown.length === 0;
  list.hidden = isNone;
  find('none').hidden = !isNone;
  find('none-text').textContent = noneText();
  find('none-all').hidden = view.show === 'all' && set.length === 0 && hits === null;
};

const noneText = () => {
  if (rows.size === 0)
    return 'Nothing is stored yet. Your agents propose memories. To write one down yourself, type surety remember in a terminal.';
  if (hits !== null)
    return `${hits.nothing || 'Nothing that was found fits the filters.'} The search finds what agents can find: quarantined memories are in the list only.`;
  if (view.show === 'waiting') return 'Nothing waits for you.';
  return 'No memory fits the filters.';
};

/** The projects that there are, in the filter. */
const listProjects = () => {
  const select = filterOf('project');
  const all = [...new Set([...rows.values()].map((row) => row.project))].filter((name) => name !== '').sort();
  const [any, ...there] = select.options;
  if (all.join('\n') === there.map((option) => option.value).join('\n')) return;
  select.replaceChildren(any ?? '', ...all.map((name) => new Option(name, name)));
  select.value = view.project;
};

let searches = 0;
/** Looks for what is typed, as agents do. A late reply to an earlier search is thrown away. */
const runSearch = async () => {
  const turn = ++searches;
  if (view.q.trim() === '') {
    hits = null;
    return refresh();
  }
  const query = new URLSearchParams({ q: view.q });
  if (view.type) query.set('type', view.type);
  if (view.project) query.set('project', view.project);
  if (view.show === 'verified' || view.show === 'inferred') query.set('tier', view.show);
  const found = await ask(`${base}search?${query}`);
  if (turn !== searches) return;
  hits = found;
  refresh();
};
/** Looks again for what the address says; without words, nothing is searched for any more. */
export const searchAgain = () => {
  if (view.q !== '') void runSearch().catch(lost);
  else hits = null;
};

const ROW_HEIGHT = 62;
const SPARE = 6;
const rowBox = find('rows');
/** @type {Map<number, RowElement>} */
const painted = new Map();
/** Kept, because reading them while the document changes makes the browser lay it out at once. */
let listTop = 0;
let listHeight = 0;
const windowHeight = () => {
  listHeight = listHeight || list.clientHeight;
  return listHeight;
};
/** @param {number} top */
const scrollList = (top) => {
  if (top === listTop) return;
  listTop = top;
  list.scrollTop = top;
};
new ResizeObserver(() => {
  listHeight = list.clientHeight;
  paint();
}).observe(list);

/** @param {string} tag @param {string} className @param {string} [text] */
export const made = (tag, className, text) => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
};

/** @param {Row} row */
const ageOf = ({ since }) => {
  if (since < 0) return '';
  // Days as in every other place: whole ones of UTC.
  const days = Math.floor(page.now / 86400) - Math.floor(since / 86400);
  // A page may be older than a row by hours; what is a day ahead was dated by a wrong clock.
  if (days < -1) return 'ahead';
  if (days < 1) return 'today';
  if (days < 60) return `${days} d`;
  return days < 700 ? `${Math.round(days / 30.4)} mo` : `${Math.round(days / 365)} y`;
};
/** Until the name is read from its file, the words of the id stand for it. @param {Pick<Row, 'key' | 'id'>} row */
export const nameOf = ({ key, id }) => names.get(key) ?? id.replace(/^[a-z]+_/, '').replaceAll('_', ' ');

/** Why a search found it: where the words are, and the words marked. @param {Hit} hit */
const excerpt = (hit) => {
  const line = made('span', 'found');
  line.append(made('span', 'in', `${hit.fields.length > 0 ? hit.fields.join(', ') : 'a way to ask for it'}: `));
  hit.excerpt.forEach(({ text, isMatch }, i) => {
    const isLong = i === 0 && !isMatch && text.length > 16;
    line.append(isMatch ? made('mark', '', text) : isLong ? `…${text.slice(-14)}` : text);
  });
  return line;
};

/** @param {RowElement} node @param {Row} row @param {number} index */
const fill = (node, row, index) => {
  const isSelected = row.key === view.key;
  const hit = hits?.found.find(({ id }) => id === row.key);
  const state = pending.get(row.key);
  const facts = [row.key, row.tier, row.category, nameOf(row), row.project, row.since];
  const print = [...facts, state || '', view.q, index, shown.length].join('\n');
  node.setAttribute('aria-selected', String(isSelected));
  if (node.print === print) return;
  node.print = print;
  node.id = `row-${index}`;
  node.dataset.key = row.key;
  node.setAttribute('aria-setsize', String(shown.length));
  node.setAttribute('aria-posinset', String(index + 1));
  node.style.transform = `translateY(${index * ROW_HEIGHT}px)`;
  const top = made('span', 'name', nameOf(row));
  top.dir = 'auto';
  const meta = made('span', 'meta');
  meta.append(made('span', `tier ${row.tier}`, row.tier));
  if (hit) meta.append(excerpt(hit));
  else meta.append(made('span', 'type', row.type));
  if (!hit && row.project !== '') meta.append(made('span', 'project', row.project));
  const end = made('span', 'end');
  if (state) end.append(made('span', 'state', state));
  else if (row.waits) end.append(made('span', 'why', WORDS.categories[row.category]));
  end.append(made('span', 'age', ageOf(row)));
  node.replaceChildren(top, meta, end);
};

export const paint = () => {
  const first = Math.max(0, Math.floor(listTop / ROW_HEIGHT) - SPARE);
  const last = Math.min(shown.length, Math.ceil((listTop + windowHeight()) / ROW_HEIGHT) + SPARE);
  /** @type {RowElement[]} */
  const free = [];
  for (const [index, node] of painted) {
    if (index >= first && index < last) continue;
    painted.delete(index);
    free.push(node);
  }
  const visible = shown.slice(first, last);
  for (const [i, row] of visible.entries()) {
    let node = painted.get(first + i);
    if (node === undefined) {
      node = free.pop();
      if (node === undefined) {
        node = made('div', 'row');
        node.setAttribute('role', 'option');
        rowBox.append(node);
      }
      painted.set(first + i, node);
    }
    fill(node, row, first + i);
  }
  for (const node of free) node.remove();
  const at = indexOf(view.key);
  if (painted.has(at)) list.setAttribute('aria-activedescendant', `row-${at}`);
  else list.removeAttribute('aria-activedescendant');
  nameSoon(visible);
};

/** @type {string[]} */
let toName = [];
/** @type {number | undefined} */
let naming;
/** @param {Row[]} some */
const nameSoon = (some) => {
  toName = some.filter(({ key, tier }) => !names.has(key) && tier !== 'quarantined').map(({ key }) => key);
  if (toName.length === 0 || naming !== undefined) return;
  naming = setTimeout(async () => {
    const keys = toName.slice(0, 60);
    try {
      setNames(await ask(`${base}names?${new URLSearchParams(keys.map((key) => ['key', key]))}`));
      // A blocked text has no name to show.
      for (const key of keys) if (!names.has(key)) names.set(key, rows.get(key)?.id ?? key);
    } catch {
      return;
    } finally {
      naming = undefined;
    }
    paint();
  }, 25);
};

/** @param {string} key */
export const indexOf = (key) => (key === '' ? -1 : shown.findIndex((row) => row.key === key));

/** @type {number | undefined} */
let refreshing;
/** Paints the list again after rows or filters changed. */
export const refresh = () => {
  clearTimeout(refreshing);
  refreshing = undefined;
  if (page.isOver) return;
  choose();
  rowBox.style.height = `${shown.length * ROW_HEIGHT}px`;
  paint();
};
/** Paints the list in a moment, once for all that changes until then: a key must not wait for it. */
export const refreshSoon = () => {
  refreshing ??= setTimeout(refresh, 60);
};
/** @param {number} index */
export const reveal = (index) => {
  const top = index * ROW_HEIGHT;
  if (top < listTop) scrollList(top);
  else if (top + ROW_HEIGHT > listTop + windowHeight()) scrollList(top + ROW_HEIGHT - windowHeight());
};

let isPainting = false;
list.addEventListener(
  'scroll',
  () => {
    if (isPainting) return;
    isPainting = true;
    requestAnimationFrame(() => {
      isPainting = false;
      listTop = list.scrollTop;
      paint();
    });
  },
  { passive: true },
);

/** @param {Partial<typeof view>} changes */
const change = (changes) => {
  Object.assign(view, changes);
  scrollList(0);
  note(true);
  refresh();
  if (view.q !== '') void runSearch().catch(lost);
};
find('shows').addEventListener('click', (event) => {
  const button = targetOf(event).closest('button');
  if (button) change({ show: button.value });
});
filters.addEventListener('change', (event) => {
  const { name, value } = /** @type {HTMLSelectElement} */ (event.target);
  change({ [name]: value });
});
filters.addEventListener('submit', (event) => event.preventDefault());
find('none-all').addEventListener('click', () => {
  for (const name of FILTERS) filterOf(name).value = '';
  search.value = '';
  hits = null;
  change({ show: 'all', type: '', project: '', by: '', mark: '', q: '' });
});
/** @type {number | undefined} */
let typing;
search.addEventListener('input', () => {
  clearTimeout(typing);
  typing = setTimeout(() => {
    view.q = search.value;
    // On a narrow screen a memory or the charts cover the list.
    document.body.classList.remove('reading');
    // A search looks everywhere, unless a tier was chosen.
    if (view.q !== '' && view.show === 'waiting') view.show = 'all';
    note(false);
    scrollList(0);
    void runSearch().catch(lost);
  }, 60);
});
