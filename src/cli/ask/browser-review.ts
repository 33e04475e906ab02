import { setTimeout as sleep } from 'node:timers/promises';
import { untrustedMachines } from '../../actions/review/machines.ts';
import type { PasskeyRequest } from '../../actions/review/passkeys.ts';
import { itemsToReview, type ReviewItem, waitingLine } from '../../actions/review/review.ts';
import type { Session } from '../../actions/session.ts';
import { sanitize, text } from '../../core/text/safe-text.ts';
import { passkeysNow } from '../../store/maintenance/passkeys.ts';
import { type Handed, handToBrowser } from '../../store/programs/browser.ts';
import { type Doors, EXIT, type OpenedPage } from '../command.ts';
import { say, tell } from '../terminal/print.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { tellOfSync } from './sync-notices.ts';
import type { Witness } from './witness.ts';

const WAIT_FOR_BROWSER_MS = 8_000;
/** Within this time it is mostly known that no browser can be started, so that this stands above the question. */
const START_BROWSER_MS = 300;

/**
 * Reviews on the page instead of at the terminal. Its consents have the terminal's level, because the page cannot prove
 * more about the person than the terminal that opened it.
 */
export async function goThroughOnPage(
  session: Session,
  witness: Witness,
  items: readonly ReviewItem[],
  doors: Doors,
): Promise<number> {
  const machines = untrustedMachines(session).length;
  if (items.length === 0 && machines === 0) {
    await tellOfSync(session);
    tell(text`Nothing waits for you. All is settled.`);
    return EXIT.done;
  }
  tell(sanitize(waitingLine(items), 'line'), 'strong');
  const count = machines === 1 ? 'One machine’s word does' : `The word of ${machines} machines does`;
  if (machines > 0) tell(sanitize(`${count} not count here yet; the page asks about that too.`, 'line'), 'strong');
  return followPage(session, witness, () => doors.openPage(session, items, { holdsAnswers: true }));
}

/**
 * Asks about one memory on the page that was stored a moment ago: without an answer it stays as it was stored. The page closes after
 * the one answer, so that is carried out at once.
 */
export function confirmOnPage(session: Session, witness: Witness, item: ReviewItem, doors: Doors): Promise<number> {
  const nothing = 'Nothing was decided.';
  return followPage(session, witness, () => doors.openPage(session, [item], { holdsAnswers: false }), { nothing });
}

/** Opens the overview of the whole store. Its consents have the terminal's level too. */
export async function openOverviewPage(session: Session, witness: Witness, doors: Doors): Promise<number> {
  tell(sanitize(waitingLine(itemsToReview(session)), 'line'), 'strong');
  return followPage(session, witness, () => doors.openOverview(session));
}

const CHANGED: Readonly<Record<PasskeyRequest['kind'], string>> = {
  add: 'The passkey is enrolled.',
  remove: 'The passkey is removed.',
  require:
    'From now on a yes counts in this store only with a passkey. Keep the recovery code that the page showed: without a passkey, only it takes this back. If you have not noted it, surety passkey release and then surety passkey require show another.',
  release:
    'A yes counts again without a passkey. The review page and the overview go on asking for one that is enrolled; the box “Answer without the passkey” answers without it.',
};

/** Opens the page on which passkeys are enrolled, removed and required. */
export function openPasskeyPage(
  session: Session,
  witness: Witness,
  task: PasskeyRequest,
  doors: Doors,
): Promise<number> {
  return followPage(session, witness, () => doors.openPasskeyPage(session, task), { changed: CHANGED[task.kind] });
}

/** What is said at the end of a page. */
interface LastWords {
  /** What was done on it, where that is one thing; otherwise the decisions are counted. */
  readonly changed?: string;
  readonly nothing?: string;
}

/** Hands a page to the browser after a key at the terminal, and waits until it has ended. */
async function followPage(
  session: Session,
  witness: Witness,
  open: () => Promise<OpenedPage>,
  words: LastWords = {},
): Promise<number> {
  const typed = await witness.terminal.answer('Enter opens the page in your browser, q leaves: ');
  // Who said y to the question before this one, as init asks it, says it again.
  if (typed === undefined || !['', 'y', 'yes'].includes(typed.trim().toLowerCase())) {
    tell(sanitize(`No page was opened. ${words.nothing ?? NOTHING}`, 'line'));
    return EXIT.done;
  }

  const page = await open();
  const computer = whereBrowserIs(session);
  tellOfForwarding(page.url, computer);
  const handed = handToBrowser(page.url, session.vault.places.state);
  void page.entered.then(() => handed.withdraw());
  const hint = hintUnlessEntered(page, handed, witness.terminal, computer);
  const release = closeOnSignal(page, handed);
  try {
    await Promise.race([handed.started, sleep(START_BROWSER_MS)]);
    let isWindowGone = false;
    const closed = witness.terminal.line('The page is open. Enter here closes it: ').then((typed) => {
      isWindowGone = typed === undefined;
      return page.close();
    });
    await Promise.race([page.ended, closed]);
    // Writing to a window that is gone ends the program, and the browser would not get the last page.
    if (isWindowGone) await page.close();
    return report(await page.ended, words);
  } catch (interruption) {
    await page.close();
    // Ctrl+C carries out what is held, so it is said before the line that nothing else was done.
    const ended = await page.ended;
    if (countDecided(ended) > 0 || ended.lost !== undefined) report(ended, words);
    throw interruption;
  } finally {
    clearTimeout(hint);
    handed.withdraw();
    // Resolves when the browser has the last page; the process exits after it.
    await page.close();
    release();
  }
}

