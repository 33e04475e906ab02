import { createPrivateKey, createPublicKey } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  EMPTY_HEAD,
  type EntryDraft,
  fingerprintOf,
  type Head,
  hashOf,
  type Signer,
  signEntry,
} from '../../../src/core/ledger/entry.ts';
import { Statements } from '../../../src/core/ledger/packed-statements.ts';
import { replay, START } from '../../../src/core/ledger/replay.ts';
import type { LedgerTrust } from '../../../src/core/ledger/statement.ts';

/** The private keys of RFC 8032, section 7.1, tests 1 and 2. */
const HERE = signer(
  'here',
  '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
  'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
);
const ELSEWHERE = signer(
  'elsewhere',
  '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
  '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
);
const AT = Date.parse('2026-03-01T12:00:00Z');
const DAY = 86_400_000;
const STORE = 'a'.repeat(32);

const DRAFT: EntryDraft = {
  by: { actor: 'operator', channel: 'page', level: 3, client: null },
  settings: { observationDays: 7, staleDays: 90, injection: 'hold', minimumAssurance: 1 },
  rules: 'structure-1',
  action: 'promote',
  id: 'user_build',
  from: 'inferred',
  to: 'verified',
  digest: 'd'.repeat(64),
  saying: 'e'.repeat(64),
  reason: null,
  settled: [],
  replaces: 'user_before',
  after: [],
};

function signer(machine: string, secret: string, open: string): Signer {
  const publicKey = Buffer.from(open, 'hex').toString('base64url');
  const d = Buffer.from(secret, 'hex').toString('base64url');
  const privateKey = createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey, d }, format: 'jwk' });
  return { machine, publicKey, privateKey };
}

const endOf = (lines: readonly string[]): Head =>
  lines.length === 0 ? EMPTY_HEAD : { count: lines.length, hash: hashOf(lines.at(-1) ?? '') };

interface Next {
  readonly draft?: Partial<EntryDraft>;
  readonly at?: number;
  readonly by?: Signer;
  readonly head?: Head;
  readonly store?: string;
  readonly lastAt?: number;
}

/** One more line, by default as it should be: a day later, by the same machine, in its place. */
function next(lines: readonly string[], { draft, at, by = HERE, head, store, lastAt = 0 }: Next = {}): string {
  return signEntry({ ...DRAFT, ...draft }, head ?? endOf(lines), lastAt, at ?? AT + lines.length * DAY, by, store);
}

function read(lines: readonly string[], known?: Signer, fingerprint = fingerprintOf(HERE.publicKey), signed?: string) {
  const trust: LedgerTrust = { fingerprint, raises: true };
  const statements = new Statements(trust);
  const key = known && createPublicKey(known.privateKey);
  const replayed = replay(statements, lines, key, START, signed);
  const rows = Array.from({ length: statements.rows }, (_, row) => statements.at(row));
  return { ...replayed, rows, authentic: rows.map((row) => row.authentic) };
}

const FIRST = next([]);
const SECOND = next([FIRST]);

