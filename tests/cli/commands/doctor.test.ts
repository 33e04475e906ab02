import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { columnsOf } from '../../../src/core/text/display-width.ts';
import { passkeysNow } from '../../../src/store/maintenance/passkeys.ts';
import { requestsOf } from '../../../src/store/records/request-queue.ts';
import { SoftwareAuthenticator } from '../../../testkit/authenticator.ts';
import { canWrap, FULL, NO_RIGHTS } from '../../../testkit/bad-disk.ts';
import { contentsOf } from '../../../testkit/contents.ts';
import { enrol, forgeReceipt, requirePasskey } from '../../../testkit/passkeys.ts';
import { piped } from '../../../testkit/piped.ts';
import { MAIN } from '../../../testkit/program.ts';
import { DAY, type TestStore, temporaryFolder } from '../../../testkit/store.ts';
import {
  audited,
  ESCAPE,
  lastEntry,
  plain,
  storeTenDaysAgo,
  TestTerminal,
  terminalTest,
} from '../../../testkit/terminal.ts';

interface Found {
  readonly code: string;
  readonly severity: string;
  readonly about: string[];
  readonly repairs: string[];
}

/** Without root's right to write everywhere. */
async function found(home: string): Promise<{ code: number; healthy: boolean; findings: Found[]; clients: object[] }> {
  const { code, out, err } = await piped(home, ['doctor', '--json'], {}, NO_RIGHTS);
  expect(err).toBe('');
  expect(out).toMatch(/^[\x20-\x7e]+\n$/);
  return { code, ...JSON.parse(out) };
}

async function codes(home: string): Promise<string[]> {
  return (await found(home)).findings.map(({ code }) => code);
}

/** A store with a verified memory, a demoted one, and nothing wrong. */
async function wellStore(): Promise<TestStore> {
  const store = await storeTenDaysAgo();
  await store.add('good rule');
  await store.propose('bad rule');
  await store.decide('demote', 'user_bad_rule');
  await store.reconcile();
  // The last writer's ticket is taken away a moment later.
  await expect.poll(() => existsSync(join(store.places.guard, 'queue'))).toBe(false);
  return store;
}

test('a store that is well: one line, exit 0', async () => {
  const store = await wellStore();
  const before = contentsOf(store.places.root);
  expect(await piped(store.home, ['doctor'])).toEqual({
    code: 0,
    out: `No problem found in ${store.places.root}.\n`,
    err: '',
  });
  expect(await found(store.home)).toEqual({
    code: 0,
    store: store.places.root,
    healthy: true,
    findings: [],
    clients: [],
  });
  expect(contentsOf(store.places.root)).toEqual(before);
});

test('each finding says what it is, what it means and what to do; --json has this shape', async () => {
  const store = await wellStore();
  const key = join(store.places.config, 'key.json');
  chmodSync(key, 0o644);
  const { code, out } = await piped(store.home, ['doctor']);
  expect(code).toBe(3);
  expect(out).toContain(
    `problem     Other accounts of this machine may read or write what is yours alone.\n            ${key}\nmeans       Another account`,
  );
  expect(out).toMatch(/\ndo {10}Take the rights/);
  expect(out).toContain('\n1 problem found in ');
  expect(out).toContain('run surety doctor in a terminal of your own');
  const { findings } = await found(store.home);
  expect(findings).toEqual([
    {
      code: 'open-to-others',
      severity: 'problem',
      about: [key],
      what: expect.any(String),
      means: expect.any(String),
      advice: expect.any(String),
      repairs: ['close-to-others'],
    },
  ]);
  expect(statSync(key).mode & 0o777).toBe(0o644);
});

test('what config.json has wrong is told with the path of the file', async () => {
  const store = await wellStore();
  const file = join(store.places.config, 'config.json');
  writeFileSync(file, '{"observationDays":0,"nothingLikeIt":1}', { mode: 0o600 });
  const { findings } = await found(store.home);
  expect(findings.map(({ code, about }) => [code, about])).toEqual([
    ['settings-unclear', [file]],
    ['settings-looser', [file]],
  ]);
});

