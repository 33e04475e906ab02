import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { lostMentions } from '../../../src/actions/anchors.ts';
import { Checkout } from '../../../src/store/checkout/checkout.ts';
import { repositoryIn } from '../../../testkit/review-page.ts';
import { TestStore } from '../../../testkit/store.ts';

// What a body names in backticks is looked at in the repository of its project, for a person only.

const FILES = {
  'package.json': JSON.stringify({ scripts: { test: 'vitest run', 'bench:quick': 'node bench.ts' } }),
  Makefile: '.PHONY: release\nrelease: build\n\techo done\ndocs :\n\techo docs\n',
  'src/core/text.ts': 'export const limit = process.env.SHOP_LIMIT;\n',
  'src/server.ts': 'export {};\n',
  'docs/deploy.md': '# Deploying\n',
};

let store: TestStore;
let shop: string;
beforeEach(async () => {
  store = await TestStore.open();
  shop = join(store.home, 'shop');
  repositoryIn(shop, FILES);
});

async function lost(body: string, project = 'acme/shop', ms = 10_000): Promise<string[]> {
  const id = await store.propose(`about ${body.length}`, { type: 'project', project, body });
  const { shown } = store.load(id);
  if (shown === undefined) throw new Error('it cannot be read');
  return lostMentions(Checkout.at(shop), shown, ms);
}

describe.each([
  ['a path', 'See `src/core/text.ts` first.', 'See `src/core/words.ts` first.', 'src/core/words.ts'],
  ['a folder', 'All of it is in `src/core/`.', 'All of it is in `src/engine/`.', 'src/engine'],
  [
    'a path that leaves out where it begins',
    'See `core/text.ts` first.',
    'See `core/words.ts` first.',
    'core/words.ts',
  ],
  ['the name of a file', 'See `server.ts` first.', 'See `client.ts` first.', 'client.ts'],
  ['a script', 'Run `npm run bench:quick` first.', 'Run `npm run bench:all` first.', 'npm run bench:all'],
  ['a script of another tool', 'Run `pnpm run test` first.', 'Run `pnpm run e2e` first.', 'pnpm run e2e'],
  ['a target of make', 'Run `make release` first.', 'Run `make publish` first.', 'make publish'],
  ['a target with a space', 'Run `make docs` first.', 'Run `make doc` first.', 'make doc'],
  ['a variable', 'Set `SHOP_LIMIT` before.', 'Set `SHOP_TIMEOUT` before.', 'SHOP_TIMEOUT'],
])('%s', (_what, there, gone, name) => {
  test('that the repository has is not named', async () => expect(await lost(there)).toEqual([]));
  test('that it no longer has is named', async () => expect(await lost(gone)).toEqual([name]));
});

test.each([
  ['a variable of another program', 'Set `NODE_OPTIONS` before.'],
  ['a path of another place', 'Look into `etc/hosts.d/shop` first.'],
  ['a made folder', 'The program is in `dist/main.js` then.'],
  ['an ending that nothing here has', 'The schema is `shop.sql` there.'],
  ['words that are no path', 'Say `yes / no` and `a*b/c` then.'],
  ['a path without backticks', 'See src/core/words.ts first.'],
])('%s is nothing that was lost', async (_what, body) => expect(await lost(body)).toEqual([]));

test('a script counts only where a manifest can be read, and a target only where there is a Makefile', async () => {
  writeFileSync(join(shop, 'package.json'), '{ "scripts": ');
  expect(await lost('Run `npm run nothing` first.')).toEqual([]);
  writeFileSync(join(shop, 'Makefile'), '\0');
  expect(await lost('Run `make nothing` first.')).toEqual([]);
});

test('nothing is named in another project, or where no time is left', async () => {
  expect(await lost('See `src/core/words.ts` first.', 'acme/other')).toEqual([]);
  expect(await lost('See `src/core/nothing.ts` first.', 'acme/shop', -1)).toEqual([]);
});
