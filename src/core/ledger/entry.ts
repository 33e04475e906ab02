import { createPublicKey, type KeyObject, sign as signBytes, verify as verifyBytes } from 'node:crypto';
import { sha256 } from '../memory/memory.ts';
import type { Assertion } from '../passkeys/assertion.ts';
import { PASSKEY_RECORDS, type PasskeyChange } from '../passkeys/change.ts';
import { timestamp } from '../trust/clocks.ts';
import type { Assurance, Channel } from '../trust/consent.ts';
import type { ActorKind, Tier, Verb } from '../trust/tiers.ts';

/**
 * A signed line of a ledger; it never changes. An entry with a `to` is a decision on a memory. An entry without one is
 * a record (`RECORDS`) and changes no tier. docs/ledger-format.md is the contract.
 */
export interface Entry {
  /** Lines of version 2 may follow lines of version 1, never the reverse. */
  readonly v: Version;
  /** Position in this ledger, from 0. */
  readonly seq: number;
  /** Never earlier than in the entry before. */
  readonly at: string;
  /**
   * From version 2 on: the time on the writer's clock. It counts instead of `at` if `at` is ahead of the reader's now.
   */
  readonly clock?: string;
  readonly machine: string;
  /** The ledger's public key (raw ed25519, base64url), in its first entry only. */
  readonly key?: string;
  /** From version 2 on: the id of the store that it was written in. The entry raises nothing in another store. */
  readonly store?: string;
  readonly by: By;
  readonly settings: TrustSettings;
  /** The version of the rules that the text was checked against. */
  readonly rules: string;
  readonly action: Verb | RecordKind;
  /** The memory's id; in a record about a ledger its fingerprint, in a `store` record the store's id. */
  readonly id: string;
  readonly from: Tier | null;
  readonly to: Tier | null;
  /** The digest of the text; null if the text could not be parsed or held a secret. */
  readonly digest: string | null;
  /** The hash of the body without regard to spacing and case (`sayingOf`); null if the digest is null. */
  readonly saying: string | null;
  /** The digest before an adoption that rewords the text in place. */
  readonly was?: string;
  readonly reason: string | null;
  /** Hold rules that the person saw and accepted for this digest. */
  readonly settled: readonly string[];
  /** The memory that this one replaces. */
  readonly replaces: string | null;
  /** Many first sights in one `seen` record, whose `id` is then `*` and whose digest and saying are null. */
  readonly texts?: readonly SeenText[];
  /** In a `store` record: another id of this store. */
  readonly alias?: string;
  /** When a prompt of the person held the same words, which is evidence that the person dictated them. */
  readonly prompted?: string;
  /** In an entry that changes the passkeys of the store (`PASSKEY_RECORDS`): what it changes. */
  readonly passkeys?: PasskeyChange;
  /** What a passkey signed. `PasskeySet` says whether it counts. */
  readonly assertion?: Assertion;
  /** Hashes of every head for this id that the writer knew. */
  readonly after: readonly string[];
  /** Hash of the entry before this one in the same ledger; null in the first entry. */
  readonly prev: string | null;
}

export const VERSIONS = [1, 2] as const;
export type Version = (typeof VERSIONS)[number];

export const RECORDS = [
  'seen',
  'parked',
  'archived',
  'erased',
  'trusted',
  'distrusted',
  'accepted',
  'store',
  'declined',
  'dated',
  ...PASSKEY_RECORDS,
] as const;
export type RecordKind = (typeof RECORDS)[number];

export type SeenText = readonly [id: string, digest: string, saying: string];

/** The id of a record about many memories. No memory has this id. */
export const MANY = '*';
/** At most 500 texts in an entry, because a reader holds them all at once. Fewer if the line would be too long. */
export const MOST_TEXTS = 500;
/** At most 48 KiB of texts in an entry, because no line over 64 KiB is read. */
const LONGEST_TEXTS = 3 * 2 ** 14;

/** Splits the texts into lists that each fit into one entry. */
export function inEntries(texts: readonly SeenText[]): SeenText[][] {
  const lists: SeenText[][] = [];
  let length = 0;
  for (const text of texts) {
    const size = JSON.stringify(text).length + 1;
    const last = lists.at(-1);
    if (last === undefined || last.length === MOST_TEXTS || length + size > LONGEST_TEXTS) {
      lists.push([text]);
      length = size;
      continue;
    }
    last.push(text);
    length += size;
  }
  return lists;
}

export interface By {
  readonly actor: ActorKind;
  readonly channel: Channel | 'tool' | 'command' | 'reconcile';
  /** 0 if no person was asked; 4 with a passkey's assertion. */
  readonly level: Assurance | 0;
  readonly client: string | null;
}

/** Of what Surety writes by itself, without a person or an agent. */
export const BY_RECONCILE: By = { actor: 'check', channel: 'reconcile', level: 0, client: null };

/** The settings when the receipt was made, because an agent could have loosened them. */
export interface TrustSettings {
  readonly observationDays: number;
  readonly staleDays: number;
  readonly injection: 'hold' | 'warn';
  readonly minimumAssurance: Assurance;
  /** Which keys of `owner` are set, because they decide which checks ran. Never their values: a ledger is synced. */
  readonly owner?: readonly string[];
  /** The other settings, each where it is not at its default. */
  readonly [other: string]: number | string | readonly string[] | undefined;
}