test.each<[code: string, severity: string, damage: (store: TestStore) => void | Promise<void>]>([
  ['ledger-missing', 'problem', (store) => rmSync(store.ledgerPath)],
  ['ledger-shorter', 'problem', (store) => store.writeLedger(store.ledgerLines().slice(0, 1))],
  ['ledger-broken', 'problem', (store) => store.writeLedger(store.ledgerLines().toSpliced(1, 1))],
  ['ledger-unremembered', 'problem', (store) => rmSync(join(store.places.state, 'heads.json'))],
  ['files-not-an-id', 'problem', (store) => store.write('memories', 'Not An Id', 'x')],
  ['files-refused', 'problem', (store) => symlinkSync('/etc/hostname', store.path('memories', 'user_link'))],
  ['files-held-back', 'problem', (store) => store.write('memories', 'user_broken', 'no memory')],
  [
    'settings-unclear',
    'problem',
    (store) => writeFileSync(join(store.places.config, 'config.json'), '{', { mode: 0o600 }),
  ],
  [
    'settings-looser',
    'note',
    (store) => writeFileSync(join(store.places.config, 'config.json'), '{"observationDays":0}', { mode: 0o600 }),
  ],
  ['unfinished', 'note', (store) => unfinish(store, 'user_good_rule')],
  ['folder-missing', 'problem', (store) => rmSync(store.places.quarantine, { recursive: true })],
  ['leftovers', 'note', (store) => leftover(join(store.places.memories, '.tmp-0123456789abcdef'))],
  ['lock-abandoned', 'note', (store) => oldTicket(join(store.places.guard, 'queue'))],
  ['lock-foreign', 'problem', (store) => writeFileSync(join(store.places.guard, 'queue'), 'mine')],
  [
    'machines-void',
    'problem',
    (store) => writeFileSync(join(store.places.config, 'machines.json'), '{}', { mode: 0o600 }),
  ],
  ['client-gone', 'problem', (store) => client(store.home, '{"mcpServers":{"surety":{"command":"/no/such/surety"}}}')],
  [
    'hooks-gone',
    'problem',
    (store) => {
      mkdirSync(join(store.home, '.claude'));
      const gone = "'/no such/node' /opt/surety/dist/main.js hook session-start";
      const hooks = {
        SessionStart: [{ hooks: [{ type: 'command', command: gone }] }],
        PreToolUse: [{ hooks: [{ type: 'command', command: 'surety hook pre-tool-use' }] }],
      };
      writeFileSync(join(store.home, '.claude', 'settings.json'), JSON.stringify({ hooks }));
    },
  ],
  ['client-not-registered', 'note', (store) => client(store.home, '{"mcpServers":{}}')],
  ['client-unreadable', 'note', (store) => client(store.home, '{"mcpServers":')],
  ['client-unreadable', 'note', (store) => execFileSync('mkfifo', [join(store.home, '.claude.json')])],
  [
    'requests-unreadable',
    'note',
    (store) => writeFileSync(join(store.places.state, 'requests.jsonl'), '{}\n', { mode: 0o600 }),
  ],
  [
    'lock-impossible',
    'problem',
    (store) => {
      rmSync(store.places.guard, { recursive: true });
      chmodSync(store.places.root, 0o500);
    },
  ],
  [
    'lock-impossible',
    'problem',
    (store) => writeFileSync(join(store.places.guard, 'guard.db'), 'no database '.repeat(99)),
  ],
  [
    'lock-foreign',
    'problem',
    (store) => mkdirSync(join(store.places.guard, 'queue', 'in-the-way'), { recursive: true }),
  ],
])('%s is found, and nothing is changed by looking', async (code, severity, damage) => {
  const store = await wellStore();
  await damage(store);
  const before = [store.places.root, store.places.state, store.places.config].map(contentsOf);
  const { findings, healthy, code: exit } = await found(store.home);
  expect(findings.map((each) => [each.code, each.severity])).toEqual([[code, severity]]);
  expect({ healthy, exit }).toEqual(severity === 'note' ? { healthy: true, exit: 0 } : { healthy: false, exit: 3 });
  expect([store.places.root, store.places.state, store.places.config].map(contentsOf)).toEqual(before);
});

/** As after a kill between the receipt and the file. */
function unfinish(store: TestStore, id: string): void {
  store.edit(id, (text) => text.replace('trust-level: verified\n', '').replace(/last-verified: .*\n/, ''));
  expect(store.standing(id)).toBe('inferred:unfinished');
}

function leftover(path: string): void {
  writeFileSync(path, 'half a mem');
  utimesSync(path, 1, 1);
}

function oldTicket(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '');
  utimesSync(path, 1, 1);
}

