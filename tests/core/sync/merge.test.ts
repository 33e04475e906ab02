import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  EMPTY_HEAD,
  type EntryDraft,
  fingerprintOf,
  hashOf,
  type Signer,
  signEntry,
} from '../../../src/core/ledger/entry.ts';
import { parseId } from '../../../src/core/memory/ids.ts';
import { mergeLedgers } from '../../../src/core/sync/merge-ledger.ts';
import { isHarmlessName, sharedAt } from '../../../src/core/sync/shared-paths.ts';
import { read } from '../../../src/store/format/format.ts';
import { mergeFiles, parkedFile, textKey } from '../../../src/store/sync/merge-file.ts';
import { mergeSets } from '../../../src/store/sync/merge-set.ts';

const BODY = 'A body that is long enough to be a memory of something.';

function file(keys: Record<string, string> = {}, body = BODY): Buffer {
  const fields = { name: 'Build', description: 'How to build', type: 'user', ...keys };
  const lines = Object.entries(fields).map(([key, value]) => `${key}: ${value}\n`);
  return Buffer.from(`---\n${lines.join('')}---\n\n${body}\n`);
}

const merged = (base: Buffer | undefined, ours: Buffer, theirs: Buffer) => mergeFiles(base, ours, theirs)?.toString();
function fields(bytes: Buffer | undefined) {
  const reading = bytes && read(bytes);
  return reading?.kind === 'document' ? Object.fromEntries(reading.document.fields) : undefined;
}

test('a change on one side wins, in a key or in the body', () => {
  const base = file();
  expect(merged(base, base, file({ project: 'x/y' }))).toBe(file({ project: 'x/y' }).toString());
  expect(merged(base, file({ project: 'x/y' }), base)).toBe(file({ project: 'x/y' }).toString());
  const both = merged(base, file({ tags: '[one, two]' }), file({}, `${BODY} More.`));
  expect(both).toBe(file({ tags: '[one, two]' }, `${BODY} More.`).toString());
});

test('the lower tier, the older dates and the first quarantine win on either side', () => {
  const base = file({ 'trust-level': 'inferred', 'created-at': '2026-03-01T00:00:00Z' });
  const one = file({
    'trust-level': 'verified',
    'created-at': '2026-02-01T00:00:00Z',
    'last-verified': '2026-03-09',
    'quarantined-at': '2026-03-09T00:00:00Z',
    'quarantine-reason': 'later',
    'quarantined-by': 'desk',
  });
  const two = file({
    'trust-level': 'quarantined',
    'created-at': '2026-01-01T00:00:00Z',
    'last-verified': '2026-03-08',
    'quarantined-at': '2026-03-08T00:00:00Z',
    'quarantine-reason': 'earlier',
    'quarantined-by': 'laptop',
  });
  const wanted = {
    'trust-level': 'quarantined',
    'created-at': '2026-01-01T00:00:00Z',
    'last-verified': '2026-03-08',
    'quarantine-reason': 'earlier',
    'quarantined-by': 'laptop',
  };
  expect(fields(mergeFiles(base, one, two))).toMatchObject(wanted);
  expect(fields(mergeFiles(base, two, one))).toMatchObject(wanted);
});

test.each([
  ['the body', file({}, `${BODY} One.`), file({}, `${BODY} Two.`)],
  ['the name', file({ name: 'One' }), file({ name: 'Two' })],
  ['the tags', file({ tags: '[one]' }), file({ tags: '[two]' })],
  ['a key of somebody’s own', file({ mood: 'one' }), file({ mood: 'two' })],
  ['a remark, with something else on the other side', file({ project: 'x/y # one' }), file({ tags: '[two] # two' })],
])('two changes to %s are a conflict: no words are lost', (_, one, two) => {
  expect(mergeFiles(file(), one, two)).toBeUndefined();
  expect(mergeFiles(file(), two, one)).toBeUndefined();
});

