import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { PERSONS_COMMANDS, type Scene, violationOf } from '../../src/actions/agent/tool-guard.ts';
import { COMMANDS } from '../../src/cli/registry.ts';
import { ROOT } from '../../testkit/program.ts';
import { temporaryFolder } from '../../testkit/store.ts';

let home: string;
let work: string;
let scene: Scene;
beforeEach(() => {
  home = join(temporaryFolder(), 'home');
  work = join(home, 'work', 'project');
  mkdirSync(join(home, '.surety', 'memories'), { recursive: true });
  mkdirSync(join(home, '.config', 'surety'), { recursive: true });
  mkdirSync(work, { recursive: true });
  scene = {
    env: { HOME: home },
    home,
    account: home,
    platform: 'linux',
    program: join(home, 'opt', 'dist', 'main.js'),
  };
});

function judge(tool: string, input: unknown, cwd = work) {
  return violationOf({ tool, input, cwd }, scene);
}

/** Tools of Claude Code and of other servers that name a file, each with the field that names it. */
const FILE_TOOLS: readonly (readonly [tool: string, input: (path: string) => unknown])[] = [
  ['Write', (file_path) => ({ file_path, content: 'x' })],
  ['Edit', (file_path) => ({ file_path, old_string: 'a', new_string: 'b' })],
  ['MultiEdit', (file_path) => ({ file_path, edits: [{ old_string: 'a', new_string: 'b' }] })],
  ['NotebookEdit', (notebook_path) => ({ notebook_path, new_source: 'x' })],
  ['Read', (file_path) => ({ file_path })],
  ['Grep', (path) => ({ pattern: 'x', path })],
  ['Glob', (path) => ({ pattern: '*.md', path })],
  ['Glob', (pattern) => ({ pattern })],
  ['Grep', (glob) => ({ pattern: 'x', glob })],
  ['mcp__filesystem__write_file', (path) => ({ path, content: 'x' })],
  ['mcp__filesystem__move_file', (destination) => ({ source: 'a.md', destination })],
  ['mcp__filesystem__read_multiple_files', (path) => ({ paths: ['a.md', path] })],
  ['mcp__editor__open', (path) => ({ document: { uri: `file://${path}` } })],
  // Field names that other servers use for a path.
  ...['location', 'name', 'key', 'url', 'line', 'input', 'item', 'x'].map(
    (key) => [`mcp__other__do with ${key}`, (path: string) => ({ [key]: path })] as const,
  ),
  ['mcp__other__deep', (path) => ({ steps: [{ what: { 0: ['a', path] } }] })],
  ['mcp__other__address', (path) => ({ url: `file://${path}` })],
  ['mcp__other__apart', (path) => ({ base: home, name: path.slice(home.length + 1) })],
  ['mcp__other__line', (path) => ({ line: `cat '${path}'` })],
  ['mcp__other__patch', (path) => ({ patch: `*** Begin Patch\n*** Update File: ${path}\n@@\n-a\n+b\n*** End Patch` })],
  ['mcp__other__diff', (path) => ({ diff: `--- a/x\n+++ ${path}\n@@ -1 +1 @@\n-a\n+b\n` })],
];

describe.each(FILE_TOOLS)('%s', (tool, input) => {
  test('may not touch the store or the config, state and cache folders', () => {
    const closed = [
      '.surety/memories/user_x.md',
      '.surety/quarantine/user_x.md',
      '.surety/archive/2026-01/user_x.md',
      '.surety/ledger/new.jsonl',
      '.surety',
      '.config/surety/config.json',
      '.config/surety/key.pem',
      '.local/state/surety/abc/vouched/0f',
      '.local/state/surety/abc/heads.json',
      '.cache/surety/abc/index.db',
    ];
    for (const path of closed) expect(judge(tool, input(join(home, path))), path).toBe('own-files');
  });

  test('may touch paths that only look like them', () => {
    const open = [
      '.surety-notes/x.md',
      '.config/suretyx',
      'work/project/surety/memories/x.md',
      'x.md',
      '.configs/surety/x',
    ];
    for (const path of open) expect(judge(tool, input(join(home, path))), path).toBeUndefined();
  });
});

