/** What others change while the page is open, and the end of the page. */
export const LIVE_JS = `
let stream;
const rest = () => {
  if (!stream) return;
  stream.close();
  stream = undefined;
  find('live').textContent = '';
};

const ENDS = {
  idle: ['This page was locked', 'Nobody used it for half an hour, so it shows nothing any more.'],
  expired: ['This page is closed', 'It was open for twelve hours, which is as long as a page may be.'],
  left: ['This page is closed', ''],
  closed: ['This page is closed', 'It was closed in the terminal.'],
  voided: ['This page is closed', 'Its link was used by another browser or program, so it was closed for both. If that was not you, another program has read the link.'],
};
/** Nobody answers any more. Nothing of the store stays on the screen, but what the person has typed does. */
const stop = (how, decided) => {
  if (isOver) return;
  isOver = true;
  rest();
  stopAsking();
  hideToast();
  const [title, text] = ENDS[how] || [];
  if (title) {
    find('gone-title').textContent = title;
    find('gone-text').textContent = [text, decided].filter(Boolean).join(' ');
  } else if (undoing) find('gone-text').textContent += ' Your last answer was still held or on its way, so it may not be written.';
  document.title = find('gone-title').textContent;
  if (onScreen.kind === 'edit') {
    for (const button of document.querySelectorAll('button')) button.disabled = true;
    document.querySelector('nav').remove();
    pane.prepend(gone);
  } else find('split').replaceWith(gone);
  for (const box of document.querySelectorAll('dialog')) box.remove();
  find('notices').remove();
  document.querySelector('search').remove();
  for (const name of ['charts', 'keys', 'close', 'live']) find(name).remove();
  gone.hidden = false;
  find('gone-title').focus();
};
/** A request failed: the server may be gone, or only this request. The stream finds out which. */
const lost = (_error, sentence = 'That did not reach Surety; nothing was done. Try it again.') => {
  if (isOver) return;
  fetch(base + 'here?auto', { credentials: 'same-origin' }).then((reply) => {
    if (reply.ok) tell('warning', sentence);
    else stop();
  }, () => stop());
};

/** Somebody changed the text that is on the screen: it takes no key until the new one is there. */
const changedUnderEyes = () => {
  const message = { tone: 'warning', sentence: 'It changed while you were looking at it. This is how it is now:' };
  onScreen.isChanged = true;
  if (onScreen.kind === 'sheet') selectAgain(onScreen.key, { message, isReading: false });
  else tell('warning', 'The stored text changed while you were writing. What you wrote is kept here; it cannot be stored over the new text.');
};

/** A sheet names memories that are nearly the same, with tiers that may have changed since it was made. */
const followNear = (part) => {
  for (const button of part.querySelectorAll('[data-compare]')) {
    const [item, row] = [button.closest('li'), rows.get(button.dataset.compare)];
    const tier = item.querySelector('.tier');
    if (!row || row.tier === 'quarantined') item.remove();
    else if (tier.textContent !== row.tier) {
      tier.className = 'tier ' + row.tier;
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
/** A change that is in the rows already is passed over. Where one was missed, all rows are loaded. */
const onRows = ({ after, set, gone: away }) => {
  if (after > changes) return reload();
  if (after < changes || set.length + away.length === 0) return;
  changes += 1;
  set.forEach(setRow);
  away.forEach(dropRow);
  followRows();
};
const onSaid = ({ key, tone, sentence, isDone }) => {
  if (undoing && undoing.key === key) {
    undoing = null;
    hideToast();
  }
  pending.delete(key);
  refreshSoon();
  if (tone === 'good') showDone(sentence);
  else refuse(tone, sentence);
  if (!isDone) sheets.delete(key);
};

/** What syncs brought up, and machines that nobody here trusts. */
let noticing;
const loadNotices = async () => {
  noticing = undefined;
  if (isOver) return;
  const part = await partAt(base + 'notices', true);
  fillWith(find('notices'), part);
};
const noticesSoon = () => {
  noticing ??= setTimeout(() => void loadNotices().catch(() => {}), 3000);
};
find('notices').addEventListener('click', (event) => {
  const { seen } = event.target.dataset;
  if (seen) void post('seen', { seen }).then(loadNotices).catch(lost);
});

const watch = () => {
  if (stream || isOver || document.hidden) return;
  let failures = 0;
  stream = new EventSource(base + 'watch');
  const live = find('live');
  stream.onopen = () => {
    // What came of an answer may have been said meanwhile, and is not said again.
    if (failures > 0) reload();
    failures = 0;
    live.textContent = 'Live';
  };
  stream.onerror = () => {
    if (isOver) return;
    live.textContent = '';
    if (stream.readyState === EventSource.CLOSED || ++failures > 1) stop();
  };
  stream.addEventListener('rows', (event) => onRows(JSON.parse(event.data)));
  stream.addEventListener('said', (event) => onSaid(JSON.parse(event.data)));
  stream.addEventListener('over', (event) => {
    const { how, decided } = JSON.parse(event.data);
    stop(how, decided);
  });
  stream.addEventListener('rest', rest);
};
/** All rows. What a hidden tab missed is in them. Rows older than those that are here are asked for again. */
const load = async (auto) => {
  const { now: at, changes: count, rows: all, names: some, held } = await ask(base + 'rows', auto);
  if (count < changes) return load(auto);
  [now, changes] = [at, count];
  const there = new Set(all.map(([key]) => key));
  for (const key of rows.keys()) if (!there.has(key)) dropRow(key);
  all.forEach(setRow);
  for (const key of pending.keys()) if (!undoing || undoing.key !== key) pending.delete(key);
  setNames(some);
  return held;
};
document.addEventListener('visibilitychange', () => {
  if (document.hidden) return;
  if (!stream && !isOver) reload();
  watch();
});
addEventListener('pagehide', rest);
addEventListener('pageshow', watch);
find('close').addEventListener('click', () => void post('close', {}).then(({ decided }) => stop('left', decided), () => stop()));
`;
