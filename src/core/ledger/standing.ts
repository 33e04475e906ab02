import type { Tier, Verb } from '../trust/tiers.ts';
import type { Evidence } from './evidence.ts';
import { headsOf, vouches } from './heads.ts';
import type { Statement } from './statement.ts';

/** The tier that a memory has earned, and why. It is computed whenever the memory is served, and changes no file. */
export type Standing =
  | { readonly tier: 'verified'; readonly reason: 'vouched'; readonly receipt: Statement }
  | { readonly tier: 'inferred'; readonly reason: 'unfinished'; readonly receipt: Statement }
  | {
      readonly tier: 'inferred';
      readonly reason: 'changed';
      /** The yes to another text. */
      readonly receipt: Statement;
      /** Whether there is a yes to this text as well, as after two machines' edits: neither counts until one is chosen. */
      readonly contested: boolean;
    }
  | { readonly tier: 'inferred'; readonly reason: 'proposed' | 'found' | 'unproven' | 'disputed' }
  | { readonly tier: 'quarantined'; readonly reason: 'decided' | 'same-text'; readonly decision: Statement }
  | { readonly tier: 'quarantined'; readonly reason: 'folder' | 'claim' };

/** The reasons, in words for a person. */
export const REASONS: Record<Standing['reason'], string> = {
  vouched: 'a person vouched for exactly this text',
  changed: 'the text changed since a person vouched for it',
  unfinished: 'a person’s yes is on record, but the file does not say so yet',
  proposed: 'nobody has vouched for it yet',
  found: 'it was found in the folder; nobody has vouched for it',
  unproven: 'the file says verified, but no receipt vouches for it',
  disputed: 'not every decision on it counts here or agrees that it is verified',
  decided: 'a recorded decision quarantines it',
  'same-text': 'it says what a quarantined memory says',
  folder: 'it lies in the quarantine or archive folder',
  claim: 'the file says quarantined',
};

/** Whether this is one of two texts that people vouched for. */
export function isContested(standing: Standing): standing is Extract<Standing, { reason: 'changed' }> {
  return standing.reason === 'changed' && standing.contested;
}

/** Why a memory has its standing, in words for a person. */
export function whyStanding(standing: Standing): string {
  return isContested(standing) ? 'people vouched for this text and for another one' : REASONS[standing.reason];
}

export type Place = 'memories' | 'quarantine' | 'archive';

/** What a file says that matters for its standing. */
export interface FileFacts {
  readonly id: string;
  readonly place: Place;
  /** The tier that the file says it has, if it says one. */
  readonly claim: Tier | null | undefined;
  /** null if the file holds no memory that a person could vouch for. */
  readonly digest: string | null;
  readonly saying: string | null;
}

/**
 * The lowest tier that the evidence supports. The file can only lower what the ledgers prove, and the ledgers can only
 * lower what the file claims.
 */
export function standingOf(file: FileFacts, evidence: Pick<Evidence, 'heads' | 'quarantinedSaying'>): Standing {
  const heads = evidence.heads(file.id);
  const quarantined = heads.find((head) => head.to === 'quarantined');
  if (quarantined) return { tier: 'quarantined', reason: 'decided', decision: quarantined };
  if (file.place !== 'memories') return { tier: 'quarantined', reason: 'folder' };
  if (file.claim === 'quarantined') return { tier: 'quarantined', reason: 'claim' };

  const receipt = heads.length > 0 && heads.every((h) => vouchesFor(h, file.digest)) ? oldest(heads) : undefined;
  if (receipt && file.claim === 'verified') return { tier: 'verified', reason: 'vouched', receipt };
  if (receipt) return { tier: 'inferred', reason: 'unfinished', receipt };

  const same = file.saying === null ? undefined : evidence.quarantinedSaying(file.saying);
  if (same) return { tier: 'quarantined', reason: 'same-text', decision: same };

  const rewording = file.claim === 'verified' ? undefined : rewordingOf(file.digest, heads);
  if (rewording) return { tier: 'inferred', reason: 'unfinished', receipt: rewording };

  const former = heads.find((head) => vouches(head) && head.digest !== file.digest);
  if (former) {
    const contested = heads.some((head) => vouchesFor(head, file.digest));
    return { tier: 'inferred', reason: 'changed', receipt: former, contested };
  }
  if (heads.some((head) => head.to === 'verified')) return { tier: 'inferred', reason: 'disputed' };
  if (file.claim === 'verified') return { tier: 'inferred', reason: 'unproven' };
  return { tier: 'inferred', reason: heads.length > 0 ? 'proposed' : 'found' };
}

