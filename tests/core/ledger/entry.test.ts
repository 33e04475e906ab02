import { createPrivateKey, createPublicKey, type KeyObject, verify } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  canRaise,
  EMPTY_HEAD,
  type Entry,
  type EntryDraft,
  fingerprintOf,
  type Head,
  hashOf,
  inEntries,
  isAuthentic,
  MANY,
  mattersIfCut,
  publicKeyOf,
  RECORDS,
  type Signer,
  signEntries,
  signEntry,
} from '../../../src/core/ledger/entry.ts';
import { Statements } from '../../../src/core/ledger/packed-statements.ts';
import { isOfLaterVersion, parseEntry } from '../../../src/core/ledger/parse-entry.ts';
import { againstMemory, type Position, replay, START } from '../../../src/core/ledger/replay.ts';
import type { LedgerTrust } from '../../../src/core/ledger/statement.ts';
import { sha256 } from '../../../src/core/memory/memory.ts';

/** The private key of RFC 8032, section 7.1, test 1. */
const D = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex').toString('base64url');
const X = Buffer.from('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a', 'hex').toString('base64url');
const privateKey = createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', x: X, d: D }, format: 'jwk' });
const SIGNER: Signer = { machine: 'here', publicKey: X, privateKey };
const PUBLIC = createPublicKey(privateKey);
const AT = Date.parse('2026-03-01T12:00:00Z');

const DRAFT: EntryDraft = {
  by: { actor: 'operator', channel: 'page', level: 3, client: null },
  settings: { observationDays: 7, staleDays: 90, injection: 'hold', minimumAssurance: 1 },
  rules: 'structure-1 semantics-1',
  action: 'promote',
  id: 'user_build',
  from: 'inferred',
  to: 'verified',
  digest: 'd'.repeat(64),
  saying: 'e'.repeat(64),
  reason: 'because "two" — ядра\u2028',
  settled: ['rule'],
  replaces: null,
  after: ['f'.repeat(64)],
};

/** A ledger of these drafts, one day apart. */
function chain(drafts: readonly Partial<EntryDraft>[], signer: Signer = SIGNER, store?: string): string[] {
  const lines: string[] = [];
  let head: Head = EMPTY_HEAD;
  for (const [i, draft] of drafts.entries()) {
    const line = signEntry({ ...DRAFT, ...draft }, head, 0, AT + i * 86_400_000, signer, store);
    lines.push(line);
    head = { count: i + 1, hash: hashOf(line) };
  }
  return lines;
}

const TRUST: LedgerTrust = { fingerprint: fingerprintOf(X), raises: true };
/** What these lines are read as, from the start or from where another reading ended. */
function reading(lines: readonly string[], known?: KeyObject, from?: Position, trust = TRUST) {
  const statements = new Statements(trust);
  return { ...replay(statements, lines, known, from), statements };
}
const all = (statements: Statements) => Array.from({ length: statements.rows }, (_, row) => statements.at(row));
const [FIRST = '', SECOND = '', THIRD = ''] = chain([{}, { id: 'user_tests' }, { id: 'user_docs' }]);
/** The same line with its JSON changed by hand, its signature kept. */
const changed = (line: string, from: string | RegExp, to: string) => {
  const other = line.replace(from, to);
  expect(other).not.toBe(line);
  return other;
};

