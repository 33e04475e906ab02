import { type Git, GitFailure } from './git.ts';

/** A git left to itself packs by the number of objects only; here most of the room goes into few large ones. */
const MOST_LOOSE = 4_000;
const MOST_LOOSE_KIB = 64 << 10;
const MOST_PACKS = 40;
/** What nothing refers to any more stays for as long as git itself keeps it, but packed: loose, it would bring us here each time. */
const KEPT = [
  'gc.cruftPacks=true',
  'gc.pruneExpire=2.weeks.ago',
  'gc.reflogExpire=90.days.ago',
  'gc.reflogExpireUnreachable=30.days.ago',
  // A ledger is like its own last version and like nothing else; to hold it against ten others takes most of the time.
  'pack.window=2',
];

/**
 * Packs the repository when it has grown. Each sync adds a whole copy of every ledger that got longer; packed, only
 * what differs takes room.
 */
export async function tidy(git: Git): Promise<void> {
  const said = await git.text(['count-objects', '-v']);
  const figure = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(said)?.[1] ?? 0);
  if (figure('count') < MOST_LOOSE && figure('size') < MOST_LOOSE_KIB && figure('packs') < MOST_PACKS) return;
  try {
    await git.run([...KEPT.flatMap((setting) => ['-c', setting]), 'gc', '--quiet']);
  } catch (error) {
    // It is for room only: somebody else may be at it, and the next sync tries again.
    if (!(error instanceof GitFailure)) throw error;
  }
}