/**
 * Whether a file in `memories/` is quarantined here only because some machine's word does not count here: another machine has
 * restored it, or vouches for its text. It is not served, and it is not moved, because sync would carry the move to
 * machines where that word counts.
 */
export function isLiftedElsewhere(file: FileFacts, evidence: Evidence): boolean {
  const heads = (id: string) => headsOf(evidence.of(id).map(asIfCounting));
  const quarantinedSaying = (saying: string) => evidence.quarantinedSaying(saying, heads);
  return standingOf(file, { heads, quarantinedSaying }).tier !== 'quarantined';
}

/**
 * The ledgers whose word would lift a quarantine and does not count here: of the signed receipts that would be in force for
 * the memory, or for the quarantined one that says the same, if every word counted. None where a later receipt that counts
 * has taken their place.
 */
export function liftedBy(id: string, quarantine: Statement, evidence: Evidence): ReadonlySet<string> {
  const receipts = [id, quarantine.id].flatMap((each) => {
    const stated = evidence.of(each);
    const inForce = new Set(headsOf(stated.map(asIfCounting)).map(({ hash }) => hash));
    return stated.filter((s) => s.to === 'verified' && s.authentic && inForce.has(s.hash) && !vouches(s));
  });
  return new Set(receipts.map(({ ledger }) => ledger.fingerprint));
}

/** A passkey that is not known here is part of what does not count here. */
function asIfCounting(statement: Statement): Statement {
  return { ...statement, ledger: { fingerprint: statement.ledger.fingerprint, raises: true }, level: 4 };
}

/**
 * Whether it is certain, before any receipt is judged, that a file is neither quarantined nor half reworded. Then no
 * entry, whether it counts or not, ever quarantined or reworded it, and no quarantined text has its words. False leaves both open.
 */
export function isSurelyAlive({ id, place, claim, digest, saying }: FileFacts, evidence: Evidence): boolean {
  if (place !== 'memories' || claim === 'quarantined' || evidence.mayBeLowered(id, digest)) return false;
  return saying === null || evidence.quarantinedSaying(saying) === undefined;
}

/** Whether the yes to an unfinished memory is for other words than its file still has. */
export function isHalfReworded({ reason, ...standing }: Standing, digest: string | null): boolean {
  return reason === 'unfinished' && 'receipt' in standing && digest !== null && standing.receipt.was === digest;
}

/**
 * A confirmation is bound to this key as well as to the text: a different reason means that the person saw something
 * else.
 */
export function standingKey(standing: Standing): string {
  return `${standing.tier}:${standing.reason}`;
}

/**
 * The tier that a transition starts from. A changed memory is still verified in the file and in the ledger. So it can
 * be reaffirmed, put back or demoted, and cannot be promoted as if it had never been vouched for.
 */
export function startOf(standing: Standing, verb: Verb): Tier {
  return standing.reason === 'changed' && verb !== 'quarantine' ? 'verified' : standing.tier;
}

function vouchesFor(head: Statement, digest: string | null): boolean {
  return digest !== null && vouches(head) && head.digest === digest;
}

/** The receipt for the words that take the place of this text. A file that says verified was not left behind by a kill. */
function rewordingOf(digest: string | null, heads: readonly Statement[]): Statement | undefined {
  const rewording = heads.find((head) => digest !== null && head.was === digest);
  return rewording && heads.every((head) => vouchesFor(head, rewording.digest)) ? rewording : undefined;
}

function oldest(heads: readonly Statement[]): Statement | undefined {
  return heads.reduce((a, b) => (b.at < a.at ? b : a));
}
