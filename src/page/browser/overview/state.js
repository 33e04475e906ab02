// Rows, filters and the address bar, and how the server is asked.

import { find, findAs } from '../elements.js';

/**
 * @typedef {[key: string, id: string, tier: number, type: number, category: number, marks: number, origin: number,
 *   since: number, project: string, version: string]} RowJson A row as the server sends it
 * @typedef {ReturnType<typeof rowOf>} Row
 * @typedef {{ tone: string, sentence: string }} Message
 */

const { dataset } = document.documentElement;
export const { base = '' } = dataset;
/**
 * The words that rows name by number.
 * @type {Record<'tiers' | 'types' | 'categories' | 'marks' | 'origins', string[]>}
 */
export const WORDS = JSON.parse(dataset.words ?? '{}');
export const [list, pane, sheet] = [find('list'), find('pane'), find('sheet')];
export const search = findAs(HTMLInputElement, 'q');
export const filters = findAs(HTMLFormElement, 'filter-form');
/** @type {(name: string) => HTMLSelectElement} */
export const filterOf = (name) => /** @type {HTMLSelectElement} */ (filters.elements.namedItem(name));

/** What the person looks at: which memories, in which order, and which one. The address bar holds it too. */
export const view = {
  isCharts: false,
  show: '',
  type: '',
  project: '',
  by: '',
  mark: '',
  sort: 'queue',
  q: '',
  key: '',
};
export const page = {
  /** The server's time in seconds when it made the rows. */
  now: 0,
  isOver: false,
  /** When something was last asked for the person. */
  lastAsked: 0,
};
/** @type {Map<string, Row>} */
export const rows = new Map();
/** @type {Map<string, string>} */
export const names = new Map();
/** Rows with an answer that is held or under way. @type {Map<string, string>} */
export const pending = new Map();

/** @type {(route: string, key: string) => string} */
export const pathOf = (route, key) => `${base + route}/${key.split('/').map(encodeURIComponent).join('/')}`;

/** The address of what the script asks for by itself, which keeps no page open. @type {(path: string) => string} */
const byItself = (path) => path + (path.includes('?') ? '&auto' : '?auto');
/** @param {string} path @param {boolean} [auto] */
export const ask = async (path, auto) => {
  if (!auto) page.lastAsked = performance.now();
  const reply = await fetch(auto ? byItself(path) : path, { credentials: 'same-origin' });
  if (!reply.ok) throw new Error('not served');
  return reply.json();
};
/** @param {string} name @param {URLSearchParams | Record<string, string>} fields */
export const post = async (name, fields) => {
  page.lastAsked = performance.now();
  const body = new URLSearchParams(fields);
  const reply = await fetch(base + name, { method: 'POST', body, credentials: 'same-origin' });
  if (!reply.ok) throw new Error('not served');
  return reply.json();
};
/**
 * A part of a page, parsed by the browser and without scripts.
 * @type {(path: string, auto: boolean) => Promise<Element>}
 */
export const partAt = (path, auto) =>
  new Promise((resolve, reject) => {
    if (!auto) page.lastAsked = performance.now();
    const request = new XMLHttpRequest();
    request.open('GET', auto ? byItself(path) : path);
    request.responseType = 'document';
    request.onload = () => {
      const part = request.status === 200 && request.response && request.response.getElementById('part');
      if (part) resolve(part);
      else reject(new Error('not served'));
    };
    request.onerror = () => reject(new Error('not served'));
    request.send();
  });
/** Shows a part in the place of what an element has. @type {(element: Element, part: Element) => void} */
export const fillWith = (element, part) =>
  element.replaceChildren(...[...part.childNodes].map((node) => document.importNode(node, true)));
/**
 * Says that a request failed. `live.js` listens, because what it does then takes all of the page.
 * @param {unknown} _error
 * @param {string} [sentence]
 */
export const lost = (_error, sentence = 'That did not reach Surety; nothing was done. Try it again.') => {
  dispatchEvent(new CustomEvent('lost', { detail: sentence }));
};

