import { idsBeyond, type TakenEnd, takenEnds } from '../../core/ledger/taken-ends.ts';
import type { Inside } from '../vault/inside-of-vault.ts';
import type { UnmetMemories } from '../vault/missing.ts';
import { sealed, unsealed } from './sealed-text.ts';

const PLACES = ['memories', 'quarantine'] as const;
/** At most 1,000 memories that were not met are kept, because each is looked for again. */
const MOST_UNMET = 1_000;
const SEALED_AS = 'surety-names-record-1';

/** What a scan found, in folders with these stamps, where every name had a row in the index. */
interface NamesRecord {
  readonly stamps: readonly string[];
  readonly files: number;
  readonly unmet: UnmetMemories;
  readonly ends: readonly TakenEnd[];
}

/**
 * The stamps of both folders; take them before the names are listed. Undefined where a change might leave one of them as it is.
 */
export function folderStamps({ disk, places }: Inside): readonly string[] | undefined {
  const stamps = PLACES.flatMap((place) => disk.folderStamp(places[place]) ?? []);
  return stamps.length === PLACES.length ? stamps : undefined;
}

/**
 * Keeps what a scan found, so that the next one need not list the same names again. It is sealed, because a program that
 * writes into the cache folder could otherwise keep quiet that memories are missing. Where a passkey is required nothing is kept,
 * because who has the machine's key could seal a record.
 */
export function keepNames(inside: Inside, stamps: readonly string[], files: number, unmet: UnmetMemories): void {
  const { ledgers, now, index } = inside;
  if (ledgers.evidence.passkeys()?.isRequired) return;
  const ends = takenEnds(ledgers.evidence, now());
  if (ends === undefined || unmet.own.length + unmet.others.length > MOST_UNMET) return;
  const record: NamesRecord = { stamps, files, unmet, ends };
  index.keepNamesRecord(sealed(inside, SEALED_AS, JSON.stringify(record)));
}

/**
 * Takes over what an earlier scan found, if no name can have come or gone since. Returns the number of memory files; undefined
 * where the names must be listed.
 */
export function takeUpNames(inside: Inside, stamps: readonly string[] | undefined): number | undefined {
  const kept = stamps && recordIn(inside);
  if (kept === undefined || kept.stamps.join() !== stamps?.join()) return undefined;
  const { evidence } = inside.ledgers;
  if (evidence.passkeys()?.isRequired || idsBeyond(evidence, kept.ends) === undefined) return undefined;
  inside.missing.takeUp(kept.unmet, (isAsked) => idsBeyond(evidence, kept.ends, isAsked) ?? []);
  return kept.files;
}

function recordIn(inside: Inside): NamesRecord | undefined {
  const text = unsealed(inside, SEALED_AS, inside.index.namesRecord() ?? '');
  return text === undefined ? undefined : (JSON.parse(text) as NamesRecord);
}
