import { isHalfReworded } from '../../core/ledger/standing.ts';
import { Refusal } from '../../core/refusal.ts';
import type { UserConsent } from '../../core/trust/consent.ts';
import type { Transition } from '../../core/trust/tiers.ts';
import { diskTrouble } from '../disk/disk-errors.ts';
import type { Inside } from './inside-of-vault.ts';
import { byOf, record } from './ledger-entries.ts';
import { digestBefore, type FilePlace, type Loaded } from './loaded-memory.ts';
import type { RewordedFile } from './reworded.ts';

/** A file that becomes verified: as it was seen, and as it will be. */
interface RaisedFile {
  readonly seen: Loaded;
  readonly bytes: Buffer;
  readonly reason: string | null;
  /** What it will say, where a person reworded it. */
  readonly reworded?: RewordedFile;
}

/**
 * Makes a file verified. The ledger is written first, then the file is replaced and moved to `memories/`. The caller
 * holds the lock.
 */
export function raise(inside: Inside, row: Transition, raised: RaisedFile, consent: UserConsent): Loaded {
  const { disk, files, ledgers, vouched } = inside;
  const { seen, bytes, reason, reworded } = raised;
  const path = files.writable(seen);
  const { id } = seen;
  const { digest, saying, inspection } = reworded ?? seen;
  const before = reworded && digestBefore(seen);
  const was = before === undefined ? {} : { was: before };
  vouched.keep(digest ?? '', bytes);
  // Written before it is recorded, so that a full disk shows before there is a receipt.
  const prepared = disk.prepare(path, bytes);
  const known = ledgers.evidence.of(seen.id).length;
  let durable = false;
  try {
    const { shown, assertion } = consent;
    const text = { id, digest, saying, inspection, ...was };
    const { settles, replaces = null, prompted } = shown;
    const about = { ...text, settled: settles, replaces, prompted, assertion };
    record(inside, row, about, byOf(consent), reason);
    durable = true;
    // A demotion without the lock may have moved the file meanwhile, and writing it again would undo that.
    files.unchanged(seen);
    // Replaced first and moved second: a file in quarantine stays quarantined, whatever it says.
    disk.putInPlace(prepared, path);
    const home: FilePlace = { place: 'memories', stem: seen.id };
    if (seen.place !== 'memories') files.move(seen, home);
    return files.indexed(home);
  } catch (error) {
    disk.discard(prepared);
    // The ledger is read again, because a failing disk can keep an entry that could not be removed.
    ledgers.refresh();
    if (ledgers.evidence.of(seen.id).length === known) throw error;
    const now = files.find(seen.id);
    if (durable && now?.standing.tier === 'verified') return now;
    throw unfinished(seen, now, error);
  }
}

/** The yes is recorded, so the error must not say that nothing changed. It says what the memory is now. */
function unfinished({ id }: Loaded, now: Loaded | undefined, error: unknown): unknown {
  const why = error instanceof Refusal ? 'its file changed at the same moment' : diskTrouble(error);
  if (why === undefined) return error;
  const is = now === undefined ? 'its file is gone' : `it is ${now.standing.tier} for now`;
  const help = now?.standing.reason === 'unfinished' ? ` ${helpFor(now)}` : '';
  return new Refusal(
    'unfinished',
    `The yes to ${id} is on record, but ${why}: ${is}. Read it before asking again.${help}`,
  );
}

function helpFor({ standing, digest }: Loaded): string {
  return isHalfReworded(standing, digest)
    ? 'The new words are put in place when the store is opened next.'
    : 'surety doctor can finish it.';
}
