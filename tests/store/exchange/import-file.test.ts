import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exportTo } from '../../../src/actions/exchange/export.ts';
import { openImport, take } from '../../../src/actions/exchange/import.ts';
import type { Session } from '../../../src/actions/session.ts';
import { Refusal } from '../../../src/core/refusal.ts';
import { witnessed } from '../../../src/core/trust/consent.ts';
import { type ImportedFile, type ImportPlan, importFile, planImport } from '../../../src/store/exchange/import-file.ts';
import { read } from '../../../src/store/format/format.ts';
import { AuditLog } from '../../../src/store/records/audit-log.ts';
import { TestStore, temporaryFolder } from '../../../testkit/store.ts';

const IMPORT = { actor: 'import', client: null } as const;

function session({ vault, places }: TestStore): Session {
  const silent = () => {};
  return { vault, audit: new AuditLog(join(places.state, 'audit.ndjson'), () => new Date(), silent), proposals: 0 };
}

/** Takes everything in as inferred; what became of each, by its label. */
async function importAll(store: TestStore, folder: string): Promise<Record<string, string>> {
  const outcomes: Record<string, string> = {};
  for (const piece of openImport(session(store), folder, undefined).pieces()) {
    outcomes[piece.label] = 'passed';
    if (!('arrival' in piece)) continue;
    outcomes[piece.label] = await take(session(store), piece.arrival).then(
      (taken) => taken.kind,
      (error) => (error instanceof Refusal ? error.code : Promise.reject(error)),
    );
  }
  return outcomes;
}

const arrival = (text: string | Uint8Array, stem?: string): ImportedFile => ({
  bytes: Buffer.from(text as string),
  stem,
  modified: 0,
  project: undefined,
});
const file = (body: string, fields = '') => `---\nname: A name\ndescription: d\ntype: user\n${fields}---\n${body}\n`;
const TEXT = 'A text that came from elsewhere and is long enough.';

/** What a careless reader, writer or cleaner would change. */
const ODD = [
  ...[
    '---',
    '...',
    '--- ',
    '---js',
    '\n---\n',
    '\r\n',
    '\n\n',
    '  ',
    '\t',
    ' \n',
    '\\',
    '"',
    "'",
    '# heading',
    '&amp;',
  ],
  ...[
    '\u2028',
    '\u0085',
    '\u00a0',
    '\u200b',
    '\ufeff',
    '🧑‍🚀',
    'é',
    'e\u0301',
    '한국어',
    'नमस्ते',
    '<private>x</private>',
  ],
];
const bodies = fc
  .array(fc.oneof(fc.constantFrom(...ODD), fc.string({ unit: 'grapheme', maxLength: 30 })), { maxLength: 30 })
  .map((parts) => `${parts.join('').replaceAll('\0', '')} and thirty characters more`);
const line = fc
  .string({ unit: 'grapheme', maxLength: 60 })
  .map((text) => JSON.stringify(`x ${text.replaceAll('\0', '')}`));
const EXTRA = ['', '# a comment\n', 'unknown: [a, b]\n', 'trust-level: verified\nlast-verified: 2020-02-02\n'];
const memoryFiles = fc
  .tuple(
    fc.constantFrom('user', 'feedback', 'project', 'reference'),
    fc.tuple(line, line, fc.uniqueArray(line, { maxLength: 4 }), fc.constantFrom(...EXTRA)),
    fc.tuple(fc.boolean(), fc.boolean(), bodies),
  )
  .map(([type, [name, description, tags, extra], [bom, crlf, body]]) => {
    const list = tags.length === 0 ? '' : `tags: [${tags.join(', ')}]\n`;
    const fields = `---\nname: ${name}\ndescription: ${description}\ntype: ${type}\n${list}${extra}---\n`;
    return { type, text: `${bom ? '\ufeff' : ''}${crlf ? fields.replaceAll('\n', '\r\n') : fields}${body}` };
  });

test('export, import, export, import: every text is the same, byte for byte, under the same id', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(memoryFiles, { minLength: 20, maxLength: 40 }), async (all) => {
      const [one, two] = [await TestStore.open(), await TestStore.open()];
      for (const [i, { type, text }] of all.entries()) one.write('memories', `${type}_${i}`, text);
      await one.reconcile();
      const [first, second] = [join(temporaryFolder(), 'first'), join(temporaryFolder(), 'second')];
      const exported = [...exportTo(session(one), first, ['verified', 'inferred'])].filter((step) => 'tier' in step);
      expect(exported.length).toBeGreaterThan(0);
      const outcomes = await importAll(two, first);
      for (const { id } of exported) {
        expect([id, outcomes[`${id}.md`]]).toEqual([id, 'new']);
        expect(two.load(id).digest).toBe(one.load(id).digest);
        expect(two.tier(id)).toBe('inferred');
        expect(tail(two, id)).toBe(tail(one, id));
      }
      for (const step of exportTo(session(two), second, ['verified', 'inferred'])) expect(step).toHaveProperty('tier');
      expect(new Set(Object.values(await importAll(one, second)))).toEqual(new Set(['here']));
      expect(new Set(Object.values(await importAll(two, first)))).toEqual(new Set(['here']));
    }),
    { numRuns: 6 },
  );
});

