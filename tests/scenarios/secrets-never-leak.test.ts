import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectStore } from '../../src/actions/sync/connect-remote.ts';
import { COMMANDS } from '../../src/cli/registry.ts';
import { fileWith } from '../../src/core/checks/sample-file.ts';
import { SECRET_RULES } from '../../src/core/secrets/detect.ts';
import { sampleToken } from '../../src/core/secrets/sample-tokens.ts';
import { CLIENTS, type Home, makeHome, type Session } from '../../testkit/clients.ts';
import { bareRemote, git } from '../../testkit/fleet.ts';
import { overviewOf } from '../../testkit/overview-page.ts';
import { piped } from '../../testkit/piped.ts';
import { prepare, sharedEnv } from '../../testkit/prepared.ts';
import { pageOf, Visitor } from '../../testkit/review-page.ts';
import { runHook } from '../../testkit/run-hook.ts';
import type { TestStore } from '../../testkit/store.ts';
import { TestTerminal, terminalTest } from '../../testkit/terminal.ts';

let home: Home;
let store: TestStore;
beforeEach(async () => {
  home = makeHome();
  store = await prepare(home);
});
afterEach(() => home.remove());

/** A secret as somebody writes it, and the part of it that must be nowhere else. */
interface Planted {
  readonly text: string;
  readonly secret: string;
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz0123456789';
const token = (seed: number): Planted => of(`ghp_${sampleToken(36, undefined, seed)}`);
const of = (secret: string): Planted => ({ text: secret, secret });

/** One of every kind of rule that names a provider, each with a token of its own. */
const TOKENS: readonly Planted[] = SECRET_RULES.filter(({ severity }) => severity === 'block')
  .map(({ catches }) => catches[0] ?? '')
  .filter((line) => /^[!-~]{20,140}$/.test(line))
  .filter((_, i) => i % 12 === 0)
  .map(of);
/** What only its label or its look gives away. */
const LIKELY: readonly Planted[] = [
  ['the staging password is ', `k${sampleToken(11, undefined, 3)}7`],
  ['api_key=', sampleToken(32, undefined, 4)],
  ['The gateway takes ', sampleToken(30, undefined, 5)],
  ['Authorization: Bearer ', sampleToken(40, undefined, 6)],
  ['postgres://app:', `q7${sampleToken(10, undefined, 7)}`],
].map(([before = '', secret = '']) => ({
  text: `${before}${secret}${before.includes('://') ? '@db.corp.dev/x' : ''}`,
  secret,
}));
/** A password whose label stands in another field. */
const ELSEWHERE = `k${sampleToken(7, undefined, 8)}7`;

/** Twelve characters of a secret are enough to find the rest; the index keeps words in lower case. */
function tellTales(secrets: readonly string[]): readonly string[] {
  return secrets.flatMap((secret) => {
    const words = secret.toLowerCase().match(/[a-z0-9]{9,}/g) ?? [];
    const longest = words.toSorted((a, b) => b.length - a.length)[0] ?? secret.toLowerCase();
    return [longest.slice(-12), createHash('sha256').update(secret).digest('hex')];
  });
}

/** Every file of the home but those that somebody planted there, and those they were moved to. */
function* records(folder: string, planted: ReadonlySet<string>): Iterable<readonly [path: string, text: string]> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!planted.has(path)) yield* records(path, planted);
    } else if (entry.isFile() && !planted.has(path)) yield [path, readFileSync(path, 'latin1').toLowerCase()];
  }
}

/** Nothing that was said, and no file that was written, holds a secret. */
function expectNone(secrets: readonly string[], said: readonly (readonly [where: string, text: string])[]): void {
  const places = new Set([store.places.memories, store.places.quarantine, join(home.folder, 'elsewhere')]);
  const everything = [
    ...said.map(([where, text]) => [where, text.toLowerCase()] as const),
    ...records(home.folder, places),
  ];
  const leaks = everything.flatMap(([where, text]) =>
    tellTales(secrets).flatMap((piece) => (text.includes(piece) ? [`${where}: ${piece}`] : [])),
  );
  expect(leaks).toEqual([]);
}

const person = () => ({ action: 'accept', content: { answer: 'yes' } }) as const;

/** Both eras: the oldest client and the newest. */
const ERAS = [CLIENTS[0], CLIENTS.at(-1)].filter((each) => each !== undefined);
const connected = ({ connect }: (typeof CLIENTS)[number]): Promise<Session> =>
  connect({ home, env: sharedEnv(home), person });

