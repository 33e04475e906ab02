import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { parse } from 'jsonc-parser';
import { expect, test } from 'vitest';
import { bareRemote } from '../../../testkit/fleet.ts';
import { piped } from '../../../testkit/piped.ts';
import { BARE_ENV, MAIN } from '../../../testkit/program.ts';
import { temporaryFolder } from '../../../testkit/store.ts';
import { storeTenDaysAgo, TestTerminal, terminalTest } from '../../../testkit/terminal.ts';

/** Files somebody may have before Surety comes, by name; what is not named is not there. */
type Files = Readonly<Record<string, string>>;

const SETTINGS = `{
    "model": "opus",
    "hooks": {
        "PreToolUse": [
            { "matcher": "Bash", "hooks": [{ "type": "command", "command": "true" }] }
        ]
    },
    "permissions": {"allow":["Bash(ls)"]}
}
`;
const GLOBAL = '{"numStartups":3,"mcpServers":{"other":{"command":"x"}},"projects":{}}';
const BOTH: Files = { '.claude/settings.json': SETTINGS, '.claude.json': GLOBAL };

function homeWith(files: Files): string {
  const home = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  return home;
}

/** Everything in a home but Surety's own folders: path, kind, rights and bytes. */
function snapshot(home: string): string[] {
  const own = /^(?:\.surety|\.config|\.local|\.cache)(?:\/|$)/;
  return readdirSync(home, { recursive: true, encoding: 'utf8' })
    .filter((name) => !own.test(name))
    .sort()
    .map((name) => {
      const stat = lstatSync(join(home, name));
      const bytes = stat.isFile() ? readFileSync(join(home, name), 'utf8') : '';
      return `${name} ${(stat.mode & 0o7777).toString(8)} ${stat.isSymbolicLink()} ${bytes}`;
    });
}

async function answered(
  home: string,
  args: readonly string[],
  answer: string,
  memory = 'n',
): Promise<{ code: number; shown: string }> {
  const terminal = new TestTerminal(home, args);
  await terminal.answer(answer);
  // Once it is set up, the client's own memory is asked about; else the offer of a passkey comes next.
  if (!args.includes('--undo')) {
    const next = await terminal.until(/(?:answer|Enter leaves it): $/).catch(() => '');
    if (next !== '') terminal.press(next.endsWith('answer: ') ? `${memory}\r` : '\r');
  }
  return terminal.end();
}

function json(home: string, name: string) {
  return JSON.parse(readFileSync(join(home, name), 'utf8'));
}

terminalTest('shows every line before it writes, registers the server and the hooks, and keeps the rest', async () => {
  const home = homeWith(BOTH);
  const { code, shown } = await answered(home, ['init'], 'y');
  expect(code).toBe(0);
  for (const line of [
    join(home, '.claude.json'),
    join(home, '.claude/settings.json'),
    '"SessionStart": [',
    'hook pre-tool-use"',
  ]) {
    expect(shown.slice(0, shown.indexOf('answer:'))).toContain(line);
  }
  const { mcpServers, numStartups } = json(home, '.claude.json');
  expect(numStartups).toBe(3);
  expect(mcpServers).toEqual({
    other: { command: 'x' },
    surety: { type: 'stdio', command: process.execPath, args: [MAIN], env: {} },
  });
  const { hooks, permissions } = json(home, '.claude/settings.json');
  expect(permissions).toEqual({ allow: ['Bash(ls)'] });
  expect(hooks.PreToolUse).toHaveLength(2);
  expect(hooks.SessionStart[0].hooks[0].command).toBe(`${process.execPath} ${MAIN} hook session-start`);
  expect(hooks.UserPromptSubmit[0].hooks[0].command).toBe(`${process.execPath} ${MAIN} hook user-prompt-submit`);
  expect(shown).toContain('codex mcp add surety -- ');
  expect(shown.replaceAll(/\s+/g, ' ')).toMatch(
    /Next: begin a new session in Claude Code, and type what it should know, such as: remember: we deploy only on weekdays $/,
  );
});

const STARTS: readonly [string, Files][] = [
  ['both files', BOTH],
  ['neither file but the folder', { '.claude/CLAUDE.md': 'x' }],
  ['only the settings', { '.claude/settings.json': '{}' }],
  ['only the servers, and no folder', { '.claude.json': '{\r\n\t"a": 1\r\n}' }],
  ['settings without a last newline', { '.claude/settings.json': '{\n  "hooks": {}\n}' }],
  [
    'comments, and a comma behind the last',
    {
      '.claude/settings.json': '// mine\n{\n  "model": "opus", // the large one\n  /* no hooks yet */\n}\n',
      '.claude.json': '{\n  "mcpServers": {\n    // none\n  } /* so far */\n}\n',
    },
  ],
  ['servers where an early version kept them', { '.claude/.config.json': '{"a":1}', '.claude/settings.json': '{}\n' }],
];

