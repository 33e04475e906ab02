import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CLIENTS, type Home, makeHome } from '../../testkit/clients.ts';
import { piped } from '../../testkit/piped.ts';
import { prepare, sharedEnv } from '../../testkit/prepared.ts';
import { runHook } from '../../testkit/run-hook.ts';
import type { TestStore } from '../../testkit/store.ts';

// A store's folder that was moved, or whose disk is not mounted: nothing may put an empty store in its place.

const GONE =
  'any more: this machine has used one there. If its folder was moved, move it back, or name the new place with --root or SURETY_ROOT;';

let home: Home;
let store: TestStore;
let id: string;
beforeEach(async () => {
  home = makeHome();
  store = await prepare(home);
  id = await store.verified('merging by rebase');
  renameSync(store.places.root, `${store.places.root}-moved`);
});
afterEach(() => home.remove());

test('a server creates none, says so with every tool, and serves the store once it is back', async () => {
  const { root } = store.places;
  const [any] = CLIENTS;
  const session = await any?.connect({ home, env: sharedEnv(home) });
  if (session === undefined) throw new Error('no client');
  for (const [tool, input] of [
    ['search_memories', { query: 'rebase' }],
    ['review_queue', {}],
    ['propose_memory', { type: 'user', name: 'spaces', description: 'Spaces in SQL', body: 'Use spaces in SQL.' }],
  ] as const) {
    const { structured } = await session.callTool(tool, input);
    expect(structured).toMatchObject({ error: { code: 'store-gone', sentence: expect.stringContaining(GONE) } });
  }
  expect(existsSync(root)).toBe(false);
  renameSync(`${root}-moved`, root);
  const { structured } = await session.callTool('search_memories', { query: 'rebase' });
  expect(structured).toMatchObject({ hits: [{ id, tier: 'verified' }] });
  await session.close();
});

test('the person learns it when a session starts, and a prompt creates none', async () => {
  const env = sharedEnv(home);
  const start = await runHook(home.folder, 'session-start', { source: 'startup', cwd: home.folder }, { env });
  expect(start.answer).toMatchObject({ systemMessage: expect.stringContaining(GONE) });
  const prompt = { prompt: 'Remember: we merge by rebase.', cwd: home.folder };
  expect(await runHook(home.folder, 'user-prompt-submit', prompt, { env })).toMatchObject({
    code: 0,
    out: '',
    err: '',
  });
  expect(existsSync(store.places.root)).toBe(false);
});

test('a server that runs already says so with every tool and resource, and serves the store once it is back', async () => {
  const { root } = store.places;
  renameSync(`${root}-moved`, root);
  const [any] = CLIENTS;
  const session = await any?.connect({ home, env: sharedEnv(home) });
  if (session === undefined) throw new Error('no client');
  const search = () => session.callTool('search_memories', { query: 'rebase' });
  expect((await search()).structured).toMatchObject({ hits: [{ id }] });
  renameSync(root, `${root}-moved`);
  for (const [tool, input] of [
    ['search_memories', { query: 'rebase' }],
    ['read_memory', { id }],
    ['review_queue', {}],
    ['propose_memory', { type: 'user', name: 'spaces', description: 'Spaces in SQL', body: 'Use spaces in SQL.' }],
    ['promote', { id }],
  ] as const) {
    const { structured } = await session.callTool(tool, input);
    expect(structured, tool).toMatchObject({ error: { code: 'store-gone', sentence: expect.stringContaining(GONE) } });
  }
  for (const uri of ['memory://context', 'memory://review', 'memory://status', `memory://verified/${id}`])
    await expect(session.readResource(uri), uri).rejects.toThrow(GONE);
  renameSync(`${root}-moved`, root);
  expect((await search()).structured).toMatchObject({ hits: [{ id, tier: 'verified' }] });
  await session.close();
});

test('git took the folders away, as a checkout of a branch without memories does, and left what it ignores', async () => {
  const { root } = store.places;
  for (const left of ['.gitignore', '.surety'])
    cpSync(join(`${root}-moved`, left), join(root, left), { recursive: true });
  const { code, err } = await piped(home.folder, ['status'], sharedEnv(home));
  expect([code, err]).toEqual([1, expect.stringContaining(GONE)]);
  expect(existsSync(join(root, 'memories'))).toBe(false);
});

test('what it says about a moved folder leads to the memories, also where the store has a repository', async () => {
  const moved = `${store.places.root}-moved`;
  execFileSync('git', ['init', '--quiet', moved]);
  const env = { ...sharedEnv(home), SURETY_ROOT: moved };
  const { err } = await piped(home.folder, ['status'], sharedEnv(home));
  const [, steps = ''] = /SURETY_ROOT; (.*?)until then/s.exec(err.replaceAll(/\s+/g, ' ')) ?? [];
  for (const [, step = ''] of steps.matchAll(/surety ([a-z]+)/g)) {
    const { out, err } = await piped(home.folder, [step], env);
    expect(err, step).not.toContain('surety:');
    if (step === 'doctor') expect(out.replaceAll(/\s+/g, ' ')).toContain('accept the ledger as it is');
  }
  expect(steps).toContain('surety doctor');
});