/** Calls everything a model can call, with these words wherever words can be put. */
async function callEverything(client: Session, words: string, id: string): Promise<void> {
  for (const { name, inputSchema } of await client.listTools()) {
    const { properties = {} } = inputSchema as {
      properties?: Record<string, { type?: string; enum?: readonly string[] }>;
    };
    const input: Record<string, unknown> = Object.fromEntries(
      Object.entries(properties).flatMap(([key, { type, enum: allowed }]): [string, unknown][] => {
        if (allowed !== undefined) return name === 'propose_memory' ? [[key, allowed[0]]] : [];
        if (type === 'array') return [[key, [words.slice(0, 40)]]];
        return type === 'string' || type === undefined ? [[key, words]] : [];
      }),
    );
    await client.callTool(name, input).catch(() => undefined);
    if ('id' in properties) await client.callTool(name, { ...input, id }).catch(() => undefined);
  }
  for (const uri of [
    'verified',
    `verified/${encodeURIComponent(words)}`,
    `verified/${id}`,
    'context',
    'review',
    'status',
  ])
    await client.readResource(`memory://${uri}`).catch(() => undefined);
  for (const { name, arguments: wanted = [] } of await client.listPrompts())
    await client.getPrompt(name, Object.fromEntries(wanted.map((each) => [each.name, words]))).catch(() => undefined);
  await client.complete('memory://verified/{id}', 'id', words).catch(() => undefined);
}

test.each(ERAS)(
  '$client: no word an agent sends in any argument of any tool comes back or is written down, if it is a secret',
  async (era) => {
    const id = await store.verified('the harmless one');
    const secrets = [...TOKENS, ...LIKELY];
    const client = await connected(era);
    for (const { text } of secrets.filter((_, i) => i % 4 === 0)) await callEverything(client, text, id);
    for (const [i, { text }] of secrets.entries()) {
      const asked = {
        type: 'user',
        name: `Note ${i}`,
        description: 'One line about it',
        body: `A line before it.\n${text}\nAnd one after it.`,
      };
      const refused = [
        await client.callTool('propose_memory', asked),
        await client.callTool('propose_memory', {
          ...asked,
          name: text.slice(0, 100),
          body: 'A line that is long enough to be stored.',
        }),
      ];
      expect([text, ...refused.map(({ isError }) => isError)]).toEqual([text, true, true]);
    }
    const across = {
      type: 'user',
      name: 'Staging password',
      description: ELSEWHERE,
      body: 'It opens the box by the door, and nothing else.',
    };
    expect(await client.callTool('propose_memory', across)).toMatchObject({ isError: true });
    await client.close();
    const said = [['stdout', client.server.stdout.join('\n')] as const, ['stderr', client.server.stderr] as const];
    expectNone([...secrets.map(({ secret }) => secret), ELSEWHERE], said);
    expect(existsSync(store.places.quarantine) ? readdirSync(store.places.quarantine) : []).toEqual([]);
  },
);

/** Files with a secret in every place of a file, its name included. */
function plant(): {
  readonly secrets: readonly string[];
  readonly blocked: readonly string[];
  readonly held: readonly string[];
} {
  const lower = `ghp_${sampleToken(36, LOWER, 11)}`;
  const [inBody, inTag, inKey, unreadable] = [token(12), token(13), token(14), token(15)];
  store.write('memories', 'user_in_body', fileWith({}, `A line before it.\n${inBody.text}\n`));
  store.write('memories', 'user_in_tag', fileWith({ tags: `[a, ${inTag.text}]`, [inKey.text]: inKey.text }));
  store.write('memories', 'user_unreadable', `---\nname: [\n${unreadable.text}\n`);
  store.write('memories', `user_${lower}`, fileWith({ name: 'Named after a token' }));
  store.write('memories', 'user_across', fileWith({ name: 'Staging password', description: ELSEWHERE }));
  for (const [i, { text }] of LIKELY.entries())
    store.write('memories', `user_likely_${i}`, fileWith({}, `A line before it.\n${text}\n`));
  const blocked = ['user_in_body', 'user_in_tag', 'user_unreadable'];
  const held = ['user_across', ...LIKELY.map((_, i) => `user_likely_${i}`)];
  const tokens = [inBody, inTag, inKey, unreadable].map(({ secret }) => secret);
  return { secrets: [...tokens, lower, ELSEWHERE, ...LIKELY.map(({ secret }) => secret)], blocked, held };
}