for (const [start, files] of STARTS) {
  terminalTest(`init and then --undo leaves every file as it was: with ${start}`, async () => {
    const home = homeWith(files);
    const before = snapshot(home);
    expect((await answered(home, ['init'], 'y')).code).toBe(0);
    expect(snapshot(home)).not.toEqual(before);
    const { code, shown } = await answered(home, ['init', '--undo'], 'y');
    expect(shown).toContain('[y] take this out   [n] leave it (Enter)');
    expect(shown).toContain('Surety is out of the files of Claude Code');
    const staying = shown.slice(shown.indexOf('These folders stay.')).replaceAll(/\s+/g, ' ');
    for (const folder of ['.surety (the memories', '.config/surety (this machine’s key', '.local/state/surety/'])
      expect(staying).toContain(join(home, folder));
    expect(code).toBe(0);
    expect(snapshot(home)).toEqual(before);
    expect(existsSync(join(home, '.config/surety/clients.json'))).toBe(false);
    expect(existsSync(join(home, '.surety/memories'))).toBe(true);
  });
}

terminalTest('in a narrow window a changed line goes on set in, and a folder that stays is in one piece', async () => {
  const home = homeWith(BOTH);
  const state = /\S*\/\.local\/state\/surety\/[0-9a-f]{32}/;
  const asked = new TestTerminal(home, ['init'], { columns: 60 });
  const shown = await asked.answer('n');
  const changes = shown.slice(shown.indexOf('settings.json'), shown.indexOf('[y]')).split('\n').slice(1);
  expect(changes.filter((row) => row.length > 59 || /^[^ +-]/.test(row))).toEqual([]);
  expect(changes.join('').replaceAll(/\s/g, '')).toContain(`${MAIN}hooksession-start`);
  await asked.end();

  const [folder = ''] = state.exec((await piped(home, ['init', '--undo'])).out) ?? [];
  const { shown: undone } = await new TestTerminal(home, ['init', '--undo'], { columns: folder.length + 4 }).end();
  expect(undone).toContain(`\n  ${folder}\n    (copies of what you vouched for, and the audit log)\n`);
});

terminalTest('init twice changes nothing, and asks nothing the second time', async () => {
  const home = homeWith(BOTH);
  await answered(home, ['init'], 'y');
  const once = snapshot(home);
  const again = await new TestTerminal(home, ['init']).end();
  expect(again).toMatchObject({ code: 0, shown: expect.stringContaining('Claude Code is set up already.') });
  expect(again.shown).not.toContain('answer:');
  expect(snapshot(home)).toEqual(once);
});

terminalTest('what others wrote into the files since stays when --undo takes ours out', async () => {
  const home = homeWith({ ...BOTH, '.claude/settings.json': '{}\n' });
  await answered(home, ['init'], 'y');
  for (const name of ['.claude.json', '.claude/settings.json']) {
    writeFileSync(join(home, name), JSON.stringify({ first: 1, ...json(home, name), last: [2] }, null, 4));
  }
  expect((await answered(home, ['init', '--undo'], 'y')).code).toBe(0);
  expect(json(home, '.claude.json')).toEqual({ first: 1, ...JSON.parse(GLOBAL), last: [2] });
  expect(json(home, '.claude/settings.json')).toEqual({ first: 1, last: [2] });
});

terminalTest('after the program moved, init once more and --undo leads back to the beginning', async () => {
  const home = homeWith(BOTH);
  const before = snapshot(home);
  await answered(home, ['init'], 'y');
  for (const name of ['.claude.json', '.claude/settings.json']) {
    // As if the first init had been run from elsewhere.
    const file = join(home, name);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(MAIN, '/elsewhere/surety/dist/main.js'));
  }
  await answered(home, ['init'], 'y');
  expect(json(home, '.claude/settings.json').hooks.SessionStart).toHaveLength(1);
  expect(readFileSync(join(home, '.claude.json'), 'utf8')).not.toContain('/elsewhere/');
  await answered(home, ['init', '--undo'], 'y');
  expect(snapshot(home)).toEqual(before);
});

terminalTest('anything but a yes writes nothing', async () => {
  for (const answer of ['n', '', 'ye', 'Y!', '\u0004']) {
    const home = homeWith(BOTH);
    const before = snapshot(home);
    const { code, shown } = await answered(home, ['init'], answer);
    expect({ code, unchanged: snapshot(home) }, answer).toEqual({ code: 0, unchanged: before });
    expect(shown).toContain('Nothing was written.');
  }
});

terminalTest('Ctrl+C at the question writes nothing', async () => {
  const home = homeWith(BOTH);
  const before = snapshot(home);
  const terminal = new TestTerminal(home, ['init']);
  await terminal.until('answer: ');
  terminal.press('\u0003');
  expect((await terminal.end()).code).toBe(130);
  expect(snapshot(home)).toEqual(before);
});

test('without a terminal, and in an agent’s shell, it shows what to do and writes nothing of it', async () => {
  const home = homeWith(BOTH);
  const before = snapshot(home);
  const { code, out, err } = await piped(home, ['init']);
  expect(code).toBe(0);
  expect(err).toMatch(/^Nothing was written\. surety init asks a person, so its input and output must be a terminal/);
  for (const line of ['hook session-start"', 'claude mcp add --scope user surety -- ']) expect(out).toContain(line);
  expect(snapshot(home)).toEqual(before);
  expect((await piped(home, ['init', '--undo'])).out).toContain('nothing to take back');
});

