import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readFound } from '../../src/actions/exchange/backfill.ts';
import { exportTo } from '../../src/actions/exchange/export.ts';
import { CHECKS } from '../../src/core/checks/all.ts';
import { inspect } from '../../src/core/checks/inspect.ts';
import { subjectOf } from '../../src/core/memory/inspected-file.ts';
import { planImport } from '../../src/store/exchange/import-file.ts';
import { read } from '../../src/store/format/format.ts';
import { BODY, bareRemote, git, Machine, TOKEN } from '../../testkit/fleet.ts';
import { temporaryFolder } from '../../testkit/store.ts';

// A secret is found wherever it stands in a file, also where no field is: such a file is not kept in force, not imported,
// not filled in, not exported and not pushed.

const PASSWORD = 'hX7kq9Lw2pVt';
const likely = `password: ${PASSWORD}`;

/** A file with a text at some place that is no field. */
const PLACES: Readonly<Record<string, (text: string) => string>> = {
  'a comment before the first key': (text) => file([`# ${text}`, ...KEYS]),
  'a comment behind a value': (text) => file([`${KEYS[0]} # ${text}`, ...KEYS.slice(1)]),
  'a comment behind a value in quotes': (text) => file([`name: "the # build" # ${text}`, ...KEYS.slice(1)]),
  'an indented comment': (text) => file([...KEYS, `   # ${text}`]),
  'a comment between two keys': (text) => file([KEYS[0] ?? '', `#${text}`, ...KEYS.slice(1)]),
  'a comment in a list': (text) => file([...KEYS, 'tags:', '  - one', `  # ${text}`, '  - two']),
  'a comment in brackets': (text) => file([...KEYS, 'tags: [one, # ', `  two, # ${text}`, '  three]']),
  'a comment behind a block mark': (text) => file([...KEYS, `x-note: | # ${text}`, '  a line', '  another']),
  'a comment behind a key without a value': (text) => file([...KEYS, `x-note: # ${text}`]),
  'the last line of the frontmatter': (text) => file([...KEYS, '', '', `# ${text}`]),
  'a comment with CRLF line ends': (text) => file([...KEYS, `# ${text}`]).replaceAll('\n', '\r\n'),
  'an unknown key’s value': (text) => file([...KEYS, `x-note: '${text}'`]),
  'a file without frontmatter': (text) => `Notes.\n\n${text}\n`,
  'text before the frontmatter': (text) => `${text}\n${file(KEYS)}`,
  'YAML that cannot be read': (text) => file([...KEYS, `x: [${text}`]),
};
const KEYS = ['name: the build', 'description: What is known about the build', 'type: user', 'trust-level: inferred'];

function file(lines: readonly string[]): string {
  return `---\n${lines.join('\n')}\n---\n\n${BODY}\n`;
}

function exported(machine: Machine): { readonly steps: readonly object[]; readonly texts: string } {
  const folder = join(temporaryFolder(), 'out');
  const steps = [...exportTo(machine.session, folder, ['verified', 'inferred', 'quarantined'])];
  return {
    steps,
    texts: readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('\n'),
  };
}

/** Every object of a repository, as text. */
function everythingIn(remote: string): string {
  return git(remote, 'cat-file', '--batch-all-objects', '--batch', '--unordered');
}

test.each(Object.entries(PLACES))('a token in %s: quarantined, and it leaves on no way', async (_, place) => {
  const remote = bareRemote();
  const machine = await Machine.open('desk', remote);
  const path = join(machine.root, 'memories', 'user_build.md');
  writeFileSync(path, place(TOKEN));
  const arrival = { bytes: readFileSync(path), stem: 'user_other', modified: 0, project: undefined };
  expect(() => planImport(machine.store.vault, arrival, 'inferred')).toThrow();
  expect(readFound(machine.session, 'user_build')).not.toHaveProperty('plan');
  expect((await machine.sync()).code).toBe(1);
  expect(machine.store.tier('user_build')).toBe('quarantined');
  expect(machine.names()).toEqual(['quarantine/user_build.md']);
  expect(everythingIn(remote)).not.toContain(TOKEN);
  expect(exported(machine).texts).not.toContain(TOKEN);
});