test.each(ERAS)(
  '$client: nothing of a secret in a found file reaches a model, a ledger, the index or a log',
  async (era) => {
    await store.verified('the harmless one');
    const { secrets, blocked, held } = plant();
    await store.reconcile();
    const client = await connected(era);
    for (const query of [
      'password',
      'gateway',
      'token',
      'line before it',
      ELSEWHERE,
      ...LIKELY.map(({ secret }) => secret),
    ])
      await client.callTool('search_memories', { query, limit: 20 });
    for (const id of [...blocked, ...held, `user_ghp_${sampleToken(36, LOWER, 11)}`])
      for (const tool of ['read_memory', 'promote', 'demote', 'restore', 'reaffirm'])
        await client.callTool(tool, { id });
    await client.callTool('review_queue', {});
    for (const uri of ['verified', 'context', 'review', 'status']) await client.readResource(`memory://${uri}`);
    await client.close();
    // What the test itself asked for is not what the server said.
    const said = [['stdout', client.server.stdout.join('\n')] as const, ['stderr', client.server.stderr] as const];
    expectNone(secrets, [...said, ['complaints', store.complaints.join('\n')]]);
    expect(readdirSync(store.places.quarantine).map((name) => name.replace('.md', ''))).toEqual(
      expect.arrayContaining([...blocked]),
    );
  },
);

/** What each command is called with, beside what every command is; one that is not here is called by its name alone. */
const CALLS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  show: [
    ['user_in_body'],
    ['user_likely_0'],
    ['user_across'],
    ['user_unreadable'],
    [`user_ghp_${sampleToken(36, LOWER, 11)}`],
  ],
  search: [['password'], ['line', 'before'], [ELSEWHERE]],
  log: [[], ['user_in_body']],
  check: [['.surety/memories'], ['.surety/quarantine'], ['elsewhere']],
  export: [['exported']],
  import: [['elsewhere'], ['elsewhere', '--dry-run']],
  backfill: [[], ['--execute']],
  adopt: [['user_in_body']],
  add: [['--name', 'A name', '--body', `It is ghp_${sampleToken(36, undefined, 12)} today, and will be.`], []],
  hook: [['session-start'], ['pre-tool-use']],
  machines: [[], ['trust', 'ghp_']],
  erase: [['user_in_body']],
  sync: [[], ['--dry-run']],
};

test.each(Object.keys(COMMANDS))('surety %s prints and writes nothing of a secret in a file', async (command) => {
  await store.verified('the harmless one');
  const { secrets } = plant();
  const elsewhere = join(home.folder, 'elsewhere');
  mkdirSync(elsewhere);
  const brought = (stem: string, name: string, text: string) =>
    writeFileSync(join(elsewhere, `${stem}.md`), fileWith({ name }, `A line before it.\n${text}\n`));
  brought('user_brought', 'Brought along', token(16).text);
  brought('user_likely', 'Also brought', LIKELY[0]?.text ?? '');
  brought(`user_ghp_${sampleToken(36, LOWER, 11)}`, 'Named so', 'Nothing else is wrong with it.');
  store.vault.close();
  const said: (readonly [string, string])[] = [];
  for (const args of CALLS[command] ?? [[]]) {
    for (const all of [args, [...args, '--json']]) {
      const { out, err } = await piped(home.folder, [command, ...all]);
      said.push([all.join(' ').slice(0, 40), `${out}\n${err}`]);
    }
  }
  expect(said.every(([, text]) => text.length > 1 || command === 'hook')).toBe(true);
  expectNone([...secrets, token(16).secret], said);
});

test('a hook that is told a secret, or loads memories that hold one, says and writes down nothing of it', async () => {
  await store.verified('the harmless one');
  const { secrets } = plant();
  await store.reconcile();
  store.vault.close();
  const told = token(17);
  const said: (readonly [string, string])[] = [];
  const inputs = [
    ['session-start', { session_id: told.secret, source: 'startup', cwd: home.folder }],
    ['pre-tool-use', { tool_name: 'Bash', tool_input: { command: `echo ${told.secret} > .surety/memories/x.md` } }],
    [
      'pre-tool-use',
      { tool_name: 'Write', tool_input: { file_path: `.surety/${told.secret}.md`, content: told.text } },
    ],
    ['pre-tool-use', `not json ${told.secret}`],
  ] as const;
  for (const [hook, input] of inputs) {
    const { out, err } = await runHook(home.folder, hook, input);
    said.push([hook, `${out}\n${err}`]);
  }
  expectNone([...secrets, told.secret], said);
});

