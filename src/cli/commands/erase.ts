import { CHANGED_MEANWHILE } from '../../actions/review/answers.ts';
import { memoryFacts } from '../../actions/review/case-facts.ts';
import { onScreen } from '../../actions/review/shown.ts';
import type { Session } from '../../actions/session.ts';
import { foldersBeyond, isGone, recordSpared, erase as remove, toErase } from '../../actions/upkeep/erase.ts';
import { type MemoryId, parseId } from '../../core/memory/ids.ts';
import { Refusal } from '../../core/refusal.ts';
import { sanitize, text, visible } from '../../core/text/safe-text.ts';
import { gitHistoryOf, type History } from '../../store/git/history.ts';
import type { Erasable } from '../../store/maintenance/erase.ts';
import { linesOf, plainLines } from '../ask/sheet.ts';
import { withPerson } from '../ask/with-person.ts';
import type { Witness } from '../ask/witness.ts';
import { type Command, EXIT, Misuse } from '../command.ts';
import type { TerminalLine } from '../terminal/line.ts';
import { say, tell, windowSize } from '../terminal/print.ts';

export const erase: Command = {
  help: `usage: surety erase [--root DIR] ID

Removes a memory for good: its file wherever it lies (memories, quarantine, archive), this machine's copies of what was
vouched for, a request that waits, and the search index, which is built again. You are shown all of it and type the id;
nothing else confirms it, and nothing brings it back.

What stays: the ledger's entries, which have the id, dates, reasons and hashes of the text, and one more that says it
was erased; a file of this id that turns up again is quarantined. The audit log, which has ids, hashes, types, projects,
tags and reasons. Git history, clones, backups and other machines, which this command cannot reach; it tells what git
still has, and prints the commands that take it out of the history of every machine. On another machine run it there as
well. A repository that doctor set aside as damaged, and this machine's records of a place where the store was before:
it names these folders.

Interrupted or stopped by the disk, it can be run again and goes on.

  --root DIR   the store's folder (else SURETY_ROOT, else ~/.surety)

It needs a terminal, and there is no option that answers in your place.
exit codes: 0 erased, 1 not erased or not all of it, 64 the command line was not understood, 130 interrupted
`,
  options: {},
  takes: 1,
  run: (given) => {
    const id = parseId(given.rest[0] ?? '');
    if (id === undefined) throw new Misuse('surety erase needs an id such as user_editor');
    return withPerson('erase', given.root, (session, witness) => eraseOne(session, witness, id), { id });
  },
};

async function eraseOne(session: Session, witness: Witness, id: MemoryId): Promise<number> {
  for (;;) {
    const found = toErase(session, id);
    const consent = await witness.askToErase(found, linesAbout(session, found));
    if (consent === undefined) {
      recordSpared(session, found);
      tell(text`Nothing was erased.`);
      return EXIT.failed;
    }
    try {
      const { left } = await remove(session, found, consent);
      for (const { path, why } of left) {
        tell(text`Not removed: ${visible(path, 'line')} (${sanitize(why, 'line')})`, 'danger');
      }
      if (left.length > 0) tell(text`Everything else is gone. Set this right and run it again.`, 'warning');
      else tell(text`${sanitize(id, 'line')} is erased on this machine.`, 'good');
      tellHistory(await gitHistoryOf(session.vault.places.root, id), id);
      tellFolders(foldersBeyond(session, id));
      tellOtherMachines(session, id);
      return left.length > 0 ? EXIT.failed : EXIT.done;
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'changed-meanwhile') throw error;
      tell(sanitize(CHANGED_MEANWHILE, 'line'), 'warning');
    }
  }
}

function linesAbout(session: Session, found: Erasable): TerminalLine[] {
  const { width } = windowSize();
  const { id, seen, traces } = found;
  const sheet = seen && {
    ...onScreen(seen, { vouching: false }),
    facts: memoryFacts(session, seen),
  };
  const copies = traces.vouched.length;
  const going = [
    ...traces.files,
    ...(copies === 0
      ? []
      : [copies === 1 ? 'a copy of what was vouched for' : `${copies} copies of what was vouched for`]),
    ...(traces.request ? ['the request that waits'] : []),
    'the search index, which is built again',
  ];
  const heading = isGone(found)
    ? `Nothing of ${id} is left but what a search index may still hold.`
    : `What goes for good:`;
  return [
    ...(sheet === undefined ? [] : linesOf(sheet, width)),
    ...plainLines([heading, ...going.map((each) => `  ${each}`)], width),
  ];
}

