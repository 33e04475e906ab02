import { cpSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { CLIENTS, makeHome } from '../../testkit/clients.ts';
import { MAIN, ROOT } from '../../testkit/program.ts';

const source = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** What the server loads after its first call, as its source or its built file names it. */
function loadedWithTheRest(server: string): string[] {
  const [, rest = ''] = /function loadTheRest.*?Promise\.all\(\[(.*?)\]\)/s.exec(server) ?? [];
  return [...rest.matchAll(/import\(['"]\.\/([^'"]+)['"]\)/g)].map(([, path = '']) => path);
}

/** The built files that the server in `folder` loads after its first call, and all that each of them imports. */
function partsIn(folder: string): Set<string> {
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  const server = readdirSync(folder).find((name) => /^server-[A-Z0-9]{8}\.js$/.test(name)) ?? 'server';
  const parts = new Set(loadedWithTheRest(read(server)));
  for (const part of parts) {
    const imports = read(part).matchAll(/^(?:import|\} from) ?(?:.*from )?"\.\/([^"]+)";/gm);
    for (const [, imported = ''] of imports) parts.add(imported);
  }
  return parts;
}

test('everything that tools, resources and prompts load when they are called is loaded with the rest', () => {
  const importedIn = (file: string) =>
    [...source(file).matchAll(/import\('([^']+)'\)/g)].map(([, path = '']) => join(dirname(file), path));
  // The server calls what this file has for that, so what it imports is loaded too.
  const isCalled = (file: string) => file.endsWith('/load-ticket-taking.ts');
  expect(source('src/server.ts')).toContain('=> loadTicketTaking())');
  const all = globSync('src/{core,store,actions,tools,resources,prompts}/**/*.ts', { cwd: ROOT });
  const rooms = all.filter((file) => !isCalled(file));
  const loaded = loadedWithTheRest(source('src/server.ts')).map((path) => `src/${path}`);
  expect(loaded).toEqual(expect.arrayContaining([...new Set(rooms.flatMap(importedIn))]));
});

test('a server whose program was replaced by an upgrade goes on: it has loaded the rest of itself after its first call', async () => {
  const home = makeHome();
  // In the project, because the native module is found from there.
  const program = mkdtempSync(join(ROOT, '.built-for-tests-'));
  onTestFinished(() => {
    home.remove();
    rmSync(program, { recursive: true, force: true });
  });
  cpSync(dirname(MAIN), program, { recursive: true });
  // All of them: a part that is still being read when the files go is missing, and which is read last is chance.
  const parts = partsIn(program);
  expect(parts.size).toBeGreaterThanOrEqual(loadedWithTheRest(source('src/server.ts')).length);
  // Node names every part on stderr as it takes it in.
  const entry = join(program, basename(MAIN));
  const session = await CLIENTS[0]?.connect({ home, entry, env: { NODE_DEBUG: 'esm' } });
  if (session === undefined) throw new Error('no client');
  await session.callTool('search_memories', { query: 'anything' });
  const missing = () => {
    const taken = session.server.stderr.matchAll(/Translating StandardModule \S*\/([^/\s]+\.js)/g);
    return [...parts.difference(new Set([...taken].map(([, name = '']) => name)))];
  };
  await expect.poll(missing, { interval: 500 }).toEqual([]);
  for (const name of readdirSync(program)) rmSync(join(program, name), { recursive: true });

  const memory = { type: 'user', name: 'Branches', description: 'd', body: 'Branches are merged by rebase, always.' };
  const proposed = await session.callTool('propose_memory', memory);
  expect(proposed).toMatchObject({ isError: false });
  expect((await session.callTool('read_memory', { id: 'user_branches' })).isError).toBe(false);
  expect((await session.callTool('review_queue')).isError).toBe(false);
  expect((await session.readResource('memory://context')).text).toContain('user_branches');
  // Asks nobody, since nobody can be asked here, and says so.
  expect((await session.callTool('demote', { id: 'user_branches', reason: 'a try' })).text).toContain('surety review');
  await session.close();
});
