import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CHECKS } from '../../../src/core/checks/all.ts';
import { digestOfSources, rulesVersion, withoutProse } from '../../../src/store/format/rules-version.ts';
import { thisMachine } from '../../../src/store/places/host.ts';
import { piped } from '../../../testkit/piped.ts';
import { ROOT } from '../../../testkit/program.ts';
import { TestStore } from '../../../testkit/store.ts';

/** All but what only acts on findings that were made already. */
const CHECK_FILES = ['src/core/checks', 'src/core/secrets'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && name !== 'enforce.ts')
    .map((name) => join(ROOT, folder, name)),
);

test('a change in any file of the checks gives the rules another name', () => {
  const digest = digestOfSources();
  const changed = CHECK_FILES.map((file) =>
    digestOfSources((path) => readFileSync(path, 'utf8') + (path === file ? '\nfoo();' : '')),
  );
  expect(changed).not.toContain(digest);
  expect(new Set(changed).size).toBe(CHECK_FILES.length);
});

test('so does one in what cleans, folds and parses a text before a check sees it', () => {
  const digest = digestOfSources();
  for (const name of [
    'core/text/sanitize.ts',
    'core/text/code-points.ts',
    'core/memory/memory.ts',
    'core/memory/inspected-file.ts',
    'store/format/format.ts',
  ]) {
    const file = join(ROOT, 'src', name);
    expect(digestOfSources((path) => readFileSync(path, 'utf8') + (path === file ? '\nfoo();' : ''))).not.toBe(digest);
  }
});

test('a comment, an empty line or a file that moved is no change of the rules', () => {
  const before = digestOfSources();
  const commented = (source: string) => `// Why.\n\n/** What.\n * More.\n */\n${source}`;
  const moved = (source: string) => source.replaceAll(/from '[^']+\/([^'/]+)'/g, "from './elsewhere/$1'");
  expect(digestOfSources((path) => commented(readFileSync(path, 'utf8')))).toBe(before);
  expect(withoutProse(moved(readFileSync(CHECK_FILES[0] ?? '', 'utf8')))).toBe(
    withoutProse(readFileSync(CHECK_FILES[0] ?? '', 'utf8')),
  );
});

test('the built program and its sources call the same rules the same', async () => {
  const store = await TestStore.open({ machine: thisMachine() });
  store.vault.close();
  const { out } = await piped(store.home, ['status', '--json']);
  expect(JSON.parse(out).versions.checks).toBe(rulesVersion(CHECKS));
});