/** The computer that the page is for, where it cannot be shown here. */
function whereBrowserIs({ vault }: Session): string {
  return `the computer with your browser${passkeysNow(vault).passkeys.length > 0 ? ' and passkey' : ''}`;
}

/**
 * Over ssh there is no browser here. The link may be on this screen, because a person has just answered at it. The port
 * must be the same on both sides: a passkey signs the page's address too.
 */
function tellOfForwarding(url: string, computer: string): void {
  if (!process.env.SSH_CONNECTION) return;
  const { port } = new URL(url);
  tell(sanitize(`This is an ssh session. In a terminal of ${computer}, run:`, 'line'), 'strong');
  tell(sanitize(`  ssh -N -L ${port}:127.0.0.1:${port} THIS-HOST`, 'line'));
  tell(text`and open there:`);
  // Not wrapped, so that it can be copied.
  say(sanitize(url, 'line'));
}

/** A closed window or a plain kill ends the page first, so that its tabs say so. */
function closeOnSignal(page: OpenedPage, handed: Handed): () => void {
  const release = () => {
    process.off('SIGTERM', end);
    process.off('SIGHUP', end);
  };
  const end = (signal: NodeJS.Signals) => {
    handed.withdraw();
    void page.close().finally(() => {
      release();
      process.kill(process.pid, signal);
    });
  };
  process.on('SIGTERM', end);
  process.on('SIGHUP', end);
  return release;
}

/** Names the file where a browser was started. Where there is none, as in a container, it says how to reach the page. */
function hintUnlessEntered(
  { entered, url }: OpenedPage,
  { file, started }: Handed,
  terminal: Terminal,
  computer: string,
): NodeJS.Timeout {
  let came = false;
  const hint = (isBrowserHere: boolean) => {
    if (came) return;
    came = true;
    // Over ssh the file lies on this host and the browser on another, and the address stands above.
    if (process.env.SSH_CONNECTION) return;
    terminal.interject(() => {
      tell(text`If no page came up, open this file in your browser:`, 'warning');
      // Not wrapped, so that it can be copied.
      say(sanitize(file, 'line'));
      if (!isBrowserHere) tellOfOtherComputer(url, computer);
    });
  };
  void entered.then(() => {
    came = true;
  });
  void started.then((could) => could || hint(false));
  return setTimeout(() => hint(true), WAIT_FOR_BROWSER_MS);
}

/** Here too a person has just answered at this screen. */
function tellOfOtherComputer(url: string, computer: string): void {
  const { port } = new URL(url);
  tell(
    sanitize(
      `No browser could be started here. If this is a container, forward its port ${port} to port ${port} of ${computer}, and open there:`,
      'line',
    ),
  );
  // Not wrapped, so that it can be copied.
  say(sanitize(url, 'line'));
}

function countDecided({ outcomes }: Pick<Awaited<OpenedPage['ended']>, 'outcomes'>): number {
  return outcomes.filter(({ kind }) => kind !== 'skipped').length;
}

const NOTHING = 'Nothing changed.';

function report(
  { how, outcomes, lost }: Awaited<OpenedPage['ended']>,
  { changed, nothing = NOTHING }: LastWords,
): number {
  const decided = countDecided({ outcomes });
  tell(text``);
  // Where the link was used twice, that was said when it happened, with what had been decided before.
  if (how === 'unopened') tell(text`Nobody opened the page; it is closed.`, 'warning');
  else if (how === 'expired') tell(text`The page was open for twelve hours; it is closed.`, 'warning');
  else if (how === 'idle') tell(text`Nothing came from the page for long; it is closed.`, 'warning');
  tell(sanitize(decided === 0 ? nothing : (changed ?? `${decided} decided on the page.`), 'line'));
  if (lost !== undefined) {
    tell(sanitize(`Not every answer was carried out. ${lost}`, 'line'), 'danger');
    return EXIT.failed;
  }
  return how === 'voided' || how === 'unopened' ? EXIT.failed : EXIT.done;
}
