import { type Git, GitFailure } from './git.ts';

/** Git by itself packs by the number of objects only; here a few large objects take most of the space. */
const MOST_LOOSE_KIB = 1 << 10;
const MOST_LOOSE = 4_000;
const MOST_PACKS = 40;

/** A list of memories resembles only its own last version; comparing it with ten others takes most of the time. */
const NEAREST = ['-c', 'pack.window=2'];
/** Unreachable objects stay as long as git keeps them, but packed: loose, they would trigger packing each time. */
const KEPT = [
  'gc.cruftPacks=true',
  'gc.pruneExpire=2.weeks.ago',
  'gc.reflogExpire=90.days.ago',
  'gc.reflogExpireUnreachable=30.days.ago',
].flatMap((setting) => ['-c', setting]);

/** Packs the newest packs together and leaves large ones as they are, so that it takes as long as what was added. */
const WHAT_WAS_ADDED = [...NEAREST, 'repack', '--quiet', '-d', '-l', '--geometric=2'];
const EVERYTHING = [...NEAREST, ...KEPT, 'gc', '--quiet'];

/**
 * Packs the repository when it has grown. Each sync adds a whole list of all memories and a whole copy of every ledger
 * file that grew; packed, only the differences take space.
 */
export async function packRepository(git: Git): Promise<void> {
  const said = await git.text(['count-objects', '-v']);
  const figure = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(said)?.[1] ?? 0);
  const isMuch = figure('count') >= MOST_LOOSE || figure('packs') >= MOST_PACKS;
  if (!isMuch && figure('size') < MOST_LOOSE_KIB) return;
  try {
    await git.run(isMuch ? EVERYTHING : WHAT_WAS_ADDED);
  } catch (error) {
    // Packing only saves space: another process may be packing, and the next sync tries again.
    if (!(error instanceof GitFailure)) throw error;
  }
}