function client(home: string, text: string): void {
  writeFileSync(join(home, '.claude.json'), text);
}

test('a client that knows this server is no finding; what a project registers counts too', async () => {
  const store = await wellStore();
  client(
    store.home,
    JSON.stringify({ projects: { '/x': { mcpServers: { surety: { command: process.execPath, args: [MAIN] } } } } }),
  );
  expect(await codes(store.home)).toEqual([]);
});

test('a client with the plugin is no finding, and one that has the server in its own files too is', async () => {
  const store = await wellStore();
  mkdirSync(join(store.home, '.claude'));
  writeFileSync(join(store.home, '.claude', 'settings.json'), '{"enabledPlugins":{"surety@surety":true}}');
  client(store.home, '{"mcpServers":{}}');
  expect(await codes(store.home)).toEqual([]);
  chmodSync(join(store.home, '.claude.json'), 0o444);
  expect(await codes(store.home)).toEqual([]);
  chmodSync(join(store.home, '.claude.json'), 0o600);
  client(store.home, JSON.stringify({ mcpServers: { surety: { command: process.execPath, args: [MAIN] } } }));
  expect((await found(store.home)).findings).toMatchObject([
    { code: 'client-twice', severity: 'problem', about: [join(store.home, '.claude.json')] },
  ]);
});

test('every client that is here is named, with its version, and no program of it is started', async () => {
  const store = await wellStore();
  client(store.home, JSON.stringify({ mcpServers: { surety: { command: process.execPath, args: [MAIN] } } }));
  // As npm installs a program: a link into its package.
  const [bin, gemini] = [join(store.home, 'bin'), join(store.home, 'lib/node_modules/gemini')];
  mkdirSync(bin);
  mkdirSync(join(gemini, 'dist'), { recursive: true });
  writeFileSync(join(gemini, 'package.json'), '{"name":"gemini","version":"0.61.0"}');
  writeFileSync(join(gemini, 'dist/index.js'), `#!/bin/sh\ntouch ${join(store.home, 'started')}\n`, { mode: 0o755 });
  symlinkSync(join(gemini, 'dist/index.js'), join(bin, 'gemini'));
  mkdirSync(join(store.home, '.gemini'));
  const hooks = { SessionStart: [{ hooks: [{ type: 'command', command: 'surety hook session-start' }] }] };
  writeFileSync(join(store.home, '.gemini/settings.json'), JSON.stringify({ hooks }));
  const env = { PATH: `${bin}:${process.env.PATH}` };
  const { out } = await piped(store.home, ['doctor', '--json'], env, NO_RIGHTS);
  expect(JSON.parse(out).clients).toEqual([
    {
      name: 'Claude Code',
      version: null,
      server: 'registered',
      hooks: 'not-registered',
      confirms: 'short texts in its dialog, the rest on the page or, where its version opens none, in surety review',
    },
    {
      name: 'Gemini CLI',
      version: '0.61.0',
      server: 'not-registered',
      hooks: 'registered',
      confirms: 'all in surety review',
    },
  ]);
  const said = (await piped(store.home, ['doctor'], env, NO_RIGHTS)).out.replaceAll(/\s+/g, ' ');
  expect(said).toContain(
    'Claude Code starts Surety; no hooks, so nothing is loaded by itself; you confirm short texts',
  );
  expect(said).toContain(
    'Gemini CLI 0.61.0 does not know Surety; its hooks are registered; you confirm all in surety review',
  );
  expect(existsSync(join(store.home, 'started'))).toBe(false);
});

test.each([
  [
    '.cursor/mcp.json',
    '{"mcpServers":{"surety":{"command":"some-other-program"}}}',
    'client-left-alone',
    'something else',
  ],
  ['.gemini/settings.json', '[]', 'client-left-alone', 'another shape'],
  ['.codex/config.toml', 'model = "o\n', 'client-unreadable', 'it is not TOML'],
])('what init leaves alone, doctor does not call registered: %s with %s', async (file, text, code, why) => {
  const store = await wellStore();
  mkdirSync(dirname(join(store.home, file)), { recursive: true });
  writeFileSync(join(store.home, file), text);
  const { findings, clients } = await found(store.home);
  expect(findings).toMatchObject([{ code, about: [join(store.home, file)], what: expect.stringContaining(why) }]);
  expect(clients).toMatchObject([{ server: code.slice('client-'.length) }]);
  expect((await piped(store.home, ['init'])).err).toContain(why);
});

