import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CHECKS } from '../../src/core/checks/all.ts';
import { inspect } from '../../src/core/checks/inspect.ts';
import { fileWith } from '../../src/core/checks/sample-file.ts';
import { KNOWN_KEYS } from '../../src/core/memory/document.ts';
import { subjectOf } from '../../src/core/memory/inspected-file.ts';
import { Refusal } from '../../src/core/refusal.ts';
import { read } from '../../src/store/format/format.ts';
import { TestStore } from '../../testkit/store.ts';

/** A line of a frontmatter that is not Surety's: unknown keys in every spelling, comments, blank lines. */
const key = fc
  .stringMatching(/^[a-z][a-z0-9]{0,6}(?:-[a-z]{1,4})?$/)
  .filter((k) => !KNOWN_KEYS.some((known) => known === k) && !(k in Object.prototype));
const value = fc.constantFrom(
  'plain words',
  '"quoted: \\" # no comment"',
  "'single ''quoted'''",
  '[a, "b, c", d]',
  '2026-05-01',
  '0010',
  'yes # a remark',
  '~',
  '',
  '|\n  a block\n\n  of lines',
  '>-\n  folded\n  text',
  '\n  - a list\n  # with a remark\n  - of lines',
);
const extra = fc.oneof(
  fc.tuple(key, value).map(([k, v]) => ({ key: k, lines: `${k}: ${v}` })),
  fc
    .constantFrom('# a remark', '#', '', '   # indented: remark', '# trust-level: verified')
    .map((lines) => ({ key: '', lines })),
);

const OURS = [
  ['name', fc.constantFrom('An example', '"An: example"', "'An example'  # named so")],
  ['description', fc.constantFrom('One line about it', '>-\n  One line\n  about it')],
  ['type', fc.constantFrom('user', '"user"', 'user # the type')],
  ['trust-level', fc.constantFrom('inferred', 'verified', '"verified" # says who')],
  ['created-at', fc.constantFrom('2020-01-01T00:00:00Z', '"2020-01-01T00:00:00Z"')],
  ['last-verified', fc.constantFrom('2021-01-01', "'2021-01-01' # long ago")],
  ['source-machine', fc.constantFrom('elsewhere', '"else where"')],
  ['tags', fc.constantFrom('[a, b]', '\n  - a\n  - "b, c"', 'alone')],
] as const;

const bodies = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '---',
        '--- ',
        '...',
        '# Title',
        '',
        '\t',
        'trust-level: quarantined',
        'a  b   ',
        '| x | y |',
        '\u2028',
        '👨‍👩‍👧',
        'क्षि',
      ),
      fc.string({ unit: 'grapheme-ascii', maxLength: 20 }),
    ),
    { maxLength: 8 },
  )
  .map((lines) => `${lines.join('\n')}\nA sentence that makes it long enough.`);

interface Found {
  readonly text: string;
  /** What must be there in the end, in this order: everything that is not a transition's to rewrite. */
  readonly kept: readonly string[];
  readonly body: string;
  readonly crlf: boolean;
  readonly bom: boolean;
}

/** The keys some transition writes. */
const OWNED = ['trust-level', 'last-verified', 'quarantined-at', 'quarantine-reason', 'quarantined-by'];

const found: fc.Arbitrary<Found> = fc
  .record({
    ours: fc.tuple(...OURS.map(([k, v]) => v.map((each) => ({ key: k as string, lines: `${k}: ${each}` })))),
    drop: fc.subarray(['last-verified', 'source-machine', 'tags', 'created-at', 'trust-level']),
    extras: fc.uniqueArray(extra, { maxLength: 6, selector: ({ key: k, lines }) => k || lines }),
    order: fc.array(fc.nat(1000), { minLength: 20, maxLength: 20 }),
    body: bodies,
    ending: fc.constantFrom('', '\n', '\n\n\n'),
    crlf: fc.boolean(),
    bom: fc.boolean(),
  })
  .map(({ ours, drop, extras, order, body, ending, crlf, bom }) => {
    const all = [...ours.filter(({ key: k }) => !drop.includes(k)), ...extras]
      .map((entry, i) => ({ entry, at: order[i] ?? 0 }))
      .sort((a, b) => a.at - b.at)
      .map(({ entry }) => entry);
    const whole = body + ending;
    const text = `---\n${all.map(({ lines }) => `${lines}\n`).join('')}---\n${whole}`;
    const ends = (each: string) => (crlf ? each.replaceAll('\n', '\r\n') : each);
    return {
      text: `${bom ? '\uFEFF' : ''}${ends(text)}`,
      kept: all.filter(({ key: k }) => !OWNED.includes(k)).map(({ lines }) => ends(lines)),
      body: ends(whole),
      crlf,
      bom,
    };
  });