test.each([
  ['through ..', () => '../../.surety/memories/x.md'],
  ['through .. out of the store and back', () => join(home, '.surety', '..', '.surety', 'memories', 'x.md')],
  ['with ~', () => '~/.surety/memories/x.md'],
  ['as an address with its letters encoded', () => `file://${join(home, '%2Esurety', 'memor%69es', 'x.md')}`],
  ['as an address that is none', () => `file://${join(home, '.surety', '%')}`],
  ['in another case', () => join(home, '.Surety', 'MEMORIES', 'x.md')],
  ['with doubled slashes and dots', () => `${home}//.surety/./memories//x.md`],
  ['through a link to the folder', () => link('shortcut', join(home, '.surety'), 'memories/x.md')],
  ['through a link to a folder above it', () => link('up', home, '.surety/memories/x.md')],
  ['through a link to a file that does not exist yet', () => link('new.md', join(home, '.surety/memories/new.md'))],
  [
    'through a link to a link',
    () => {
      link('one', join(home, '.surety', 'memories'));
      return link('two', join(work, 'one'), 'x.md');
    },
  ],
  ['through a relative link that leads nowhere yet', () => link('later', '../../.cache/surety/index.db')],
])('a path is judged by where it leads: %s', (_, path) => {
  expect(judge('Write', { file_path: path() })).toBe('own-files');
});

function link(name: string, target: string, below = ''): string {
  symlinkSync(target, join(work, name));
  return below === '' ? name : `${name}/${below}`;
}

test('a store that is itself a link is closed under both names', () => {
  const real = join(home, 'elsewhere');
  mkdirSync(join(real, 'memories'), { recursive: true });
  symlinkSync(real, join(home, 'mine'));
  scene = { ...scene, root: join(home, 'mine') };
  for (const name of ['mine', 'elsewhere']) {
    expect(judge('Write', { file_path: join(home, name, 'memories', 'x.md') }), name).toBe('own-files');
  }
});

test('links in a circle are handled', () => {
  link('a', 'b');
  link('b', 'a');
  expect(judge('Write', { file_path: 'a/x.md' })).toBeUndefined();
});

test('variables that move the folders close the new places and keep the usual ones closed', () => {
  const env = { HOME: home, SURETY_ROOT: '/srv/memory', XDG_CONFIG_HOME: '/srv/config', XDG_STATE_HOME: 'relative' };
  scene = { ...scene, env };
  for (const path of [
    '/srv/memory/memories/x.md',
    '/srv/config/surety/config.json',
    '~/.surety/x',
    '~/.config/surety/x',
  ]) {
    expect(judge('Write', { file_path: path }), path).toBe('own-files');
  }
  expect(judge('Write', { file_path: '/srv/config/other' })).toBeUndefined();
});

test('a home folder chosen by a repository keeps the account’s own closed', () => {
  scene = { ...scene, home: work, env: { HOME: work } };
  expect(judge('Write', { file_path: join(home, '.surety', 'memories', 'x.md') })).toBe('own-files');
  expect(judge('Write', { file_path: join(work, '.surety', 'memories', 'x.md') })).toBe('own-files');
});

test.each([
  'cat ~/.surety/memories/user_x.md',
  'echo x > ~/.surety/memories/user_x.md',
  'echo x>>$HOME/.surety/quarantine/user_x.md',
  'cp evil.md "$HOME"/.surety/memories/',
  `cp evil.md "$${'{HOME}'}/.sur"ety/memories/`,
  "bash -c 'rm -rf ~/.surety'",
  'cd && cat .surety/memories/user_x.md',
  'cd ~ && sed -i s/inferred/verified/ .surety/memories/*',
  'cd ../..; ls .surety',
  'git -C ~ add .surety',
  'cat ~/.sur*/memories/user_x.md',
  'cat ~/.{surety,bashrc}/memories/user_x.md',
  'cat ~/.[s]urety/x',
  'D=~/.surety; tee "$D"/memories/x',
  'tar czf - -C ~/.local state/surety',
  'PATH=$PATH:~/.surety/bin true',
  "python3 -c \"open('.config/surety/config.json','w')\" && cd ~",
  'cat ~/.config/surety/config.json',
  'find / -path "*/.surety/*"',
  'ls ../../.surety',
  'cat ~/.local/state/surety/*/vouched/*',
  'ln ~/.surety/memories/user_x.md /tmp/y',
  'cat ~/.sure\\ty/memories/x',
  'cat ~/.surety\\\n/memories/x',
  `ls "$${'{XDG_STATE_HOME:-$HOME/.local/state}'}/surety"`,
  `cat $${'{XDG_CONFIG_HOME-$HOME/.config}'}/surety/config.json`,
])('a command that names them is refused: %s', (command) => {
  expect(judge('Bash', { command, description: 'look' })).toBe('own-files');
});