describe('a line', () => {
  test('is pinned byte for byte: the ledgers of today must be readable for ever', () => {
    expect(FIRST).toMatchInlineSnapshot(
      `"{"v":1,"seq":0,"at":"2026-03-01T12:00:00Z","machine":"here","key":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","by":{"actor":"operator","channel":"page","level":3,"client":null},"settings":{"observationDays":7,"staleDays":90,"injection":"hold","minimumAssurance":1},"rules":"structure-1 semantics-1","action":"promote","id":"user_build","from":"inferred","to":"verified","digest":"dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd","saying":"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee","reason":"because \\"two\\" — ядра ","settled":["rule"],"replaces":null,"after":["ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"],"prev":null,"sig":"0NKfBvl2ZatJuSA8YLJEzJEgBLb1t7eyqMMHMnOXZMVMRpS05p_BCSK0AfY9d0CmLcW2DcqoixKgE-bXLVTPBQ"}"`,
    );
    expect(SECOND).toMatchInlineSnapshot(
      `"{"v":1,"seq":1,"at":"2026-03-02T12:00:00Z","machine":"here","by":{"actor":"operator","channel":"page","level":3,"client":null},"settings":{"observationDays":7,"staleDays":90,"injection":"hold","minimumAssurance":1},"rules":"structure-1 semantics-1","action":"promote","id":"user_tests","from":"inferred","to":"verified","digest":"dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd","saying":"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee","reason":"because \\"two\\" — ядра ","settled":["rule"],"replaces":null,"after":["ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"],"prev":"aaf4e1e5e36b917256a12447c6ca855a6e7e91c6981008153b269bd2f58b770b","sig":"G1IOof5webb3ipvdUuKsriGHzAKbMWPn7gubKl-F3hqgk0x2Dpm-5FK51UbtmjmhN1iQ9Q2JjjW1leJk4CT9CQ"}"`,
    );
    expect(hashOf(FIRST)).toMatchInlineSnapshot(`"aaf4e1e5e36b917256a12447c6ca855a6e7e91c6981008153b269bd2f58b770b"`);
    expect(fingerprintOf(X)).toMatchInlineSnapshot(
      `"21fe31dfa154a261626bf854046fd2271b7bed4b6abe45aa58877ef47f9721b9"`,
    );
  });

  test('is signed over its own bytes, as anybody can check without this program', () => {
    const { sig, ...rest } = JSON.parse(FIRST);
    const signed = Buffer.from(`surety-ledger-1\n${JSON.stringify(rest)}`);
    expect(verify(null, signed, PUBLIC, Buffer.from(sig, 'base64url'))).toBe(true);
  });

  test('carries the key and no predecessor when it is the first, and only then', () => {
    expect(parseEntry(FIRST)).toMatchObject({ seq: 0, key: X, prev: null });
    expect(parseEntry(SECOND)).toMatchObject({ seq: 1, prev: hashOf(FIRST) });
    expect(parseEntry(SECOND)).not.toHaveProperty('key');
  });

  test('is never dated before the one before it', () => {
    const late = signEntry(DRAFT, { count: 4, hash: 'x' }, AT, AT - 40 * 86_400_000, SIGNER, undefined);
    expect(parseEntry(late)?.at).toBe('2026-03-01T12:00:00Z');
  });

  test('is one line, whatever a reason says', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (reason) => {
        const line = signEntry({ ...DRAFT, reason: reason.toWellFormed() }, EMPTY_HEAD, 0, AT, SIGNER, undefined);
        expect(line).not.toContain('\n');
        expect(parseEntry(line)?.reason).toBe(reason.toWellFormed());
        expect(isAuthentic(line, PUBLIC)).toBe(true);
      }),
    );
  });
});

test('lines signed together are those signed one after the other, and none is dated before the one before it', () => {
  const drafts = ['user_build', 'user_tests', 'user_docs'].map((id) => ({ ...DRAFT, id }));
  const lines = signEntries(drafts, { head: EMPTY_HEAD, lastAt: AT }, AT - 5_000, SIGNER, undefined);
  const one = signEntry({ ...DRAFT, id: 'user_build' }, EMPTY_HEAD, AT, AT - 5_000, SIGNER, undefined);
  expect(lines[0]).toBe(one);
  expect(reading(lines)).toMatchObject({ trouble: undefined, end: { head: { count: 3 }, lastAt: AT } });
  expect(lines.map((line) => parseEntry(line)?.at)).toEqual(lines.map(() => '2026-03-01T12:00:00Z'));
  const more = signEntries(
    drafts,
    { head: { count: 1, hash: hashOf(one) }, lastAt: AT },
    AT + 5_000,
    SIGNER,
    undefined,
  );
  expect(reading([one, ...more])).toMatchObject({
    trouble: undefined,
    end: { head: { count: 4 }, lastAt: AT + 5_000 },
  });
});