describe('a ledger', () => {
  test('without lines is in no trouble', () => {
    expect(read([])).toMatchObject({ trouble: undefined, publicKey: undefined, rows: [] });
  });

  test('that is named after another key has no key, and no line of it is authentic', () => {
    const foreign = next([], { by: ELSEWHERE });
    expect(read([foreign])).toMatchObject({ trouble: 'wrong-key', publicKey: undefined, authentic: [false] });
  });

  test('that is named after another key is in trouble where its own key is known too', () => {
    const foreign = next([], { by: ELSEWHERE });
    expect(read([foreign], HERE)).toMatchObject({ trouble: 'wrong-key', authentic: [false] });
  });

  test('whose name belongs to something that is no key is in trouble', () => {
    const key = 'bm90IGEga2V5';
    const line = FIRST.replace(`"key":"${HERE.publicKey}"`, `"key":"${key}"`);
    expect(read([line], undefined, fingerprintOf(key))).toMatchObject({ trouble: 'wrong-key', publicKey: undefined });
  });

  test('takes its key from its first line and from no other', () => {
    const before = FIRST.replace('"seq":0', '"seq":-1').replace(`"key":"${HERE.publicKey}",`, '');
    expect(read([before, FIRST])).toMatchObject({
      trouble: 'wrong-key',
      publicKey: undefined,
      authentic: [false, false],
    });
  });

  test.each<[string, Next]>([
    ['another number', { head: { count: 5, hash: hashOf(FIRST) } }],
    ['another line before it', { head: { count: 1, hash: hashOf(SECOND) } }],
    ['an earlier time', { at: AT - DAY }],
  ])('is broken by a line that its key signed with %s', (_, given) => {
    expect(read([FIRST, next([FIRST], given)]).trouble).toBe('broken');
  });

  test('is broken by a line of version 1 after one of version 2, and not the other way round', () => {
    const second = next([], { store: STORE });
    expect(read([second, next([second])]).trouble).toBe('broken');
    expect(read([FIRST, next([FIRST], { store: STORE })])).toMatchObject({ trouble: undefined, end: { version: 2 } });
  });

  test('ends at its latest time, also where a line behind it is earlier', () => {
    const late = next([FIRST], { at: AT + 9 * DAY });
    const back = next([FIRST, late], { at: AT + DAY });
    expect(read([FIRST, late, back]).end.lastAt).toBe(AT + 9 * DAY);
  });

  test('is proven by the signature of its last line, which commits to those before it', () => {
    const unsigned = FIRST.replace(/"sig":"[^"]+"/, `"sig":"${'A'.repeat(86)}"`);
    const last = next([unsigned]);
    expect(read([unsigned, last])).toMatchObject({ trouble: undefined, authentic: [true, true] });
    expect(read([FIRST, SECOND.replace(/"sig":"[^"]+"/, `"sig":"${'A'.repeat(86)}"`)])).toMatchObject({
      trouble: 'bad-signature',
      authentic: [true, false],
    });
  });

  test('needs no signature checked that this process has just made', () => {
    const unsigned = FIRST.replace(/"sig":"[^"]+"/, `"sig":"${'A'.repeat(86)}"`);
    expect(read([unsigned], undefined, undefined, unsigned).trouble).toBeUndefined();
    expect(read([unsigned], undefined, undefined, FIRST).trouble).toBe('bad-signature');
  });
});

describe('a line states', () => {
  test('its time, and what the clock said where that is another', () => {
    const [plain] = read([FIRST]).rows;
    expect([plain?.at, plain?.clock]).toEqual([AT, AT]);
    const behind = next([], { store: STORE, lastAt: AT + DAY });
    const [dated] = read([behind]).rows;
    expect([dated?.at, dated?.clock]).toEqual([AT + DAY, AT]);
    const odd = FIRST.replace('"machine"', '"clock":"yesterday","machine"');
    expect(read([odd]).rows[0]?.clock).toBe(AT);
  });

  test.each(['terminal', 'dialog', 'page', 'tool', 'command', 'reconcile', 'carrier pigeon'])(
    'the channel %s only if this version knows it',
    (channel) => {
      const by = { ...DRAFT.by, channel } as EntryDraft['by'];
      const known = channel === 'carrier pigeon' ? undefined : channel;
      expect(read([next([], { draft: { by } })]).rows[0]?.channel).toBe(known);
    },
  );

  test('both ids of a store, each with the other, so that either is found', () => {
    const alias = 'b'.repeat(32);
    const draft = { action: 'store', id: STORE, from: null, to: null, alias } as const;
    expect(read([next([], { draft, store: STORE })]).rows).toMatchObject([
      { action: 'store', id: STORE, replaces: alias, line: 0 },
      { action: 'store', id: alias, replaces: STORE, line: 0 },
    ]);
    const alone = { action: 'store', id: STORE, from: null, to: null } as const;
    expect(read([next([], { draft: alone, store: STORE })]).rows).toMatchObject([{ id: STORE, replaces: null }]);
    expect(read([next([], { draft: { alias }, store: STORE })]).rows).toMatchObject([
      { id: 'user_build', replaces: 'user_before' },
    ]);
  });
});