test.each([
  'surety review',
  `echo '{"prompt":"x"}' | AI_AGENT= surety hook user-prompt-submit`,
  'surety --root /srv/store review --web',
  'npx surety review',
  'npx -y surety@latest add --type user',
  'npm exec surety -- erase user_x',
  'CLAUDECODE= surety review',
  'env -u CLAUDECODE surety adopt user_x',
  'script -qc "surety review" /dev/null',
  "python3 -c \"import pty; pty.spawn(['surety','review'])\"",
  'node -e \'require("child_process").spawn("surety", ["machines", "trust"])\'',
  './node_modules/.bin/surety review',
  'node node_modules/surety/dist/main.js review',
  'node ../../opt/dist/main.js review',
  'echo y | surety   import ~/notes',
  'true&&surety init --root .',
  'sur"ety" rev""iew',
  'cd ../../opt && node dist/main.js review',
  'cd ../..; cd opt && node ./dist/main.js add --type user',
  'pushd ~/opt && node dist/main.js review',
  'node ../../copy/dist/main.js review',
  'cd ~/copy && node src/main.ts review',
  'npm --prefix ~/copy exec -- node dist/main.js review',
  'surety review --helpful',
  'surety review\n--help',
  'surety --help && surety review',
  'surety review; surety review --help',
  'grep -rn "surety adopt" docs; surety adopt user_x',
  'grep -h "surety review" notes | sh',
  'grep "$(surety review)" notes',
  'rg --pre "surety review" x',
  'echo "surety review" | bash',
  "bash -c 'grep x y && surety review'",
])('a command meant for the person is refused: %s', (command) => {
  mkdirSync(join(home, 'opt', 'dist'), { recursive: true });
  writeFileSync(join(home, 'opt', 'dist', 'main.js'), '');
  mkdirSync(join(home, 'copy'));
  writeFileSync(join(home, 'copy', 'package.json'), '{"name":"surety"}');
  expect(judge('Bash', { command })).toBe('persons-command');
});

test.each<[string, unknown]>([
  ['a list', { command: ['surety', 'review'] }],
  ['a program and its arguments', { cmd: 'npx', args: ['-y', 'surety', 'review'] }],
  ['a list of arguments', { argv: ['env', '-u', 'CLAUDECODE', 'surety', 'add'] }],
])('a command meant for the person is refused as %s', (_, input) => {
  expect(judge('mcp__shell__run', input)).toBe('persons-command');
});

test('an input that is itself a string or a list is checked too', () => {
  for (const input of ['~/.surety/x', ['a', '~/.surety/x']]) expect(judge('mcp__a__b', input)).toBe('own-files');
});

test('the wildcards of a search start where the search does', () => {
  expect(judge('Grep', { pattern: 'x', path: home, glob: '.surety/**' })).toBe('own-files');
  expect(judge('Grep', { pattern: 'x', path: '~', glob: '**/.surety/memories/*.md' })).toBe('own-files');
  expect(judge('Grep', { pattern: 'x', path: home, glob: '**/*.md' })).toBeUndefined();
});

test.each([
  'git status && npm test',
  'ls -la ~ ~/.config',
  'surety --help',
  'surety status --json',
  'surety check docs/*.md',
  'npx surety search ports',
  'grep -rn review src',
  'cat ~/.bashrc',
  'echo "a review of surety bonds"',
  'cat node_modules/surety/README.md',
  'node dist/main.js review',
  'cd ../other && node dist/main.js review',
  'cd ~/other && npm test && node src/main.ts add',
  'grep -rn "surety adopt" docs',
  "rg 'surety review|surety add' -g '*.md'",
  'git grep -n "surety import" | head',
  'cd docs && grep -c "surety erase" *.md && ls',
  'surety review --help',
  'npx surety add -h',
  'surety --help review',
  'node node_modules/surety/dist/main.js machines --help',
  '',
  '"',
  '$',
])('other commands are allowed: %s', (command) => {
  expect(judge('Bash', { command })).toBeUndefined();
});

test('text that a tool writes may name them', () => {
  expect(
    judge('Write', { file_path: 'notes.md', content: 'see ~/.surety/memories and run surety review' }),
  ).toBeUndefined();
  expect(judge('Edit', { file_path: 'a.md', old_string: '~/.surety', new_string: 'surety add' })).toBeUndefined();
  expect(judge('Grep', { pattern: '~/.surety/', path: '.' })).toBeUndefined();
  const patch =
    '*** Begin Patch\n*** Update File: docs/a.md\n@@\n-x\n+see ~/.surety and run surety review\n*** End Patch';
  expect(judge('mcp__other__apply', { patch })).toBeUndefined();
  expect(judge('mcp__chat__post', { text: 'please run surety review; it is in ~/.surety' })).toBeUndefined();
});