describe('a line that is cut off', () => {
  const PASSKEY = ['enrolled', 'removed', 'required', 'released', 'reset', 'known'];

  test('is missed if it is a record that decides something', () => {
    const missed = RECORDS.filter((action) => mattersIfCut({ action, from: null, to: null }));
    expect(missed).toEqual(['trusted', 'distrusted', 'store', 'declined', ...PASSKEY]);
  });

  test('is missed if it is a decision, but for a new proposal, which raises and lowers nothing', () => {
    const missed = (from: Entry['from'], to: Entry['to']) => mattersIfCut({ action: 'any', from, to });
    expect(missed(null, 'inferred')).toBe(false);
    expect([missed(null, 'verified'), missed(null, 'quarantined'), missed('verified', 'inferred')]).toEqual([
      true,
      true,
      true,
    ]);
  });
});

test('a verification and the records that give trust can raise; nothing else can', () => {
  const raising = RECORDS.filter((action) => canRaise({ action, to: null }));
  expect(raising).toEqual(['trusted', 'store', 'enrolled', 'removed', 'required', 'released', 'reset', 'known']);
  const decided = (to: Entry['to']) => canRaise({ action: 'promote', to });
  expect([decided('verified'), decided('inferred'), decided('quarantined'), decided(null)]).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

describe('parsing refuses', () => {
  test.each([
    ['a duplicate key', FIRST.replace('"v":1', '"v":1,"v":1')],
    ['a key twice with another value', FIRST.replace('"to":"verified"', '"to":"quarantined","to":"verified"')],
    ['a space', FIRST.replace('"v":1', '"v": 1')],
    ['a number spelled otherwise', FIRST.replace('"v":1,', '"v":1.0,')],
    ['an escape that was not needed', FIRST.replace('promote', '\\u0070romote')],
    ['a raw control character', FIRST.replace('because', 'be\tcause')],
    ['text around it', ` ${FIRST}`],
    ['a carriage return at its end', `${FIRST}\r`],
    ['a later version', FIRST.replace('"v":1', '"v":2')],
    ['no version', FIRST.replace('"v":1,', '')],
    ['a sequence number that is none', FIRST.replace('"seq":0', '"seq":0.5')],
    ['a time that does not exist', FIRST.replace('2026-03-01', '2026-02-31')],
    ['a tier that does not exist', FIRST.replace('"to":"verified"', '"to":"trusted"')],
    ['an actor that does not exist', FIRST.replace('"actor":"operator"', '"actor":"user"')],
    ['a level in words', FIRST.replace('"level":3', '"level":"3"')],
    ['an id that is no text', FIRST.replace('"user_build"', '["user_build"]')],
    ['a digest that is no text', FIRST.replace(`"${'d'.repeat(64)}"`, '7')],
    ['a list that is none', FIRST.replace('"settled":["rule"]', '"settled":"rule"')],
    ['an after with something else in it', FIRST.replace(`["${'f'.repeat(64)}"]`, '[null]')],
    ['a time that is no text', FIRST.replace('"2026-03-01T12:00:00Z"', '20260301')],
    ['a time in a list', FIRST.replace('"2026-03-01T12:00:00Z"', '["2026-03-01T12:00:00Z"]')],
    ['a machine that is no text', FIRST.replace('"here"', '1')],
    ['a key that is no text', FIRST.replace(`"${X}"`, '1')],
    ['a key of null', FIRST.replace(`"${X}"`, 'null')],
    ['nothing about who wrote it', FIRST.replace(/"by":\{[^}]*\},/, '')],
    ['nobody who wrote it', FIRST.replace(/"by":\{[^}]*\}/, '"by":null')],
    ['a list of who wrote it', FIRST.replace(/"by":\{[^}]*\}/, '"by":["operator"]')],
    ['rules that are no text', FIRST.replace('"structure-1 semantics-1"', '1')],
    ['an action that is no text', FIRST.replace('"promote"', '1')],
    ['a tier before that does not exist', FIRST.replace('"from":"inferred"', '"from":"trusted"')],
    ['no tier before', FIRST.replace('"from":"inferred",', '')],
    ['a saying that is no text', FIRST.replace(`"${'e'.repeat(64)}"`, '7')],
    ['a reason that is no text', FIRST.replace(/"reason":"(\\"|[^"])*"/, '"reason":7')],
    ['a replaced memory that is no text', FIRST.replace('"replaces":null', '"replaces":7')],
    ['a hash before that is no text', FIRST.replace('"prev":null', '"prev":7')],
    ['findings with something else among them', FIRST.replace('["rule"]', '["rule",1]')],
    ['a version in words', FIRST.replace('"v":1', '"v":"1"')],
    ['a missing field', FIRST.replace('"prev":null,', '')],
    ['an array', `[${FIRST}]`],
    ['null', 'null'],
    ['half a line', FIRST.slice(0, 200)],
    ['nothing', ''],
    ['a byte order mark', `\uFEFF${FIRST}`],
  ])('%s', (_, line) => {
    expect(line).not.toBe(FIRST);
    expect(parseEntry(line)).toBeUndefined();
  });

  test('nothing it wrote, and a fact that a later version adds is carried along', () => {
    expect(parseEntry(FIRST)).toMatchObject({ ...DRAFT, v: 1, machine: 'here' });
    expect(parseEntry(FIRST.replace('"prev"', '"mood":"good","prev"'))).toBeDefined();
  });

  test('a key named __proto__ without being changed by it', () => {
    const entry = parseEntry(FIRST.replace('"prev"', '"__proto__":{"to":"quarantined"},"prev"'));
    expect(entry === undefined || entry.to === 'verified').toBe(true);
    expect(({} as Partial<Entry>).to).toBeUndefined();
  });

  test('and never throws', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (line) => parseEntry(line) === undefined));
  });
});

