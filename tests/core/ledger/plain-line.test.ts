import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Draft, type Head, hashOf, seal } from '../../../src/core/ledger/entry.ts';
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

const DRAFTS: fc.Arbitrary<Draft> = fc
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
    ...(draft as unknown as Draft),
    by: { actor: 'operator', channel: 'page', level: level as 0 | 1 | 4, client },
    settings: { observationDays: 7, staleDays: 90, injection: 'hold', minimumAssurance: 1 },
    rules: 'rules',
    ...(was !== undefined && { was }),
    ...(assertion !== undefined && { assertion }),
  }));

const lineOf = (draft: Draft) => seal(draft, HEAD, AT, AT, SIGNER, STORE);

/** What somebody can do to a line who would have it read in two ways. */
const SPOILINGS: readonly ((line: string, at: number) => string)[] = [
  (line, at) => `${line.slice(0, at)}${line.slice(at + 1)}`,
  (line, at) => `${line.slice(0, at)} ${line.slice(at)}`,
  (line, at) => `${line.slice(0, at)}"${line.slice(at)}`,
  (line, at) =>
    `${line.slice(0, at)}\\u00${(line.charCodeAt(at) % 128).toString(16).padStart(2, '0')}${line.slice(at + 1)}`,
  (line, at) => `${line.slice(0, at)}${line.slice(at, at + 9)}${line.slice(at)}`,
  (line) => line.replace('"id":"user_build"', '"id":"\\u0075ser_build"'),
  (line) => line.replace(',"id":', ',"id":"user_other","id":'),
  (line) => line.replace('"prev":', '"id":"user_other","prev":'),
  (line) => line.replace('"prev":', '"mood":"good","prev":'),
  (line) => line.replace(/("action":"[^"]*"),("id":"[^"]*")/, '$2,$1'),
  (line) => line.replace('"machine":"here",', '"machine":"here","by":{},'),
  (line) => line.replace(',"rules":"rules"', ',"rules":"rules","x":{"rules":"rules"}'),
  (line) => line.replace('"seq":7', '"seq":07'),
  (line) => line.replace('"seq":7', '"seq":7.0'),
  (line) => line.replace('2026-03-01T12', '2026-02-31T12'),
  (line) => line.replace('2026-03-01T12', '2026-03-01T24'),
  (line) => `${line}\n`,
  (line) => `\uFEFF${line}`,
  (line) => line.replace('"digest":"', '"digest":"A'),
];

describe('a line', () => {
  test('is read as its JSON says, however it is spelled', () => {
    fc.assert(
      fc.property(DRAFTS, fc.constantFrom(...SPOILINGS), fc.nat(), (draft, spoil, at) => {
        const line = lineOf(draft);
        const spoiled = spoil(line, at % line.length);
        // Once to learn what such lines have in common, once to use it.
        for (const each of [line, spoiled, line, spoiled]) expect(parseEntry(each)).toEqual(parseAnyEntry(each));
      }),
      { numRuns: 3000 },
    );
  });

  test('that has nothing to escape is read without parsing JSON, after one that is like it', () => {
    const receipt = (id: string): Draft => ({
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
    });
    const plain = new PlainLines();
    const [first, second] = [lineOf(receipt('user_one')), lineOf(receipt('user_two'))];
    expect(plain.read(first)).toBeUndefined();
    plain.learn(first, parseAnyEntry(first) as never);
    expect(plain.read(second)).toEqual(parseAnyEntry(second));
    expect(plain.read(second)).toMatchObject({ id: 'user_two', settled: ['a', 'b'], assertion: { nonce: 'n' } });
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
