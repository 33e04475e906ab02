import type { KeyObject } from 'node:crypto';
import { parseTimestamp } from '../trust/clocks.ts';
import {
  type By,
  EMPTY_HEAD,
  type Entry,
  fingerprintOf,
  type Head,
  hashOf,
  isAuthentic,
  publicKeyOf,
  type SeenText,
  type Version,
} from './entry.ts';
import type { Statements } from './packed-statements.ts';
import { isOfLaterVersion, parseEntry } from './parse-entry.ts';
import type { Statement } from './statement.ts';

/** Why a ledger proves nothing until a person has settled it. */
export const TROUBLES = {
  missing: 'the ledger file is gone although this machine remembers it',
  shorter: 'the ledger ends before the entry this machine remembers as its last',
  forked: 'the ledger differs from what this machine remembers of it',
  broken: 'the chain of entries is broken: one was changed, removed or reordered',
  newer: 'a newer Surety has written in it, so this version cannot say what it means',
  'bad-signature': 'its last entry is not signed by its key',
  'wrong-key': 'its first entry does not carry the key its file is named after',
  unreadable: 'the ledger file is a link, or cannot be read',
  'too-large':
    'there is more of it than is read, which is 256 MiB of each ledger whose word counts, and of all others together',
  unremembered: 'this machine has no memory of this ledger, so it cannot tell whether entries are missing',
  'other-store': 'the store’s id is not the one that this machine remembers for this store',
  ahead:
    'it goes on past what this machine remembers, with confirmations, as after this machine was restored from a backup, or as the ledger of another store does',
} as const;
export type LedgerTrouble = keyof typeof TROUBLES;

/** How far a ledger has been read: up to a whole entry, or not at all. */
export interface Position {
  readonly head: Head;
  readonly lastAt: number;
  /** The version of the last entry. No entry of an older version may follow. */
  readonly version: Version;
}

export const START: Position = { head: EMPTY_HEAD, lastAt: 0, version: 1 };

interface Replayed {
  readonly end: Position;
  readonly publicKey: KeyObject | undefined;
  /** The machine's name in the last entry. Its writer chose the name, so it is for people only. */
  readonly machine: string | undefined;
  readonly trouble: LedgerTrouble | undefined;
}

/** At most level 3, because level 4 needs a passkey's assertion that counts, and `Evidence` says whether it does. */
const HIGHEST_LEVEL = 3;

const WAYS: readonly By['channel'][] = ['terminal', 'dialog', 'page', 'tool', 'command', 'reconcile'];

/**
 * Reads a ledger's complete lines from a position on, and adds their statements. It checks the whole chain and only the
 * last signature, which commits to all entries before it. If the ledger is not whole, it goes through the lines a
 * second time and checks every signature. `known` is the ledger's key if this machine has it from elsewhere, so that a
 * damaged first line hides nothing. `signed` is a line that this process has just signed with that key.
 */
export function replay(
  into: Statements,
  lines: Iterable<string>,
  known?: KeyObject,
  from: Position = START,
  signed?: string,
): Replayed {
  const first = into.rows;
  let line = into.count;
  let { count, hash } = from.head;
  let { lastAt, version } = from;
  let publicKey = known;
  let trouble: LedgerTrouble | undefined;
  let last: string | undefined;
  let machine: string | undefined;

  for (const text of lines) {
    const entry = parseEntry(text);
    if (entry === undefined) {
      trouble ??= isOfLaterVersion(text) ? 'newer' : 'broken';
      continue;
    }
    if (count === 0 && last === undefined) {
      const isNamedAfterIt = entry.key !== undefined && fingerprintOf(entry.key) === into.ledger.fingerprint;
      const key = isNamedAfterIt ? entry.key : undefined;
      if (key !== undefined) publicKey ??= publicKeyOf(key);
      if (key === undefined || publicKey === undefined) trouble ??= 'wrong-key';
    }
    const at = parseTimestamp(entry.at) ?? 0;
    const follows = entry.seq === count && entry.prev === hash && at >= lastAt && entry.v >= version;
    if (!follows) trouble ??= 'broken';
    hash = hashOf(text);
    count = entry.seq + 1;
    lastAt = Math.max(lastAt, at);
    version = entry.v;
    last = text;
    machine = entry.machine;
    const statement = statementOf(hash, entry, line++, at);
    if (entry.texts === undefined) into.add(statement);
    else addEach(into, statement, entry.texts);
    // Both ids mean one store, so a lookup by either must find the other.
    if (entry.action === 'store' && entry.alias !== undefined)
      into.add({ ...statement, id: entry.alias, replaces: entry.id });
  }

  const proven = last === undefined || (publicKey !== undefined && (last === signed || isAuthentic(last, publicKey)));
  if (!proven) trouble ??= 'bad-signature';
  if (trouble === undefined) for (let row = first; row < into.rows; row++) into.setAuthentic(row, true);
  else if (publicKey !== undefined) markSigned(into, first, lines, publicKey);
  return { end: { head: { count, hash }, lastAt, version }, publicKey, machine, trouble };
}

function addEach(into: Statements, statement: Omit<Statement, 'ledger'>, texts: readonly SeenText[]): void {
  // One object for all, because copying it takes longer than packing it.
  const each: { -readonly [K in keyof typeof statement]: (typeof statement)[K] } = statement;
  for (const text of texts) {
    each.id = text[0];
    each.digest = text[1];
    each.saying = text[2];
    into.add(each);
  }
}

/**
 * Marks the rows whose lines the key signed. The file may have changed since the first reading, so a line counts only
 * if its hash is still the row's.
 */
function markSigned(into: Statements, first: number, lines: Iterable<string>, publicKey: KeyObject): void {
  let row = first;
  for (const line of lines) {
    if (row >= into.rows) return;
    const hash = hashOf(line);
    if (into.rowHashAt(row) !== hash) continue;
    const authentic = isAuthentic(line, publicKey);
    for (; row < into.rows && into.rowHashAt(row) === hash; row++) into.setAuthentic(row, authentic);
  }
}

/** Compares a whole ledger with the head that this machine remembers. */
export function againstMemory(
  ledger: Pick<Statements, 'count' | 'hashAt'>,
  remembered: Head,
): LedgerTrouble | undefined {
  if (ledger.count < remembered.count) return ledger.count === 0 ? 'missing' : 'shorter';
  return (ledger.hashAt(remembered.count - 1) ?? null) === remembered.hash ? undefined : 'forked';
}

function statementOf(hash: string, entry: Entry, line: number, at: number): Omit<Statement, 'ledger'> {
  const { action, id, from, to, rules, digest, saying, was = null, settled, after, store = null } = entry;
  const { passkeys = null, assertion = null } = entry;
  const replaces = action === 'store' ? (entry.alias ?? null) : entry.replaces;
  const channel = WAYS.find((way) => way === entry.by.channel);
  const { actor, level } = entry.by;
  return {
    hash,
    authentic: false,
    line,
    at,
    clock: entry.clock === undefined ? at : (parseTimestamp(entry.clock) ?? at),
    store,
    action,
    actor,
    level: Math.min(level, HIGHEST_LEVEL),
    channel,
    id,
    from,
    to,
    rules,
    digest,
    saying,
    was,
    settled,
    replaces,
    after,
    passkeys,
    assertion,
  };
}
