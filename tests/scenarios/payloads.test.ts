import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { fileWith } from '../../src/core/checks/sample-file.ts';
import { columnsOf } from '../../src/core/text/display-width.ts';
import { openSqlite } from '../../src/store/disk/sqlite.ts';
import { type Answer, CLIENTS, type Home, makeHome, type Person, type Session } from '../../testkit/clients.ts';
import { GIVEN, LEFT, PAYLOADS } from '../../testkit/payloads.ts';
import { piped } from '../../testkit/piped.ts';
import { prepare, sharedEnv } from '../../testkit/prepared.ts';
import { knock, pageOf, Visitor } from '../../testkit/review-page.ts';
import { indexIn, type TestStore } from '../../testkit/store.ts';
import { TestTerminal, terminalTest } from '../../testkit/terminal.ts';

/** What every payload must meet in the whole product: a real client and server, real files, the real page and terminal. */
let home: Home;
let store: TestStore;
beforeEach(async () => {
  home = makeHome();
  store = await prepare(home);
});
afterEach(() => home.remove());

/** The newest era; tests/server.test.ts shows that all clients are served alike. */
function connected(where = home, person?: Person): Promise<Session> {
  const connect = CLIENTS.at(-1)?.connect;
  if (connect === undefined) throw new Error('no client');
  return connect({ home: where, env: sharedEnv(where), ...(person && { person }) });
}

/** All that came out of a server, protocol and log. */
const said = ({ server }: Session) => `${server.stdout.join('\n')}\n${server.stderr}`;

const LINE = 'The marmalade stands before the line that matters.\n';

