import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  EMPTY_HEAD,
  type Entry,
  type EntryDraft,
  type Head,
  hashOf,
  signEntry,
} from '../../../src/core/ledger/entry.ts';
import { parseAnyEntry, parseEntry } from '../../../src/core/ledger/parse-entry.ts';
import { PlainLines } from '../../../src/core/ledger/plain-line.ts';
import { parseTimestamp, timestamp } from '../../../src/core/trust/clocks.ts';
import { TIERS } from '../../../src/core/trust/tiers.ts';

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const SIGNER = { machine: 'here', publicKey: publicKey.export({ format: 'jwk' }).x ?? '', privateKey };
const AT = Date.parse('2026-03-01T12:00:00Z');
const STORE = '0'.repeat(32);
const HEAD: Head = { count: 7, hash: hashOf('the line before') };

const TEXT = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('', '"', '\\', '\u2028', '\ud800', '\u007f', 'ядра', '😀', '","', ',"id":"user_other"'),
);
const HASH = fc.nat().map((number) => hashOf(`${number}`));
const PART = fc.stringMatching(/^[\w-]{0,20}$/);
const ASSERTION = fc.record({
  credential: PART,
  authenticatorData: PART,
  clientDataJSON: PART,
  signature: fc.oneof(PART, TEXT),
  nonce: PART,
});

const DRAFTS: fc.Arbitrary<EntryDraft> = fc
  .record({
    action: fc.constantFrom('promote', 'demote', 'seen', 'declined', 'some-later-verb'),
    id: fc.oneof(fc.constantFrom('user_build', 'user_build', '*', 'passkeys'), TEXT),
    from: fc.constantFrom(...TIERS, null),
    to: fc.constantFrom(...TIERS, null),
    digest: fc.option(HASH),
    saying: fc.option(fc.oneof(HASH, TEXT)),
    reason: fc.option(TEXT),
    settled: fc.array(TEXT, { maxLength: 3 }),
    replaces: fc.option(TEXT),
    after: fc.array(fc.oneof(HASH, HASH, HASH, TEXT), { maxLength: 3 }),
    client: fc.option(TEXT),
    was: fc.option(HASH, { nil: undefined }),
    assertion: fc.option(ASSERTION, { nil: undefined }),
    level: fc.constantFrom(0, 1, 4),
  })
  .map(({ client, level, was, assertion, ...draft }) => ({
    ...(draft as unknown as EntryDraft),
    by: { actor: 'operator', channel: 'page', level: level as 0 | 1 | 4, client },
    settings: { observationDays: 7, staleDays: 90, injection: 'hold', minimumAssurance: 1 },
    rules: 'rules',
    ...(was !== undefined && { was }),
    ...(assertion !== undefined && { assertion }),
  }));

const lineOf = (draft: EntryDraft) => signEntry(draft, HEAD, AT, AT, SIGNER, STORE);

/** A line of the usual form; each test changes what it is about. */
function receipt(id: string, changes: Partial<EntryDraft> = {}): EntryDraft {
  return {
    by: { actor: 'operator', channel: 'page', level: 4, client: null },
    settings: { observationDays: 7, staleDays: 90, injection: 'hold', minimumAssurance: 1 },
    rules: 'rules',
    action: 'promote',
    id,
    from: 'inferred',
    to: 'verified',
    digest: hashOf(id),
    saying: hashOf('said'),
    reason: 'so sagte er’s',
    settled: ['a', 'b'],
    replaces: null,
    assertion: { credential: 'c', authenticatorData: 'a', clientDataJSON: 'd', signature: 's', nonce: 'n' },
    after: [hashOf('x')],
    ...changes,
  };
}

/** One that has learned the middles of these lines. */
function learned(...lines: readonly string[]): PlainLines {
  const plain = new PlainLines();
  for (const line of lines) plain.learn(parseAnyEntry(line) as Entry);
  return plain;
}

/** What somebody can do to a line who would have it read in two ways, at a place in it. */
const SPOILINGS_AT: readonly ((line: string, at: number) => string)[] = [
  (line, at) => `${line.slice(0, at)}${line.slice(at + 1)}`,
  (line, at) => `${line.slice(0, at)} ${line.slice(at)}`,
  (line, at) => `${line.slice(0, at)}"${line.slice(at)}`,
  (line, at) =>
    `${line.slice(0, at)}\\u00${(line.charCodeAt(at) % 128).toString(16).padStart(2, '0')}${line.slice(at + 1)}`,
  (line, at) => `${line.slice(0, at)}${line.slice(at, at + 9)}${line.slice(at)}`,
];

const SPOILINGS: readonly [by: string, spoil: (line: string) => string][] = [
  ['an escape that JSON does not need', (line) => line.replace('"id":"user_build"', '"id":"\\u0075ser_build"')],
  ['an id before its id', (line) => line.replace(',"id":', ',"id":"user_other","id":')],
  ['an id behind its id', (line) => line.replace('"prev":', '"id":"user_other","prev":')],
  ['a key that nobody knows', (line) => line.replace('"prev":', '"mood":"good","prev":')],
  ['its action and id in another order', (line) => line.replace(/("action":"[^"]*"),("id":"[^"]*")/, '$2,$1')],
  ['a second actor', (line) => line.replace('"machine":"here",', '"machine":"here","by":{},')],
  [
    'a key in its middle that nobody knows',
    (line) => line.replace(',"rules":"rules"', ',"rules":"rules","x":{"rules":"rules"}'),
  ],
  ['a number that begins with 0', (line) => line.replace('"seq":7', '"seq":07')],
  ['a number with a fraction', (line) => line.replace('"seq":7', '"seq":7.0')],
  ['a day that does not exist', (line) => line.replace('2026-03-01T12', '2026-02-31T12')],
  ['an hour that does not exist', (line) => line.replace('2026-03-01T12', '2026-03-01T24')],
  ['a clock on a day that does not exist', (line) => line.replace('"clock":"2026-03-01T12', '"clock":"2026-02-31T12')],
  ['a line break behind it', (line) => `${line}\n`],
  ['a byte order mark before it', (line) => `\uFEFF${line}`],
  ['a hash that is none', (line) => line.replace('"digest":"', '"digest":"A')],
];

