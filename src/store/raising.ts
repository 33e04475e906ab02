import type { UserConsent } from '../core/consent.ts';
import type { Transition } from '../core/tiers.ts';
import type { Loaded, Spot } from './loaded.ts';
import type { Parts } from './parts.ts';
import { byOf, record } from './records.ts';
import type { Shelf } from './shelf.ts';

/** A file that is to be verified, as it was seen and as it will be. */
export interface Raised {
  readonly seen: Loaded;
  readonly bytes: Buffer;
  readonly reason: string | null;
}

/** Makes a file verified: recorded first, then put in place and where it belongs. The caller holds the lock. */
export function raise(parts: Parts, shelf: Shelf, row: Transition, raised: Raised, consent: UserConsent) {
  const { disk, vouched } = parts;
  const { seen, bytes, reason } = raised;
  const path = shelf.writable(seen);
  vouched.keep(seen.digest ?? '', bytes);
  // Written before it is recorded: a full disk shows here, and not between a receipt and its file.
  const prepared = disk.prepare(path, bytes);
  try {
    record(parts, row, { ...seen, settled: consent.shown.settles, replaces: null }, byOf(consent), reason);
    // A demotion that could not wait for the lock may have moved it meanwhile; it must not come back by being written.
    shelf.unchanged(seen);
  } catch (error) {
    disk.discard(prepared);
    throw error;
  }
  // In place first, then the move: in quarantine a file stays quarantined whatever it says.
  disk.putInPlace(prepared, path);
  const home: Spot = { place: 'memories', stem: seen.id };
  if (seen.place !== 'memories') shelf.move(seen, home);
  return { loaded: shelf.indexed(home), recorded: true };
}
