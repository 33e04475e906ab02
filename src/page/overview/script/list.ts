/** The list: only the rows in the window are in the document, so that ten thousand scroll like ten. */
export const LIST_JS = String.raw`
const ROW_HEIGHT = 62;
const SPARE = 6;
const painted = new Map();
/** Kept, because reading them while the document changes makes the browser lay it out at once. */
let listTop = 0;
let listHeight = 0;
const windowHeight = () => (listHeight = listHeight || list.clientHeight);
const scrollList = (top) => {
  if (top === listTop) return;
  listTop = top;
  list.scrollTop = top;
};
new ResizeObserver(() => {
  listHeight = list.clientHeight;
  paint();
}).observe(list);

const made = (tag, className, text) => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
};

const ageOf = ({ since }) => {
  if (since < 0) return '';
  const days = Math.floor((now - since) / 86400);
  if (days < 1) return 'today';
  if (days < 60) return days + ' d';
  return days < 700 ? Math.round(days / 30.4) + ' mo' : Math.round(days / 365) + ' y';
};
/** Until the name is read from its file, the words of the id stand for it. */
const nameOf = (row) => (names.has(row.key) ? names.get(row.key) : row.id.replace(/^[a-z]+_/, '').replaceAll('_', ' '));

/** Why a search found it: where the words are, and the words marked. */
const excerpt = (hit) => {
  const line = made('span', 'found');
  line.append(made('span', 'in', (hit.fields.length > 0 ? hit.fields.join(', ') : 'a way to ask for it') + ': '));
  hit.excerpt.forEach(({ text, isMatch }, i) => {
    const isLong = i === 0 && !isMatch && text.length > 16;
    line.append(isMatch ? made('mark', '', text) : isLong ? '…' + text.slice(-14) : text);
  });
  return line;
};

const fill = (node, row, index) => {
  const isSelected = row.key === view.key;
  const hit = hits && hits.found.find(({ id }) => id === row.key);
  const state = pending.get(row.key);
  const print = [row.key, row.tier, row.category, nameOf(row), row.project, row.since, state || '', view.q, index, shown.length].join('\n');
  node.setAttribute('aria-selected', String(isSelected));
  if (node.print === print) return;
  node.print = print;
  node.id = 'row-' + index;
  node.dataset.key = row.key;
  node.setAttribute('aria-setsize', shown.length);
  node.setAttribute('aria-posinset', index + 1);
  node.style.transform = 'translateY(' + index * ROW_HEIGHT + 'px)';
  const top = made('span', 'name', nameOf(row));
  top.dir = 'auto';
  const facts = made('span', 'meta');
  facts.append(made('span', 'tier ' + row.tier, row.tier), made('span', 'type', row.type));
  if (hit) facts.replaceChildren(made('span', 'tier ' + row.tier, row.tier), excerpt(hit));
  else if (row.project !== '') facts.append(made('span', 'project', row.project));
  const end = made('span', 'end');
  if (state) end.append(made('span', 'state', state));
  else if (row.waits) end.append(made('span', 'why', WORDS.categories[row.category]));
  end.append(made('span', 'age', ageOf(row)));
  node.replaceChildren(top, facts, end);
};

const paint = () => {
  const first = Math.max(0, Math.floor(listTop / ROW_HEIGHT) - SPARE);
  const last = Math.min(shown.length, Math.ceil((listTop + windowHeight()) / ROW_HEIGHT) + SPARE);
  const free = [];
  for (const [index, node] of painted) {
    if (index >= first && index < last) continue;
    painted.delete(index);
    free.push(node);
  }
  for (let index = first; index < last; index++) {
    let node = painted.get(index);
    if (node === undefined) {
      node = free.pop();
      if (node === undefined) {
        node = made('div', 'row');
        node.setAttribute('role', 'option');
        rowBox.append(node);
      }
      painted.set(index, node);
    }
    fill(node, shown[index], index);
  }
  for (const node of free) node.remove();
  const at = indexOf(view.key);
  if (painted.has(at)) list.setAttribute('aria-activedescendant', 'row-' + at);
  else list.removeAttribute('aria-activedescendant');
  nameSoon(shown.slice(first, last));
};

let toName = [];
let naming;
const nameSoon = (some) => {
  toName = some.filter(({ key, tier }) => !names.has(key) && tier !== 'quarantined').map(({ key }) => key);
  if (toName.length === 0 || naming !== undefined) return;
  naming = setTimeout(async () => {
    const keys = toName.slice(0, 60);
    try {
      setNames(await ask(base + 'names?' + new URLSearchParams(keys.map((key) => ['key', key]))));
      // A blocked text has no name to show.
      for (const key of keys) if (!names.has(key)) names.set(key, rows.has(key) ? rows.get(key).id : key);
    } catch {
      return;
    } finally {
      naming = undefined;
    }
    paint();
  }, 25);
};

const indexOf = (key) => (key === '' ? -1 : shown.findIndex((row) => row.key === key));

/** Paints the list again after rows or filters changed. */
let refreshing;
const refresh = () => {
  clearTimeout(refreshing);
  refreshing = undefined;
  if (isOver) return;
  choose();
  rowBox.style.height = shown.length * ROW_HEIGHT + 'px';
  paint();
};
/** Paints the list in a moment, once for all that changes until then: a key must not wait for it. */
const refreshSoon = () => {
  refreshing ??= setTimeout(refresh, 60);
};
const reveal = (index) => {
  const top = index * ROW_HEIGHT;
  if (top < listTop) scrollList(top);
  else if (top + ROW_HEIGHT > listTop + windowHeight()) scrollList(top + ROW_HEIGHT - windowHeight());
};

let isPainting = false;
list.addEventListener('scroll', () => {
  if (isPainting) return;
  isPainting = true;
  requestAnimationFrame(() => {
    isPainting = false;
    listTop = list.scrollTop;
    paint();
  });
}, { passive: true });
list.addEventListener('click', (event) => {
  const row = event.target.closest('.row');
  if (row) select(row.dataset.key, { isStep: true });
});

const change = (changes) => {
  Object.assign(view, changes);
  scrollList(0);
  note(true);
  refresh();
  if (view.q !== '') void runSearch().catch(lost);
};
find('shows').addEventListener('click', (event) => {
  const button = event.target.closest('button');
  if (button) change({ show: button.value });
});
find('filter-form').addEventListener('change', (event) => change({ [event.target.name]: event.target.value }));
find('filter-form').addEventListener('submit', (event) => event.preventDefault());
find('none-all').addEventListener('click', () => {
  for (const name of ['type', 'project', 'by', 'mark']) find('filter-form').elements[name].value = '';
  search.value = '';
  hits = null;
  change({ show: 'all', type: '', project: '', by: '', mark: '', q: '' });
});
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
`;
