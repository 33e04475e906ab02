import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CHECKS } from '../../src/core/checks/all.ts';
import { rulesVersion, sealOfSources } from '../../src/store/format/rules-version.ts';
import { thisMachine } from '../../src/store/places/host.ts';
import { ROOT } from '../helpers/clients.ts';
import { piped } from '../helpers/piped.ts';
import { TestStore } from '../helpers/store.ts';

const CHECK_FILES = readdirSync(join(ROOT, 'src/core/checks')).map((name) => join(ROOT, 'src/core/checks', name));

test('a change in any file of the checks gives the rules another name', () => {
  const seal = sealOfSources();
  const changed = CHECK_FILES.map((file) =>
    sealOfSources((path) => readFileSync(path, 'utf8') + (path === file ? '\n' : '')),
  );
  expect(changed).not.toContain(seal);
  expect(new Set(changed).size).toBe(CHECK_FILES.length);
});

test('so does one in what cleans, folds and parses a text before a check sees it', () => {
  const seal = sealOfSources();
  for (const name of [
    'core/sanitize.ts',
    'core/text-classes.ts',
    'core/memory.ts',
    'core/subject.ts',
    'store/format.ts',
  ]) {
    const file = join(ROOT, 'src', name);
    expect(sealOfSources((path) => readFileSync(path, 'utf8') + (path === file ? '\n' : ''))).not.toBe(seal);
  }
});

test('the built program and its sources call the same rules the same', async () => {
  const store = await TestStore.open({ machine: thisMachine() });
  store.vault.close();
  const { out } = await piped(store.home, ['status', '--json']);
  expect(JSON.parse(out).versions.checks).toBe(rulesVersion(CHECKS));
});