const TWO_CLIENTS: Files = { ...BOTH, '.gemini/settings.json': '{}\n' };

test('without a terminal it says once that nothing was written, whatever the number of clients', async () => {
  const { out, err } = await piped(homeWith(TWO_CLIENTS), ['init']);
  expect(out.match(/ is on this machine\./g)).toHaveLength(2);
  expect(err.match(/Nothing was written\./g)).toHaveLength(1);
});

terminalTest('a blank line stands between what is said of two clients, by init and by --undo', async () => {
  const home = homeWith(TWO_CLIENTS);
  const terminal = new TestTerminal(home, ['init']);
  await terminal.answer('y');
  await terminal.answer('n');
  await terminal.answer('y');
  const { shown } = await terminal.end();
  expect(shown).toMatch(/\n\nGemini CLI is on this machine/);
  const undoing = new TestTerminal(home, ['init', '--undo']);
  await undoing.answer('y');
  await undoing.answer('y');
  expect((await undoing.end()).shown).toMatch(/out of the files of Claude Code\.\n\nThis takes out/);
});

terminalTest('in an agent’s shell nobody is asked, whatever the terminal', async () => {
  const home = homeWith(BOTH);
  const before = snapshot(home);
  const { code, shown } = await new TestTerminal(home, ['init'], { env: { CLAUDECODE: '1' } }).end();
  expect(code).toBe(0);
  expect(shown).toMatch(/does not\s+run\s+in\s+an\s+agent’s\s+shell/);
  expect(snapshot(home)).toEqual(before);
});

test.each([
  ['two commas', '{"a": 1,,}'],
  ['half a file', '{"hooks": {'],
  ['bytes that are no text', '\u0000'],
  ['hooks of another shape', '{"hooks": []}'],
])('settings with %s are left alone, and said to be', async (_, text) => {
  const home = homeWith({ '.claude/settings.json': text });
  const before = snapshot(home);
  const { code, err, out } = await piped(home, ['init']);
  expect(code).toBe(1);
  expect(err).toMatch(/settings\.json is left alone: it .*\. docs\/clients\.md has the lines to add by hand\./);
  expect(out).toContain('.claude.json (a new file)');
  expect(snapshot(home)).toEqual(before);
});

terminalTest('the file that can be changed is, when the other cannot', async () => {
  const home = homeWith({ '.claude/settings.json': '{,}', '.claude.json': GLOBAL });
  expect((await answered(home, ['init'], 'y')).code).toBe(1);
  expect(json(home, '.claude.json').mcpServers.surety).toBeDefined();
  expect(readFileSync(join(home, '.claude/settings.json'), 'utf8')).toBe('{,}');
  const undone = await answered(home, ['init', '--undo'], 'y');
  expect(undone).toMatchObject({ code: 1, shown: expect.stringMatching(/left\s+alone:\s+it is\s+not JSON/) });
  expect(readFileSync(join(home, '.claude.json'), 'utf8')).toBe(GLOBAL);
});

terminalTest('an empty file, as of a client that was just installed, is taken as one without settings', async () => {
  const home = homeWith({ '.claude/settings.json': '', '.claude.json': '\n' });
  const { code, shown } = await answered(home, ['init'], 'y');
  expect(code).toBe(0);
  expect(shown).toContain('Claude Code is set up;');
  expect(json(home, '.claude/settings.json').hooks.SessionStart).toHaveLength(1);
  expect(json(home, '.claude.json').mcpServers.surety).toBeDefined();
  await answered(home, ['init', '--undo'], 'y');
  for (const name of ['.claude/settings.json', '.claude.json']) expect(readFileSync(join(home, name), 'utf8')).toBe('');
});

terminalTest('in files that a person has emptied since, the undo finds nothing to ask about', async () => {
  const names = ['.claude/settings.json', '.claude.json'];
  const home = homeWith(Object.fromEntries(names.map((name) => [name, ''])));
  await answered(home, ['init'], 'y');
  for (const name of names) writeFileSync(join(home, name), '\n');
  const { out } = await piped(home, ['init', '--undo']);
  expect(out).toContain('Surety is not in the files of Claude Code, so there is nothing to take back.');
  for (const name of names) expect(readFileSync(join(home, name), 'utf8')).toBe('\n');
});

const BROKEN: readonly [client: string, files: Files, byHand: string][] = [
  ['Claude Code', { '.claude/settings.json': '{}', '.claude.json': '{"a":1,,}' }, 'claude mcp add'],
  ['Codex', { '.codex/config.toml': 'model = "o\n' }, 'codex mcp add'],
  ['Cursor', { '.cursor/mcp.json': '{"mcpServers":{},,}' }, 'Cursor, in ~/.cursor/mcp.json'],
];

