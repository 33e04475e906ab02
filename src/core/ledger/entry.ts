import { createPublicKey, type KeyObject, sign as signBytes, verify as verifyBytes } from 'node:crypto';
import { sha256 } from '../memory/memory.ts';
import { parseTimestamp, timestamp } from '../trust/clocks.ts';
import type { Channel, Level } from '../trust/consent.ts';
import { ACTORS, type ActorKind, TIERS, type Tier, type Verb } from '../trust/tiers.ts';

/**
 * What a machine writes down, once, signed, and never changes. An entry with a `to` is a decision on a memory; one
 * without is a record (`RECORDS`) and weighs nothing. docs/ledger-format.md is its contract.
 */
export interface Entry {
  readonly v: 1;
  /** Position in this ledger, from 0. */
  readonly seq: number;
  readonly at: string;
  readonly machine: string;
  /** The ledger's public key (raw ed25519, base64url), in its first entry only. */
  readonly key?: string;
  readonly by: By;
  readonly settings: TrustSettings;
  /** The rules the text was checked against. */
  readonly rules: string;
  readonly action: Verb | RecordKind;
  /** The memory's; in records about a ledger its fingerprint. */
  readonly id: string;
  readonly from: Tier | null;
  readonly to: Tier | null;
  /** Of the text this is about; null where it could not be parsed, or where it held a secret. */
  readonly digest: string | null;
  /** What the body says, spacing and case aside (`sayingOf`); null where the digest is. */
  readonly saying: string | null;
  readonly reason: string | null;
  /** Hold rules the person saw and accepted for this digest. */
  readonly settled: readonly string[];
  /** The memory this one takes the place of. */
  readonly replaces: string | null;
  /** Hashes of every head for this id that the writer knew. */
  readonly after: readonly string[];
  /** Hash of the entry before this one in the same ledger; null in the first. */
  readonly prev: string | null;
}

export const RECORDS = ['seen', 'parked', 'archived', 'erased', 'trusted', 'distrusted', 'accepted'] as const;
export type RecordKind = (typeof RECORDS)[number];

export interface By {
  readonly actor: ActorKind;
  readonly channel: Channel | 'tool' | 'command' | 'reconcile';
  /** 0 where no person was asked. */
  readonly level: Level | 0;
  readonly client: string | null;
}

/** The settings a receipt was made under; an agent could have loosened them. */
export interface TrustSettings {
  readonly observationDays: number;
  readonly staleDays: number;
  readonly injection: 'hold' | 'warn';
  readonly minimumAssurance: 1 | 2 | 3;
}

/** Where a ledger ends: how many entries, and the hash of the last. */
export interface Head {
  readonly count: number;
  readonly hash: string | null;
}

export const EMPTY_HEAD: Head = { count: 0, hash: null };

/** What a writer decides about an entry; the place in the chain is the ledger's to fill in. */
export type Draft = Omit<Entry, 'v' | 'seq' | 'at' | 'machine' | 'key' | 'prev'>;

export interface Signer {
  readonly machine: string;
  readonly publicKey: string;
  readonly privateKey: KeyObject;
}

/** Whether an entry would be missed if it were cut off: anything but a birth as inferred, and a plain record. */
export function mattersIfCut({ action, from, to }: Pick<Entry, 'from' | 'to'> & { readonly action: string }): boolean {
  if (to === null) return action === 'trusted' || action === 'distrusted';
  return !(from === null && to === 'inferred');
}

/** Whether an entry can raise something: a verification, or trust in a machine. */
export function canRaise({ action, to }: Pick<Entry, 'to'> & { readonly action: string }): boolean {
  return to === 'verified' || action === 'trusted';
}

const DOMAIN = 'surety-ledger-1\n';

/**
 * The line that extends a ledger. Its time is never before the last entry's, so a clock that is set back shortens no
 * waiting; the signature is over the line's own bytes, so nothing has to be put in a canonical form to check it.
 */
export function seal(draft: Draft, head: Head, lastAt: number, now: number, signer: Signer): string {
  const payload = JSON.stringify({
    v: 1,
    seq: head.count,
    at: timestamp(Math.max(now, lastAt)),
    machine: signer.machine,
    ...(head.count === 0 ? { key: signer.publicKey } : {}),
    by: draft.by,
    settings: draft.settings,
    rules: draft.rules,
    action: draft.action,
    id: draft.id,
    from: draft.from,
    to: draft.to,
    digest: draft.digest,
    saying: draft.saying,
    reason: draft.reason,
    settled: draft.settled,
    replaces: draft.replaces,
    after: draft.after,
    prev: head.hash,
  } satisfies Entry);
  const signature = signBytes(null, Buffer.from(DOMAIN + payload), signer.privateKey).toString('base64url');
  return `${payload.slice(0, -1)},"sig":"${signature}"}`;
}

/** The same for several, one after the other. */
export function sealAll(
  drafts: readonly Draft[],
  from: { readonly head: Head; readonly lastAt: number },
  now: number,
  signer: Signer,
): string[] {
  let { head, lastAt } = from;
  return drafts.map((draft) => {
    const line = seal(draft, head, lastAt, now, signer);
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
  return verifyBytes(null, Buffer.from(`${DOMAIN}${payload}}`), publicKey, Buffer.from(signature, 'base64url'));
}

/** The hash by which the next entry, and every `after`, names a line. */
export function hashOf(line: string): string {
  return sha256(line);
}

/** A ledger's name: the hash of its key, so a file cannot pass for another machine's. */
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

/** What a line says; undefined when it is not an entry this version understands. Nothing is said about its truth. */
export function parseEntry(line: string): Entry | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  // Written by JSON.stringify, read back only if it still is: duplicate keys and other spellings would mean two things.
  if (!isObject(value) || JSON.stringify(value) !== line) return undefined;
  return isEntry(value) ? value : undefined;
}

/** Duck-typed on purpose: unknown keys are allowed (signed, ignored), so a later version may add facts. */
function isEntry(value: object): value is Entry {
  const e = value as Record<keyof Entry, unknown>;
  return (
    e.v === 1 &&
    Number.isSafeInteger(e.seq) &&
    typeof e.at === 'string' &&
    parseTimestamp(e.at) !== undefined &&
    typeof e.machine === 'string' &&
    (e.key === undefined || typeof e.key === 'string') &&
    isObject(e.by) &&
    ACTORS.includes(e.by.actor as ActorKind) &&
    typeof e.by.level === 'number' &&
    typeof e.rules === 'string' &&
    typeof e.action === 'string' &&
    typeof e.id === 'string' &&
    isTierOrNull(e.from) &&
    isTierOrNull(e.to) &&
    isTextOrNull(e.digest) &&
    isTextOrNull(e.saying) &&
    isTextOrNull(e.reason) &&
    isTextOrNull(e.replaces) &&
    isTextOrNull(e.prev) &&
    isTexts(e.settled) &&
    isTexts(e.after)
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTierOrNull(value: unknown): boolean {
  return value === null || TIERS.includes(value as Tier);
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === 'string';
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
