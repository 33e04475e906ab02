import { UserConsent } from '../core/consent.ts';
import type { MemoryId } from '../core/ids.ts';
import { Refusal } from '../core/refusal.ts';
import { refuseBlocked, refuseSecrets, refuseUnshown } from '../core/soundness.ts';
import { judge, met, type Verb } from '../core/tiers.ts';
import type { Made } from './birth.ts';
import type { Disk } from './disk.ts';
import { diskTrouble } from './failures.ts';
import type { Loaded, Spot } from './loaded.ts';
import type { Parts } from './parts.ts';
import { byOf, record, type Writer } from './records.ts';
import type { Shelf } from './shelf.ts';

/** A file that is to be, under the id it will have. */
export interface Newborn extends Made {
  readonly id: MemoryId;
  readonly replaces: string | null;
}

/**
 * Brings a new file into the store: judged by the table, with a person's yes for exactly it or as inferred, written and
 * recorded, or not there at all. The caller holds the lock.
 */
export function bear(parts: Parts, shelf: Shelf, verb: Verb, newborn: Newborn, by: Writer | UserConsent): Loaded {
  const { disk, vouched, settings } = parts;
  const { id, bytes, digest, inspection } = newborn;
  const consent = UserConsent.isGenuine(by) ? by : undefined;
  if (shelf.isTaken(id)) throw new Refusal('id-taken', `${id} is in use, or was once; choose another name.`);
  if (!consent) refuseSecrets(inspection);
  refuseBlocked(inspection);
  if (consent) refuseUnshown(inspection, [], consent, settings().minimumAssurance);
  const who = consent ? 'operator' : (by as Writer).actor;
  const row = judge({ verb, from: null, who, met: met({ checks: true, consent: consent !== undefined }) });
  consent?.spend({ verb, id, digest, standing: 'new' });

  const spot: Spot = { place: 'memories', stem: id };
  if (consent) vouched.keep(digest, bytes);
  const path = shelf.writable(spot);
  try {
    disk.create(path, bytes);
    record(parts, row, { ...newborn, settled: consent?.shown.settles ?? [] }, byOf(by), null);
  } catch (error) {
    // Not acknowledged, so it must not stay: what the caller is told did not happen did not happen.
    takeBack(disk, path, newborn);
    throw error;
  }
  // Nothing blocked it, and what is not blocked in a proposal is found the same in a file.
  return shelf.born(spot, { ...newborn, subject: { ...newborn.subject, origin: 'found' } });
}

function takeBack(disk: Disk, path: string, { id, bytes }: Newborn): void {
  const there = disk.read(path, bytes.length);
  // Somebody else's file of this name stays.
  if (there.kind !== 'file' || !there.bytes.equals(bytes)) return;
  try {
    disk.remove(path);
  } catch (error) {
    const why = diskTrouble(error);
    if (why === undefined) throw error;
    throw new Refusal(
      'unfinished',
      `${id} was written, could not be recorded, and could not be taken back: ${why}. Read it before it is stored again.`,
    );
  }
}