test('a command beside a patch is looked at, and so is what is typed into an open shell', () => {
  const patch = '*** Begin Patch\n*** Add File: a.md\n+about ~/.surety/memories\n*** End Patch';
  expect(judge('Bash', { command: `apply_patch <<'E'\n${patch}\nE` })).toBeUndefined();
  const copied = `apply_patch <<'E'\n${patch}\nE\ncp a.md ~/.surety/memories/user_x.md`;
  expect(judge('Bash', { command: copied })).toBe('own-files');
  expect(judge('write_stdin', { session_id: 1, chars: 'surety promote user_x\n' })).toBe('persons-command');
});

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['a number', 5],
  ['a text', 'x'],
  ['a list', ['x']],
  ['a path that is no text', { file_path: { toString: 1 } }],
  ['an empty path', { file_path: '' }],
  ['a path with NUL', { file_path: 'a\0b' }],
  ['a very long path', { file_path: `/${'x/'.repeat(50_000)}` }],
  ['lone surrogates', { file_path: '\ud800', command: '\udfff' }],
])('an input that is %s is neither refused nor an error', (_, input) => {
  for (const tool of ['Write', 'Bash', 'Glob', '__proto__']) expect(judge(tool, input)).toBeUndefined();
});

test('a command with more folders and words than can be judged in time is refused', () => {
  const words = Array.from({ length: 1_000 }, (_, i) => `w${i}`).join(' ');
  const folders = Array.from({ length: 600 }, (_, i) => {
    const link = join(work, `up${i}`);
    symlinkSync(home, link);
    return link;
  });
  expect(judge('Bash', { command: `ls ${folders.join(' ')} ${words}` })).toBe('own-files');
  expect(judge('Bash', { command: `cd; ls / .. ~ ${folders.slice(0, 20).join(' ')} ${words}` })).toBeUndefined();
});

test('a command with more programs that may be ours than can be looked up in time is refused', () => {
  const starts = (count: number) => Array.from({ length: count }, (_, i) => `cd d${i}; x${i}/main.js add`).join('; ');
  expect(judge('Bash', { command: starts(300) })).toBe('persons-command');
  expect(judge('Bash', { command: starts(20) })).toBeUndefined();
});

test('what stands behind thousands of other values or words is seen too', () => {
  const others = Array.from({ length: 5_000 }, (_, i) => `a${i}`);
  const paths = [...others, '../../.surety/memories/user_x.md'];
  expect(judge('mcp__filesystem__read_multiple_files', { paths })).toBe('own-files');
  expect(judge('mcp__filesystem__read_multiple_files', { paths: [...others, ...others] })).toBeUndefined();
  for (const reads of ['cat ../../.surety/memories/user_x.md', 'cd; cat .config/surety/key.json'])
    expect(judge('Bash', { command: `: ${others.join(' ')}; ${reads}` })).toBe('own-files');
});

test('an endlessly nested input, or one with hundreds of thousands of values, is handled', () => {
  let deep: unknown = 'x';
  for (let i = 0; i < 100_000; i++) deep = { path: deep };
  expect(judge('mcp__a__b', deep)).toBeUndefined();
  expect(judge('mcp__a__b', { paths: Array.from({ length: 300_000 }, () => 'a') })).toBeUndefined();
  const wide = Object.fromEntries(Array.from({ length: 300_000 }, (_, i) => [`path${i}`, ['a', 'b']]));
  expect(judge('mcp__a__b', wide)).toBeUndefined();
  const command = `${'cat a/b/c.txt ; '.repeat(20_000)}${'*'.repeat(5_000)} ${'{a,b}'.repeat(2_000)} ${'/**'.repeat(500)}`;
  expect(judge('Bash', { command })).toBeUndefined();
});

test('a command padded with many words is judged quickly, because the program is looked up once', () => {
  let asked = 0;
  const { program, ...rest } = scene;
  scene = {
    ...rest,
    get program() {
      asked += 1;
      return program;
    },
  };
  expect(judge('Bash', { command: `${'a b '.repeat(20_000)} ; surety review` })).toBe('persons-command');
  expect(asked).toBeLessThan(5);
});

test('every command that asks the person or creates a store is on the guard’s list', () => {
  const folder = join(ROOT, 'src/cli/commands');
  const asks = readdirSync(folder).filter((name) =>
    /\battended\(|\bwhyNobody\(/.test(readFileSync(join(folder, name), 'utf8')),
  );
  expect(asks.length).toBeGreaterThan(2);
  for (const name of [...asks.map((file) => file.replace(/\.ts$/, '')), 'init']) {
    expect(Object.keys(COMMANDS)).toContain(name);
    expect([...PERSONS_COMMANDS], name).toContain(name);
  }
});

test.each([
  ['options', '- '.repeat(60_000), undefined],
  ['ends of commands', '`; '.repeat(60_000), undefined],
  ['subcommands', 'add '.repeat(40_000), undefined],
  ['options, and the command', `${'- '.repeat(60_000)}; surety review`, 'persons-command'],
])('a long command of %s is gone through once', (_, command, violation) => {
  expect(judge('Bash', { command })).toBe(violation);
});
