import { type Git, GitFailure } from './git.ts';

/** Git by itself packs by the number of objects only; here a few large objects take most of the space. */
const MOST_LOOSE = 4_000;
const MOST_LOOSE_KIB = 64 << 10;
const MOST_PACKS = 40;
/** Unreachable objects stay as long as git keeps them, but packed: loose, they would trigger packing each time. */
const KEPT = [
  'gc.cruftPacks=true',
  'gc.pruneExpire=2.weeks.ago',
  'gc.reflogExpire=90.days.ago',
  'gc.reflogExpireUnreachable=30.days.ago',
  // A ledger resembles only its own last version; comparing it with ten others takes most of the time.
  'pack.window=2',
];

/**
 * Packs the repository when it has grown. Each sync adds a whole copy of every ledger that grew; packed, only the
 * differences take space.
 */
export async function tidy(git: Git): Promise<void> {
  const said = await git.text(['count-objects', '-v']);
  const figure = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(said)?.[1] ?? 0);
  if (figure('count') < MOST_LOOSE && figure('size') < MOST_LOOSE_KIB && figure('packs') < MOST_PACKS) return;
  try {
    await git.run([...KEPT.flatMap((setting) => ['-c', setting]), 'gc', '--quiet']);
  } catch (error) {
    // Packing only saves space: another process may be packing, and the next sync tries again.
    if (!(error instanceof GitFailure)) throw error;
  }
}