/** Everything of a found file that no transition may touch is still in it, in its order and to the byte. */
function expectKept(now: string, { kept, body, crlf, bom }: Found): void {
  expect(now.startsWith('\uFEFF')).toBe(bom);
  const closing = crlf ? '\r\n---\r\n' : '\n---\n';
  expect(now.endsWith(`${closing}${body}`)).toBe(true);
  const frontmatter = now.slice(0, now.length - body.length);
  if (crlf) expect(frontmatter.replaceAll('\r\n', '')).not.toContain('\n');
  else expect(frontmatter).not.toContain('\r');
  let at = 0;
  for (const lines of kept) {
    const next = frontmatter.indexOf(`${lines}${crlf ? '\r\n' : '\n'}`, at);
    expect(next, `lost or out of order: ${JSON.stringify(lines)}`).not.toBe(-1);
    at = next + lines.length;
  }
}

const plain = (text: string) => text.replace(/^(trust-level|last-verified): *["']?([\w-]+)["']?/gm, '$1: $2');

describe('a file that was found', () => {
  test('keeps unknown keys, comments, order, line ends, byte order mark and every byte of its body through every transition', async () => {
    await fc.assert(
      fc.asyncProperty(found, fc.string({ maxLength: 30 }), async (file, reason) => {
        // An indented remark behind a folded text belongs to it, and may make it one that no check lets pass.
        const subject = subjectOf('user_found', read(Buffer.from(file.text)), 'found');
        fc.pre(!inspect(subject, CHECKS).blocked);
        const store = await TestStore.open();
        const id = 'user_found';
        const text = (place: 'memories' | 'quarantine') => readFileSync(store.path(place, id), 'utf8');
        store.write('memories', id, file.text);
        await store.reconcile();
        expect(text('memories')).toBe(file.text);
        store.pass(7);
        await store.decide('promote', id);
        expect(store.standing(id)).toBe('verified:vouched');
        expectKept(text('memories'), file);
        const promoted = text('memories');
        await store.decide('demote', id, reason);
        expectKept(text('quarantine'), file);
        expect(store.standing(id)).toBe('quarantined:decided');
        await store.decide('restore', id);
        expectKept(text('memories'), file);
        expect(store.standing(id)).toBe('verified:vouched');
        // A key of ours may lose its quotes on the way; nothing else is left behind.
        expect(plain(text('memories'))).toBe(plain(promoted));
        store.pass(100);
        await store.decide('reaffirm', id);
        expectKept(text('memories'), file);
        expect(store.standing(id)).toBe('verified:vouched');
        expect(store.complaints).toEqual([]);
        store.vault.close();
      }),
      // The limit is for shrinking a failure: ordinary runs take a few seconds.
      { numRuns: Number(process.env.SURETY_ROUND_TRIPS ?? 40), interruptAfterTimeLimit: 120_000 },
    );
  });

  test('that fails a check keeps every byte', async () => {
    await fc.assert(
      fc.asyncProperty(found, fc.constantFrom('type: bogus\n', 'name: x\n', '&anchor x\n'), async (file, bad) => {
        const store = await TestStore.open();
        const broken = file.text.replace(/---\r?\n/, `---\n${bad}`);
        store.write('memories', 'user_found', broken);
        await store.reconcile();
        expect(store.files('memories')).toEqual([]);
        expect(store.text('quarantine', 'user_found')).toBe(broken);
        store.vault.close();
      }),
      { numRuns: 15 },
    );
  });

  test('that is written back by hand as it was vouched for is verified again', async () => {
    const store = await TestStore.open();
    const id = await store.verified('the build');
    const vouched = store.text('memories', id);
    store.edit(id, (text) => text.replace('two', 'nine'));
    expect(store.standing(id)).toBe('inferred:changed');
    await store.vault.putBack(store.load(id));
    expect(store.text('memories', id)).toBe(vouched);
    expect(store.standing(id)).toBe('verified:vouched');
  });
});

describe('a frontmatter with no room left', () => {
  /** A file whose frontmatter is just below the largest that is read. */
  const full = (tier: string) => {
    const start = fileWith({ 'trust-level': tier, filler: 'x' });
    const room = 8192 - (Buffer.byteLength(start.slice(4, start.indexOf('\n---\n') + 1)) - 1);
    return fileWith({ 'trust-level': tier, filler: 'x'.repeat(room) });
  };

  test('is refused in words, with nothing changed, when a transition would make it unreadable', async () => {
    const store = await TestStore.open();
    store.write('memories', 'user_full', full('inferred'));
    await store.reconcile();
    expect(store.standing('user_full')).toBe('inferred:found');
    store.pass(7);
    const lines = store.ledgerLines();
    await expect(store.decide('promote', 'user_full')).rejects.toBeInstanceOf(Refusal);
    expect(store.text('memories', 'user_full')).toBe(full('inferred'));
    expect(store.ledgerLines()).toEqual(lines);
  });

  test('is quarantined all the same: a lowering never waits for room', async () => {
    const store = await TestStore.open();
    store.write('memories', 'user_full', full('inferred'));
    await store.reconcile();
    await store.decide('demote', 'user_full', 'wrong');
    expect(store.standing('user_full')).toBe('quarantined:decided');
    expect(store.text('quarantine', 'user_full')).toBe(full('inferred'));
  });
});
