/** Deciding and taking back. The next memory is on the screen before the server has replied. */
export const ANSWERS_JS = `
let undoing = null;
let clock;

const hideToast = () => {
  toast.hidden = true;
  clearTimeout(clock);
};
const showToast = (text, ms) => {
  find('toast-text').textContent = text;
  find('toast-before').textContent = '';
  find('undo').hidden = ms === 0;
  toast.hidden = false;
  toast.classList.toggle('runs', ms > 0);
  // Another one in its place, so that the browser starts it from the beginning.
  const bar = toast.querySelector('.clock').cloneNode();
  bar.style.animationDelay = Math.min(0, ms - 5000) + 'ms';
  toast.querySelector('.clock').replaceWith(bar);
  clearTimeout(clock);
  clock = setTimeout(hideToast, ms === 0 ? 4000 : ms);
};

/** Says what came of an answer. While a later one can be taken back, it is a line above that one, which keeps its button. */
const showDone = (sentence) => {
  if (!undoing) return showToast(sentence, 0);
  find('toast-before').textContent = sentence;
  toast.hidden = false;
};

/** The row after this one that has no answer yet; else the one before. */
const nextAfter = (key) => {
  const at = indexOf(key);
  const open = (row) => row && row.key !== key && !pending.has(row.key) && (view.show !== 'waiting' || row.waits);
  return shown.slice(at + 1).find(open) || shown.slice(0, Math.max(0, at)).findLast(open);
};

/** Asks the authenticator, and sends the answer with what it signed. Without that, nothing is sent. */
const askPasskey = async (button) => {
  const mine = new AbortController();
  asking = mine;
  tell('warning', 'Your authenticator asks you now. Nothing is done before it has your answer.');
  try {
    const fields = await signed(button.dataset, mine.signal);
    if (asking !== mine) return;
    asking = null;
    tell('none', '');
    send(button, fields);
  } catch {
    // Aborted: something else is on the screen, which says what it has to say.
    if (asking !== mine) return;
    asking = null;
    tell('warning', notSigned());
  }
};

const answer = (button) => {
  const { key, kind } = onScreen;
  if (isOver || asking || onScreen.isSent || onScreen.isChanged || kind === 'none' || key !== view.key) return;
  if (kind === 'sheet' && performance.now() - onScreen.since < QUIET_MS) return;
  if (button.value === 's' && kind === 'sheet') return step(1);
  look();
  const isYes = button.value === 'y' || button.classList.contains('yes');
  if (!onScreen.isSeen && isYes && kind !== 'edit') {
    pane.scrollBy(0, pane.clientHeight * 0.75);
    return requestAnimationFrame(look);
  }
  if (asksPasskey(button)) return void askPasskey(button);
  send(button, {});
};

const send = (button, signature) => {
  const { key, kind } = onScreen;
  onScreen.isSent = true;
  const fields = new URLSearchParams(new FormData(button.form));
  fields.set('key', button.value);
  for (const [name, value] of Object.entries(signature)) fields.set(name, value);
  const sent = post('answer', fields);
  sheets.delete(key);
  if (kind === 'sheet' && button.value !== 'e') {
    const means = button.lastChild.textContent.trim();
    pending.set(key, means);
    undoing = { key, reply: sent };
    showToast(nameOf(rows.get(key) || { key, id: key }) + ': ' + means, 5000);
    const next = nextAfter(key);
    select(next ? next.key : '');
  }
  sent.then((reply) => replied(reply, key), lost);
};

/** A tab that is loaded while an answer is held offers to take it back too. It forgets that when the time is over. */
const holdOn = (held) => {
  const reply = Promise.resolve(held);
  const { key, ms } = held;
  const means = held.means[0].toUpperCase() + held.means.slice(1);
  pending.set(key, means);
  undoing = { key, reply };
  showToast(nameOf(rows.get(key) || { key, id: key }) + ': ' + means, ms);
  setTimeout(() => {
    if (!undoing || undoing.reply !== reply) return;
    undoing = null;
    pending.delete(key);
    refreshSoon();
  }, ms + 1000);
};

const replied = (reply, key) => {
  const isNext = undoing && undoing.key === key;
  if (reply.kind === 'held') {
    if (!isNext) return;
    // The server may have been busy with the answer before: this one is held from now on.
    toast.hidden = false;
    clearTimeout(clock);
    clock = setTimeout(hideToast, reply.ms);
    if (reply.then) selectAgain(reply.then);
    return;
  }
  if (isNext) {
    undoing = null;
    hideToast();
  }
  pending.delete(key);
  if (reply.kind === 'done') {
    if (reply.said) {
      tell(reply.said.tone, reply.said.sentence);
      showDone(reply.said.sentence);
    }
    if (view.key === key) {
      const next = nextAfter(key);
      select(next ? next.key : '', { message: reply.said });
    }
    return paint();
  }
  if (reply.kind === 'outdated')
    return selectAgain(key, { message: { tone: 'warning', sentence: 'It was shown too long ago, or answered in another tab, so nothing was done. This is how it is now:' } });
  if (reply.view === 'sheet') return selectAgain(reply.key, { message: reply.said });
  partAt(pathOf(reply.view, reply.key), false).then((part) => {
    view.key = reply.key;
    tell(reply.said ? reply.said.tone : 'none', reply.said ? reply.said.sentence : '');
    put(reply.view, reply.key, part);
    note(false);
  }, lost);
};

/** Takes the last answer back; it may still be on its way to the server. */
const undo = async () => {
  const last = undoing;
  if (!last || isOver) return showToast('There is no answer to take back. surety demote and surety restore change what was written.', 0);
  undoing = null;
  hideToast();
  const reply = await last.reply;
  if (reply.kind !== 'held') return;
  const undone = await post('undo', { undo: reply.undo });
  if (undone.kind === 'undone') {
    pending.delete(undone.key);
    selectAgain(undone.key, { message: { tone: 'good', sentence: 'Taken back: nothing was done about ' + undone.id + '.' } });
  } else tell('warning', 'It is too late to take that back; surety demote and surety restore change it.');
};
/** The answer itself may be written by then, so it is not said that nothing was done. */
const tryUndo = () => void undo().catch((error) => lost(error, 'That did not reach Surety, so your answer was not taken back.'));
find('undo').addEventListener('click', tryUndo);

sheet.addEventListener('submit', (event) => {
  event.preventDefault();
  if (event.submitter && event.submitter.name === 'key') answer(event.submitter);
});
`;