/** What a tokenizer could take for a turn, and what a client could fetch. */
const SPECIAL = /<\|\w{2,24}\|>|\[\/?INST\]|<<\/?SYS>>|<\/?(?:function|tool)_|(?<!\\)!\[/i;

/** What is stored has one place in the result, in text and structure alike, and could not be read as a mark or a picture. */
function expectStored({ text, structured }: { readonly text: string; readonly structured: unknown }): void {
  expect(JSON.parse(text)).toEqual(structured);
  const { stored, ...ours } = structured as { readonly stored: Record<string, unknown> };
  expect(
    Object.keys(stored).filter((key) => !['name', 'description', 'tags', 'project', 'body'].includes(key)),
  ).toEqual([]);
  expect(Object.keys(ours).filter((key) => !['id', 'tier', 'why', 'since', 'type', 'held'].includes(key))).toEqual([]);
  for (const line of Object.values(stored).flat().join('\n').split('\n')) {
    expect(line).not.toMatch(SPECIAL);
    expect(line).not.toMatch(LEFT);
  }
}

const texts = PAYLOADS.filter(({ field }) => field === 'body' || field === 'title' || field === 'description').map(
  (each, i) => ({ ...each, found: `user_found_${i}`, number: i }),
);

describe('text, proposed by an agent and found in a file that somebody put there', () => {
  const place = makeHome();
  const memories = join(place.folder, '.surety', 'memories');
  let client: Session;
  beforeAll(async () => {
    const config = join(place.folder, '.config', 'surety');
    mkdirSync(config, { recursive: true, mode: 0o700 });
    writeFileSync(join(config, 'config.json'), JSON.stringify({ proposalsPerSession: 1000 }));
    mkdirSync(memories, { recursive: true, mode: 0o700 });
    for (const { field, payload, found } of texts) {
      if (field === 'body') writeFileSync(join(memories, `${found}.md`), fileWith({}, LINE + payload));
    }
    client = await connected(place);
  });
  afterAll(async () => {
    await client?.close();
    place.remove();
  });

  test.each([...new Set(texts.map((each) => each.class))])(
    '%s: what is stored is clean, what is served stays behind the frame',
    async (kind) => {
      for (const each of texts.filter((text) => text.class === kind)) await expectTreated(memories, client, each);
    },
  );

  test('a search shows none of it as anything but text, and the server’s own output holds no control character', async () => {
    for (const { payload } of texts) {
      const query = payload.toWellFormed().trim().slice(0, 100);
      if (query === '') continue;
      const hits = await client.callTool('search_memories', { query, limit: 20 });
      expect([query, hits.isError]).toEqual([query, false]);
      expect(`${hits.text}\n${JSON.stringify(hits.structured, null, 1)}`).not.toMatch(SPECIAL);
      expect(hits.text).not.toMatch(LEFT);
    }
    expect(said(client)).not.toMatch(/[\p{Cc}--[\t\n]]/v);
  });
});

async function expectTreated(
  memories: string,
  client: Session,
  { field, payload, expect: { write }, found, number }: (typeof texts)[number],
): Promise<void> {
  const proposed = await client.callTool('propose_memory', {
    type: 'user',
    name: field === 'title' ? payload : `Payload ${number}`,
    description: field === 'description' ? payload : 'One line about it',
    body: `${LINE}Number ${number}.\n${field === 'body' ? payload : ''}`,
  });
  const { id, tier, note } = (proposed.structured ?? {}) as { id?: string; tier?: string; note?: string };
  // An encoded command looks drawn at random, and what is longer than a memory is none: both are refused.
  if (id === undefined) expect(proposed.text).toMatch(/secret-found|5000|10000/);
  else {
    const file = readFileSync(join(memories, `${id}.md`), 'utf8');
    expect(tier).toBe('inferred');
    expect(file).not.toMatch(LEFT);
    expect(/^trust-level: .*$/m.exec(file)?.[0]).toBe('trust-level: inferred');
    if (/^strip\+flag|^replace|^cap/.test(write))
      expect(note).toMatch(/ that do(?:es)? not belong here|spell a message/);
    const whole = await client.callTool('read_memory', { id });
    expectStored(whole);
    if (write === 'keep+flag(strong)') expect(whole.structured).toMatchObject({ held: true });
  }
  if (field !== 'body') return;
  const whole = await client.callTool('read_memory', { id: found });
  if ((whole.structured as { tier: string }).tier !== 'quarantined') expectStored(whole);
  else expect(payload.length).toBeGreaterThan(5000);
  if (write.endsWith('flag(strong)')) expect(whole.structured).toMatchObject({ held: true });
}

const files = PAYLOADS.filter(({ field }) => field === 'file' || field === 'yaml').filter(
  (each) => each.class !== 'trust-forgery',
);

test('frontmatter and yaml: what cannot be read strictly is quarantined byte for byte, and none of it is served', async () => {
  const written = files.map(({ field, payload, expect: { write } }, i) => {
    const text = field === 'file' ? payload : fileWith({}).replace('---\n', `---\n${payload}\n`);
    return { id: `user_hostile_${i}`, text, refused: write.startsWith('reject') };
  });
  // Five at a time: more of them at once, and a pass takes it for a rule gone wrong.
  for (let i = 0; i < written.length; i += 5) {
    for (const { id, text } of written.slice(i, i + 5)) store.write('memories', id, text);
    await store.reconcile();
  }
  const client = await connected();
  for (const { id, text, refused } of written) {
    const reply = await client.callTool('read_memory', { id });
    expect(reply.structured).not.toMatchObject({ tier: 'verified' });
    if (!refused) continue;
    expect(reply.structured).toMatchObject({ id, tier: 'quarantined' });
    expect(store.text('quarantine', id)).toBe(text);
    expect(existsSync(store.path('memories', id))).toBe(false);
  }
  await client.close();
  expect([Reflect.get(globalThis, 'PWNED'), Reflect.get(globalThis, 'OURS')]).toEqual([undefined, undefined]);
  expect(Reflect.get({}, 'polluted')).toBeUndefined();
});

test('path-id: no tool takes a path for an id, and a file so named is reported and left alone', async () => {
  const ids = PAYLOADS.filter(({ field, id }) => field === 'id' && id !== 'case-collision').map(
    ({ payload }) => payload,
  );
  const outside = join(home.folder, 'etc');
  mkdirSync(outside);
  writeFileSync(join(outside, 'passwd'), 'nobody’s business');
  const client = await connected();
  for (const id of ids) {
    for (const tool of ['read_memory', 'promote', 'demote', 'restore', 'reaffirm']) {
      const reply = await client.callTool(tool, { id });
      expect([id, tool, reply.isError]).toEqual([id, tool, true]);
    }
    await expect(client.readResource(`memory://verified/${encodeURIComponent(id)}`)).rejects.toThrow();
  }
  const named = ids.filter((id) => id !== '' && id.length < 200 && !/[/\0]/.test(id) && !/^\.+$/.test(id));
  for (const id of named) store.write('memories', id, fileWith({ name: 'Marmalade' }));
  const { notices } = await store.reconcile();
  expect(notices.filter(({ kind }) => kind === 'not-an-id')).toHaveLength(new Set(named).size);
  expect((await client.callTool('search_memories', { query: 'marmalade' })).structured).toMatchObject({ hits: [] });
  await client.close();
  expect(said(client)).not.toContain('nobody’s business');
});

test('fts5-query and sql-injection: a query is words, whatever it is made of', async () => {
  await store.propose('deploy', { body: 'The deploy runs at night and a title is needed.' });
  await store.propose('jukebox', { description: 'jukebox', body: 'jukebox jukebox jukebox jukebox' });
  const put = await store.verified('deploy of old', { body: 'The deploy of the old days is no more.' });
  await store.decide('demote', put);
  const rows = store.vault.count('memories');
  const client = await connected();
  for (const { payload } of PAYLOADS.filter(({ field }) => field === 'query')) {
    const reply = await client.callTool('search_memories', { query: payload, limit: 20 });
    const fits = payload.length > 0 && payload.length <= 400;
    expect([payload, reply.isError]).toEqual([payload, !fits]);
    if (!fits) expect(reply.text).toContain('query');
    const { hits = [] } = (reply.structured ?? {}) as { hits?: { id: string }[] };
    expect(hits.map(({ id }) => id)).not.toContain(put);
    // A word of the query stands in whatever it finds.
    expect([payload, ...hits.map(({ id }) => id)]).not.toContain('user_jukebox');
    if (payload.replaceAll(/[^a-z]/gi, '') === 'deploy')
      expect([payload, ...hits.map(({ id }) => id)]).toContain('user_deploy');
  }
  const still = await client.callTool('search_memories', { query: 'jukebox' });
  expect(still.structured).toMatchObject({ hits: [{ id: 'user_jukebox' }] });
  await client.close();
  expect(store.vault.count('memories')).toBe(rows);
});

/** Each thing that is no text, by the name the given payloads have for it, and what shows that it does no harm. */
const SCENARIOS: Readonly<Record<string, Readonly<Record<string, () => Promise<void>>>>> = {
  'sql-injection': {
    /** An index that somebody else shipped: with a table of ours, a view and a trigger that would do their work. */
    'malicious-db': async () => {
      const id = await store.propose('marmalade');
      store.vault.close();
      const path = indexIn(store.places.cache);
      for (const name of readdirSync(store.places.cache)) rmSync(join(store.places.cache, name), { recursive: true });
      const db = openSqlite(path, 1000);
      db.exec(`CREATE TABLE files (rowid INTEGER PRIMARY KEY, place TEXT, stem TEXT);
        CREATE TABLE stolen (stem TEXT);
        CREATE TRIGGER steal AFTER INSERT ON files BEGIN INSERT INTO stolen VALUES (new.stem); END;
        CREATE VIEW texts AS SELECT 'verified' AS terms`);
      db.close();
      const client = await connected();
      const found = await client.callTool('search_memories', { query: 'marmalade' });
      expect(found.structured).toMatchObject({ hits: [{ id, tier: 'inferred' }] });
      await client.close();
      const left = openSqlite(path, 1000);
      const names = left.prepare('SELECT name FROM sqlite_master').all() as { name: string }[];
      left.close();
      expect(names.map(({ name }) => name)).not.toContain('steal');
    },
  },
  'path-id': {
    'case-collision': async () => {
      const client = await connected();
      const ids: string[] = [];
      for (const name of ['Deploy-Hints', 'deploy hints', 'DEPLOY_HINTS']) {
        const { structured } = await client.callTool('propose_memory', {
          type: 'user',
          name,
          description: 'One line about it',
          body: `${LINE}It is called ${name}.`,
        });
        ids.push((structured as { id: string }).id);
      }
      await client.close();
      expect(ids).toEqual(['user_deploy_hints', 'user_deploy_hints_2', 'user_deploy_hints_3']);
      expect(new Set(store.files('memories').map((name) => name.toLowerCase())).size).toBe(3);
    },
  },
  filesystem: {
    'symlink-dir': async () => {
      const theirs = outside();
      symlinkSync(dirname(theirs.path), join(store.places.memories, 'sub'));
      await expectUnread(['sub/theirs', 'theirs'], theirs);
    },
    'symlink-write': async () => {
      const theirs = outside();
      symlinkSync(theirs.path, store.path('memories', 'user_marmalade'));
      await expectUnread(['user_marmalade'], theirs);
      expect(readlinkSync(store.path('memories', 'user_marmalade'))).toBe(theirs.path);
    },
    'dangling-symlink': async () => {
      const nowhere = join(home.folder, 'outside.md');
      symlinkSync(nowhere, store.path('memories', 'user_marmalade'));
      await expectUnread(['user_marmalade']);
      expect(existsSync(nowhere)).toBe(false);
    },
    hardlink: async () => {
      const theirs = outside();
      linkSync(theirs.path, store.path('memories', 'user_marmalade'));
      await expectUnread(['user_marmalade'], theirs);
    },
    /** A device where the system lets us make one; else what stands for it everywhere, a pipe nobody writes to. */
    device: async () => {
      const path = store.path('memories', 'user_marmalade');
      try {
        execFileSync('mknod', [path, 'c', '1', '5'], { stdio: 'ignore' });
      } catch {
        execFileSync('mkfifo', [path]);
      }
      await expectUnread(['user_marmalade']);
    },
    huge: async () => {
      store.write('memories', 'user_marmalade', '');
      truncateSync(store.path('memories', 'user_marmalade'), 5 * 2 ** 30);
      await expectUnread(['user_marmalade']);
    },
    /** As many as a test can wait for: replies stay as short as they are asked to be, and the count is told. */
    'many-files': async () => {
      for (let i = 0; i < 1500; i++) store.write('memories', `user_many_${i}`, fileWith({}, `${LINE}Number ${i}.`));
      const client = await connected();
      const { structured, text } = await client.callTool('search_memories', { query: 'marmalade', limit: 20 });
      expect((structured as { hits: unknown[] }).hits).toHaveLength(20);
      expect(text.length).toBeLessThan(20_000);
      const context = await client.readResource('memory://context');
      expect(context.text.length).toBeLessThan(40_000);
      await client.close();
    },
    perms: async () => {
      store.write('memories', 'user_loose', fileWith({}));
      chmodSync(store.path('memories', 'user_loose'), 0o666);
      chmodSync(store.places.root, 0o775);
      const client = await connected();
      const asked = { type: 'user', name: 'Marmalade', description: 'One line about it', body: LINE };
      const { structured } = await client.callTool('propose_memory', asked);
      await client.close();
      const { id } = structured as { id: string };
      expect(statSync(store.path('memories', id)).mode & 0o777).toBe(0o600);
      for (const file of readdirSync(store.places.state)) {
        expect([file, statSync(join(store.places.state, file)).mode & 0o077]).toEqual([file, 0]);
      }
      const { out } = await piped(home.folder, ['doctor']);
      expect(out).toContain('Other accounts of this machine may read or write');
    },
    /** Nothing of ours lies in a folder that others write to, so nobody can lay a link there first. */
    'tmp-predictable': async () => {
      const client = await connected();
      const asked = { type: 'user', name: 'Marmalade', description: 'One line about it', body: LINE };
      expect((await client.callTool('propose_memory', asked)).isError).toBe(false);
      expect(readdirSync(join(home.folder, 'tmp'))).toEqual([]);
      await client.close();
      expect(readdirSync(join(home.folder, 'tmp'))).toEqual([]);
      expect(statSync(store.places.guard).mode & 0o077).toBe(0);
    },
  },
  'trust-forgery': {
    'self-verified': async () => {
      store.write('memories', 'user_forged', fileWith({ 'trust-level': 'verified', 'last-verified': '2026-01-01' }));
      const client = await connected();
      const reply = await client.callTool('read_memory', { id: 'user_forged' });
      expect(reply.structured).toMatchObject({ tier: 'inferred' });
      expect((await client.readResource('memory://verified')).text).not.toContain('user_forged');
      expect((await client.callTool('promote', { id: 'user_forged' })).structured).not.toMatchObject({
        tier: 'verified',
      });
      await client.close();
      expect(store.load('user_forged').standing).toMatchObject({ tier: 'inferred', reason: 'unproven' });
    },
    'edited-after-verify': async () => {
      const id = await store.verified('marmalade');
      store.edit(id, (text) => text.replace('two cores', 'three cores'));
      const client = await connected();
      const reply = await client.callTool('read_memory', { id });
      expect(reply.structured).toMatchObject({ tier: 'inferred' });
      const queue = await client.callTool('review_queue', {});
      expect(queue.structured).toMatchObject({ counts: { changed: 1 } });
      await client.close();
    },
    rollback: async () => {
      const id = await store.verified('marmalade');
      const old = store.text('memories', id);
      store.edit(id, (text) => text.replace('two cores', 'three cores'));
      await store.decide('reaffirm', id);
      expect(store.tier(id)).toBe('verified');
      store.write('memories', id, old);
      const client = await connected();
      expect((await client.callTool('read_memory', { id })).structured).toMatchObject({ tier: 'inferred' });
      expect((await client.callTool('review_queue', {})).structured).toMatchObject({ counts: { changed: 1 } });
      await client.close();
    },
  },
  'web-review': {
    csrf: async () => {
      const visitor = await Visitor.enter(await ripePage());
      const token = await visitor.token();
      const from = [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }];
      for (const headers of from) expect((await visitor.post({ token, key: 'y' }, headers)).status).toBe(403);
      const without = { cookie: '' };
      expect((await visitor.post({ token, key: 'y' }, without)).status).toBe(403);
      expect(store.tier('user_marmalade')).toBe('inferred');
    },
    'dns-rebinding': async () => {
      const visitor = await Visitor.enter(await ripePage());
      const { port } = new URL(visitor.origin);
      const reply = await visitor.get('', { host: `evil.example:${port}` });
      expect(reply.status).toBe(403);
      expect(reply.text).not.toContain('marmalade');
    },
    clickjacking: async () => {
      const visitor = await Visitor.enter(await ripePage());
      const { headers } = await visitor.get();
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
      expect(headers['x-frame-options']).toBe('DENY');
    },
    /** The code is exchanged once; what follows has no link that could carry an address elsewhere. */
    'token-in-url': async () => {
      const page = await ripePage();
      const visitor = await Visitor.enter(page);
      const { headers, text } = await visitor.get();
      expect(['no-referrer', 'same-origin']).toContain(headers['referrer-policy']);
      expect(text).not.toContain(page.url.split('/').at(-1));
      expect(text).not.toMatch(/(?:href|src|action)="(?:https?:)?\/\//);
      expect((await knock(page.url)).status).toBe(410);
    },
    'port-scan': async () => {
      const page = await ripePage();
      const { origin } = new URL(page.url);
      for (const path of ['/', '/open/', '/answer', '/favicon.ico']) {
        const { status, headers, text } = await knock(origin, { path });
        expect(status).toBe(404);
        expect(headers['access-control-allow-origin']).toBeUndefined();
        expect(text).not.toMatch(/surety|marmalade/i);
      }
      expect(new URL(page.url).hostname).toBe('127.0.0.1');
    },
  },
};

/** A file that is nobody's memory, beside the store. */
function outside(): { path: string; untouched(): void } {
  const folder = join(home.folder, 'theirs');
  mkdirSync(folder);
  const path = join(folder, 'theirs.md');
  const text = fileWith({ 'trust-level': 'verified' }, 'Quagmire: these words lie outside the store.');
  writeFileSync(path, text);
  const { ino, mtimeMs } = lstatSync(path);
  return {
    path,
    untouched: () => {
      expect(readFileSync(path, 'utf8')).toBe(text);
      expect(lstatSync(path)).toMatchObject({ ino, mtimeMs });
    },
  };
}

/** What lies there is served under none of these ids, and keeps nobody from proposing and searching beside it. */
async function expectUnread(ids: readonly string[], theirs?: { untouched(): void }): Promise<void> {
  const client = await connected();
  for (const id of ids) {
    const { isError, structured } = await client.callTool('read_memory', { id });
    expect(isError || (structured as { tier: string }).tier === 'quarantined').toBe(true);
  }
  const asked = { type: 'user', name: 'Marmalade', description: 'One line about it', body: LINE };
  expect((await client.callTool('propose_memory', asked)).isError).toBe(false);
  const found = await client.callTool('search_memories', { query: 'marmalade quagmire', limit: 20 });
  expect((found.structured as { hits: unknown[] }).hits).toHaveLength(1);
  await client.close();
  expect(said(client)).not.toContain('outside the store');
  theirs?.untouched();
}

async function ripePage(body = 'The marmalade is in the cupboard by the door.') {
  const id = await store.propose('marmalade', { body });
  expect(id).toBe('user_marmalade');
  store.pass(8);
  return pageOf(store);
}

describe.each(Object.entries(SCENARIOS))('%s', (_kind, scenarios) => {
  test.each(Object.entries(scenarios))('%s does no harm', async (_id, run) => run());
});

describe('on the page', () => {
  const bodies = PAYLOADS.filter(({ class: kind, field }) => field === 'body' && kind !== 'redos');
  test('every stored text is text: none of it becomes markup, a link or a script', async () => {
    for (const [i, { payload }] of bodies.entries()) {
      store.write('memories', `user_p${i}`, fileWith({ name: `Payload ${i}` }, `${LINE}${payload}`));
    }
    await store.reconcile();
    const visitor = await Visitor.enter(await pageOf(store));
    const tags = new Set<string>();
    for (let sheets = 0; sheets < bodies.length; sheets++) {
      const whole = (await visitor.get()).text;
      // The page's own style comes first, in the head. Any other is stored text that became markup.
      const text = whole.replace(/<style nonce="[0-9a-f]{32}">[^<]*<\/style>/, '');
      expect(text).not.toBe(whole);
      expect(text).not.toMatch(LEFT);
      for (const [tag] of text.matchAll(/<[a-z][^>]*>/gi)) tags.add(tag.replaceAll(/="[^"]*"/g, ''));
      expect(text).not.toMatch(/<[^>]*(?:\son\w+\s*=|javascript:)|<(?:img|svg|iframe|style|span style)/i);
      await visitor.post({ token: await visitor.token(), key: 's' });
    }
    expect([...tags].filter((tag) => /^<(?:script|link)/.test(tag)).length).toBeLessThanOrEqual(2);
  });
});

describe('in a dialog', () => {
  const titles = PAYLOADS.filter(({ class: kind }) => kind === 'elicitation');
  test.each(titles)(
    '$id: a name is one quoted line behind its label, and the question stays ours',
    async ({ payload }) => {
      const questions: string[] = [];
      const person = ({ message }: { message: string }): Answer => {
        questions.push(message);
        return { action: 'cancel' };
      };
      const client = await connected(home, person);
      const { structured, text } = await client.callTool('propose_memory', {
        type: 'user',
        name: payload,
        description: 'Short',
        body: 'The jam is in the cupboard there.',
      });
      const { id } = (structured ?? { id: text }) as { id: string };
      await client.callTool('demote', { id });
      await client.close();
      expect(questions).toHaveLength(1);
      const [first = '', ...rest] = questions[0]?.split('\n') ?? [];
      expect(first).toContain(id);
      expect(rest[0]).toMatch(/^name: /);
      expect(rest.length).toBeLessThanOrEqual(3);
      expect(store.tier(id)).toBe('inferred');
    },
  );
});

terminalTest('terminal: a text moves no cursor and stays within its frame and the window', async () => {
  for (const [i, { field, payload }] of PAYLOADS.filter((each) => each.class === 'terminal').entries()) {
    const name = field === 'title' ? JSON.stringify(payload) : `Payload ${i}`;
    store.write('memories', `user_t${i}`, fileWith({ name }, field === 'body' ? LINE + payload : LINE));
    await store.reconcile();
    for (const args of [['show', `user_t${i}`], ['list']]) {
      const terminal = new TestTerminal(home.folder, args, { columns: 60, env: sharedEnv(home) });
      const { shown } = await terminal.end();
      expect(shown).not.toMatch(/[\p{Cc}--[\t\n]]/v);
      expect(Math.max(...shown.split('\n').map(columnsOf))).toBeLessThanOrEqual(60);
      expect(shown.split('\n').filter((row) => /^\s*(?:\[y\]|answer: y)/.test(row))).toEqual([]);
    }
  }
});

/** A class that the given payloads have and no test drives would go unnoticed otherwise. */
test('every payload that was given is driven through the product', () => {
  const driven = new Set([
    ...[...texts, ...files].map(({ class: kind, id }) => `${kind} ${id}`),
    ...PAYLOADS.filter(({ field }) => field === 'id' || field === 'query').map(
      ({ class: kind, id }) => `${kind} ${id}`,
    ),
    ...Object.entries(SCENARIOS).flatMap(([kind, some]) => Object.keys(some).map((id) => `${kind} ${id}`)),
  ]);
  const missed = GIVEN.map(({ class: kind, id }) => `${kind} ${id}`).filter((each) => !driven.has(each));
  // In a JSON line the lone surrogate is written out; ours is a real one.
  expect(missed).toEqual(GIVEN.length === 0 ? [] : ['surrogate lone-low']);
});