test('of a client’s file that is read-only it says that init leaves it alone', async () => {
  const store = await wellStore();
  const file = join(store.home, '.cursor/mcp.json');
  mkdirSync(dirname(file));
  writeFileSync(file, '{"mcpServers":{}}', { mode: 0o444 });
  const { findings } = await found(store.home);
  expect(findings).toMatchObject([
    {
      code: 'client-left-alone',
      about: [file],
      what: expect.stringContaining('it is read-only'),
      advice: expect.stringContaining('docs/clients.md'),
    },
  ]);
  expect((await piped(store.home, ['init'])).err).toContain('it is read-only');
});

test.each([
  [
    'client-gone',
    '.cursor/mcp.json',
    { mcpServers: { surety: { command: '/no such/node', args: ['/no such/main.js'] } } },
  ],
  [
    'hooks-gone',
    '.cursor/hooks.json',
    { version: 1, hooks: { sessionStart: [{ command: "'/no such/node' /gone/main.js hook session-start" }] } },
  ],
])(
  'where a read-only file starts what is gone (%s), nobody is sent to init, which leaves it alone',
  async (code, path, content) => {
    const store = await wellStore();
    const file = join(store.home, path);
    mkdirSync(dirname(file));
    writeFileSync(file, JSON.stringify(content), { mode: 0o444 });
    const { findings } = await found(store.home);
    expect(findings).toMatchObject([{ code, about: [file], advice: expect.stringContaining('it is read-only') }]);
  },
);

test('of a client that was never run here it says what its version decides, in a sentence', async () => {
  const store = await wellStore();
  mkdirSync(join(store.home, '.cursor'));
  const said = (await piped(store.home, ['doctor'], {}, NO_RIGHTS)).out.replaceAll(/\s+/g, ' ');
  expect(said).toContain('you confirm what its version can show in its dialog, the rest in surety review');
});

test('what a living process has just written is no leftover', async () => {
  const store = await wellStore();
  writeFileSync(join(store.places.memories, '.tmp-0123456789abcdef'), 'half');
  writeFileSync(join(store.places.guard, 'queue'), '');
  expect(await codes(store.home)).toEqual([]);
});

test('a clock that is behind is told', async () => {
  const store = await wellStore();
  store.now = Date.now() + 3 * DAY;
  await store.propose('from the future');
  await store.reconcile();
  const { findings } = await found(store.home);
  // The second needs nothing to be done, so it is a note.
  expect(findings.map(({ code, severity }) => [code, severity])).toEqual([
    ['sights-ahead', 'problem'],
    ['clock', 'note'],
  ]);
});

test('a clock that was ahead for one entry is no trouble for those after it', async () => {
  const store = await wellStore();
  store.now = Date.now() + 300 * DAY;
  await store.propose('from the future');
  store.now = Date.now();
  await store.propose('from today');
  expect(await codes(store.home)).toEqual(['sights-ahead']);
});

test('of texts that were seen ahead of the clock only those that nobody verified are named', async () => {
  const store = await wellStore();
  store.now = Date.now() + 300 * DAY;
  const id = await store.propose('from the future');
  await store.verified('vouched for then');
  const { findings } = await found(store.home);
  expect(findings.find(({ code }) => code === 'sights-ahead')).toMatchObject({ about: [id] });
});

terminalTest('texts that were seen under a wrong clock are noted as seen now, all in one entry', async () => {
  const store = await wellStore();
  store.now = Date.now() + 300 * DAY;
  for (const about of ['first', 'second', 'third']) await store.propose(about);
  store.now = Date.now();
  await store.propose('from today');
  const before = store.ledgerLines().length;
  const terminal = new TestTerminal(store.home, ['doctor']);
  expect(await terminal.answer('y')).toContain('Note these texts as seen now?');
  expect((await terminal.end()).code).toBe(0);
  expect(store.ledgerLines()).toHaveLength(before + 1);
  expect(lastEntry(store).texts).toHaveLength(3);
  store.now = Date.now() + 8 * DAY;
  await store.decide('promote', 'user_first');
});