/** The end of a ledger: the number of entries, and the hash of the last one. */
export interface Head {
  readonly count: number;
  readonly hash: string | null;
}

export const EMPTY_HEAD: Head = { count: 0, hash: null };

/** What a writer decides about an entry. The ledger fills in its place in the chain. */
export type EntryDraft = Omit<Entry, 'v' | 'seq' | 'at' | 'clock' | 'machine' | 'key' | 'store' | 'prev'>;

export interface Signer {
  readonly machine: string;
  readonly publicKey: string;
  readonly privateKey: KeyObject;
}

/** Whether a reader must notice if the entry is cut off: every entry but a new inferred memory and a plain record. */
export function mattersIfCut({ action, from, to }: Pick<Entry, 'from' | 'to'> & { readonly action: string }): boolean {
  if (to === null) return ['trusted', 'distrusted', 'store', 'declined', ...PASSKEY_RECORDS].includes(action);
  return !(from === null && to === 'inferred');
}

/** Whether an entry can raise something: a verification, trust in a machine, another id of the store, or a passkey. */
export function canRaise({ action, to }: Pick<Entry, 'to'> & { readonly action: string }): boolean {
  return to === 'verified' || ['trusted', 'store', ...PASSKEY_RECORDS].includes(action);
}

/** Version 2 is recognized by its first bytes, so that a signature can be checked without parsing the line. */
export const BEGINS = '{"v":2,';

function domainOf(line: string): string {
  return line.startsWith(BEGINS) ? 'surety-ledger-2\n' : 'surety-ledger-1\n';
}

/**
 * Makes the line that extends a ledger. Its time is never before the last entry's, so a clock that is set back shortens
 * no waiting. The signature covers the line's own bytes, so checking it needs no canonical form. Without a store's id
 * the line is of version 1, for a store that has not been written to since stores have ids.
 */
export function signEntry(
  draft: EntryDraft,
  head: Head,
  lastAt: number,
  now: number,
  signer: Signer,
  store: string | undefined,
): string {
  const { was, texts, alias, prompted, passkeys, assertion } = draft;
  const payload = JSON.stringify({
    v: store === undefined ? 1 : 2,
    seq: head.count,
    at: timestamp(Math.max(now, lastAt)),
    ...(store !== undefined && { clock: timestamp(now) }),
    machine: signer.machine,
    ...(head.count === 0 && { key: signer.publicKey }),
    ...(store !== undefined && { store }),
    by: draft.by,
    settings: draft.settings,
    rules: draft.rules,
    action: draft.action,
    id: draft.id,
    from: draft.from,
    to: draft.to,
    digest: draft.digest,
    saying: draft.saying,
    ...(was !== undefined && { was }),
    reason: draft.reason,
    settled: draft.settled,
    replaces: draft.replaces,
    ...(texts !== undefined && { texts }),
    ...(alias !== undefined && { alias }),
    ...(prompted !== undefined && { prompted }),
    ...(passkeys !== undefined && { passkeys }),
    ...(assertion !== undefined && { assertion }),
    after: draft.after,
    prev: head.hash,
  } satisfies Entry);
  const signature = signBytes(null, Buffer.from(domainOf(payload) + payload), signer.privateKey).toString('base64url');
  return `${payload.slice(0, -1)},"sig":"${signature}"}`;
}

/** Like `signEntry` for several drafts, one after the other. */
export function signEntries(
  drafts: readonly EntryDraft[],
  from: { readonly head: Head; readonly lastAt: number },
  now: number,
  signer: Signer,
  store: string | undefined,
): string[] {
  let { head, lastAt } = from;
  return drafts.map((draft) => {
    const line = signEntry(draft, head, lastAt, now, signer, store);
    head = { count: head.count + 1, hash: hashOf(line) };
    lastAt = Math.max(now, lastAt);
    return line;
  });
}

const SIGNED_LINE = /^(\{.*),"sig":"([A-Za-z0-9_-]{86})"\}$/s;

/** Whether this ledger's key signed exactly this line. */
export function isAuthentic(line: string, publicKey: KeyObject): boolean {
  const [, payload, signature] = SIGNED_LINE.exec(line) ?? [];
  if (payload === undefined || signature === undefined) return false;
  return verifyBytes(
    null,
    Buffer.from(`${domainOf(payload)}${payload}}`),
    publicKey,
    Buffer.from(signature, 'base64url'),
  );
}

/** The hash by which the next entry's `prev` and every `after` name a line. */
export function hashOf(line: string): string {
  return sha256(line);
}

/** A ledger's name: the hash of its key, so that a file cannot pass for another machine's ledger. */
export function fingerprintOf(publicKey: string): string {
  return sha256(Buffer.from(publicKey, 'base64url'));
}

export function publicKeyOf(raw: string): KeyObject | undefined {
  try {
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: raw }, format: 'jwk' });
  } catch {
    return undefined;
  }
}