describe('a line', () => {
  test('is read as its JSON says, however it is spelled', () => {
    fc.assert(
      fc.property(
        DRAFTS,
        fc.constantFrom(...SPOILINGS_AT, ...SPOILINGS.map(([, spoil]) => spoil)),
        fc.nat(),
        (draft, spoil, at) => {
          const line = lineOf(draft);
          const spoiled = spoil(line, at % line.length);
          // Once to learn what such lines have in common, once to use it.
          for (const each of [line, spoiled, line, spoiled])
            expect(parseEntry(each)).toStrictEqual(parseAnyEntry(each));
        },
      ),
      { numRuns: 3000 },
    );
  });

  test.each(SPOILINGS)(
    'of the usual form that is spoiled by %s is read as its JSON says, or left to JSON',
    (_, spoil) => {
      const line = lineOf(receipt('user_build'));
      const spoiled = spoil(line);
      expect(spoiled).not.toBe(line);
      const read = learned(line).read(spoiled);
      if (read !== undefined) expect(read).toStrictEqual(parseAnyEntry(spoiled));
    },
  );

  test('that has nothing to escape is read without parsing JSON, after one that is like it', () => {
    const [first, second] = [lineOf(receipt('user_one')), lineOf(receipt('user_two'))];
    expect(learned().read(first)).toBeUndefined();
    expect(learned(first).read(second)).toStrictEqual(parseAnyEntry(second));
    expect(learned(first).read(second)).toMatchObject({
      id: 'user_two',
      settled: ['a', 'b'],
      assertion: { nonce: 'n' },
    });
  });

  test.each<[string, Partial<EntryDraft>]>([
    ['without an assertion', { assertion: undefined as never }],
    ['of other words than before', { was: hashOf('before') }],
    ['with nothing that may be missing', { from: null, to: null, digest: null, saying: null, reason: null, after: [] }],
    ['that takes the place of another', { replaces: 'user_before', settled: [] }],
  ])('%s is read without parsing JSON, and has exactly the parts that are in it', (_, changes) => {
    const line = lineOf(receipt('user_two', changes));
    expect(learned(lineOf(receipt('user_one'))).read(line)).toStrictEqual(parseAnyEntry(line));
  });

  test('that begins a ledger, and so holds its key, shows how those behind it are read', () => {
    const first = signEntry(receipt('user_one'), EMPTY_HEAD, AT, AT, SIGNER, STORE);
    expect(learned(first).read(lineOf(receipt('user_two')))?.id).toBe('user_two');
    expect(learned(first).read(first)).toBeUndefined();
  });

  test('of version 1 may name no store, and no line of version 2 may because of it', () => {
    const old = signEntry(receipt('user_one'), HEAD, AT, AT, SIGNER, undefined);
    const spoiled = lineOf(receipt('user_two')).replace(`"store":"${STORE}",`, '');
    expect([parseAnyEntry(old)?.id, parseAnyEntry(spoiled)]).toEqual(['user_one', undefined]);
    expect(learned(old).read(spoiled)).toBeUndefined();
  });
});

describe('of what lines have in common', () => {
  const underRules = (number: number, id = 'user_build') => lineOf(receipt(id, { rules: `rules ${number}` }));
  const numbers = Array.from({ length: 17 }, (_, number) => number);

  test('sixteen are remembered, and the first is forgotten for one more, so that no ledger fills the memory', () => {
    const plain = learned(...numbers.slice(0, 16).map((number) => underRules(number)));
    const read = () => numbers.filter((number) => plain.read(underRules(number, 'user_other')) !== undefined);
    expect(read()).toEqual(numbers.slice(0, 16));
    plain.learn(parseAnyEntry(underRules(16)) as Entry);
    expect(read()).toEqual(numbers.slice(1));
  });

  test('nothing is forgotten for lines that have the same in common again', () => {
    const escaped = numbers.map((number) => lineOf(receipt(`"${number}"`, { rules: 'rules 1' })));
    const plain = learned(underRules(0), ...escaped);
    expect([0, 1].map((number) => plain.read(underRules(number))?.rules)).toEqual(['rules 0', 'rules 1']);
  });
});

test('a time is one only in the form in which it is written', () => {
  const digits = (most: number) => fc.integer({ min: 0, max: most }).map((n) => String(n).padStart(2, '0'));
  const fields = fc.tuple(fc.nat(9999), digits(13), digits(32), digits(25), digits(61), digits(61));
  fc.assert(
    fc.property(fields, ([year, month, day, hour, minute, second]) => {
      const text = `${String(year).padStart(4, '0')}-${month}-${day}T${hour}:${minute}:${second}Z`;
      const at = Date.parse(text);
      const isTime = !Number.isNaN(at) && timestamp(at) === text;
      expect([parseTimestamp(text), parseTimestamp(text)]).toEqual(isTime ? [at, at] : [undefined, undefined]);
    }),
    { numRuns: 5000 },
  );
});
