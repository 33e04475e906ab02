import { execFile } from 'node:child_process';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { blocks, DOCS, documents, example, filled } from '../scripts/docs.ts';
import { EMPTY_HEAD, type EntryDraft, signEntry } from '../src/core/ledger/entry.ts';
import { headsOf } from '../src/core/ledger/heads.ts';
import { REASONS } from '../src/core/ledger/standing.ts';
import type { LedgerTrust, Statement } from '../src/core/ledger/statement.ts';
import { type Fault, KNOWN_KEYS } from '../src/core/memory/document.ts';
import { LIMITS } from '../src/core/memory/limits.ts';
import { sayingOf } from '../src/core/memory/memory.ts';
import { MOST_MARKS, MOST_STACKED } from '../src/core/text/combining-marks.ts';
import { Untrusted } from '../src/core/text/safe-text.ts';
import { retention } from '../src/core/trust/clocks.ts';
import { read } from '../src/store/format/format.ts';
import { NUMBERS } from '../src/store/places/settings.ts';
import { DEVIATIONS } from '../src/version.ts';
import { DAY, TestStore } from '../testkit/store.ts';

const run = promisify(execFile);
const shown = await example();
const made = await blocks(shown);
const folder = mkdtempSync(join(tmpdir(), 'surety-docs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function doc(name: string): string {
  return readFileSync(join(DOCS, name), 'utf8');
}

/** The fenced block behind a marker. */
function sample(markdown: string, marker: string): string {
  const found = new RegExp(`<!-- ${marker} -->\\n\\n\`\`\`[a-z]+\\n([\\s\\S]*?)\\n\`\`\``).exec(markdown)?.[1];
  if (found === undefined) throw new Error(`nothing behind ${marker}`);
  return found;
}

/** The first cells of the table under a heading. */
function firstCells(markdown: string, heading: string): string[] {
  const section = markdown.split(`\n${heading}\n`)[1]?.split(/\n#+ /)[0] ?? '';
  return [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, cell = '']) => cell);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

test.each(documents())('%s says what the code says: if this fails, run npm run docs', (name) => {
  expect(filled(doc(name), made)).toBe(doc(name));
});

test('every generated block is in some document, and every marker has its end', () => {
  const all = documents().map(doc).join('\n');
  const named = [...all.matchAll(/<!-- generated: ([a-z-]+) -->/g)].map(([, name]) => name);
  expect(named.sort()).toEqual(Object.keys(made).sort());
  expect(all.match(/<!-- end -->/g)).toHaveLength(named.length);
});

test('links between documents lead somewhere', () => {
  const anchors = (name: string) =>
    [...doc(name).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    );
  const broken: string[] = [];
  for (const name of documents()) {
    for (const [, file = '', anchor = ''] of doc(name).matchAll(/\]\(([a-z-]+\.md)?(?:#([a-z-]+))?\)/g)) {
      const target = file || name;
      const known = documents().includes(target) && (anchor === '' || anchors(target).includes(anchor));
      if (!known) broken.push(`${name}: ${target}#${anchor}`);
    }
  }
  expect(broken).toEqual([]);
});

test('every test a document names exists', () => {
  const named = documents().flatMap((name) =>
    [...doc(name).matchAll(/`(?:tests\/)?([a-z/-]+\.test\.ts)`/g)].map(([, path]) => path),
  );
  const missing = [...new Set(named)].filter((path) => !existsSync(join(import.meta.dirname, path ?? '')));
  expect(named.length).toBeGreaterThan(20);
  expect(missing).toEqual([]);
});

test('every source file a document names exists', () => {
  const named = documents().flatMap((name) =>
    [...doc(name).matchAll(/`(src\/[a-z0-9/-]+(?:\.ts)?)\/?`/g)].map(([, path]) => path),
  );
  const missing = [...new Set(named)].filter((path) => !existsSync(join(import.meta.dirname, '..', path ?? '')));
  expect(named.length).toBeGreaterThan(20);
  expect(missing).toEqual([]);
});

test('every file that a comment in the sources names exists', () => {
  const sources = ['src', 'testkit', 'scripts', 'tests', 'bench', 'torture', 'fuzz', 'mutants'].flatMap((folder) =>
    readdirSync(join(DOCS, '..', folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const files = new Set([...sources, ...readdirSync(join(DOCS, '..'))].map((path) => basename(path)));
  const named = sources
    .filter((name) => /^(?:src|testkit|scripts)\b.*\.ts$/.test(name))
    .flatMap((name) => {
      const source = readFileSync(join(DOCS, '..', name), 'utf8');
      const comments = source.match(/^ *(?:\/\/|\/\*\*|\*) .*$/gm) ?? [];
      return comments.flatMap((comment) =>
        [...comment.matchAll(/\b[a-z][a-z-]*(?:\.[a-z]+)?\.ts\b/g)].map(([file]) => ({ name, file })),
      );
    });
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter(({ file }) => !files.has(file))).toEqual([]);
});

test('every file that a folder’s README names exists', () => {
  const readmes = readdirSync(join(DOCS, '../src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('README.md'),
  );
  const missing = readmes.flatMap((readme) => {
    const path = join(DOCS, '../src', readme);
    return [...readFileSync(path, 'utf8').matchAll(/`([a-z0-9./-]+\.ts)`/g)]
      .map(([, file = '']) => file)
      .filter(
        (file) => ![join(DOCS, '..'), join(DOCS, '../src'), dirname(path)].some((from) => existsSync(join(from, file))),
      )
      .map((file) => `${readme}: ${file}`);
  });
  expect(readmes.length).toBeGreaterThan(20);
  expect(missing).toEqual([]);
});

test('the deviations are those the program prints', () => {
  for (const deviation of DEVIATIONS) expect(doc('trust-model.md')).toContain(deviation);
});

test('the numbers written by hand are those of the code', () => {
  const trust = doc('trust-model.md');
  expect(trust).toContain(`| observation | ${NUMBERS.observationDays.standard} days`);
  expect(trust).toContain(`more than ${NUMBERS.staleDays.standard} days old`);
  const { least, most, standard } = NUMBERS.minimumAssurance;
  expect(trust).toContain(`(${least} to ${most}, default ${standard})`);
  expect([30, 31, 90, 91].map((days) => retention(0, days * DAY))).toEqual([
    'passive',
    'reported',
    'reported',
    'archive-candidate',
  ]);
  expect(doc('decisions.md')).toContain(`At most ${MOST_STACKED} stacked marks and ${MOST_MARKS} marks of any sort`);
  expect(doc('ledger-format.md')).toContain(`one line, at most ${LIMITS.reason.max} characters`);
});

test('the keys of a memory file and of an entry are listed, in the order of the code', () => {
  expect(firstCells(doc('file-format.md'), '## Keys').sort()).toEqual([...KNOWN_KEYS].sort());
  const { privateKey } = generateKeyPairSync('ed25519');
  const signer = { machine: '', publicKey: '', privateKey };
  const optional = {
    was: '',
    texts: [],
    alias: '',
    prompted: '',
    passkeys: {},
    assertion: {},
  } as unknown as EntryDraft;
  const line = signEntry(
    { ...(JSON.parse(shown.ledger.split('\n')[0] ?? '') as EntryDraft), ...optional },
    EMPTY_HEAD,
    0,
    0,
    signer,
    '',
  );
  expect(firstCells(doc('ledger-format.md'), '## Entry')).toEqual(Object.keys(JSON.parse(line)));
});

test('digest and saying are the hashes of what is shown', () => {
  const text = doc('ledger-format.md');
  const [digest, saying] = ['digest-input', 'saying-input'].map((marker) => sample(text, marker));
  expect(made['digest-example']).toContain(`digest  ${sha256(digest ?? '')}`);
  expect(made['digest-example']).toContain(`saying  ${sha256(saying ?? '')}`);
});

test('a body is folded for its saying as the document says', () => {
  const folded = (body: string) =>
    body
      .normalize('NFKC')
      .replace(/[\t-\r\u0085\p{Z}]+/gu, ' ')
      .replace(/[\p{C}\p{Default_Ignorable_Code_Point}\u2800\uFFFC]/gu, '')
      .replace(/ +/g, ' ')
      .trim()
      .toLowerCase();
  const nasty = [
    'A\u200BB',
    'ａ  b',
    ' x\n\ty ',
    'e\u0001e',
    'e\uFFF9e',
    'e\uFDD0e',
    'e\u2800e',
    'o\uFE0E\u{E0041}',
    'ﬁ',
    'İ',
    'ß',
  ];
  for (const body of nasty) {
    const [name, project] = [Untrusted.of('A  Name'), Untrusted.of('owner/name')];
    const short = ['surety-saying-2', folded(body), 'a name', 'owner/name'];
    expect(sayingOf({ body: Untrusted.of(body), name, project })).toBe(sha256(JSON.stringify(short)));
    const long = `${body} ${'and so on '.repeat(3)}`;
    const saying = sha256(JSON.stringify(['surety-saying-1', folded(long)]));
    expect(sayingOf({ body: Untrusted.of(long), name, project })).toBe(saying);
  }
});

test('the example of two machines comes out as it says', () => {
  const a: LedgerTrust = { fingerprint: 'a', raises: true };
  const b: LedgerTrust = { fingerprint: 'b', raises: true };
  const entry = (hash: string, ledger: LedgerTrust, made: Partial<Statement>, after: readonly string[]) =>
    ({ hash, ledger, after, authentic: true, actor: 'operator', level: 1, ...made }) as Statement;
  const all = [
    entry('a1', a, { action: 'propose', from: null, to: 'inferred', actor: 'agent', level: 0 }, []),
    entry('a2', a, { action: 'promote', from: 'inferred', to: 'verified' }, ['a1']),
    entry('b1', b, { action: 'demote', from: 'inferred', to: 'quarantined' }, ['a1']),
    entry('a3', a, { action: 'restore', from: 'quarantined', to: 'verified' }, ['a2', 'b1']),
  ];
  const heads = (count: number) => headsOf(all.slice(0, count)).map(({ hash }) => hash);
  const written = [...doc('trust-model.md').matchAll(/^\| [ab]\d \|.*\| ([ab\d, ]+) \|$/gm)].map(([, cell]) => cell);
  expect(all.map((_, index) => heads(index + 1).join(', '))).toEqual(written);
  a.raises = false;
  expect(heads(4)).toEqual(['b1', 'a3']);
});

test('each cause in the list of faults leads to its fault', () => {
  const file = (lines: string) => `---\n${lines}\n---\nA body that is long enough for a memory.\n`;
  const causes: Record<Fault, readonly (string | Buffer)[]> = {
    'not-utf8': [Buffer.from([0x2d, 0x2d, 0x2d, 0x0a, 0xff])],
    'too-large': [file(`x: ${'y'.repeat(66_000)}`)],
    nul: [file('x: \0'), file('x: "\\0"')],
    'opening-missing': ['---js\nx: y\n---\n', '--- \nx: y\n---\n', '----\nx: y\n---\n', '\n---\nx: y\n---\n'],
    'closing-missing': ['---\nx: y\n'],
    'frontmatter-too-large': [file(`x: ${'y'.repeat(8200)}`), file('#\n'.repeat(400))],
    'yaml-invalid': [file('x: "y'), file('%YAML 1.2'), file('...'), file('x: y\n---x'), file('x: y\rz: a')],
    'yaml-tag': [file('x: !!str y'), file('x: !!js/function y'), file('x: !x y'), file('x: ! y')],
    'yaml-anchor': [file('x: &a y'), file('x: *a')],
    'yaml-duplicate-key': [file('x: y\n"x": z')],
    'yaml-forbidden-key': ['__proto__', 'toString', 'prototype', '<<', '""', '" x"', 'Trust-Level'].map((key) =>
      file(`${key}: y`),
    ),
    'yaml-not-flat': [file('x:\n  y: z'), file('x: [[y]]'), file('{x: y}'), file('  x: y'), file('? x\n: y')],
  };
  for (const [fault, files] of Object.entries(causes)) {
    for (const bytes of files) expect(read(Buffer.from(bytes))).toMatchObject({ kind: 'unreadable', fault });
  }
  expect(read(Buffer.from(file('n: 010\nt: true\nd: 2026-03-01\nz: ~\nl: [null, ~]')))).toMatchObject({
    document: {
      fields: new Map<string, unknown>([
        ['n', '010'],
        ['t', 'true'],
        ['d', '2026-03-01'],
        ['z', null],
        ['l', ['null', '~']],
      ]),
    },
  });
});

test('the examples that begin the documents come out as they say', async () => {
  const store = await TestStore.open();
  const [, stem = '', text = ''] =
    /memories\/(user_[a-z]+)\.md <<'END'\n([\s\S]*?)END\n/.exec(doc('threat-model.md')) ?? [];
  store.write('memories', stem, text);
  await store.reconcile();
  expect(store.standing(stem)).toBe('inferred:unproven');
  expect(doc('threat-model.md')).toContain(REASONS.unproven);

  const [first = '', second = ''] = [...doc('decisions.md').matchAll(/^\w+\/user_\w+\.md +(.*?\.) {2}/gm)].map(
    ([, body = '']) => body,
  );
  await store.decide('demote', await store.propose('ports', { body: first }));
  store.write('memories', 'user_notes', text.replace(/Deploy with .*/, second));
  expect(store.standing('user_notes')).toBe('quarantined:same-text');
});

/** Runs the verifier of the document, which shares no code with Surety. */
async function verified(fingerprint: string, ledger: string, ...segments: string[]): Promise<string> {
  const program = join(folder, 'verify.mjs');
  writeFileSync(program, sample(doc('ledger-format.md'), 'verifier'));
  const files = [ledger, ...segments].map((text, at) => {
    const file = join(
      folder,
      at === 0 ? `${fingerprint}.jsonl` : `${fingerprint}.${String(at).padStart(9, '0')}.jsonl`,
    );
    writeFileSync(file, text);
    return file;
  });
  try {
    return (await run(process.execPath, [program, ...files])).stdout.trim();
  } catch {
    return 'not whole';
  }
}

test('the verifier of the document accepts a ledger the store wrote, and prints what the document says', async () => {
  expect(sample(doc('ledger-format.md'), 'verifier').split('\n').length).toBeLessThanOrEqual(15);
  expect(made['verifier-output']).toContain(await verified(shown.fingerprint, shown.ledger));
  const store = await TestStore.open();
  await store.verified('the build');
  await store.decide('demote', await store.add('the ports'), 'gone');
  store.write('memories', 'user_found', store.text('memories', 'user_the_build'));
  await store.reconcile();
  const { fingerprint } = store.vault.self;
  const whole = readFileSync(store.ledgerPath, 'utf8');
  expect(await verified(fingerprint, whole)).toMatch(/^whole: 6 entries/);
  expect(await verified(fingerprint, `${whole}{"v":2,"seq"`)).toMatch(/^whole: 6 entries/);
});

test('the verifier of the document accepts a ledger that an older Surety began and this one went on with', async () => {
  const folderOf = join(import.meta.dirname, 'store', 'ledger', 'upgraded');
  const [name = ''] = readdirSync(folderOf);
  const [ledger, fingerprint] = [readFileSync(join(folderOf, name), 'utf8'), name.replace('.jsonl', '')];
  expect(await verified(fingerprint, ledger)).toMatch(/^whole: 3 entries/);
  const [first = '', second = '', third = ''] = ledger.split('\n');
  expect([first, second, third].map((line) => line.slice(0, 7))).toEqual(['{"v":1,', '{"v":2,', '{"v":2,']);
  expect(await verified(fingerprint, `${first}\n${second.replace('{"v":2', '{"v":1')}\n`)).toBe('not whole');
});

test.each<[string, (lines: string[]) => string[]]>([
  ['a changed byte', ([first = '', ...rest]) => [first.replace('"level":0', '"level":3'), ...rest]],
  ['a changed last line', (lines) => lines.map((line) => line.replace('"to":"quarantined"', '"to":"verified"'))],
  ['a line left out', ([first = '', , third = '']) => [first, third]],
  ['lines in another order', ([first = '', second = '', third = '']) => [first, third, second]],
])('the verifier of the document refuses a ledger with %s', async (_, change) => {
  const ledger = change(shown.ledger.trimEnd().split('\n')).map((line) => `${line}\n`);
  expect(ledger.join('')).not.toBe(shown.ledger);
  expect(await verified(shown.fingerprint, ledger.join(''))).toBe('not whole');
});

test('the verifier of the document reads a ledger in several files, also where a join was cut short', async () => {
  const [first = '', second = '', ...rest] = shown.ledger
    .trimEnd()
    .split('\n')
    .map((line) => `${line}\n`);
  const third = rest.join('');
  const whole = made['verifier-output'];
  expect(whole).toContain(await verified(shown.fingerprint, first, second, third));
  expect(whole).toContain(await verified(shown.fingerprint, first + second, second, third));
  expect(await verified(shown.fingerprint, first, third)).toBe('not whole');
  expect(await verified(shown.fingerprint, first, third, second)).toBe('not whole');
});

test('the verifier of the document refuses a ledger under another name', async () => {
  expect(await verified('0'.repeat(64), shown.ledger)).toBe('not whole');
});

test.each(documents())('%s holds no mark of a merge that was not finished', (name) => {
  expect(doc(name)).not.toMatch(/^(?:<{7}|={7}|>{7})(?: |$)/m);
});

test('the documents name no path of the machine they were made on', () => {
  for (const name of documents()) expect(doc(name)).not.toMatch(/(?<![\w.~>])\/(?:work|tmp|root|home|Users)\//);
});

test('nothing tells anybody to fetch surety by a name on npm that is not ours', () => {
  const sources = readdirSync(join(DOCS, '../src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const files = [
    ...documents().map((name) => join(DOCS, name)),
    ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md'].map((name) => join(DOCS, '..', name)),
    ...sources.map((name) => join(DOCS, '../src', name)),
  ];
  const fetched = /\bnpx (?:-\S+ )*surety\b|\bnpm (?:i|install|add|exec) (?:-\S+ )*surety\b/;
  expect(files.filter((path) => fetched.test(readFileSync(path, 'utf8')))).toEqual([]);
});