for (const [client, files, byHand] of BROKEN) {
  terminalTest(`${client} is not called set up while its server is not registered`, async () => {
    const home = homeWith(files);
    const { code, shown } = await answered(home, ['init'], 'y');
    const said = shown.replaceAll(/\s+/g, ' ');
    expect(code).toBe(1);
    expect(said).toContain(`The rest was written. ${client} is not set up: it does not start Surety’s server`);
    expect(said).not.toContain(`${client} is set up`);
    expect(said).toContain(byHand);
    // The client's own memory would be the only one it has.
    expect(said).not.toContain('keeps a memory of its own');
  });
}

terminalTest('a file with a byte order mark is changed and keeps the mark', async () => {
  const home = homeWith({ '.claude.json': `\u{feff}${GLOBAL}`, '.claude/settings.json': '\u{feff}{}\r\n' });
  const before = snapshot(home);
  expect((await answered(home, ['init'], 'y')).shown).toContain('Claude Code is set up;');
  const written = readFileSync(join(home, '.claude.json'), 'utf8');
  expect(written[0]).toBe('\u{feff}');
  expect(JSON.parse(written.slice(1)).mcpServers.surety).toBeDefined();
  await answered(home, ['init', '--undo'], 'y');
  expect(snapshot(home)).toEqual(before);
});

terminalTest('a link to settings elsewhere stays a link, and the file keeps its rights', async () => {
  const home = homeWith({ 'dotfiles/settings.json': SETTINGS, '.claude.json': GLOBAL });
  mkdirSync(join(home, '.claude'));
  symlinkSync('../dotfiles/settings.json', join(home, '.claude/settings.json'));
  chmodSync(join(home, 'dotfiles/settings.json'), 0o640);
  const before = snapshot(home);
  await answered(home, ['init'], 'y');
  expect(lstatSync(join(home, '.claude/settings.json')).isSymbolicLink()).toBe(true);
  expect(statSync(join(home, 'dotfiles/settings.json')).mode & 0o777).toBe(0o640);
  expect(json(home, 'dotfiles/settings.json').hooks.SessionStart).toHaveLength(1);
  await answered(home, ['init', '--undo'], 'y');
  expect(snapshot(home)).toEqual(before);
});

test('a link that leads nowhere, and a folder in the file’s place, are left alone', async () => {
  const home = homeWith({ '.claude/x': '' });
  symlinkSync('gone.json', join(home, '.claude/settings.json'));
  mkdirSync(join(home, '.claude.json'));
  const before = snapshot(home);
  const { code, err } = await piped(home, ['init']);
  expect(code).toBe(1);
  expect(err).toMatch(/settings\.json is left alone: it is a link that leads nowhere/);
  expect(err).toMatch(/\.claude\.json is left alone: it is no ordinary file/);
  expect(snapshot(home)).toEqual(before);
});

terminalTest(
  'when the second file cannot be written, the first is put back, and the sentence says which and why',
  async () => {
    const home = homeWith({ '.claude.json': GLOBAL, '.claude/settings.json': SETTINGS });
    const terminal = new TestTerminal(home, ['init']);
    await terminal.until('answer: ');
    // Between the question and the answer: the folder is gone, and a file is in its place.
    renameSync(join(home, '.claude'), join(home, 'aside'));
    writeFileSync(join(home, '.claude'), 'x');
    terminal.press('y\r');
    const { code, shown } = await terminal.end();
    expect(code).toBe(1);
    expect(shown.slice(shown.indexOf('answer:'))).toMatch(/settings\.json/);
    expect(readFileSync(join(home, '.claude.json'), 'utf8')).toBe(GLOBAL);
  },
);

terminalTest('a file that changed while the person was asked is not written over', async () => {
  const home = homeWith(BOTH);
  const terminal = new TestTerminal(home, ['init']);
  await terminal.until('answer: ');
  writeFileSync(join(home, '.claude.json'), '{"numStartups":4}');
  terminal.press('y\r');
  const { code, shown } = await terminal.end();
  expect(code).toBe(1);
  expect(shown).toContain('changed meanwhile');
  expect(readFileSync(join(home, '.claude.json'), 'utf8')).toBe('{"numStartups":4}');
  expect(readFileSync(join(home, '.claude/settings.json'), 'utf8')).toBe(SETTINGS);
});