test('hints of both sides stay, as many as a file may have, and no conflict is made of them', () => {
  const [base, one, two] = [
    file(),
    file({ 'asked-as': '[b way, c way, d way]' }),
    file({ 'asked-as': '[c way, a way, e way, f way]' }),
  ];
  const wanted = { 'asked-as': ['c way', 'a way', 'b way', 'd way', 'e way'] };
  expect(fields(mergeFiles(base, one, two))).toMatchObject(wanted);
  expect(fields(mergeFiles(base, two, one))).toMatchObject(wanted);
  const kept = file({ 'asked-as': '[old way]' });
  expect(fields(mergeFiles(kept, file(), kept))).not.toHaveProperty('asked-as');
});

test('unreadable files are never mixed', () => {
  const broken = Buffer.from('---\nname: "x\n---\n');
  expect(mergeFiles(file(), broken, file({ project: 'x/y' }))).toBeUndefined();
  expect(merged(file(), file(), broken)).toBe(broken.toString());
});

test('property: a merged file says only what one of the two says, and loses no words', () => {
  const keys = [
    'name',
    'description',
    'project',
    'mood',
    'trust-level',
    'created-at',
    'last-verified',
    'source-machine',
  ];
  const value = fc.constantFrom('one', 'two', 'verified', 'quarantined', '2026-01-01', '2026-02-01T00:00:00Z');
  const made = fc.tuple(fc.dictionary(fc.constantFrom(...keys), value), fc.constantFrom('', ' One.', ' Two.'));
  fc.assert(
    fc.property(made, made, made, (b, o, t) => {
      const [base, ours, theirs] = [b, o, t].map(([given, more]) => file(given, BODY + more)) as [
        Buffer,
        Buffer,
        Buffer,
      ];
      const result = mergeFiles(base, ours, theirs);
      const reverse = mergeFiles(base, theirs, ours);
      expect(result === undefined).toBe(reverse === undefined);
      if (result === undefined) return;
      expect(fields(result)).toEqual(fields(reverse));
      const sides = [ours, theirs].map((side) => ({ ...fields(side), body: side.toString().split('---\n\n')[1] }));
      for (const [key, said] of Object.entries({ ...fields(result), body: result.toString().split('---\n\n')[1] }))
        expect(sides.map((side) => (side as Record<string, unknown>)[key])).toContain(said);
    }),
    { numRuns: 300 },
  );
});

test('a parked file keeps its text and says why and since when; one that cannot be marked is unchanged', () => {
  const id = parseId('user_build');
  if (id === undefined) throw new Error('no id');
  const parked = parkedFile(
    file({ 'trust-level': 'verified' }),
    '2026-03-01T00:00:00Z',
    'sync conflict with desk',
    'here',
  );
  expect(fields(parked)).toMatchObject({
    'trust-level': 'quarantined',
    'quarantine-reason': 'sync conflict with desk',
  });
  expect(textKey(id, parked)).toBe(textKey(id, file()));
  const broken = Buffer.from('no frontmatter');
  expect(parkedFile(broken, '', '', '')).toBe(broken);
});

test('property: merging the files of one memory loses no text of either side', () => {
  const id = parseId('user_build');
  if (id === undefined) throw new Error('no id');
  const paths = ['memories/user_build.md', 'quarantine/user_build.md', 'quarantine/user_build~2.md'];
  const side = fc.dictionary(fc.constantFrom(...paths), fc.constantFrom('One.', 'Two.', 'Three.', 'Four.'));
  const filesOf = (texts: Record<string, string>) =>
    new Map(Object.entries(texts).map(([path, more]) => [path, file({}, `${BODY} ${more}`)]));
  fc.assert(
    fc.property(side, side, side, (...sides) => {
      const [base, ours, theirs] = sides.map(filesOf) as [
        Map<string, Buffer>,
        Map<string, Buffer>,
        Map<string, Buffer>,
      ];
      const { files, conflict } = mergeSets(id, base, ours, theirs);
      const keys = (all: Iterable<Buffer>) => new Set([...all].map((each) => textKey(id, each)));
      const after = keys([...files.values(), ...(conflict === undefined ? [] : [conflict])]);
      for (const [mine, other] of [
        [ours, theirs],
        [theirs, ours],
      ] as const) {
        for (const key of keys(mine.values())) {
          // Missing only if the other side removed it knowingly.
          const dropped = keys(base.values()).has(key) && !keys(other.values()).has(key);
          if (!dropped) expect(after.has(key)).toBe(true);
        }
      }
    }),
    { numRuns: 500 },
  );
});

