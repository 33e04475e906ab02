/** Rows, filters, search and the address bar. */
export const STATE_JS = String.raw`
const base = document.documentElement.dataset.base;
const find = (id) => document.getElementById(id);
const [list, rowBox, pane, sheet, said, toast, gone, search] =
  ['list', 'rows', 'pane', 'sheet', 'said', 'toast', 'gone', 'q'].map(find);

/** What the person looks at: which memories, in which order, and which one. The address bar holds it too. */
const view = { isCharts: false, show: '', type: '', project: '', by: '', mark: '', sort: 'queue', q: '', key: '' };
const rows = new Map();
const names = new Map();
/** Rows with an answer that is held or under way. */
const pending = new Map();
let now = 0;
/** How many changes the server had reported when it made these rows. */
let changes = 0;
let shown = [];
let hits = null;
let isOver = false;

const pathOf = (route, key) => base + route + '/' + key.split('/').map(encodeURIComponent).join('/');

/** The address of what the script asks for by itself, which keeps no page open. */
const byItself = (path) => path + (path.includes('?') ? '&auto' : '?auto');
let lastAsked = 0;
const ask = async (path, auto) => {
  if (!auto) lastAsked = performance.now();
  const reply = await fetch(auto ? byItself(path) : path, { credentials: 'same-origin' });
  if (!reply.ok) throw new Error('not served');
  return reply.json();
};
const post = async (name, fields) => {
  lastAsked = performance.now();
  const reply = await fetch(base + name, { method: 'POST', body: new URLSearchParams(fields), credentials: 'same-origin' });
  if (!reply.ok) throw new Error('not served');
  return reply.json();
};
/** A part of a page, parsed by the browser and without scripts. */
const partAt = (path, auto) => new Promise((resolve, reject) => {
  if (!auto) lastAsked = performance.now();
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
/** Shows a part in the place of what an element has. */
const fillWith = (element, part) =>
  element.replaceChildren(...[...part.childNodes].map((node) => document.importNode(node, true)));

const rowOf = ([key, id, tier, type, category, marks, origin, since, project, version]) => ({
  key, id, category, marks, since, project, version,
  tier: WORDS.tiers[tier],
  type: WORDS.types[type],
  by: WORDS.origins[origin],
  waits: category >= 0 && WORDS.categories[category] !== 'new',
});
const setRow = (json) => {
  const [before, row] = [rows.get(json[0]), rowOf(json)];
  if (before && before.version !== row.version) names.delete(row.key);
  rows.set(row.key, row);
};
const dropRow = (key) => {
  for (const each of [rows, names, pending]) each.delete(key);
};
const setNames = (found) => {
  for (const key of Object.keys(found)) names.set(key, found[key]);
};

const SHOWS = {
  waiting: (row) => row.waits,
  all: () => true,
  verified: (row) => row.tier === 'verified',
  inferred: (row) => row.tier === 'inferred',
  quarantined: (row) => row.tier === 'quarantined',
};
const byKey = (a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
const place = (row) => (row.category < 0 ? WORDS.categories.length : row.category);
const SORTS = {
  queue: (a, b) => place(a) - place(b) || byKey(a, b),
  newest: (a, b) => b.since - a.since || byKey(a, b),
  oldest: (a, b) => a.since - b.since || byKey(a, b),
  id: (a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0) || byKey(a, b),
};

const fits = (row) => {
  const mark = WORDS.marks.indexOf(view.mark);
  return (
    (view.type === '' || row.type === view.type) &&
    (view.project === '' || row.project === view.project) &&
    (view.by === '' || row.by === view.by) &&
    (mark < 0 || (row.marks & (1 << mark)) !== 0)
  );
};

/** Makes the list from the rows, the filters and what was found. */
const choose = () => {
  listProjects();
  const wanted = SHOWS[view.show] || SHOWS.all;
  if (hits === null) shown = [...rows.values()].filter((row) => wanted(row) && fits(row)).sort(SORTS[view.sort]);
  else {
    const found = hits.found.map((hit) => rows.get(hit.id)).filter((row) => row);
    shown = found.filter((row) => wanted(row) && fits(row));
  }
  const counts = { waiting: 0, all: rows.size, verified: 0, inferred: 0, quarantined: 0 };
  for (const row of rows.values()) {
    counts[row.tier] += 1;
    if (row.waits) counts.waiting += 1;
  }
  for (const button of find('shows').children) {
    button.querySelector('.count').textContent = counts[button.value].toLocaleString('en');
    button.setAttribute('aria-pressed', String(button.value === view.show));
  }
  const many = shown.length === 1 ? '1 memory' : shown.length.toLocaleString('en') + ' memories';
  find('tally').textContent = hits === null ? many : many + ' found, best first';
  const set = ['type', 'project', 'by', 'mark'].filter((name) => view[name] !== '');
  find('chosen').textContent = set.map((name) => view[name]).join(', ');
  const isNone = shown.length === 0;
  list.hidden = isNone;
  find('none').hidden = !isNone;
  find('none-text').textContent = noneText();
  find('none-all').hidden = view.show === 'all' && set.length === 0 && hits === null;
};

const noneText = () => {
  if (rows.size === 0) return 'Nothing is stored yet. Your agents propose memories. To write one down yourself, type surety remember in a terminal.';
  if (hits !== null) return (hits.nothing || 'Nothing that was found fits the filters.') + ' The search finds what agents can find: quarantined memories are in the list only.';
  if (view.show === 'waiting') return 'Nothing waits for you.';
  return 'No memory fits the filters.';
};

/** The projects that there are, in the filter. */
const listProjects = () => {
  const select = find('filter-form').elements.project;
  const all = [...new Set([...rows.values()].map((row) => row.project))].filter((name) => name !== '').sort();
  const there = [...select.options].slice(1).map((option) => option.value);
  if (all.join('\n') === there.join('\n')) return;
  select.replaceChildren(select.options[0], ...all.map((name) => new Option(name, name)));
  select.value = view.project;
};

/** Looks for what is typed, as agents do. A late reply to an earlier search is thrown away. */
let searches = 0;
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
  const found = await ask(base + 'search?' + query);
  if (turn !== searches) return;
  hits = found;
  refresh();
};

const FIELDS = ['show', 'type', 'project', 'by', 'mark', 'sort', 'q'];
const address = () => {
  const query = new URLSearchParams();
  for (const name of FIELDS) if (view[name] !== '' && !(name === 'sort' && view.sort === 'queue')) query.set(name, view[name]);
  const path = view.key !== '' ? pathOf('m', view.key) : base + (view.isCharts ? 'charts' : '');
  return path + (query.size === 0 ? '' : '?' + query);
};
let noting;
/** A click is a step back and forward; keys and answers are not, because fifty of them would bury every other step. */
const note = (isStep) => {
  clearTimeout(noting);
  noting = undefined;
  const to = address();
  if (to === location.pathname + location.search) return;
  history[isStep ? 'pushState' : 'replaceState'](null, '', to);
};
/** The address follows the keys in a moment, because to change it takes longer than to show a memory. */
const noteSoon = () => {
  noting ??= setTimeout(() => note(false), 100);
};
addEventListener('beforeunload', () => note(false));
const readAddress = () => {
  const query = new URLSearchParams(location.search);
  for (const name of FIELDS) view[name] = query.get(name) || (name === 'sort' ? 'queue' : '');
  if (!(view.sort in SORTS)) view.sort = 'queue';
  const rest = location.pathname.slice(base.length);
  view.key = rest.startsWith('m/') ? rest.slice(2).split('/').map(decodeURIComponent).join('/') : '';
  view.isCharts = rest === 'charts';
  const anyWaits = [...rows.values()].some((row) => row.waits);
  if (!(view.show in SHOWS)) view.show = anyWaits && view.key === '' && !view.isCharts ? 'waiting' : 'all';
  search.value = view.q;
  const { elements } = find('filter-form');
  for (const name of ['type', 'project', 'by', 'mark', 'sort']) elements[name].value = view[name];
};
`;