terminalTest('a clock that jumped: nothing is signed until the date is confirmed at the terminal', async () => {
  const store = await storeTenDaysAgo();
  store.now = Date.now() - 500 * DAY;
  await store.add('good rule');
  expect(await found(store.home)).toMatchObject({
    code: 3,
    findings: [{ code: 'clock-jump', repairs: ['confirm-date'] }],
  });
  const no = new TestTerminal(store.home, ['doctor']);
  expect(await no.answer('n')).toMatch(/Is \d{4}-\d{2}-\d{2} the date today\?/);
  const { code, shown } = await no.end();
  expect(code).toBe(3);
  // A lone problem is shown once, with its question.
  expect(shown.match(/^code +clock-jump$/gm)).toHaveLength(1);
  expect(lastEntry(store).action).toBe('add');
  const yes = new TestTerminal(store.home, ['doctor']);
  await yes.answer('y');
  await yes.end();
  expect(lastEntry(store)).toMatchObject({ action: 'dated', by: { actor: 'operator', channel: 'terminal', level: 1 } });
  store.now = Date.now();
  await store.reopen();
  await store.propose('another rule');
  expect(audited(store).filter((line) => line.includes('confirm-date'))).toEqual([
    expect.stringMatching(/declined person-said-no$/),
    expect.stringMatching(/accepted$/),
  ]);
});

terminalTest('a store.json that names another store: the id is put back, or both are taken for one', async () => {
  const store = await wellStore();
  const [path, own] = [join(store.places.root, 'store.json'), store.storeId];
  writeFileSync(path, `{"format":2,"id":"${'0'.repeat(32)}"}\n`);
  expect((await codes(store.home)).sort()).toEqual(['ledger-other-store', 'store-id']);
  const back = new TestTerminal(store.home, ['doctor']);
  expect(await back.answer('n')).toContain('1 memory becomes verified');
  expect(await back.answer('y')).toContain('Put the id that this machine remembers back into store.json?');
  expect((await back.end()).code).toBe(0);
  expect([store.storeId, store.tier('user_good_rule')]).toEqual([own, 'verified']);
  writeFileSync(path, `{"format":2,"id":"${'0'.repeat(32)}"}\n`);
  const join_ = new TestTerminal(store.home, ['doctor']);
  await join_.answer('y');
  expect((await join_.end()).code).toBe(0);
  await store.reopen();
  expect([store.storeId, store.tier('user_good_rule')]).toEqual(['0'.repeat(32), 'verified']);
});