test('two changes that fit together give one file and nothing in quarantine', () => {
  const id = parseId('user_build');
  if (id === undefined) throw new Error('no id');
  const at = (bytes: Buffer) => new Map([['memories/user_build.md', bytes]]);
  const { files, conflict } = mergeSets(id, at(file()), at(file({ project: 'x/y' })), at(file({}, `${BODY} More.`)));
  expect(conflict).toBeUndefined();
  expect([...files].map(([path, bytes]) => [path, bytes.toString()])).toEqual([
    ['memories/user_build.md', file({ project: 'x/y' }, `${BODY} More.`).toString()],
  ]);
});

// Ledgers

const { privateKey } = generateKeyPairSync('ed25519');
const publicKey = privateKey.export({ format: 'jwk' }).x ?? '';
const fingerprint = fingerprintOf(publicKey);
const signer: Signer = { machine: 'desk', publicKey, privateKey };
const draft = (id: string): EntryDraft => ({
  by: { actor: 'agent', channel: 'tool', level: 0, client: null },
  settings: { observationDays: 7, staleDays: 90, injection: 'hold', minimumAssurance: 1 },
  rules: 'structure-1',
  action: 'propose',
  id,
  from: null,
  to: 'inferred',
  digest: null,
  saying: null,
  reason: null,
  settled: [],
  replaces: null,
  after: [],
});

function chain(ids: readonly string[], on: readonly string[] = []): string[] {
  const lines = [...on];
  for (const id of ids) {
    const head = lines.length === 0 ? EMPTY_HEAD : { count: lines.length, hash: hashOf(lines.at(-1) ?? '') };
    lines.push(signEntry(draft(id), head, 0, Date.parse('2026-03-01T00:00:00Z'), signer, undefined));
  }
  return lines;
}
const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');
const THREE = chain(['user_a', 'user_b', 'user_c']);
const FIVE = chain(['user_d', 'user_e'], THREE);
const FORK = chain(['user_x', 'user_y'], THREE);

function mergedLedger(
  base: readonly string[] | undefined,
  ours: readonly string[] | undefined,
  theirs: readonly string[],
  own = false,
) {
  const given = { base: base && text(base), ours: ours && text(ours), theirs: text(theirs) };
  return mergeLedgers({ fingerprint, ...given, own });
}

test('of two versions of a ledger the longer one wins, on either side', () => {
  expect(mergedLedger(THREE, THREE, FIVE)).toEqual({ text: text(FIVE), left: [], fault: undefined });
  expect(mergedLedger(THREE, FIVE, THREE)).toEqual({ text: text(FIVE), left: [], fault: undefined });
  expect(mergedLedger(undefined, undefined, THREE)).toEqual({ text: text(THREE), left: [], fault: undefined });
});

test.each([
  ['cut', FIVE.slice(0, 2), 'cut'],
  ['emptied', [], 'cut'],
  ['without a line in the middle', FIVE.filter((_, i) => i !== 2), 'cut'],
  ['with a line changed', FIVE.map((line, i) => (i === 2 ? line.replace('user_c', 'user_z') : line)), 'unsigned'],
  ['reordered', [...FIVE].reverse(), 'cut'],
  ['with a line behind it that nobody signed', [...FIVE, (FIVE[4] ?? '').replace('"seq":4', '"seq":5')], 'unsigned'],
  ['with rubbish', ['{}', ...FIVE, 'rubbish'], 'unsigned'],
  ['that is another’s', ['{"v":1}'], 'unsigned'],
])('a ledger that arrives %s leaves the local one unchanged', (_, theirs, fault) => {
  expect(mergedLedger(FIVE, FIVE, theirs)).toEqual({ text: text(FIVE), left: [], fault });
});

test('a ledger damaged here is repaired by the arriving one', () => {
  const damaged = FIVE.map((line, i) => (i === 2 ? line.replace('user_c', 'user_z') : line));
  expect(mergedLedger(damaged, damaged, FIVE).text).toBe(text(FIVE));
  expect(mergedLedger(THREE, damaged, THREE).text).toBe(text(FIVE));
  expect(mergedLedger(FIVE, FIVE.slice(0, 1), FIVE).text).toBe(text(FIVE));
});