test.each(Object.entries(PLACES))('a likely secret in %s stays here and is not exported', async (_, place) => {
  const remote = bareRemote();
  const machine = await Machine.open('desk', remote);
  writeFileSync(join(machine.root, 'memories', 'user_build.md'), place(likely));
  expect((await machine.sync()).code).toBe(1);
  expect(everythingIn(remote)).not.toContain(PASSWORD);
  const { steps, texts } = exported(machine);
  expect(steps).toEqual([{ id: 'user_build', why: expect.any(String) }]);
  expect(texts).not.toContain(PASSWORD);
});

test('personal data in a comment, or in a file that cannot be read, stays here', async () => {
  const remote = bareRemote();
  const machine = await Machine.open('desk', remote);
  const address = '10.17.23.42';
  for (const [i, name] of ['a comment between two keys', 'a file without frontmatter'].entries()) {
    writeFileSync(join(machine.root, 'memories', `user_${i}.md`), PLACES[name]?.(`the host is ${address}`) ?? '');
  }
  expect((await machine.sync()).notices.filter(({ kind }) => kind === 'stays')).toHaveLength(2);
  expect(everythingIn(remote)).not.toContain(address);
});

test('a yes for a text lets no likely secret pass that comes to stand in a comment later', async () => {
  const remote = bareRemote();
  const machine = await Machine.open('desk', remote);
  const id = 'user_build';
  machine.store.write('memories', id, `${file(KEYS)}On staging the ${likely}\n`);
  await machine.store.reconcile();
  machine.store.pass(8);
  await machine.store.decide('promote', id);
  expect(machine.store.tier(id)).toBe('verified');
  expect((await machine.sync()).code).toBe(0);
  machine.store.edit(id, (text) => text.replace('---\n', `---\n# ${likely}\n`));
  expect((await machine.sync()).code).toBe(1);
  expect(everythingIn(remote)).toContain(`the ${likely}`);
  expect(everythingIn(remote)).not.toContain(`# ${likely}`);
  expect(exported(machine).texts).not.toContain(likely);
});

test('a commit by hand with a token in a comment is not pushed', async () => {
  const remote = bareRemote();
  const machine = await Machine.open('desk', remote);
  await machine.store.propose('the door');
  await machine.sync();
  mkdirSync(join(machine.root, 'notes'));
  writeFileSync(join(machine.root, 'notes', 'n.md'), PLACES['a comment in a list']?.(TOKEN) ?? '');
  machine.git('add', '-f', 'notes');
  machine.git('commit', '--quiet', '-m', 'by hand');
  expect((await machine.sync()).code).toBe(1);
  expect(everythingIn(remote)).not.toContain(TOKEN);
});

test('wherever a line with a token is put into a file, the checks find it', () => {
  const whole = file([
    ...KEYS,
    'tags:',
    '  - one',
    'x-note: >',
    '  folded',
    '  text',
    'x-more: "quoted"',
    '# a remark',
  ]);
  const rows = whole.split('\n');
  const line = fc.constantFrom(
    `# ${TOKEN}`,
    `  # ${TOKEN}`,
    `x: ${TOKEN}`,
    TOKEN,
    `  - ${TOKEN}`,
    `"${TOKEN}"`,
    `\t#${TOKEN}`,
  );
  void fc.assert(
    fc.property(fc.integer({ min: 0, max: rows.length }), line, (row, added) => {
      const bytes = Buffer.from(rows.toSpliced(row, 0, added).join('\n'));
      const { findings } = inspect(subjectOf('user_x', read(bytes), 'found', bytes), CHECKS);
      expect(findings.some(({ rule, severity }) => rule === 'github-token' && severity === 'block')).toBe(true);
    }),
    { numRuns: 300 },
  );
});
