/** Keys, and the first view. */
export const KEYS_JS = `
/** A person who reads for long presses and moves, and that keeps the page open. */
const here = () => {
  if (!isOver && performance.now() - lastAsked > 60000) {
    lastAsked = performance.now();
    fetch(base + 'here', { credentials: 'same-origin' }).catch(() => {});
  }
};
for (const name of ['keydown', 'pointerdown', 'wheel']) addEventListener(name, here, { passive: true });

const MOVES = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1, PageDown: 10, PageUp: -10 };
addEventListener('keydown', (event) => {
  if (isOver || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (document.querySelector('dialog[open]')) return;
  const field = event.target.closest('input, textarea, select');
  if (field) {
    if (event.key === 'Escape') field.blur();
    if (field === search && event.key === 'Enter' && shown.length > 0) {
      field.blur();
      select(shown[0].key, { isStep: true });
    }
    return;
  }
  const inList = document.activeElement === list;
  if (event.key in MOVES && (inList || event.key === 'j' || event.key === 'k')) {
    event.preventDefault();
    return step(MOVES[event.key]);
  }
  if (inList && (event.key === 'Home' || event.key === 'End')) {
    event.preventDefault();
    const row = event.key === 'Home' ? shown[0] : shown[shown.length - 1];
    return row && select(row.key);
  }
  if (inList && event.key === 'Enter' && view.key !== '') return document.body.classList.add('reading');
  if (event.repeat) return;
  const press = { '/': () => { search.focus(); search.select(); }, u: tryUndo, r: toggleRaw, c: () => void showCharts(true).catch(lost), '?': () => find('help').showModal() }[event.key];
  if (press) {
    event.preventDefault();
    return press();
  }
  const buttons = [...sheet.querySelectorAll('button[name=key]')];
  const button = buttons.find((each) => each.value === event.key.toLowerCase());
  if (onScreen.kind === 'edit') return;
  if (!button) {
    const keys = buttons.map((each) => each.value).join(', ');
    const sentence = event.key + ' is no answer here. You can press ' + keys + '.';
    // What can be taken back keeps its place on the screen.
    if (keys && /^[a-z]$/.test(event.key)) undoing ? tell('warning', sentence) : showToast(sentence, 0);
    return;
  }
  event.preventDefault();
  answer(button);
});
find('keys').addEventListener('click', () => find('help').showModal());

const applyAddress = () => {
  readAddress();
  refresh();
  if (view.q !== '') void runSearch().catch(lost);
  else hits = null;
  if (view.isCharts) return void showCharts(false).catch(lost);
  if (view.key !== '' && !rows.has(view.key)) view.key = '';
  const first = view.key || (shown[0] && innerWidth > 720 ? shown[0].key : '');
  select(first, { isReading: view.key !== '' });
};
addEventListener('popstate', applyAddress);
load(false).then((held) => {
  if (held && held.ms > 0) holdOn(held);
  applyAddress();
  watch();
  return loadNotices();
}).catch(lost);
`;
