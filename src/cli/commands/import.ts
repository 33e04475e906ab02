import { dirname, resolve } from 'node:path';
import { lookAt, openImport, recordSkipped, take } from '../../actions/exchange/import.ts';
import type { ImportPiece } from '../../actions/exchange/import-pieces.ts';
import { nearDuplicatesOf } from '../../actions/near-duplicates.ts';
import { projectHere } from '../../actions/project-here.ts';
import { conflictFacts, hintFacts, settingsFacts } from '../../actions/review/case-facts.ts';
import { draftOnScreen } from '../../actions/review/shown.ts';
import { openForReading, type Session } from '../../actions/session.ts';
import { Refusal } from '../../core/refusal.ts';
import { maskSecrets } from '../../core/secrets/detect.ts';
import { sanitize, text, visible } from '../../core/text/safe-text.ts';
import { reviewCommand } from '../../core/trust/review-command.ts';
import type { ImportedFile } from '../../store/exchange/import-file.ts';
import { OneByOne, stopsAll } from '../ask/one-by-one.ts';
import { withPerson } from '../ask/with-person.ts';
import type { Witness } from '../ask/witness.ts';
import { type Command, Misuse } from '../command.ts';
import { ImportReport } from '../setup/import-report.ts';
import { say, tell } from '../terminal/print.ts';
import { Progress } from '../terminal/progress.ts';
import { withStore } from '../with-store.ts';

export const importing: Command = {
  help: `usage: surety import [--dry-run] [--json] [--project P] [--root DIR] FOLDER|FILE

Brings memories along from elsewhere and says what it takes them for:
  a folder of memory files: markdown with frontmatter, as surety export or another store has it; every byte of a text
      stays, and what a file says about its own trust counts for nothing
  a Claude Code memory folder (one with a MEMORY.md): files without frontmatter, or with fields that do not fit, become
      memories too, and so does what is written in MEMORY.md itself
  Codex memories (~/.codex/memories): a memory for each bullet and paragraph of MEMORY.md and memory_summary.md; what Codex
      works from (raw memories, summaries of sessions, skills) stays
  CLAUDE.md, AGENTS.md and GEMINI.md, or a folder of them: a memory for each bullet and paragraph, with the heading above
      it in its name
  Cursor rules (.cursor/rules with its .mdc files, .cursorrules): a memory for each rule that fits into one, else its parts
  basic-memory's notes (markdown with a permalink): a memory for each note, with its observations, relations and tags; a
      note that does not fit into one comes in several
  any other markdown, a file or a folder: a memory for each bullet and paragraph as well, proposed as inferred
  claude-mem's database (~/.claude-mem or the .db file in it): a memory for each observation and each summary of a session;
      a copy is read, the database itself is not opened
  an export of mem0 or OpenMemory, unpacked (.json or .jsonl): a memory for each that is active
  the reference memory server's file (.jsonl): a memory for each entity, with its observations and relations

Each new one is shown whole and asked about:
  y   yes, you vouch for this text: it becomes verified
  i   as inferred (also Enter)
  s   do not import it
  r   this and the rest as inferred, without asking further
  q   stop here (also Ctrl+D)

  --dry-run     tell what would be done, and change nothing
  --json        with --dry-run: print it as one JSON object
  --project P   the project (owner/name) of every memory that names none itself
  --root DIR    the store's folder (else SURETY_ROOT, else ~/.surety)

Texts that are here already are not doubled, so it can be stopped and run again. The same line under another heading is a
memory of its own, and is shown with what is near it. A text that a check blocks, that was quarantined here, or that looks
like a secret and that you have not said yes to is refused and listed; a suspicious one is kept and held. A text whose
receipt is in this store's ledger gets its standing back. Links are not followed. Without --dry-run it needs a terminal,
and there is no option that answers in your place.

--json: {"source", "size", "new": [{"from", "id", "proposed", "held"}], "returns": [{"from", "id"}], "here": [{"from",
"id"}], "refused": [{"from", "code", "why"}], "skipped": [{"from", "why"}]}
exit codes: 0 done, 1 failed or something was refused, 64 the command line was not understood, 130 interrupted
`,
  options: { project: 'owner/name' },
  switches: ['dry-run', 'json'],
  takes: 1,
  run: async ({ root, options, switches, rest: [path] }) => {
    if (path === undefined) throw new Misuse('surety import needs a folder or a file');
    if (switches.has('json') && !switches.has('dry-run')) throw new Misuse('--json goes with --dry-run');
    if (!switches.has('dry-run')) {
      return withPerson('import', root, (session, witness) => bringAlong(session, witness, path, options.project), {
        makesStore: true,
      });
    }
    return withStore(openForReading(root), (session) => preview(session, path, options.project, switches.has('json')));
  },
};

