import { cpSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import { CLIENTS, makeHome } from '../../testkit/clients.ts';
import { MAIN, ROOT } from '../../testkit/program.ts';

test('what the program reads when it starts holds all that it needs later', () => {
  const scripts = globSync('{program,hooks,guard}-*.js', { cwd: dirname(MAIN) });
  expect(scripts).toHaveLength(3);
  for (const script of scripts) {
    // As esbuild writes what it leaves to be loaded. A module that is needed later is a function in the same file.
    const text = readFileSync(join(dirname(MAIN), script), 'utf8');
    expect(text.match(/\b(?:import|require)\("[./][^"]*"\)/g) ?? [], script).toEqual([]);
  }
});

test('a script is as strict as the modules that it was made of', () => {
  for (const name of globSync('{program,hooks,guard}-*.js', { cwd: dirname(MAIN) })) {
    const text = readFileSync(join(dirname(MAIN), name), 'utf8');
    const probed = text.replace(/\}\)\s*$/, ';return (function () { return this === undefined; })();})');
    const isStrict = new Script(probed).runInThisContext()(process.getBuiltinModule, {}, {});
    expect(isStrict, name).toBe(true);
  }
});

test('a server whose program was replaced by an upgrade goes on: it has read all of itself before its first call', async () => {
  const home = makeHome();
  // In the project, because the native module is found from there.
  const program = mkdtempSync(join(ROOT, '.built-for-tests-'));
  onTestFinished(() => {
    home.remove();
    rmSync(program, { recursive: true, force: true });
  });
  cpSync(dirname(MAIN), program, { recursive: true });
  rmSync(join(program, 'compiled'), { recursive: true, force: true });
  const session = await CLIENTS[0]?.connect({ home, entry: join(program, basename(MAIN)) });
  if (session === undefined) throw new Error('no client');
  for (const name of readdirSync(program)) rmSync(join(program, name), { recursive: true });

  await session.callTool('search_memories', { query: 'anything' });
  const memory = { type: 'user', name: 'Branches', description: 'd', body: 'Branches are merged by rebase, always.' };
  const proposed = await session.callTool('propose_memory', memory);
  expect(proposed).toMatchObject({ isError: false });
  expect((await session.callTool('read_memory', { id: 'user_branches' })).isError).toBe(false);
  expect((await session.callTool('review_queue')).isError).toBe(false);
  expect((await session.readResource('memory://context')).text).toContain('user_branches');
  // Asks nobody, since nobody can be asked here, and says so.
  expect((await session.callTool('demote', { id: 'user_branches', reason: 'a try' })).text).toContain('surety review');
  await session.close();
  // What it compiled would lie beside a program that it is not of.
  expect(readdirSync(program)).toEqual([]);
});