test('lines about passkeys that are left come with the entries before them, which say where they stand', () => {
  const required = chain(['passkeys', 'user_y'], THREE);
  expect(mergedLedger(THREE, FIVE, required, true)).toEqual({ text: text(FIVE), left: required, fault: 'forked' });
  // The version here has more lines, behind a gap that no version fills.
  const gap = chain(['user_f', 'user_g', 'user_h'], FIVE).filter((_, at) => at !== 4);
  expect(mergedLedger(THREE, gap, required, true)).toMatchObject({ text: text(gap), fault: 'broken' });
  expect(mergedLedger(THREE, gap, required, true).left.slice(0, required.length)).toEqual(required);
});

test('of two continuations, the owner keeps its own and others take the owner’s; the other lines can only lower', () => {
  const owner = mergedLedger(THREE, FIVE, FORK, true);
  expect(owner).toEqual({ text: text(FIVE), left: FORK.slice(3), fault: 'forked' });
  const other = mergedLedger(FIVE, FIVE, FORK);
  expect(other).toEqual({ text: text(FORK), left: FIVE.slice(3), fault: 'forked' });
});

test('a line that only claims to continue a ledger does not replace a signed one', () => {
  const forged = [...THREE, (FIVE[3] ?? '').replace('user_d', 'user_z')];
  expect(mergedLedger(THREE, THREE, forged).text).toBe(text(THREE));
  expect(mergedLedger(THREE, FIVE, forged, true)).toMatchObject({ text: text(FIVE), left: [] });
  expect(mergedLedger(FIVE, FIVE, forged)).toMatchObject({ text: text(FIVE), left: [] });
});

test('signed lines after a gap stay where they are', () => {
  const gap = FIVE.filter((_, i) => i !== 1);
  expect(mergedLedger(gap, gap, [FIVE[0] ?? '', 'rubbish'])).toMatchObject({ text: text(gap), fault: 'broken' });
});

test('a file that is not a ledger does not come in', () => {
  expect(mergedLedger(undefined, undefined, ['rubbish'])).toEqual({ text: undefined, left: [], fault: 'no-ledger' });
  const others = mergeLedgers({
    fingerprint: 'a'.repeat(64),
    base: undefined,
    ours: undefined,
    theirs: text(FIVE),
    own: false,
  });
  expect(others).toEqual({ text: undefined, left: [], fault: 'no-ledger' });
});

// Names

test.each([
  'memories/user_x.txt',
  'memories/User_x.md',
  'memories/sub/user_x.md',
  'memories/../user_x.md',
  'memories/user_x~2.md',
  'memories/user_é.md',
  `memories/user_${'x'.repeat(200)}.md`,
  'quarantine/user_x~1.md',
  'ledger/abc.jsonl',
  `ledger/${'A'.repeat(64)}.jsonl`,
  'Memories/user_x.md',
  '/memories/user_x.md',
  'archive/2026-03/user_x.md',
])('%s is not a shared file', (path) => {
  expect(sharedAt(path)).toBeUndefined();
});

test('shared files are recognized by path and name alone', () => {
  expect(sharedAt('memories/user_x.md')).toMatchObject({ kind: 'memory', id: 'user_x' });
  expect(sharedAt('quarantine/user_x~12.md')).toMatchObject({ kind: 'memory', id: 'user_x', stem: 'user_x~12' });
  expect(sharedAt(`ledger/${'a'.repeat(64)}.jsonl`)).toMatchObject({ kind: 'ledger' });
});

test.each([
  '..',
  '.',
  '',
  '.git',
  '.GIT',
  '.Git',
  'git~1',
  '.git ',
  '.g\u200cit',
  '.gitmodules',
  '.gitattributes',
  'memories',
  'MEMORIES',
  'Ledger',
  '.surety',
  'a\\b',
  'a:b',
  'a\nb',
  'a\u202eb',
  'e\u0301',
  'x'.repeat(300),
  'aux.',
  '-rf',
  '\uFFFD',
])('%j is not carried along', (name) => {
  expect(isHarmlessName(name)).toBe(false);
});

test.each(['README.md', '.gitignore', '.github', 'docs', 'notes 2026.txt', 'é'])('%j is carried along', (name) => {
  expect(isHarmlessName(name)).toBe(true);
});