/** The file from its closing line on: what is not the server's to write. */
function tail(store: TestStore, id: string): string {
  const bytes = readFileSync(store.path('memories', id));
  const reading = read(bytes);
  return reading.kind === 'document'
    ? bytes
        .toString('utf8')
        .split('\n')
        .slice(reading.document.bodyLine - 1)
        .join('\n')
    : '';
}

test('whatever a file holds, it comes in as inferred or not at all', async () => {
  const store = await TestStore.open();
  const claims = fc.constantFrom('verified', 'inferred', 'Verified', '[verified]', '!!str verified', '', 'quarantined');
  const anything = fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    fc
      .tuple(claims, bodies)
      .map(([claim, body]) => Buffer.from(file(body, `trust-level: ${claim}\nlast-verified: 2026-02-28\n`))),
  );
  let n = 0;
  await fc.assert(
    fc.asyncProperty(anything, async (bytes) => {
      const before = store.files('memories');
      const taken = await importFile(store.vault, arrival(bytes, `user_any_${n++}`), IMPORT).catch((error) => {
        expect(error).toBeInstanceOf(Refusal);
        return undefined;
      });
      if (taken?.kind === 'new') {
        expect(store.standing(taken.loaded.id)).toBe('inferred:proposed');
        expect(taken.loaded.subject.claims).toMatchObject({ tier: 'inferred', lastVerified: undefined });
      } else expect(store.files('memories')).toEqual(before);
    }),
    { numRuns: 150 },
  );
});

function newFile(store: TestStore, arriving: ImportedFile) {
  const meeting = planImport(store.vault, arriving, 'verified') as Extract<ImportPlan, { kind: 'new' }>;
  expect(meeting.kind).toBe('new');
  return meeting.newFile;
}

test('a yes counts once, for exactly the text and id that were shown', async () => {
  const store = await TestStore.open();
  const [shown, other] = [arrival(file(TEXT), 'user_shown'), arrival(file(`${TEXT} Another.`), 'user_shown')];
  const { id, digest } = newFile(store, shown);
  const yes = () => witnessed('page', { verb: 'import', id, digest, standing: 'new', settles: [] });
  await expect(importFile(store.vault, other, yes())).rejects.toMatchObject({ code: 'changed-meanwhile' });
  const add = witnessed('page', { verb: 'add', id, digest, standing: 'new', settles: [] });
  await expect(importFile(store.vault, shown, add)).rejects.toMatchObject({ code: 'consent-mismatch' });
  await expect(importFile(store.vault, shown, { ...yes() } as never)).rejects.toThrow(Refusal);
  expect(store.files('memories')).toEqual([]);
  const spent = yes();
  await importFile(store.vault, shown, spent);
  expect(store.standing('user_shown')).toBe('verified:vouched');
  await expect(importFile(store.vault, other, spent)).rejects.toThrow(Refusal);
});

test('a text that was quarantined does not come back under another name; one that a person took over is named', async () => {
  const store = await TestStore.open();
  const id = await store.propose('a lie', { body: TEXT });
  await store.decide('demote', id);
  for (const text of [file(TEXT), file(`  ${TEXT.toUpperCase()}\u200b`), store.text('quarantine', id)])
    await expect(importFile(store.vault, arrival(text, 'user_other'), IMPORT)).rejects.toMatchObject({
      code: 'was-quarantined',
    });
  const adopted = await store.add('in my own words', { body: TEXT });
  expect(await importFile(store.vault, arrival(file(TEXT), 'user_other'), IMPORT)).toEqual({
    kind: 'here',
    id: adopted,
  });
});

test('the same rule for two projects is two memories', async () => {
  const store = await TestStore.open();
  const scoped = (project: string) => ({ ...arrival(file(TEXT), 'user_rule'), project });
  const kinds = [];
  for (const project of ['one/app', 'two/app', 'one/app'])
    kinds.push((await importFile(store.vault, scoped(project), IMPORT)).kind);
  expect(kinds).toEqual(['new', 'new', 'here']);
  expect(store.files('memories')).toEqual(['user_a_name.md', 'user_rule.md']);
});

test('an id of another machine’s ledger is not given to a text from elsewhere', async () => {
  const [one, two] = [await TestStore.open(), await TestStore.open()];
  const id = await one.add('theirs');
  mkdirSync(two.places.ledger, { recursive: true });
  for (const name of readdirSync(one.places.ledger))
    writeFileSync(join(two.places.ledger, name), readFileSync(join(one.places.ledger, name)));
  const { kind, ...rest } = await importFile(two.vault, arrival(one.text('memories', id), id), IMPORT);
  expect(kind).toBe('new');
  expect(rest).toMatchObject({ loaded: { id: `${id}_2` } });
  expect(two.standing(`${id}_2`)).toBe('inferred:proposed');
});

test('what a person erased does not come back with its receipt: it is a text like any other', async () => {
  const store = await TestStore.open();
  const id = await store.add('erased');
  const text = store.text('memories', id);
  const seen = store.load(id);
  store.remove(id);
  await store.vault.exclusively(() => store.vault.note('erased', [{ ...seen, digest: null, saying: null }]));
  await store.reconcile();
  expect(await importFile(store.vault, arrival(text, id), IMPORT)).toMatchObject({
    kind: 'new',
    loaded: { id: `${id}_2` },
  });
  expect(store.standing(`${id}_2`)).toBe('inferred:proposed');
});