describe('a signature', () => {
  test('is the key’s own over exactly this line', () => {
    expect(isAuthentic(FIRST, PUBLIC)).toBe(true);
    expect(isAuthentic(FIRST, publicKeyOf(Buffer.alloc(32, 7).toString('base64url')) ?? PUBLIC)).toBe(false);
  });

  test('does not survive the change of any one character', () => {
    fc.assert(
      fc.property(fc.nat({ max: FIRST.length - 1 }), fc.constantFrom('0', '1', 'a', 'A', '"', ' ', '}'), (at, char) => {
        fc.pre(FIRST[at] !== char);
        const other = FIRST.slice(0, at) + char + FIRST.slice(at + 1);
        // The last digit of a base64url signature has bits that stand for nothing.
        fc.pre(at !== FIRST.length - 3);
        expect(isAuthentic(other, PUBLIC)).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  test('two spellings of one signature are not two lines that both count', () => {
    const last = FIRST.at(-3) ?? '';
    const spellings = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
      .filter((char) => char !== last)
      .map((char) => `${FIRST.slice(0, -3)}${char}"}`)
      .filter((line) => isAuthentic(line, PUBLIC));
    for (const line of spellings) {
      expect(hashOf(line)).not.toBe(hashOf(FIRST));
      expect(reading([line, SECOND]).trouble).toBe('broken');
    }
  });

  test('of something else of this machine’s is none', () => {
    expect(isAuthentic('{"a":1,"sig":"x"}', PUBLIC)).toBe(false);
    expect(isAuthentic('', PUBLIC)).toBe(false);
    // Nothing may stand around what was signed.
    for (const line of [`x${FIRST}`, `{}${FIRST}`, `${FIRST}x`, `${FIRST}\n`])
      expect(isAuthentic(line, PUBLIC)).toBe(false);
    expect(isAuthentic(FIRST.replace(/,"sig":"[^"]*"/, ''), PUBLIC)).toBe(false);
  });
});

describe('a chain', () => {
  const trouble = (lines: readonly string[]) => reading(lines).trouble;

  test('that is whole is in no trouble, and says where it ends', () => {
    const { trouble: none, end, statements } = reading([FIRST, SECOND, THIRD]);
    expect(none).toBeUndefined();
    expect(end.head).toEqual({ count: 3, hash: hashOf(THIRD) });
    expect(all(statements).map(({ id, authentic }) => [id, authentic])).toEqual([
      ['user_build', true],
      ['user_tests', true],
      ['user_docs', true],
    ]);
    expect(reading([])).toMatchObject({ trouble: undefined, end: START });
  });

  test.each<[string, string[], string]>([
    ['a line is missing from the middle', [FIRST, THIRD], 'broken'],
    ['its beginning is missing', [SECOND, THIRD], 'wrong-key'],
    ['two lines changed places', [FIRST, THIRD, SECOND], 'broken'],
    ['a line is there twice', [FIRST, SECOND, SECOND], 'broken'],
    ['a line was changed', [changed(FIRST, 'promote', 'restore'), SECOND, THIRD], 'broken'],
    [
      'its last line was changed',
      [FIRST, SECOND, changed(THIRD, '"to":"verified"', '"to":"quarantined"')],
      'bad-signature',
    ],
    ['a line is not one', [FIRST, SECOND, 'x', THIRD], 'broken'],
    ['an empty line stands in it', [FIRST, '', SECOND], 'broken'],
    ['somebody else’s line was added', [FIRST, forged()], 'bad-signature'],
    [
      'the key in its first line is another',
      [changed(FIRST, X, Buffer.alloc(32, 3).toString('base64url'))],
      'wrong-key',
    ],
  ])('is in trouble when %s', (_, lines, expected) => {
    expect(trouble(lines)).toBe(expected);
  });

  /** A line that fits into the chain and is signed by another key. */
  function forged(): string {
    const seed = Buffer.alloc(32, 9);
    const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
    const other = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
    return signEntry(DRAFT, { count: 1, hash: hashOf(FIRST) }, 0, AT, { ...SIGNER, privateKey: other }, undefined);
  }

  test('keeps what its key signed apart from what was put into it', () => {
    const { statements } = reading([FIRST, changed(SECOND, '"to":"verified"', '"to":"quarantined"'), THIRD]);
    expect(all(statements).map(({ authentic, to }) => [authentic, to])).toEqual([
      [true, 'verified'],
      [false, 'quarantined'],
      [true, 'verified'],
    ]);
  });

  test('in another machine’s file is in trouble from its first line on', () => {
    expect(reading([FIRST], undefined, undefined, { fingerprint: 'a'.repeat(64), raises: true }).trouble).toBe(
      'wrong-key',
    );
  });

  test('read in two parts is what it is read at once', () => {
    const lines = chain(Array.from({ length: 6 }, (_, i) => ({ id: `user_${i}` })));
    for (let cut = 0; cut <= lines.length; cut++) {
      const first = reading(lines.slice(0, cut));
      const second = reading(lines.slice(cut), first.publicKey, first.end);
      expect(second.trouble).toBeUndefined();
      expect(second.end).toEqual(reading(lines).end);
    }
  });

  test('with anything cut out, moved, doubled or changed is in trouble, or shorter than it was', () => {
    const lines = chain(Array.from({ length: 5 }, (_, i) => ({ id: `user_${i}` })));
    const whole: Head = { count: 5, hash: hashOf(lines.at(-1) ?? '') };
    const tampering = fc.oneof(
      fc.subarray(lines).filter((some) => some.length < lines.length),
      fc.shuffledSubarray(lines, { minLength: 5 }).filter((some) => some.some((line, i) => line !== lines[i])),
      fc.tuple(fc.nat(4), fc.nat(4)).map(([i, j]) => lines.toSpliced(i, 0, lines[j] ?? '')),
      fc.tuple(fc.nat(4), fc.nat(300), fc.constantFrom('x', '0', '}')).map(([i, at, char]) => {
        const line = lines[i] ?? '';
        return lines.with(i, line.slice(0, at) + char + line.slice(at + 1));
      }),
    );
    fc.assert(
      fc.property(tampering, (some) => {
        fc.pre(some.join('\n') !== lines.join('\n'));
        const read = reading(some);
        expect(read.trouble ?? againstMemory(read.statements, whole)).toBeDefined();
      }),
      { numRuns: 500 },
    );
  });
});

describe('a line of version 2', () => {
  const STORE = '0123456789abcdef0123456789abcdef';
  const [NEW_FIRST = '', NEW_SECOND = ''] = chain([{}, { id: 'user_tests' }], SIGNER, STORE);
  const next = (draft: Partial<EntryDraft>, now: number, store: string | undefined, on = [FIRST]) =>
    signEntry({ ...DRAFT, ...draft }, { count: on.length, hash: hashOf(on.at(-1) ?? '') }, AT, now, SIGNER, store);

  test('is pinned byte for byte', () => {
    expect(NEW_FIRST).toMatchInlineSnapshot(
      `"{"v":2,"seq":0,"at":"2026-03-01T12:00:00Z","clock":"2026-03-01T12:00:00Z","machine":"here","key":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","store":"0123456789abcdef0123456789abcdef","by":{"actor":"operator","channel":"page","level":3,"client":null},"settings":{"observationDays":7,"staleDays":90,"injection":"hold","minimumAssurance":1},"rules":"structure-1 semantics-1","action":"promote","id":"user_build","from":"inferred","to":"verified","digest":"dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd","saying":"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee","reason":"because \\"two\\" — ядра ","settled":["rule"],"replaces":null,"after":["ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"],"prev":null,"sig":"TcwApfI_DgCkgtCjR0PFRb4u8XVAKV_lF0AQALEyKxllWvEUGHRtxgm8Xftt5uyeUmhZwUTKu7VhWcRwdSNNAA"}"`,
    );
  });

  test('is signed under a name of its own, so that no line of one version passes for one of the other', () => {
    const { sig, ...rest } = JSON.parse(NEW_FIRST);
    const signed = (domain: string) =>
      verify(null, Buffer.from(`${domain}\n${JSON.stringify(rest)}`), PUBLIC, Buffer.from(sig, 'base64url'));
    expect([signed('surety-ledger-2'), signed('surety-ledger-1')]).toEqual([true, false]);
    expect(isAuthentic(NEW_FIRST, PUBLIC)).toBe(true);
  });

  test('has every key in its place', () => {
    const texts = [['user_a', 'a'.repeat(64), 'b'.repeat(64)]] as const;
    const assertion = { credential: 'a', authenticatorData: 'b', clientDataJSON: 'c', signature: 'd', nonce: 'e' };
    const passkeys = { credential: 'a', ledgers: [['a'.repeat(64), 1, 'b'.repeat(64)]] as const };
    const draft = {
      was: 'c'.repeat(64),
      texts,
      alias: 'f'.repeat(32),
      prompted: '2026-03-01T11:59:00Z',
      passkeys,
      assertion,
    };
    const line = signEntry({ ...DRAFT, ...draft }, EMPTY_HEAD, 0, AT, SIGNER, STORE);
    expect(Object.keys(JSON.parse(line)).join(' ')).toBe(
      'v seq at clock machine key store by settings rules action id from to digest saying was reason settled replaces texts alias prompted passkeys assertion after prev sig',
    );
    const kept = signEntry({ ...DRAFT, ...draft, texts: undefined as never }, EMPTY_HEAD, 0, AT, SIGNER, STORE);
    expect(parseEntry(kept)).toMatchObject({ was: draft.was, prompted: draft.prompted, passkeys, assertion });
  });

  test('says what the clock said, also where its time is that of the entry before', () => {
    const back = next({}, AT - 40 * 86_400_000, STORE);
    expect(parseEntry(back)).toMatchObject({ at: '2026-03-01T12:00:00Z', clock: '2026-01-20T12:00:00Z' });
  });

  test('may follow lines of version 1, and none of them may follow it', () => {
    const upgraded = [FIRST, next({ action: 'store', id: STORE, from: null, to: null }, AT, STORE)];
    const read = reading(upgraded);
    expect(read).toMatchObject({ trouble: undefined, end: { version: 2 } });
    expect(read.statements.firstNamed()).toEqual({ line: 1, binds: STORE });
    const back = [...upgraded, next({}, AT, undefined, upgraded)];
    expect(reading(back).trouble).toBe('broken');
    expect(reading(back.slice(2), PUBLIC, read.end).trouble).toBe('broken');
    expect(reading([NEW_FIRST, NEW_SECOND]).trouble).toBeUndefined();
    expect(reading([FIRST, SECOND]).statements.firstNamed()).toBeUndefined();
  });

  test('states a first sight for each of its texts, and is one entry', () => {
    const texts = ['a', 'b', 'c'].map((name) => [`user_${name}`, name.repeat(64), 'd'.repeat(64)] as const);
    const many = { action: 'seen', id: MANY, from: null, to: null, digest: null, saying: null, texts } as const;
    const seen = next(many, AT, STORE, [NEW_FIRST]);
    const last = next({ id: 'user_last' }, AT, STORE, [NEW_FIRST, seen]);
    const { trouble: none, statements } = reading([NEW_FIRST, seen, last]);
    expect([none, statements.count, statements.rows]).toEqual([undefined, 3, 5]);
    expect(parseEntry(seen)?.id).toBe('*');
    expect(all(statements).map(({ id, line, authentic }) => [id, line, authentic])).toEqual([
      ['user_build', 0, true],
      ['user_a', 1, true],
      ['user_b', 1, true],
      ['user_c', 1, true],
      ['user_last', 2, true],
    ]);
    expect(againstMemory(statements, { count: 2, hash: hashOf(seen) })).toBeUndefined();
    expect(againstMemory(statements, { count: 4, hash: 'x' })).toBe('shorter');
    // Every line's own signature where the ledger is not whole: all rows of the line share it.
    const forged = changed(last, '"to":"verified"', '"to":"inferred"');
    expect(all(reading([NEW_FIRST, seen, forged]).statements).map(({ authentic }) => authentic)).toEqual([
      true,
      true,
      true,
      true,
      false,
    ]);
  });

  test.each<[string, string | RegExp, string]>([
    ['no clock', /"clock":"[^"]*",/, ''],
    ['a clock that is no time', /"clock":"[^"]*"/, '"clock":"today"'],
    ['no store', /"store":"[^"]*",/, ''],
    ['a store that is no text', /"store":"[^"]*"/, '"store":1'],
    ['an empty list of texts', '"replaces":null,', '"replaces":null,"texts":[],'],
    ['a text without a digest', '"replaces":null,', '"replaces":null,"texts":[["user_a"]],'],
    ['texts in a decision', '"replaces":null,', '"replaces":null,"texts":[["user_a","b","c"]],'],
    ['a prompt at no time', '"replaces":null,', '"replaces":null,"prompted":"then",'],
    ['an assertion that is no object', '"replaces":null,', '"replaces":null,"assertion":"x",'],
    ['an assertion that lacks something', '"replaces":null,', '"replaces":null,"assertion":{"credential":"a"},'],
    ['passkeys without the ends of ledgers', '"replaces":null,', '"replaces":null,"passkeys":{"credential":"a"},'],
    ['passkeys with an end that is none', '"replaces":null,', '"replaces":null,"passkeys":{"ledgers":[["a",1]]},'],
    ['a digest before that is no text', '"replaces":null,', '"replaces":null,"was":1,'],
    ['another id that is no text', '"replaces":null,', '"replaces":null,"alias":1,'],
    ['a prompt that is no text', '"replaces":null,', '"replaces":null,"prompted":1,'],
    ['a clock that is a number', /"clock":"[^"]*"/, '"clock":1'],
    ['no passkeys where some are named', '"replaces":null,', '"replaces":null,"passkeys":null,'],
    ['no assertion where one is named', '"replaces":null,', '"replaces":null,"assertion":null,'],
    ['its version behind another key', '{"v":2,"seq":0,', '{"seq":0,"v":2,'],
  ])('is no entry with %s', (_, from, to) => {
    expect(parseEntry(changed(NEW_FIRST, from, to))).toBeUndefined();
  });

  test.each([
    '"texts":5',
    '"texts":[]',
    '"texts":[5]',
    '"texts":[["user_a","b","c"]]',
    '"was":5',
    '"alias":5',
    '"prompted":5',
    '"passkeys":5',
    '"assertion":5',
    '"assertion":{}',
    '"store":5',
  ])('has no form of its own in version 1: with %s a ledger is broken, and not impossible to read', (part) => {
    const line = changed(FIRST, '"replaces":null,', `"replaces":null,${part},`);
    expect(parseEntry(line)).toBeUndefined();
    expect(reading([line]).trouble).toBe('broken');
  });

  const SEEN = { action: 'seen', id: MANY, from: null, to: null, digest: null, saying: null } as const;
  const TEXT = ['user_a', 'b', 'c'] as const;
  test.each<[string, object]>([
    ['another action', { action: 'parked' }],
    ['the id of a memory', { id: 'user_a' }],
    ['a digest of its own', { digest: 'd' }],
    ['a saying of its own', { saying: 's' }],
    ['an empty list', { texts: [] }],
    ['a text of four parts', { texts: [[...TEXT, 'd']] }],
    ['a text of two parts', { texts: [['user_a', 'b']] }],
    ['a part that is no text', { texts: [TEXT, ['user_a', 'b', null]] }],
    ['a text that is no list', { texts: ['abc'] }],
    ['texts that are no list', { texts: 'abc' }],
    ['no texts where some are named', { texts: null }],
    ['more than 500 texts', { texts: Array.from({ length: 501 }, () => TEXT) }],
  ])('about many texts is no entry with %s', (_, change) => {
    const draft = (more: object): EntryDraft => ({ ...DRAFT, ...SEEN, texts: [TEXT], ...more });
    const signed = (more: object) => signEntry(draft(more), EMPTY_HEAD, 0, AT, SIGNER, STORE);
    expect(parseEntry(signed({}))).toBeDefined();
    expect(parseEntry(signed({ texts: Array.from({ length: 500 }, () => TEXT) }))).toBeDefined();
    expect(parseEntry(signed(change))).toBeUndefined();
  });

  test('is told apart from one of a later version, which is not damage', () => {
    const later = changed(NEW_FIRST, '{"v":2,', '{"v":3,');
    expect(parseEntry(later)).toBeUndefined();
    expect(isOfLaterVersion(later)).toBe(true);
    for (const line of [NEW_FIRST, FIRST, 'x', 'null', '{}', '{"v":"3"}', '{"v":3.5}', '[{"v":3}]'])
      expect(isOfLaterVersion(line)).toBe(false);
    expect(reading([FIRST, later]).trouble).toBe('newer');
  });

  test('gives no level that only a verified passkey would give', () => {
    const by = { ...DRAFT.by, level: 4 } as const;
    const [line = ''] = chain([{ by }], SIGNER, STORE);
    expect(parseEntry(line)?.by.level).toBe(4);
    expect(reading([line]).statements.at(0).level).toBe(3);
  });

  test('of many texts is never longer than a line that is read', () => {
    const texts = Array.from({ length: 2_000 }, (_, i) => {
      const id = `user_${'x'.repeat(i % 115)}`;
      return [id, sha256(String(i)), sha256(`said ${i}`)] as const;
    });
    const lists = inEntries(texts);
    expect(lists.flat()).toEqual(texts);
    const many = { action: 'seen', id: MANY, from: null, to: null, digest: null, saying: null } as const;
    for (const list of lists) {
      const line = next({ ...many, texts: list }, AT, STORE);
      expect(line.length).toBeLessThan(2 ** 16);
      expect(parseEntry(line)?.texts).toEqual(list);
    }
    // One character more than fits begins the next list.
    const long = (length: number) =>
      ['a', 'b', 'x'.repeat(length - JSON.stringify(['a', 'b', '']).length - 1)] as const;
    expect(inEntries([long(40_000), long(9_152)])).toHaveLength(1);
    expect(inEntries([long(40_000), long(9_153)])).toHaveLength(2);
    expect(inEntries([long(40_000), long(9_153), long(39_999)])).toHaveLength(2);
    expect(inEntries([])).toEqual([]);
    expect(inEntries(texts.map(([id]) => [id.slice(0, 6), '', ''])).map(({ length }) => length)).toEqual([
      500, 500, 500, 500,
    ]);
  });
});

describe('against what is remembered', () => {
  const hashes = ['a', 'b', 'c'];
  test.each<[string, string[], Head, string | undefined]>([
    ['the same ledger', hashes, { count: 3, hash: 'c' }, undefined],
    ['one that grew', hashes, { count: 2, hash: 'b' }, undefined],
    ['one that was empty', hashes, EMPTY_HEAD, undefined],
    ['one that is gone', [], { count: 3, hash: 'c' }, 'missing'],
    ['one that is shorter', ['a', 'b'], { count: 3, hash: 'c' }, 'shorter'],
    ['one that went another way', ['a', 'x', 'c', 'd'], { count: 2, hash: 'b' }, 'forked'],
  ])('%s', (_, now, remembered, expected) => {
    expect(againstMemory({ count: now.length, hashAt: (row) => now[row] }, remembered)).toBe(expected);
  });
});

test.each(['', 'x', '%%%', X.slice(0, -2), `${X}AA`, Buffer.alloc(31).toString('base64url')])(
  '%j is no public key',
  (raw) => {
    expect(publicKeyOf(raw)).toBeUndefined();
  },
);
