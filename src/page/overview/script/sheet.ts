/** The memory beside the list. Its neighbours are fetched before they are asked for. */
export const SHEET_JS = `
/** Keys count only after a quiet moment, so that a key meant for the text before answers nothing. */
const QUIET_MS = 400;
/** The server forgets a sheet's token after ten minutes. */
const FRESH_MS = 8 * 60000;
const MOST_SHEETS = 12;
const sheets = new Map();
/** What is on the screen: 'none' | 'sheet' | 'edit' | 'draft'. */
const onScreen = { kind: 'none', key: '', print: '', since: 0, isSeen: false, isSent: false, isChanged: false };

const printOf = (key) => {
  const row = rows.get(key);
  return row ? [row.version, row.tier, row.category].join(' ') : '';
};
const fetchSheet = (key, auto) => {
  const kept = sheets.get(key);
  if (kept && kept.print === printOf(key) && performance.now() - kept.since < FRESH_MS) return kept;
  const fetched = { part: partAt(pathOf('sheet', key), auto), print: printOf(key), since: performance.now(), done: null };
  fetched.part.then((part) => { fetched.done = part; }, () => sheets.delete(key));
  sheets.delete(key);
  sheets.set(key, fetched);
  for (const oldest of sheets.keys()) {
    if (sheets.size <= MOST_SHEETS) break;
    if (oldest !== view.key) sheets.delete(oldest);
    else break;
  }
  return fetched;
};

/** What was refused stays for ten seconds, whatever is shown meanwhile: the person is at a later memory by then. */
let refused = null;
const tell = (tone, sentence) => {
  const kept = refused && performance.now() < refused.until ? refused : { tone, sentence: '' };
  said.textContent = [...new Set([kept.sentence, sentence])].filter(Boolean).join(' ');
  said.className = 'said ' + (said.textContent ? kept.tone : 'none');
};
const refuse = (tone, sentence) => {
  refused = { tone, sentence, until: performance.now() + 10000 };
  tell(tone, '');
};

/** The question that the authenticator has not answered yet. It ends when something else is on the screen. */
let asking = null;
const stopAsking = () => {
  if (asking) asking.abort();
  asking = null;
};

const put = (kind, key, part) => {
  stopAsking();
  fillWith(sheet, part);
  Object.assign(onScreen, { kind, key, print: printOf(key), since: performance.now(), isSeen: false, isSent: false, isChanged: false });
  pane.classList.remove('waits');
  // In the frame that shows it: before, the browser would lay out the document once more.
  requestAnimationFrame(() => {
    pane.scrollTop = 0;
    look();
  });
  const heading = sheet.querySelector('h1');
  if (heading) heading.tabIndex = -1;
  if (kind === 'edit') {
    const field = sheet.querySelector('[name=name]');
    if (field) field.focus();
  }
  if (kind === 'sheet') lifeSoon(key);
};

/** Whether the end of the text has been on the screen. A yes counts for the whole text. */
const look = () => {
  const end = find('end');
  const bar = sheet.querySelector('.choices');
  const height = bar && getComputedStyle(bar).position === 'sticky' ? bar.offsetHeight : 0;
  if (!end || end.getBoundingClientRect().top <= pane.getBoundingClientRect().bottom - height + 2) onScreen.isSeen = true;
  const unread = find('unread');
  if (unread) unread.hidden = onScreen.isSeen;
};
pane.addEventListener('scroll', look, { passive: true });
addEventListener('resize', look);

let living;
const lifeSoon = (key) => {
  clearTimeout(living);
  living = setTimeout(async () => {
    try {
      const part = await partAt(pathOf('life', key), true);
      const box = find('life');
      if (box && onScreen.key === key) fillWith(box, part);
    } catch {
      // No decision rests on its life.
    }
  }, 150);
};

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

/** Shows a memory. What is on the screen until its sheet is there takes no key. */
const select = (key, { isStep = false, message, isReading = true } = {}) => {
  stopAsking();
  view.key = key;
  view.isCharts = false;
  if (isStep) note(true);
  else noteSoon();
  if (key !== '' && isReading) document.body.classList.add('reading');
  const index = indexOf(key);
  if (index >= 0) reveal(index);
  paint();
  tell(message ? message.tone : 'none', message ? message.sentence : '');
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
/** Fetches a sheet again, because its token was used or the memory changed. */
const selectAgain = (key, options) => {
  sheets.delete(key);
  select(key, options);
};
const showNothing = () => {
  onScreen.kind = 'none';
  onScreen.key = '';
  document.body.classList.remove('reading');
  const waits = [...rows.values()].filter((row) => row.waits && !pending.has(row.key)).length;
  const title = made('h1', '', rows.size === 0 ? 'Nothing is stored yet' : waits === 0 ? 'Nothing waits for you' : waits === 1 ? '1 memory waits for you' : waits + ' memories wait for you');
  const hint = made('p', 'quiet', rows.size === 0 ? 'Your agents propose memories. To write one down yourself, type surety remember in a terminal.' : 'Choose a memory in the list, or press j.');
  const empty = made('div', 'empty');
  empty.append(title, hint);
  sheet.replaceChildren(empty);
};
/** The charts in the place of a memory. They take no key of a memory. */
const showCharts = async (isStep) => {
  view.key = '';
  view.isCharts = true;
  onScreen.kind = 'none';
  onScreen.key = '';
  stopAsking();
  if (isStep) note(true);
  paint();
  tell('none', '');
  document.body.classList.add('reading');
  const part = await partAt(base + 'figures', !isStep);
  if (!view.isCharts) return;
  const open = [...sheet.querySelectorAll('.chart details')].map((box) => box.open);
  fillWith(sheet, part);
  sheet.querySelectorAll('.chart details').forEach((box, i) => { box.open = open[i] || false; });
  pane.classList.remove('waits');
};
find('charts').addEventListener('click', () => void showCharts(true).catch(lost));
/** The charts follow what changes, and not more often than every two seconds. */
let charting;
const chartsSoon = () => {
  charting ??= setTimeout(() => {
    charting = undefined;
    if (view.isCharts && !isOver) void showCharts(false).catch(lost);
  }, 2000);
};
const step = (by) => {
  const at = indexOf(view.key);
  const next = shown[at < 0 ? 0 : Math.min(shown.length - 1, Math.max(0, at + by))];
  if (next && next.key !== view.key) select(next.key);
};

const showDialog = async (path) => {
  const part = await partAt(path, false);
  fillWith(find('compare-body'), part);
  find('compare').showModal();
};
sheet.addEventListener('click', (event) => {
  const button = event.target.closest('button');
  if (!button) return;
  const { compare, earlier, to } = button.dataset;
  if (compare) void showDialog(pathOf('beside', onScreen.key) + '?' + new URLSearchParams({ other: compare })).catch(lost);
  else if (earlier) void showDialog(pathOf('earlier', onScreen.key) + '?' + new URLSearchParams({ digest: earlier })).catch(lost);
  else if (to) leaveTo(to);
});
find('compare-body').addEventListener('click', (event) => {
  const button = event.target.closest('button[data-to]');
  if (button) leaveTo(button.dataset.to);
});
/** An address is shown once more before anything leads there. */
const leaveTo = (to) => {
  const link = find('leave-link');
  link.textContent = to;
  link.href = to;
  find('leave').showModal();
};
find('back').addEventListener('click', () => {
  document.body.classList.remove('reading');
  list.focus();
});
const toggleRaw = () => pane.classList.toggle('raw');
`;