test('a key of another machine, a damaged one and none at all: told, with everything else that can be', async () => {
  const store = await wellStore();
  const key = join(store.places.config, 'key.json');
  const whole = readFileSync(key, 'utf8');
  chmodSync(store.places.state, 0o755);
  writeFileSync(key, whole.replace(/"identity":"[^"]*"/, '"identity":"elsewhere"'));
  expect(await found(store.home)).toMatchObject({
    code: 3,
    findings: [{ code: 'key-unusable', repairs: ['new-key'] }, { code: 'open-to-others' }],
  });
  writeFileSync(key, 'x');
  expect(await codes(store.home)).toEqual(['key-unusable', 'open-to-others']);
  rmSync(key);
  expect(await codes(store.home)).toEqual(['key-missing', 'open-to-others']);
  expect(existsSync(key)).toBe(false);
});

test.skipIf(!canWrap(FULL))('a full disk is called that, with what helps', async () => {
  const store = await wellStore();
  onTestFinished(() => {
    rmSync(`${store.home}.copy`, { recursive: true, force: true });
    rmSync(`${store.home}.changes`, { force: true });
  });
  const { out } = await piped(store.home, ['doctor'], {}, FULL);
  expect(out).toContain('The store’s lock cannot be taken (the disk is full).');
  expect(out).toContain('Make room, then run surety doctor again.');
});

test('a missing store is not made: exit 1, and what makes it', async () => {
  const home = temporaryFolder();
  const { code, err } = await piped(home, ['doctor']);
  expect({ code, err }).toEqual({
    code: 1,
    err: expect.stringMatching(/^surety: There is no store at .*Run surety init/),
  });
  expect(contentsOf(home)).toEqual({});
});

terminalTest('a path that fits the window stands in one piece, so that a person can copy it', async () => {
  const store = await storeTenDaysAgo();
  await store.add('the editor');
  const { root, state } = store.places;
  rmSync(root, { recursive: true });
  await piped(store.home, ['init']);
  const terminal = new TestTerminal(store.home, ['doctor'], { columns: state.length + 1, rows: 200 });
  expect(await terminal.answer('q')).toContain(`folder\n${state}\n`);
  await terminal.end();
});

test('a file’s name of backslashes and spaces, which a pattern for paths could take hours for, is named', async () => {
  const store = await storeTenDaysAgo();
  const name = `x A:\\ ${Array(8).fill('\\'.repeat(25)).join(' ')} y`;
  store.write('memories', name, 'x');
  expect((await piped(store.home, ['doctor'])).out).toContain(`memories/${name}.md`);
});

terminalTest('repairs are offered one by one; each yes is done, each no is left, and it looks again', async () => {
  const store = await wellStore();
  const { memories, config } = store.places;
  const gone = await store.propose('soon gone');
  await store.decide('demote', gone);
  const requests = requestsOf(store.vault);
  const client = { name: 'c', version: '1' };
  requests.add({ id: gone, verb: 'promote', digest: null, askedAt: new Date().toISOString(), client });
  rmSync(store.path('quarantine', gone));
  leftover(join(memories, '.tmp-0123456789abcdef'));
  chmodSync(join(config, 'key.json'), 0o644);
  const terminal = new TestTerminal(store.home, ['doctor']);
  expect(await terminal.answer('y')).toContain('Take these requests off the queue?');
  expect(await terminal.answer('y')).toContain('Take the rights of others away from these?');
  expect(await terminal.answer('n')).toContain('Remove these files?');
  const { code, shown } = await terminal.end();
  expect(code).toBe(0);
  expect(shown.slice(shown.indexOf('Looked again:'))).toContain('No problem found, and 1 note in ');
  expect(statSync(join(config, 'key.json')).mode & 0o777).toBe(0o600);
  expect(existsSync(join(memories, '.tmp-0123456789abcdef'))).toBe(true);
  expect(requests.list().requests).toEqual([]);
  expect(audited(store)).toEqual([
    'doctor-drop-requests accepted',
    'doctor-close-to-others accepted',
    'doctor-remove-leftovers declined person-said-no',
  ]);
  expect(await codes(store.home)).toEqual(['leftovers']);
});

terminalTest(
  'what a person vouched for and the file does not say is finished one by one, without a new yes',
  async () => {
    const store = await wellStore();
    const lowered = await store.add('lowered by hand');
    for (const id of ['user_good_rule', lowered]) unfinish(store, id);
    const lines = store.ledgerLines();
    const terminal = new TestTerminal(store.home, ['doctor']);
    expect(await terminal.answer('y')).toMatch(
      /Let the file of user_good_rule say verified, as a person \(page, level 3\)\s+decided on \d{4}-\d\d-\d\d\?/,
    );
    expect(await terminal.answer('n')).toContain(`Let the file of ${lowered} say verified`);
    const { code, shown } = await terminal.end();
    expect({ code, shown }).toEqual({ code: 0, shown: expect.stringContaining('user_good_rule is verified.') });
    expect(store.standing('user_good_rule')).toBe('verified:vouched');
    expect(store.text('memories', 'user_good_rule')).toMatch(/last-verified: \d{4}-/);
    expect(store.standing(lowered)).toBe('inferred:unfinished');
    expect(store.ledgerLines()).toEqual(lines);
    expect(audited(store)).toEqual([
      'doctor-finish user_good_rule accepted',
      `doctor-finish ${lowered} declined person-said-no`,
    ]);
  },
);

terminalTest(
  'folders that are missing are made, and a ticket nobody renews is removed, each with its yes',
  async () => {
    const store = await wellStore();
    rmSync(store.places.quarantine, { recursive: true });
    oldTicket(join(store.places.guard, 'queue'));
    const terminal = new TestTerminal(store.home, ['doctor']);
    expect(await terminal.answer('y')).toContain('Make the missing folders again, empty?');
    expect(await terminal.answer('y')).toContain('Remove the ticket?');
    expect((await terminal.end()).code).toBe(0);
    expect(readdirSync(store.places.quarantine)).toEqual([]);
    expect(existsSync(join(store.places.guard, 'queue'))).toBe(false);
  },
);

terminalTest('a key of another machine is put aside with a yes, and a new one is made', async () => {
  const store = await wellStore();
  const key = join(store.places.config, 'key.json');
  const foreign = readFileSync(key, 'utf8').replace(/"identity":"[^"]*"/, '"identity":"elsewhere"');
  writeFileSync(key, foreign);
  const no = new TestTerminal(store.home, ['doctor']);
  await no.answer('n');
  expect((await no.end()).code).toBe(3);
  expect(readFileSync(key, 'utf8')).toBe(foreign);
  const yes = new TestTerminal(store.home, ['doctor']);
  expect(await yes.answer('y')).toContain('Put the key aside and make a new one?');
  expect((await yes.end()).code).toBe(0);
  const aside = readdirSync(store.places.config).find((name) => name.startsWith('key.json.was-'));
  expect(readFileSync(join(store.places.config, aside ?? ''), 'utf8')).toBe(foreign);
  expect((await piped(store.home, ['list'])).out).toMatch(/^inferred .*user_good_rule/);
});

terminalTest('a damaged ledger: the kept copy is put back by a yes that shows what becomes verified', async () => {
  const store = await wellStore();
  const whole = store.ledgerLines();
  store.writeLedger(whole.map((line) => line.replace('"level":3', '"level":2')));
  expect(store.tier('user_good_rule')).toBe('inferred');
  const terminal = new TestTerminal(store.home, ['doctor']);
  const shown = await terminal.answer('y');
  expect(shown).toContain('the copy    4 entries, the last on');
  expect(shown.match(/the\s+chain\s+of\s+entries\s+is\s+broken/g)).toHaveLength(1);
  expect(shown).toMatch(/then {8}1 memory becomes verified; what was put into quarantine stays there\n/);
  expect(shown).toMatch(/user_good_rule: a person \(page, level 3\) on \d{4}-/);
  expect(shown).toContain('Put this copy back in the place of the ledger?');
  expect((await terminal.end()).code).toBe(0);
  await store.reopen();
  expect(store.trouble()).toBeUndefined();
  expect(store.tier('user_good_rule')).toBe('verified');
  expect(store.tier('user_bad_rule')).toBe('quarantined');
  expect(store.ledgerLines().slice(0, 4)).toEqual(whole);
  expect(lastEntry(store)).toMatchObject({
    action: 'accepted',
    by: { actor: 'operator', channel: 'terminal', level: 1 },
  });
  expect(audited(store).at(-1)).toMatch(/^doctor-put-back-ledger [0-9a-f]{64} accepted$/);
  const kept = readdirSync(join(store.places.state, 'ledgers'));
  expect(kept.filter((name) => name.includes('.replaced-'))).toHaveLength(1);
});

terminalTest(
  'a lost ledger: a no and Ctrl+C leave it lost; accepting it as it is raises nothing it does not prove',
  async () => {
    const store = await wellStore();
    rmSync(store.ledgerPath);
    const no = new TestTerminal(store.home, ['doctor']);
    await no.answer('n');
    expect(await no.answer('n')).toContain('Accept the ledger as it is now?');
    const { code, shown } = await no.end();
    expect([code, shown.includes('Nothing was changed.')]).toEqual([3, true]);
    const stop = new TestTerminal(store.home, ['doctor']);
    await stop.until(/answer: $/);
    stop.press('\u0003');
    expect((await stop.end()).code).toBe(130);
    expect(existsSync(store.ledgerPath)).toBe(false);

    const accept = new TestTerminal(store.home, ['doctor']);
    await accept.answer('n');
    expect(await accept.answer('y')).toContain('0 memories become verified');
    expect((await accept.end()).code).toBe(0);
    await store.reopen();
    expect(store.trouble()).toBeUndefined();
    expect(store.tier('user_good_rule')).toBe('inferred');
    expect(store.tier('user_bad_rule')).toBe('quarantined');
  },
);

terminalTest('a ledger this machine has forgotten counts again once a person accepts it', async () => {
  const store = await wellStore();
  rmSync(join(store.places.state, 'heads.json'));
  const terminal = new TestTerminal(store.home, ['doctor']);
  expect(await terminal.answer('y')).toMatch(/1 memory becomes verified/);
  expect((await terminal.end()).code).toBe(0);
  await store.reopen();
  expect(store.tier('user_good_rule')).toBe('verified');
});

terminalTest('where a passkey is required a ledger can be accepted too, and the requirement stays', async () => {
  const store = await wellStore();
  const passkey = new SoftwareAuthenticator();
  await enrol(store, passkey);
  await requirePasskey(store, passkey);
  rmSync(join(store.places.state, 'heads.json'));
  const terminal = new TestTerminal(store.home, ['doctor']);
  expect(await terminal.answer('y')).toMatch(/1 memory becomes verified/);
  expect((await terminal.end()).code).toBe(0);
  await store.reopen();
  forgeReceipt(store, await store.propose('forged'));
  expect([store.tier('user_good_rule'), store.tier('user_forged'), passkeysNow(store.vault).isRequired]).toEqual([
    'verified',
    'inferred',
    true,
  ]);
});

terminalTest('of a replaced ledger what its key signed goes on lowering, and what was forged does not', async () => {
  const store = await wellStore();
  await store.add('third rule');
  const { fingerprint } = store.vault.self;
  const kept = [join(store.places.state, 'ledgers', `${fingerprint}.jsonl`), join(store.places.state, 'heads.json')];
  const before = kept.map((path) => readFileSync(path));
  const text = store.text('memories', 'user_good_rule');
  await store.decide('demote', 'user_good_rule');
  // As if this machine had died before it copied the last entry; and somebody moved the file back.
  for (const [i, path] of kept.entries()) writeFileSync(path, before[i] ?? '');
  renameSync(store.path('quarantine', 'user_good_rule'), store.path('memories', 'user_good_rule'));
  store.write('memories', 'user_good_rule', text);
  const lines = store.ledgerLines();
  const forged = (lines.at(-1) ?? '').replaceAll('user_good_rule', 'user_third_rule');
  store.writeLedger([...lines.map((line, i) => (i === 2 ? line.replace('"level":0', '"level":2') : line)), forged]);
  await store.reopen();
  expect([store.trouble(), store.tier('user_third_rule')]).toEqual(['broken', 'quarantined']);

  const terminal = new TestTerminal(store.home, ['doctor']);
  expect(await terminal.answer('y')).toContain('the copy    5 entries');
  const { code, shown } = await terminal.end();
  expect(code).toBe(3);
  expect(shown.slice(shown.indexOf('Looked again:')).match(/code {8}.*/g)).toEqual(['code        files-held-back']);
  await store.reopen();
  expect(store.tier('user_third_rule')).toBe('verified');
  expect(store.standing('user_good_rule')).toBe('quarantined:decided');
});

test('in an agent’s shell and in a pipe nothing is offered and nothing is done', async () => {
  const store = await wellStore();
  rmSync(store.ledgerPath);
  const before = contentsOf(store.places.state);
  const { code, out } = await piped(store.home, ['doctor']);
  expect(code).toBe(3);
  expect(out).not.toContain('answer:');
  expect(contentsOf(store.places.state)).toEqual(before);
  expect(existsSync(store.ledgerPath)).toBe(false);
});

terminalTest('an agent that makes itself a terminal is offered nothing', async () => {
  const store = await wellStore();
  rmSync(store.ledgerPath);
  const { code, shown } = await new TestTerminal(store.home, ['doctor'], { env: { CLAUDECODE: '1' } }).end();
  expect(code).toBe(3);
  expect(shown).not.toContain('answer:');
  expect(existsSync(store.ledgerPath)).toBe(false);
});

terminalTest('settings that ask for more than a terminal keep a ledger from being mended there', async () => {
  const store = await wellStore();
  writeFileSync(join(store.places.config, 'config.json'), '{"minimumAssurance":3}', { mode: 0o600 });
  rmSync(join(store.places.state, 'heads.json'));
  const { code, shown } = await new TestTerminal(store.home, ['doctor']).end();
  expect(code).toBe(3);
  expect(shown).toMatch(/Not done: Your settings ask for a stronger channel/);
});

for (const noColor of ['', '1']) {
  terminalTest(`names of files cannot play the terminal, in a window of 50 columns (NO_COLOR=${noColor})`, async () => {
    const store = await wellStore();
    store.write('memories', 'x\u001b[2J\u202Ey', 'x');
    const long = join(store.home, `with a rather long name \u001b[31m${'x'.repeat(60)}`);
    mkdirSync(long);
    renameSync(store.places.root, join(long, 'store'));
    const terminal = new TestTerminal(store.home, ['doctor', '--root', join(long, 'store')], {
      columns: 50,
      env: { NO_COLOR: noColor },
    });
    await terminal.answer('q');
    const { shown } = await terminal.end();
    expect(shown).toContain('Files in the folder have');
    expect(shown).not.toMatch(/[[\p{Cc}\u202E]--[\n]]/v);
    expect(Math.max(...shown.split('\n').map(columnsOf))).toBeLessThan(50);
    expect(plain(terminal.screen)).not.toContain(ESCAPE);
    expect(terminal.screen.includes(`${ESCAPE}[31m`)).toBe(noColor === '');
  });
}