/** @param {RowJson} json */
const rowOf = ([key, id, tier, type, category, marks, origin, since, project, version]) => ({
  key,
  id,
  category,
  marks,
  since,
  project,
  version,
  tier: WORDS.tiers[tier] ?? '',
  type: WORDS.types[type] ?? '',
  by: WORDS.origins[origin] ?? '',
  waits: category >= 0 && WORDS.categories[category] !== 'new',
});
/** @param {RowJson} json */
export const setRow = (json) => {
  const [before, row] = [rows.get(json[0]), rowOf(json)];
  if (before && before.version !== row.version) names.delete(row.key);
  rows.set(row.key, row);
};
/** @param {string} key */
export const dropRow = (key) => {
  for (const each of [rows, names, pending]) each.delete(key);
};
/** @param {Record<string, string>} found */
export const setNames = (found) => {
  for (const [key, name] of Object.entries(found)) names.set(key, name);
};

/** @type {Record<string, (row: Row) => boolean>} */
export const SHOWS = {
  waiting: (row) => row.waits,
  all: () => true,
  verified: (row) => row.tier === 'verified',
  inferred: (row) => row.tier === 'inferred',
  quarantined: (row) => row.tier === 'quarantined',
};
/** @typedef {(a: Row, b: Row) => number} Order */
/** @type {Order} */
const byKey = (a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
/** @param {Row} row */
const place = (row) => (row.category < 0 ? WORDS.categories.length : row.category);
const REQUESTS = WORDS.categories.indexOf('requests');
/** Requests stand in the order in which agents made them, as in a review. @type {Order} */
const byRequest = (a, b) => (a.category === REQUESTS && b.category === REQUESTS ? a.since - b.since : 0);
/** @type {Record<string, Order>} */
export const SORTS = {
  queue: (a, b) => place(a) - place(b) || byRequest(a, b) || byKey(a, b),
  newest: (a, b) => b.since - a.since || byKey(a, b),
  oldest: (a, b) => a.since - b.since || byKey(a, b),
  id: (a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0) || byKey(a, b),
};

/** @param {Row} row */
export const fits = (row) => {
  const mark = WORDS.marks.indexOf(view.mark);
  return (
    (view.type === '' || row.type === view.type) &&
    (view.project === '' || row.project === view.project) &&
    (view.by === '' || row.by === view.by) &&
    (mark < 0 || (row.marks & (1 << mark)) !== 0)
  );
};

export const FILTERS = /** @type {const} */ (['type', 'project', 'by', 'mark']);
const FIELDS = /** @type {const} */ (['show', ...FILTERS, 'sort', 'q']);
const address = () => {
  const query = new URLSearchParams();
  for (const name of FIELDS)
    if (view[name] !== '' && !(name === 'sort' && view.sort === 'queue')) query.set(name, view[name]);
  const path = view.key !== '' ? pathOf('m', view.key) : base + (view.isCharts ? 'charts' : '');
  return path + (query.size === 0 ? '' : `?${query}`);
};
/** @type {number | undefined} */
let noting;
/**
 * A click is a step back and forward; keys and answers are not, because fifty of them would bury every other step.
 * @param {boolean} isStep
 */
export const note = (isStep) => {
  clearTimeout(noting);
  noting = undefined;
  const to = address();
  if (to === location.pathname + location.search) return;
  history[isStep ? 'pushState' : 'replaceState'](null, '', to);
};
/** The address follows the keys in a moment, because to change it takes longer than to show a memory. */
export const noteSoon = () => {
  noting ??= setTimeout(() => note(false), 100);
};
addEventListener('beforeunload', () => note(false));
export const readAddress = () => {
  const query = new URLSearchParams(location.search);
  for (const name of FIELDS) view[name] = query.get(name) || (name === 'sort' ? 'queue' : '');
  if (!(view.sort in SORTS)) view.sort = 'queue';
  const rest = location.pathname.slice(base.length);
  view.key = rest.startsWith('m/') ? rest.slice(2).split('/').map(decodeURIComponent).join('/') : '';
  view.isCharts = rest === 'charts';
  const anyWaits = [...rows.values()].some((row) => row.waits);
  if (!(view.show in SHOWS)) view.show = anyWaits && view.key === '' && !view.isCharts ? 'waiting' : 'all';
  search.value = view.q;
  for (const name of /** @type {const} */ ([...FILTERS, 'sort'])) filterOf(name).value = view[name];
};