test.skipIf(process.getuid?.() === 0)(
  process.getuid?.() === 0
    ? 'NOT TESTED, a superuser may write everywhere: a folder that cannot be written is told, and nothing is half done'
    : 'a folder that cannot be written is told, and nothing is half done',
  async () => {
    const home = homeWith(BOTH);
    chmodSync(join(home, '.claude'), 0o555);
    const before = snapshot(home);
    const { code, shown } = await answered(home, ['init'], 'y');
    expect(code).toBe(1);
    expect(shown).toMatch(/settings\.json" could not be written \(EACCES\)/);
    expect(snapshot(home)).toEqual(before);
  },
);

test('where Claude Code is not, nothing of it is made, and the lines for other clients are printed', async () => {
  const home = temporaryFolder();
  const { code, out } = await piped(home, ['init'], { PATH: dirname(process.execPath) });
  expect(code).toBe(0);
  expect(out).toContain(
    'Not on this machine, so nothing of theirs was written: Claude Code, Codex, Gemini CLI, Qwen Code, Copilot CLI, Cursor, opencode.',
  );
  expect(out).toContain('gemini mcp add --scope user surety ');
  expect(snapshot(home)).toEqual([]);
  const undone = await piped(home, ['init', '--undo'], { PATH: dirname(process.execPath) });
  expect(undone.out).toContain('Not on this machine, so there was nothing to take out: Claude Code, Codex');
});

terminalTest('where Claude Code has the plugin, nothing is written beside it', async () => {
  const home = homeWith({ '.claude/settings.json': '{"enabledPlugins":{"surety@ours":true}}', '.claude.json': GLOBAL });
  const before = snapshot(home);
  const alone = await new TestTerminal(home, ['init']).end();
  expect(alone).toMatchObject({ code: 0, shown: expect.stringContaining('Claude Code has Surety as a plugin') });
  expect(alone.shown).not.toContain('answer:');
  expect(snapshot(home)).toEqual(before);
});

terminalTest('a plugin that came after init is told, with what takes the rest out', async () => {
  const home = homeWith(BOTH);
  await answered(home, ['init'], 'y');
  const settings = json(home, '.claude/settings.json');
  writeFileSync(
    join(home, '.claude/settings.json'),
    JSON.stringify({ ...settings, enabledPlugins: { 'surety@ours': true } }),
  );
  const twice = await new TestTerminal(home, ['init']).end();
  expect(twice.shown.replaceAll(/\s+/g, ' ')).toContain('Claude Code has Surety twice');
  await answered(home, ['init', '--undo'], 'y');
  expect(json(home, '.claude/settings.json')).toMatchObject({ enabledPlugins: { 'surety@ours': true } });
  expect(await new TestTerminal(home, ['init']).end()).toMatchObject({
    shown: expect.stringContaining('Claude Code has Surety as a plugin'),
  });
});

test('where surety is not on the PATH, it says what to type instead', async () => {
  const home = temporaryFolder();
  const bin = join(home, 'bin');
  mkdirSync(bin);
  const words = `${process.execPath} ${MAIN}`;
  const initWith = async (path: string) => (await piped(home, ['init'], { PATH: path })).out;
  const before = (out: string) => out.slice(0, out.indexOf('For other clients'));
  expect(before(await initWith(bin))).toMatch(/surety is not on the PATH[\s\S]*type:\n/);
  expect(before(await initWith(bin))).toContain(words);
  symlinkSync(MAIN, join(bin, 'surety'));
  expect(before(await initWith(bin))).not.toContain(words);
});

test('CLAUDE_CONFIG_DIR moves both files', async () => {
  const home = homeWith({ 'elsewhere/settings.json': '{}', ...BOTH });
  const { out } = await piped(home, ['init'], { CLAUDE_CONFIG_DIR: join(home, 'elsewhere') });
  expect(out).toContain(join(home, 'elsewhere', '.claude.json'));
  expect(out).toContain(join(home, 'elsewhere', 'settings.json'));
  expect(out).not.toContain(join(home, '.claude.json'));
});

test('a store elsewhere is named in what is registered, and nothing in a file can play the terminal', async () => {
  const home = homeWith({ '.claude/settings.json': '{\n  "\u009b31m": "\\u001b[31m",\n  "x": 1\n}' });
  const root = join(home, 'it’s mine');
  const { out } = await piped(home, ['init', '--root', root]);
  expect(out).toContain(`"--root",\n`);
  expect(out).toContain(`hook session-start"`);
  expect(out).toContain(`'${root}'`);
  for (const control of ['\u009b', '\u001b']) expect(out).not.toContain(control);
});

terminalTest('without the record of what init made, --undo takes out what is ours and leaves the rest', async () => {
  const home = homeWith({ '.claude/settings.json': '{\n  // mine\n  "model": "opus"\n}\n' });
  await answered(home, ['init'], 'y');
  rmSync(join(home, '.config/surety/clients.json'));
  expect((await answered(home, ['init', '--undo'], 'y')).code).toBe(0);
  const left = readFileSync(join(home, '.claude/settings.json'), 'utf8');
  expect(left).toMatch(/^{\n {2}\/\/ mine\n {2}"model": "opus",\n {2}"hooks": {/);
  expect(left).not.toContain('surety');
  expect(json(home, '.claude.json')).toEqual({ mcpServers: {} });
});

terminalTest('what somebody registered by hand is taken out too; another server of that name is not', async () => {
  const ours = '{"mcpServers":{"surety":{"command":"npx","args":["surety"]},"x":{"command":"y"}}}';
  const home = homeWith({ '.claude.json': ours });
  expect((await answered(home, ['init', '--undo'], 'y')).code).toBe(0);
  expect(readFileSync(join(home, '.claude.json'), 'utf8')).toBe('{"mcpServers":{"x":{"command":"y"}}}');
  const others = '{"mcpServers":{"surety":{"command":"mine"}}}';
  writeFileSync(join(home, '.claude.json'), others);
  const { code, shown } = await answered(home, ['init'], 'y');
  expect(code).toBe(1);
  expect(shown).toMatch(/left\s+alone:\s+something\s+else is called surety in it/);
  await answered(home, ['init', '--undo'], 'y');
  expect(readFileSync(join(home, '.claude.json'), 'utf8')).toBe(others);
});

terminalTest('an undo that was killed half way is finished by the next', async () => {
  const home = homeWith(BOTH);
  const before = snapshot(home);
  await answered(home, ['init'], 'y');
  // The first file was written back, then the lights went out.
  writeFileSync(join(home, '.claude.json'), GLOBAL);
  expect((await answered(home, ['init', '--undo'], 'y')).code).toBe(0);
  expect(snapshot(home)).toEqual(before);
  const nothing = await new TestTerminal(home, ['init', '--undo']).end();
  expect(nothing).toMatchObject({ code: 0, shown: expect.stringMatching(/nothing to\stake back/) });
});

const MEMORY = { '.claude/projects/-work-shop/memory/MEMORY.md': '- The shop closes at six in the evening, always.\n' };

terminalTest('imports the client’s own memory text by text, if asked to, and leaves it where it is', async () => {
  const home = homeWith({ ...BOTH, ...MEMORY });
  const terminal = new TestTerminal(home, ['init']);
  await terminal.answer('y');
  const offered = await terminal.answer('y');
  expect(offered).toContain('Claude Code keeps a memory of its own');
  expect(offered).toContain(join(home, '.claude/projects/-work-shop/memory'));
  expect(await terminal.answer('i')).toContain('The shop closes at six in the evening, always.');
  expect(await terminal.answer('n')).toContain('"autoMemoryEnabled": false');
  expect((await terminal.end()).code).toBe(0);
  expect(readdirSync(join(home, '.surety', 'memories'))).toHaveLength(1);
  expect(readFileSync(join(home, Object.keys(MEMORY)[0] ?? ''), 'utf8')).toBe(Object.values(MEMORY)[0]);
  expect(json(home, '.claude/settings.json')).not.toHaveProperty('autoMemoryEnabled');
});

terminalTest('imports nothing of the client’s own memory without a yes', async () => {
  const home = homeWith({ ...BOTH, ...MEMORY });
  const terminal = new TestTerminal(home, ['init']);
  for (const answer of ['y', '', 'n']) await terminal.answer(answer);
  expect((await terminal.end()).code).toBe(0);
  expect(readdirSync(join(home, '.surety', 'memories'))).toEqual([]);
});

terminalTest(
  'switches the client’s own memory off with a yes, and --undo switches it on again, byte for byte',
  async () => {
    const home = homeWith(BOTH);
    const before = snapshot(home);
    await answered(home, ['init'], 'y', 'y');
    expect(json(home, '.claude/settings.json').autoMemoryEnabled).toBe(false);
    expect((await answered(home, ['init', '--undo'], 'y')).code).toBe(0);
    expect(snapshot(home)).toEqual(before);
  },
);

terminalTest('what the person set about the client’s own memory stays, and is not asked about', async () => {
  const home = homeWith({ '.claude/settings.json': '{"autoMemoryEnabled":false}' });
  const { shown } = await answered(home, ['init'], 'y');
  expect(shown).not.toContain('To switch it off');
  await answered(home, ['init', '--undo'], 'y');
  expect(readFileSync(join(home, '.claude/settings.json'), 'utf8')).toBe('{"autoMemoryEnabled":false}');
});

test('takes the owner from git and the system, shows it, and leaves a config.json alone', async () => {
  const home = homeWith({ '.gitconfig': '[user]\n\temail = me@example.org\n' });
  const { out } = await piped(home, ['init']);
  const owner = { emails: ['me@example.org'], homeUser: userInfo().username };
  expect(out).toContain(`owner       me@example.org, user name ${owner.homeUser} `);
  const config = '.config/surety/config.json';
  expect(json(home, config)).toEqual({ owner });
  expect(statSync(join(home, config)).mode & 0o777).toBe(0o600);
  writeFileSync(join(home, config), '{}');
  expect((await piped(home, ['init'])).out).not.toContain('owner ');
  expect(readFileSync(join(home, config), 'utf8')).toBe('{}');
});

terminalTest('what goes on in the next row begins below its value', async () => {
  const home = homeWith({});
  const { shown } = await new TestTerminal(home, ['init', '--remote', bareRemote()]).end();
  const table = shown.slice(0, shown.indexOf('\n\n')).split('\n');
  expect(table.filter((line) => line.startsWith('passkey'))).toHaveLength(1);
  for (const line of table) expect(line).toMatch(/^(?:store|key|ledger|passkey|owner|remote| {6}) {5,}\S/);
});

test('says where git has no e-mail address of the owner', async () => {
  const { out } = await piped(homeWith({}), ['init']);
  expect(out).toContain(
    `owner       no e-mail address, user name ${userInfo().username} (in config.json, beside the key)`,
  );
});

const STOP = '"Stop": [{ "hooks": [{ "type": "command", "command": "true" }] }]';
/** Other clients: what may be there, the file that holds the hooks, and where its session start is. */
const OTHERS: readonly [client: string, Files, file: string, hook: (hooks: Hooks) => string | undefined][] = [
  ['Codex', { '.codex/config.toml': 'model = "x"\n' }, '.codex/hooks.json', groupedStart],
  [
    'Codex',
    { '.codex/config.toml': '# mine\r\n[a]\r\nb = """\r\n[mcp_servers.surety]"""' },
    '.codex/hooks.json',
    groupedStart,
  ],
  ['Codex', { '.codex/hooks.json': `{ "hooks": { ${STOP} } }` }, '.codex/hooks.json', groupedStart],
  ['Gemini CLI', { '.gemini/GEMINI.md': 'x' }, '.gemini/settings.json', groupedStart],
  [
    'Gemini CLI',
    { '.gemini/settings.json': '// mine\n{ "ui": { "theme": "x" }, }' },
    '.gemini/settings.json',
    groupedStart,
  ],
  ['Qwen Code', { '.qwen/output-language.md': 'x' }, '.qwen/settings.json', groupedStart],
  [
    'Qwen Code',
    { '.qwen/settings.json': `// mine\n{ "$version": 4, "hooks": { ${STOP} }, }` },
    '.qwen/settings.json',
    groupedStart,
  ],
  ['Copilot CLI', { '.copilot/config.json': '{}' }, '.copilot/settings.json', groupedStart],
  ['Copilot CLI', { '.copilot/settings.json': `{ "hooks": { ${STOP} } }` }, '.copilot/settings.json', groupedStart],
  ['Cursor', { '.cursor/argv.json': '{}' }, '.cursor/hooks.json', listedStart],
  [
    'Cursor',
    { '.cursor/hooks.json': '{"version":1,"hooks":{"stop":[{"command":"true"}]}}' },
    '.cursor/hooks.json',
    listedStart,
  ],
];

interface Hooks {
  readonly SessionStart?: readonly { readonly hooks: readonly { readonly command: string }[] }[];
  readonly sessionStart?: readonly { readonly command: string }[];
}

function groupedStart({ SessionStart: [group, ...more] = [] }: Hooks): string | undefined {
  return more.length === 0 && group?.hooks.length === 1 ? group.hooks[0]?.command : undefined;
}

function listedStart({ sessionStart: [hook, ...more] = [] }: Hooks): string | undefined {
  return more.length === 0 ? hook?.command : undefined;
}

for (const [client, files, file, startIn] of OTHERS) {
  terminalTest(
    `${client}: shown, asked, written once, started by its line, and taken back: ${Object.keys(files)}`,
    async () => {
      const home = homeWith(files);
      const before = snapshot(home);
      expect((await answered(home, ['init'], 'n')).code).toBe(0);
      expect(snapshot(home)).toEqual(before);
      const { code, shown } = await answered(home, ['init'], 'y');
      expect(code).toBe(0);
      expect(shown).toContain(`${client} is on this machine. This would be written`);
      expect(shown).toContain(`${client} is set up`);
      // What is set up is not among the lines to add by hand.
      const byHand = shown.slice(shown.indexOf('For other clients'), shown.indexOf('Next:'));
      expect(byHand).not.toContain(client);
      const once = snapshot(home);
      expect(once).not.toEqual(before);
      const command = startIn(parse(readFileSync(join(home, file), 'utf8')).hooks);
      expect(command).toMatch(/ hook session-start --client [a-z-]+$/);
      const input = JSON.stringify({ session_id: 's', cwd: home, source: 'startup' });
      const ran = spawnSync('sh', ['-c', command ?? ''], { input, encoding: 'utf8', env: { ...BARE_ENV, HOME: home } });
      expect(ran).toMatchObject({ status: 0, stdout: '', stderr: '' });
      const again = await new TestTerminal(home, ['init']).end();
      expect(again.shown).toContain(`${client} is set up already.`);
      expect(snapshot(home)).toEqual(once);
      expect((await answered(home, ['init', '--undo'], 'y')).shown).toContain(
        `Surety is out of the files of ${client}`,
      );
      expect(snapshot(home)).toEqual(before);
    },
  );
}

terminalTest('asks once whether to enrol a passkey, and Enter means no', async () => {
  const home = temporaryFolder();
  const terminal = new TestTerminal(home, ['init']);
  await terminal.reply('Enter leaves it: ', '');
  const { code, shown } = await terminal.end();
  expect([code, shown]).toEqual([0, expect.stringContaining('No passkey was enrolled.')]);
  expect((await new TestTerminal(home, ['init']).end()).shown).not.toContain('Enrol one now?');
});

terminalTest('a yes to a passkey opens the page that enrols it', async () => {
  const terminal = new TestTerminal(temporaryFolder(), ['init']);
  await terminal.reply('Enter leaves it: ', 'y');
  await terminal.reply('q leaves: ', 'q');
  expect((await terminal.end()).code).toBe(0);
});

terminalTest('who says y to the passkey and y again has the page opened', async () => {
  const terminal = new TestTerminal(temporaryFolder(), ['init'], { env: { SSH_CONNECTION: '::1 1 ::1 22' } });
  await terminal.reply('Enter leaves it: ', 'y');
  await terminal.reply('q leaves: ', 'y');
  await terminal.reply('The page is open. Enter here closes it: ', '');
  expect((await terminal.end()).code).toBe(0);
});

test('asks nobody about a passkey without a terminal, and asks at the next one', async () => {
  const home = temporaryFolder();
  expect((await piped(home, ['init'])).out).not.toContain('Enrol one now?');
  expect((await new TestTerminal(home, ['init']).end()).shown).toContain('Enrol one now?');
});

terminalTest('Codex: the server is a table of its own, and what Codex writes beside it later stays', async () => {
  const home = homeWith({ '.codex/config.toml': 'model = "x"\n' });
  const { shown } = await answered(home, ['init'], 'y');
  const file = join(home, '.codex/config.toml');
  const table = `[mcp_servers.surety]\ncommand = "${process.execPath}"\nargs = ["${MAIN}"]\n`;
  expect(readFileSync(file, 'utf8')).toBe(`model = "x"\n\n${table}`);
  expect(shown.replaceAll(/\s+/g, ' ')).toContain('asks whether you trust them; before that they do not run');
  const trusted = '\n[projects."/work"]\ntrust_level = "trusted"\n';
  writeFileSync(file, `${readFileSync(file, 'utf8')}${trusted}`);
  expect((await new TestTerminal(home, ['init']).end()).shown).toContain('Codex is set up already.');
  expect((await answered(home, ['init', '--undo'], 'y')).code).toBe(0);
  expect(readFileSync(file, 'utf8')).toBe(`model = "x"\n${trusted}`);
});

terminalTest('opencode: its server is written into the file that is there, and taken back', async () => {
  for (const [name, text] of [
    ['opencode.json', undefined],
    ['opencode.jsonc', '{\n  // mine\n  "theme": "x",\n}\n'],
  ] as const) {
    const file = `.config/opencode/${name}`;
    const home = homeWith(text === undefined ? { '.config/opencode/AGENTS.md': 'x' } : { [file]: text });
    expect((await answered(home, ['init'], 'y')).code).toBe(0);
    expect(parse(readFileSync(join(home, file), 'utf8')).mcp).toEqual({
      surety: { type: 'local', enabled: true, command: [process.execPath, MAIN] },
    });
    expect((await new TestTerminal(home, ['init']).end()).shown).toContain('opencode is set up already.');
    expect((await answered(home, ['init', '--undo'], 'y')).code).toBe(0);
    if (text === undefined) expect(existsSync(join(home, file))).toBe(false);
    else expect(readFileSync(join(home, file), 'utf8')).toBe(text);
  }
});

test.each([
  ['COPILOT_HOME', 'Copilot CLI', 'mcp-config.json'],
  ['GEMINI_CLI_HOME', 'Gemini CLI', '.gemini/settings.json'],
  ['CODEX_HOME', 'Codex', 'config.toml'],
  ['QWEN_HOME', 'Qwen Code', 'settings.json'],
  ['XDG_CONFIG_HOME', 'opencode', 'opencode/opencode.json'],
])('%s moves the files of %s', async (variable, client, file) => {
  const home = homeWith({ [`elsewhere/${file}`]: file.endsWith('.toml') ? '' : '{}' });
  const { out } = await piped(home, ['init'], { [variable]: join(home, 'elsewhere') });
  expect(out).toContain(`${client} is on this machine`);
  expect(out).toContain(join(home, 'elsewhere', file));
});

test('a file that was made read-only is left alone, and said to be', async () => {
  const home = homeWith(BOTH);
  chmodSync(join(home, '.claude/settings.json'), 0o444);
  const before = snapshot(home);
  const { code, err } = await piped(home, ['init']);
  expect(code).toBe(1);
  expect(err).toMatch(/settings\.json is left alone: it is read-only\. docs\/clients\.md has the lines/);
  expect(snapshot(home)).toEqual(before);
});

test('a store in the place of one that was moved away: it says that the ledger is in trouble, and what to do', async () => {
  const store = await storeTenDaysAgo();
  await store.add('the editor');
  expect((await piped(store.home, ['init'])).out).not.toContain('surety doctor');
  renameSync(store.places.root, join(store.home, 'moved'));
  const { code, out } = await piped(store.home, ['init']);
  expect([code, out]).toEqual([0, expect.stringMatching(/the ledger file is gone .*Run surety doctor/s)]);

  // A person who wants a new store here, and does what is said.
  const says = `also remove this machine’s records of the old store. They have copies of its texts. They are in the folder ${store.places.state}`;
  expect(out).toContain(says);
  const doctor = await piped(store.home, ['doctor', '--json']);
  expect(JSON.parse(doctor.out).findings[0]).toMatchObject({
    code: 'ledger-missing',
    advice: expect.stringContaining(says),
  });
  store.vault.close();
  rmSync(store.places.state, { recursive: true });
  expect((await piped(store.home, ['init'])).out).not.toContain('surety doctor');
  await store.reopen();
  const id = await store.propose('the build');
  store.pass(20);
  await store.decide('promote', id);
  expect(store.tier(id)).toBe('verified');
  expect((await piped(store.home, ['doctor'])).code).toBe(0);
});