test('the page shows a possible secret to nobody but who is asked to vouch for it, and writes down nothing of one', async () => {
  await store.verified('the harmless one');
  const { secrets } = plant();
  await store.reconcile();
  store.pass(8);
  const page = await pageOf(store);
  const visitor = await Visitor.enter(page);
  const said: (readonly [string, string])[] = [];
  const asked: string[] = [];
  for (let sheets = 0; sheets < 30; sheets++) {
    const { text } = await visitor.get();
    if (!text.includes('id="answers"')) break;
    // Vouching is for a text that was shown whole: there, and only there, the value is on the sheet.
    if (/Do you vouch for this/.test(text) && !text.includes('Not now')) asked.push(text);
    else said.push([`sheet ${sheets}`, text]);
    for (const name of ['script.js', 'edit', 'draft', 'nothing'])
      if (asked.at(-1) !== text || !['edit', 'draft'].includes(name)) said.push([name, (await visitor.get(name)).text]);
    await visitor.post({ token: await visitor.token(), key: 's' });
  }
  said.push(['the end', (await visitor.get()).text]);
  expect(asked.length).toBeGreaterThan(0);
  expectNone(secrets, [...said, ['complaints', store.complaints.join('\n')]]);
  // What no yes overrules is on no sheet at all.
  const certain = secrets.filter((secret) => secret.startsWith('ghp_'));
  for (const piece of tellTales(certain)) expect(asked.join('\n').toLowerCase()).not.toContain(piece);
});

test('the overview shows a possible secret to nobody but who is asked to vouch for it', async () => {
  await store.verified('the harmless one');
  const { secrets } = plant();
  await store.reconcile();
  store.pass(8);
  const visitor = await Visitor.enter(await overviewOf(store));
  const said: (readonly [string, string])[] = [];
  const asked: string[] = [];
  const { text: rows } = await visitor.get('rows');
  said.push(['rows', rows]);
  const keys = (JSON.parse(rows) as { rows: [string][] }).rows.map(([key]) => key);
  for (const key of keys) {
    const { text } = await visitor.get(`sheet/${key}`);
    if (/Do you (?:still )?vouch for this|Did you say this/.test(text) && !text.includes('Not now')) asked.push(text);
    else said.push([`sheet ${key}`, text]);
    for (const name of [`names?key=${key}`, `life/${key}`, `edit/${key}`, `beside/${key}?other=user_the_harmless_one`])
      said.push([name, (await visitor.get(name)).text]);
  }
  for (const word of ['token', 'password', 'the', 'secret'])
    said.push([`search ${word}`, (await visitor.get(`search?q=${word}`)).text]);
  expect(keys.length).toBeGreaterThan(3);
  expectNone(secrets, [...said, ['complaints', store.complaints.join('\n')]]);
  const certain = secrets.filter((secret) => secret.startsWith('ghp_'));
  for (const piece of tellTales(certain)) expect(asked.join('\n').toLowerCase()).not.toContain(piece);
});

terminalTest('the terminal shows nothing of a secret that no yes overrules, in any command that asks', async () => {
  await store.verified('the harmless one');
  const { secrets } = plant();
  await store.reconcile();
  store.vault.close();
  const certain = secrets.filter((secret) => secret.startsWith('ghp_'));
  const said: (readonly [string, string])[] = [];
  for (const args of [
    ['review'],
    ['doctor'],
    ['show', 'user_in_body'],
    ['show', 'user_unreadable'],
    ['adopt', 'user_in_body'],
    ['list'],
    ['log'],
    ['status'],
  ]) {
    const terminal = new TestTerminal(home.folder, args);
    // Whatever it asks is left for now; what ends by itself is not waited for.
    const leaving = (async () => {
      for (let i = 0; i < 30; i++) await terminal.reply(/(?:answer: |\] )$/, 's');
    })().catch(() => undefined);
    await Promise.race([terminal.exit, leaving]);
    terminal.hangUp();
    said.push([args.join(' '), terminal.screen]);
  }
  expect(said.every(([, screen]) => screen.length > 0)).toBe(true);
  expectNone(certain, said);
});

test('a sync with a real remote sends nothing of a secret and says none', async () => {
  const remote = bareRemote();
  await store.verified('the harmless one');
  const { secrets } = plant();
  await store.reconcile();
  await connectStore(store.vault, remote);
  store.vault.close();
  const said: (readonly [string, string])[] = [];
  for (const args of [['sync'], ['sync', '--json'], ['sync', '--dry-run'], ['status']]) {
    const { out, err } = await piped(home.folder, args);
    said.push([args.join(' '), `${out}\n${err}`]);
  }
  // Objects are packed: what is in them is read as git reads it.
  const objects = git(remote, 'cat-file', '--batch-all-objects', '--batch-check=%(objectname)')
    .split('\n')
    .filter(Boolean);
  expect(objects.length).toBeGreaterThan(3);
  const certain = secrets.filter((secret) => secret.startsWith('ghp_'));
  for (const repository of [remote, store.places.root])
    said.push([repository, git(repository, 'cat-file', '--batch-all-objects', '--batch')]);
  expectNone(certain, said);
});
