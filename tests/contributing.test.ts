import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CLIENTS, type Home, makeHome } from '../testkit/clients.ts';
import { ROOT } from '../testkit/program.ts';

// The worked examples of CONTRIBUTING.md, carried out in a copy of the sources.

interface Block {
  readonly kind: string;
  readonly file: string;
  readonly text: string;
}

let copy: string;
let home: Home;

function blocks(): Block[] {
  const page = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  return [...page.matchAll(/^```(ts|diff) (src\/\S+)\n(.*?)^```$/gms)].map(([, kind = '', file = '', text = '']) => ({
    kind,
    file,
    text,
  }));
}

/** Lines with a space or a minus must stand in the file as they are; a plus stands where it stands among them. */
function patched(source: string, diff: string): string {
  const lines = diff.split('\n').slice(0, -1);
  const side = (without: string) =>
    lines
      .filter((line) => !line.startsWith(without))
      .map((line) => `${line.slice(1)}\n`)
      .join('');
  const [before, after] = [side('+'), side('-')];
  expect(source.split(before).length, `once in the file: ${before}`).toBe(2);
  return source.replace(before, () => after);
}

beforeAll(() => {
  home = makeHome();
  copy = mkdtempSync(join(ROOT, '.built-for-tests-'));
  cpSync(join(ROOT, 'src'), join(copy, 'src'), { recursive: true });
  for (const file of ['package.json', 'tsconfig.json']) cpSync(join(ROOT, file), join(copy, file));
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  for (const { kind, file, text } of blocks()) {
    const path = join(copy, file);
    writeFileSync(path, kind === 'ts' ? text : patched(readFileSync(path, 'utf8'), text));
  }
});
afterAll(() => {
  home.remove();
  rmSync(copy, { recursive: true, force: true });
});

test('the page has an example of a tool, a check, a command and a transition', () => {
  const files = blocks().map(({ file }) => file);
  for (const folder of ['src/tools/', 'src/core/checks/', 'src/cli/commands/', 'src/core/trust/'])
    expect(
      files.some((file) => file.startsWith(folder)),
      folder,
    ).toBe(true);
});

test('the sources compile with every example in them', () => {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const run = () =>
    execFileSync(process.execPath, [tsc, '--noEmit', '-p', join(copy, 'tsconfig.json')], { encoding: 'utf8' });
  expect(run()).toBe('');
});

test('the tool of the example is listed and answers', async () => {
  const session = await CLIENTS[0]?.connect({ home, entry: join(copy, 'src/main.ts') });
  const answer = await session?.callTool('count_memories', {});
  expect(answer).toMatchObject({ isError: false, structured: { count: 0 } });
  await session?.close();
});

test('the check of the example finds what its evidence says', () => {
  const script = `
    import { inspect } from ${JSON.stringify(join(copy, 'src/core/checks/inspect.ts'))};
    import { CHECKS } from ${JSON.stringify(join(copy, 'src/core/checks/all.ts'))};
    import { shouting } from ${JSON.stringify(join(copy, 'src/core/checks/shouting.ts'))};
    import { subjectOf } from ${JSON.stringify(join(copy, 'src/core/memory/inspected-file.ts'))};
    import { read } from ${JSON.stringify(join(copy, 'src/store/format/format.ts'))};
    const says = (file) => inspect(subjectOf('user_evidence', read(Buffer.from(file)), 'found'), CHECKS).findings.some((f) => f.rule === 'capitals');
    const [{ catches, allows }] = shouting.evidence;
    console.log(JSON.stringify([catches.map(says), allows.map(says)]));
  `;
  const out = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8', cwd: copy });
  expect(JSON.parse(out)).toEqual([[true], [false]]);
});

test('the command of the example runs', () => {
  const env = { ...home.env, PATH: process.env.PATH ?? '' };
  const run = (...args: string[]) =>
    execFileSync(process.execPath, [join(copy, 'src/main.ts'), ...args], { encoding: 'utf8', env, cwd: home.folder });
  expect(run('count', '--help')).toContain('usage: surety count');
  expect(run('--help')).toContain('count the memories');
});

test('the transition of the example takes a person, and exists only there', () => {
  const script = (folder: string) => `
    import { judge, needsMet } from ${JSON.stringify(join(folder, 'src/core/trust/tiers.ts'))};
    const ask = (consent) => { try { return judge({ verb: 'dictate', from: null, who: 'operator', met: needsMet({ checks: true, consent }) }).to; } catch (error) { return error.code; } };
    console.log(JSON.stringify([ask(true), ask(false)]));
  `;
  const run = (folder: string) =>
    JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', script(folder)], { encoding: 'utf8' }));
  expect(run(copy)).toEqual(['verified', 'needs-person']);
  expect(run(ROOT)).toEqual(['not-allowed', 'not-allowed']);
});
