import { type Place, type Standing, standingOf } from '../../core/ledger/standing.ts';
import { hasFormOfId } from '../../core/memory/ids.ts';
import { sameStamp } from '../disk/reading-disk.ts';
import type { IndexedFacts, ScopedRow, SealedFacts } from '../index/rows.ts';
import { whyBlocked, whyHeld } from './index-row.ts';
import type { Inside } from './inside-of-vault.ts';
import type { FilePlace } from './loaded-memory.ts';

type Seen = Omit<IndexedFacts, 'stamp' | 'rules'>;

/** A memory by its index row, with the standing that the ledgers give it now. Load it before serving it. */
export interface Surveyed extends Seen {
  readonly id: string;
  readonly standing: Standing;
}

export type Verified = Surveyed & { readonly standing: Extract<Standing, { tier: 'verified' }> };
export type SurveyedInProject = Surveyed & { readonly project: string | null };

/** Every memory of a place. Unchanged files are not read. */
export function* survey(inside: Inside, place: Place): Generator<Surveyed> {
  for (const row of inside.index.each(place)) yield* judged(inside, row);
}

/**
 * Every memory with its project, the last written first. Neither the rows' seals nor the receipts' assertions are verified,
 * so use it to choose what to load, and not for a report. A row whose name does not have the form of an id is left out, because
 * models are given ids as they are.
 */
export function surveyScoped(known: Inside, visit: (memory: SurveyedInProject) => void): void {
  asTheyAre(known, () => {
    for (const row of known.index.scoped('memories')) {
      const memory = judgedUnproven(known, row);
      if (memory !== undefined) visit(memory);
    }
  });
}

/** Runs `work` with index, conflicts and ledgers as they are now. */
export function asTheyAre<T>({ index, conflicts, ledgers }: Inside, work: () => T): T {
  return index.atOnce(() => conflicts.atOnce(() => ledgers.evidence.presuming(work)));
}

/** Undefined where the name does not have the form of an id. */
export function judgedUnproven({ ledgers }: Inside, row: ScopedRow): SurveyedInProject | undefined {
  const { id, stem, claim, digest, saying } = row;
  const place = 'memories';
  if (id === null || id !== stem || !hasFormOfId(id)) return undefined;
  return { ...row, place, id, standing: standingOf({ id, place, claim, digest, saying }, ledgers.evidence) };
}

/** The verified ones among these memories. */
export function verifiedAmong(inside: Inside, ids: Iterable<string>): Verified[] {
  return [...ids].flatMap((id) => [...surveyAt(inside, { place: 'memories', stem: id })].filter(isVerified));
}

/** Verified memories, newest receipt first. It is cheaper for a small `most`. */
export function newestVerified(known: Inside, most: number): Verified[] {
  const found: Verified[] = [];
  for (const { id, at } of known.ledgers.evidence.everVerified()) {
    if (found.length >= most) {
      // A memory's receipt is never later than its latest verification, so neither this memory nor any after it comes before
      // these.
      const last = found.sort(newestFirst)[most - 1];
      if (last !== undefined && (last.standing.receipt.at > at || (last.standing.receipt.at === at && last.id < id)))
        break;
    }
    found.push(...verifiedAmong(known, [id]));
  }
  return found.sort(newestFirst).slice(0, most);
}

/** A memory in use, by its id. */
export function surveyOne(inside: Inside, id: string): Surveyed | undefined {
  return surveyAt(inside, { place: 'memories', stem: id }).next().value;
}

/** The memory of one file, by its row in the index if there is one. */
export function surveyAt(inside: Inside, spot: FilePlace): Generator<Surveyed> {
  const row = inside.index.get(spot.place, spot.stem);
  return row === undefined ? inFile(inside, spot) : judged(inside, row);
}

/**
 * Reports only what is in the file: read now, or read before by this machine, which the row's seal proves. A memory is
 * reported as verified only if its file is unchanged since then. Where a passkey is required, its file is read in any case,
 * because anybody who has the machine's key can seal a row.
 */
function* judged(inside: Inside, row: SealedFacts): Generator<Surveyed> {
  const { stamp, seal: _, rules: __, ...seen } = row;
  const { id } = row;
  const isOurs = inside.parseCache.isOurs(row);
  const standing = isOurs && id !== null ? standingOf({ ...row, id }, inside.ledgers.evidence) : undefined;
  const isProven = () => {
    const isRequired = inside.ledgers.evidence.passkeys()?.isRequired === true;
    return !isRequired && sameStamp(stamp, inside.disk.stamp(inside.files.path(row)));
  };
  if (!isOurs || (standing?.tier === 'verified' && !isProven())) yield* inFile(inside, row);
  else if (standing !== undefined && id !== null) yield { ...seen, id, standing };
}

function* inFile({ files }: Inside, { place, stem }: FilePlace): Generator<Surveyed> {
  const loaded = files.load({ place, stem });
  if (loaded === undefined) return;
  const { id, subject, digest, saying, standing, inspection } = loaded;
  const claim = subject.claims.tier ?? null;
  const why = { blocked: whyBlocked(inspection), held: whyHeld(inspection) };
  const anchored = subject.memory?.anchors ? 1 : 0;
  yield { place, stem, id, claim, digest, saying, ...why, anchored, standing };
}

function isVerified(known: Surveyed): known is Verified {
  return known.standing.tier === 'verified';
}

function newestFirst(a: Verified, b: Verified): number {
  return b.standing.receipt.at - a.standing.receipt.at || (a.id < b.id ? -1 : 1);
}