/** Paths on lines of their own, because people copy them. */
function tellFolders(folders: readonly string[]): void {
  if (folders.length === 0) return;
  tell(
    text`These folders may still have it, because this store had a damaged repository, was moved or was copied. Remove each that you no longer need; where a copy of the store is in use, run surety erase there too:`,
    'warning',
  );
  for (const each of folders) say(text`  ${visible(each, 'line')}`);
}

/** A sync takes the file out on the other machines, and not their copies. */
function tellOtherMachines({ vault }: Session, id: string): void {
  const others = vault.reports().filter(({ own }) => !own).length;
  if (others === 0) return;
  const sentence = `Other machines have written in this store. surety sync takes the file out there, and their copies stay until surety erase ${id} is run on each of them.`;
  tell(sanitize(sentence, 'line'), 'warning');
}

/** Prints which copies this command cannot reach, and how to remove them. */
function tellHistory(history: History | undefined, id: string): void {
  if (history === undefined) return;
  const { top, commits, hasRemote } = history;
  const where = visible(top, 'line');
  if (commits === 0) {
    tell(text`No commit of the git repository ${where} has it.`);
    return;
  }
  const has =
    commits === undefined
      ? 'may have it in its history (git could not be asked)'
      : commits === 1
        ? 'has it in 1 commit'
        : `has it in ${commits} commits`;
  tell(
    text`The git repository ${where} ${sanitize(has, 'line')}, and so has every clone and remote of it. One sync of a machine that still has these commits brings them back. ${sanitize(hasRemote ? FIRST : ALONE, 'line')}`,
    'warning',
  );
  // Each command on one line, however long, because people copy it.
  const { rewrite, takeOver } = commandsFor(history, id);
  for (const each of rewrite) say(text`  ${visible(each, 'line')}`);
  if (takeOver.length === 0) return;
  tell(text`Then on every machine, this one too, before its next sync, with the folder of the store there:`, 'warning');
  for (const each of takeOver) say(text`  ${visible(each, 'line')}`);
}

const FIRST =
  'So run surety sync on every machine a last time, and stop their timers. Then rewrite the history, in a folder of its own:';
const ALONE = 'To rewrite the history:';

/** Git's own filter-branch, because it is part of git, and leaves the remote and the settings as they are. */
function commandsFor(
  { top, prefix, branch, hasRemote }: History,
  id: string,
): Record<'rewrite' | 'takeOver', string[]> {
  const from = prefix === '' ? '' : `${prefix}/`;
  const paths = [`memories/${id}.md`, `quarantine/${id}.md`, `quarantine/${id}~*.md`].map((path) => `'${from}${path}'`);
  const filter = `filter-branch --index-filter "git rm -q --cached --ignore-unmatch -- ${paths.join(' ')}"`;
  const here = `git -C '${top.replaceAll("'", "'\\''")}'`;
  const forget = [`${here} reflog expire --expire=now --all`, `${here} gc --quiet --prune=now`];
  if (!hasRemote) {
    const originals = `${here} for-each-ref --format='delete %(refname)' refs/original`;
    return {
      rewrite: [
        `${here} commit -qam "Take out a memory"`,
        `${here} ${filter} -- --all`,
        `${originals} | ${here} update-ref --stdin`,
        ...forget,
      ],
      takeOver: [],
    };
  }
  const clone = 'surety-rewritten';
  return {
    rewrite: [
      `git clone -q -b ${branch} "$(${here} remote get-url origin)" ${clone}`,
      `git -C ${clone} ${filter} HEAD`,
      `git -C ${clone} push --force origin HEAD`,
    ],
    takeOver: [`${here} fetch -q origin`, `${here} reset -q --soft origin/${branch}`, ...forget],
  };
}