async function preview(session: Session, path: string, project: string | undefined, json: boolean): Promise<number> {
  const found = openImport(session, path, project);
  const report = new ImportReport(found, path, project, projectAround(session, path));
  if (!json) report.announce();
  const progress = new Progress();
  for (const piece of found.pieces()) {
    report.add(lookAt(session, piece));
    await progress.step();
  }
  if (json) report.print();
  else report.tellPreview();
  return report.code;
}

async function bringAlong(
  session: Session,
  witness: Witness,
  path: string,
  project: string | undefined,
): Promise<number> {
  const found = openImport(session, path, project);
  const report = new ImportReport(found, path, project, projectAround(session, path));
  report.announce();
  const asker = new OneByOne(session, witness);
  const progress = new Progress();
  let isStopped = true;
  try {
    for (const piece of found.pieces()) {
      // Ctrl+C also works between pieces, when nothing is being asked.
      witness.terminal.throwIfInterrupted();
      if ((await settle(session, asker, piece, report)) === 'quit') return report.code;
      if (!asker.asking) await progress.step();
    }
    isStopped = false;
  } finally {
    say();
    report.tell(reviewCommand(session.vault.settings), { isStopped });
  }
  return report.code;
}

function projectAround({ vault }: Pick<Session, 'vault'>, path: string): string | undefined {
  // A file has no repository around it by itself, only its folder has.
  const places = [resolve(path), dirname(resolve(path))].map((each) => projectHere(vault.places, each));
  // What a repository calls itself is no advice where this machine knows that project from another folder.
  return places.find(({ folder }) => folder !== undefined)?.name;
}

/** Asks about one piece until it is answered; a piece that changed meanwhile is shown again. */
async function settle(
  session: Session,
  asker: OneByOne,
  piece: ImportPiece,
  report: ImportReport,
): Promise<'next' | 'quit'> {
  for (;;) {
    // If nobody is asked, the check under the lock is enough.
    if (!asker.asking && 'arrival' in piece) return takeWithout(session, piece, report);
    const look = lookAt(session, piece);
    if (look.kind === 'returns') return takeWithout(session, look, report);
    if (look.kind !== 'new') {
      report.add(look);
      return 'next';
    }
    say();
    const { plan, proposed } = look;
    const { key, consent } = await asker.ask({
      sheet: {
        ...draftOnScreen({ ...plan.newFile, memory: plan.memory }),
        facts: [
          { label: 'from', quoted: visible(look.label, 'line') },
          ...(plan.sameBody ? [{ label: 'note', ours: `${plan.sameBody} says this under another name` }] : []),
          ...nearDuplicatesOf(session.vault, { id: plan.newFile.id, shown: plan.memory })
            .filter(({ id }) => id !== plan.sameBody)
            .map((other) => ({ label: 'near it', other })),
          ...conflictFacts(session, { id: plan.newFile.id, shown: plan.memory }),
          ...hintFacts(plan.newFile.subject.document),
          ...settingsFacts(session),
        ],
      },
      proposed,
      verb: 'import',
      skipping: 'do not import it',
    });
    if (key === 'q') return 'quit';
    if (key === 's') {
      recordSkipped(session);
      report.add({ kind: 'passed', label: look.label, why: 'you left it out' });
      return 'next';
    }
    if (consent === undefined) return takeWithout(session, look, report);
    try {
      const taken = await take(session, look.arrival, consent);
      if (taken.kind === 'here') report.add({ ...taken, label: look.label });
      else {
        report.taken(taken.loaded);
        tell(text`${sanitize(taken.loaded.id, 'line')} is ${sanitize(taken.loaded.standing.tier, 'line')}.`, 'good');
      }
      return 'next';
    } catch (error) {
      if (!(error instanceof Refusal) || stopsAll(error)) throw error;
      if (!MEANWHILE.has(error.code)) {
        report.refuse(look.label, error);
        return 'next';
      }
      tell(text`Another memory took this id meanwhile. Nothing was stored; this is how it would be now:`, 'warning');
    }
  }
}

const MEANWHILE: ReadonlySet<string> = new Set(['id-taken', 'consent-mismatch', 'changed-meanwhile']);

async function takeWithout(
  session: Session,
  { label, arrival }: { readonly label: string; readonly arrival: ImportedFile },
  report: ImportReport,
): Promise<'next'> {
  const from = maskSecrets(label);
  try {
    const taken = await take(session, arrival);
    if (taken.kind === 'here') report.add({ ...taken, label: from });
    else report.taken(taken.loaded);
  } catch (error) {
    if (!(error instanceof Refusal) || stopsAll(error)) throw error;
    report.refuse(from, error);
  }
  return 'next';
}
