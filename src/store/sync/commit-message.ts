import { sharedAt } from '../../core/sync/shared-paths.ts';
import { shortLine } from '../../core/text/short-line.ts';
import type { Git } from '../git/git.ts';
import type { Upstream } from '../git/remote.ts';
import type { CommitTree } from '../git/trees.ts';
import type { MachineKey } from '../ledger/machine-key.ts';
import type { Local } from './commit.ts';

/** The trailer that names the machine of a commit. It is for people and proves nothing. */
const TRAILER = 'Surety-Machine';
const MOST_NAMED = 50;
const LONGEST_NAME = 40;

type NamedKey = Pick<MachineKey, 'machine' | 'fingerprint'>;

/** The commit message for this machine's changes. */
export function messageFor(
  { changed, files }: Pick<Local, 'changed' | 'files'>,
  before: CommitTree,
  key: NamedKey,
): string {
  const lines: string[] = [];
  const count = { added: 0, changed: 0, removed: 0, ledgers: 0 };
  for (const path of [...changed].sort()) {
    const what = sharedAt(path);
    if (what?.kind === 'ledger') count.ledgers += 1;
    if (what?.kind !== 'memory') continue;
    const how = !files.has(path) ? 'removed' : before.shared.has(path) ? 'changed' : 'added';
    count[how] += 1;
    lines.push(`${how} ${path}`);
  }
  const kinds = (['added', 'changed', 'removed'] as const).filter((how) => count[how] > 0);
  const memories = kinds.map((how) => `${count[how]} ${how}`).join(', ');
  const subject = memories || (count.ledgers > 0 ? 'ledger entries' : 'nothing but housekeeping');
  const more = lines.length > MOST_NAMED ? [`and ${lines.length - MOST_NAMED} more`] : [];
  return message(`surety sync from ${nameOf(key)}: ${subject}`, [...lines.slice(0, MOST_NAMED), ...more], key);
}

export function mergeMessage({ remote, theirs }: Upstream, conflicts: number, key: NamedKey): string {
  const how = conflicts === 0 ? '' : conflicts === 1 ? ', 1 conflict parked' : `, ${conflicts} conflicts parked`;
  return message(`surety sync on ${nameOf(key)}: merge ${remote} ${theirs.replace('refs/heads/', '')}${how}`, [], key);
}

function message(subject: string, lines: readonly string[], key: NamedKey): string {
  const body = lines.length === 0 ? '' : `${lines.join('\n')}\n\n`;
  return `${subject}\n\n${body}${TRAILER}: ${nameOf(key)} ${key.fingerprint.slice(0, 16)}\n`;
}

function nameOf({ machine }: NamedKey): string {
  return shortLine(machine, LONGEST_NAME) || 'unknown';
}

/**
 * The machine that last changed a file on the other side, by the trailer of that side's commit; the trailer proves
 * nothing.
 */
export async function writerIn(git: Git, base: string | undefined, theirs: string, path: string): Promise<string> {
  const range = base === undefined ? theirs : `${base}..${theirs}`;
  const format = `--format=%(trailers:key=${TRAILER},valueonly,separator=%x20)`;
  const said = await git.text(['log', '-1', '--no-show-signature', format, range, '--', path]);
  return shortLine(said.replace(/ ?[0-9a-f]{16}$/, ''), LONGEST_NAME) || 'another machine';
}
