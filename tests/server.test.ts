import { cpSync, existsSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioClientTransport1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { VERSION } from '../src/version.ts';
import { CLIENTS, type Home, makeHome, RunningServer, type Session } from '../testkit/clients.ts';
import { MAIN, ROOT } from '../testkit/program.ts';
import { temporaryFolder } from '../testkit/store.ts';

const SAMPLE = join(ROOT, 'testkit/sample-server.ts');

let home: Home;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => home.remove());

function expectProtocolOnly(server: RunningServer): void {
  expect(server.stdout.length).toBeGreaterThan(0);
  for (const line of server.stdout) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
}

describe.each(CLIENTS)('$client', ({ connect }) => {
  test('connects, learns who answers and how to use it, and lists tools', async () => {
    const session = await connect({ home });
    expect(session.serverInfo).toEqual({ name: 'surety', version: VERSION });
    expect(session.instructions).toContain('only a person can make it verified');
    expect(session.instructions?.length).toBeLessThan(1_000);
    expect(Array.isArray(await session.listTools())).toBe(true);
    expect(await session.close()).toEqual({ code: 0, signal: null });
    expect(session.server.stderr).toBe('');
    expectProtocolOnly(session.server);
  });

  test('lists tools in the same order every time', async () => {
    const first = await connect({ home, entry: SAMPLE });
    const second = await connect({ home, entry: SAMPLE });
    const listed = await first.listTools();
    expect(listed.map((tool) => tool.name)).toEqual([
      'echo',
      'open_vault',
      'who_am_i',
      'ask_person',
      'refuse',
      'crash',
      'chatter',
      'leak',
    ]);
    expect(await first.listTools()).toEqual(listed);
    expect(await second.listTools()).toEqual(listed);
    await Promise.all([first.close(), second.close()]);
  });

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('the server leaves cleanly on %s', async (signal) => {
    const session = await connect({ home });
    await session.listTools();
    session.server.kill(signal);
    expect(await session.server.exit).toEqual({ code: 0, signal: null });
    expectProtocolOnly(session.server);
  });

  test('the server leaves when its client closes stdin, whatever else is open', async () => {
    const session = await connect({ home, entry: SAMPLE });
    expect(await session.close()).toEqual({ code: 0, signal: null });
  });

  test('the server leaves when its client stops reading, whatever else is open', async () => {
    const session = await connect({ home, entry: SAMPLE });
    session.server.stopReading();
    void session.listTools().catch(() => {}); // its answer is what meets the broken pipe
    expect(await session.server.exit).toEqual({ code: 0, signal: null });
  });

  describe('a tool', () => {
    // One server for all of them, because none reads what another left and each start takes 0.3 seconds of CPU time.
    let shared: Home;
    let session: Session;
    beforeAll(async () => {
      shared = makeHome();
      session = await connect({ home: shared, entry: SAMPLE });
    });
    afterEach(() => expectProtocolOnly(session.server));
    afterAll(async () => {
      expect(await session.close()).toEqual({ code: 0, signal: null });
      expectProtocolOnly(session.server);
      shared.remove();
    });

    test('carries hints derived from its risk', async () => {
      const tools = new Map((await session.listTools()).map((tool) => [tool.name, tool]));
      const closed = { openWorldHint: false };
      expect(tools.get('echo')?.annotations).toMatchObject({ ...closed, readOnlyHint: true, destructiveHint: false });
      expect(tools.get('open_vault')?.annotations).toMatchObject({
        ...closed,
        readOnlyHint: false,
        destructiveHint: false,
      });
      expect(tools.get('refuse')?.annotations).toMatchObject({ ...closed, readOnlyHint: false, destructiveHint: true });
      expect(tools.get('ask_person')?._meta).toMatchObject({ 'example.org/asks': true });
    });

    test('describes its input and output', async () => {
      const echo = (await session.listTools()).find((tool) => tool.name === 'echo');
      expect(echo?.inputSchema).toMatchObject({
        type: 'object',
        properties: { words: { type: 'string', minLength: 2, maxLength: 20 }, times: { default: 1 } },
        required: ['words'],
      });
      expect(echo?.outputSchema).toMatchObject({ type: 'object', anyOf: [{ required: ['said'] }, {}] });
    });

    test('answers in text and in structure', async () => {
      await session.listTools(); // clients check results only against schemas they have listed
      expect(await session.callTool('echo', { words: 'hello', times: 2 })).toEqual({
        isError: false,
        text: '{"said":["hello","hello"]}',
        structured: { said: ['hello', 'hello'] },
      });
    });

    test('refuses bad input by naming the field, never by quoting what was sent', async () => {
      await session.listTools();
      const secret = 'hunter2-hunter2-hunter2';
      const refused = await session.callTool('echo', { words: secret, times: 9 });
      expect(refused.isError).toBe(true);
      expect(refused.structured).toMatchObject({ error: { code: 'invalid-input', retry: true } });
      expect(refused.text).toContain('"code":"invalid-input"');
      for (const said of [refused.text, JSON.stringify(refused.structured)]) {
        expect(said).toContain('words can have at most 20 characters; times must be at most 3. Correct this');
        expect(said).not.toContain('hunter2');
      }
    });

    test('ignores arguments it does not have and says so: wishes by name, others by their number', async () => {
      await session.listTools();
      const secret = 'hunter2-hunter2-hunter2';
      const heard = await session.callTool('echo', { words: 'hello', [secret]: 1, wait_for_previous: true });
      expect(heard).toEqual({
        isError: false,
        text: '{"said":["hello"],"ignored":"2 arguments that this tool does not have were ignored."}',
        structured: { said: ['hello'], ignored: '2 arguments that this tool does not have were ignored.' },
      });
      const wished = await session.callTool('echo', {
        words: 'hello',
        Confirmed: true,
        trust_level: 'verified',
        force: 1,
        x: 1,
      });
      expect(wished.structured).toEqual({
        said: ['hello'],
        ignored:
          'Ignored: confirmed, trust-level, force; no argument can confirm, rank, name or date a memory. 1 argument that this tool does not have was ignored.',
      });
      expect(wished.text).toContain('no argument can confirm');
    });

    test('takes null for absent', async () => {
      expect((await session.callTool('echo', { words: 'hello', times: null, more: null })).structured).toEqual({
        said: ['hello'],
      });
      const refused = await session.callTool('echo', { words: null });
      expect(refused.text).toContain('"code":"invalid-input","sentence":"words is missing. Correct this');
    });

    test.each([
      [{}, 'words is missing'],
      [{ words: 'a' }, 'words needs at least 2 characters'],
      [{ words: ['a'] }, 'words must be a text'],
      [{ words: 'hello', times: 1.5 }, 'times must be a whole number'],
      [{ words: 'hello', times: 'two' }, 'times must be a number'],
      [{ words: 'hello', times: 0 }, 'times must be at least 1'],
    ])('says of %j what the arguments need', async (input, rule) => {
      const { structured } = await session.callTool('echo', input);
      expect(structured).toMatchObject({ error: { sentence: `${rule}. Correct this and call again.` } });
    });

    test('refuses with a code and a sentence, in text and in structure', async () => {
      await session.listTools();
      expect(await session.callTool('refuse')).toEqual({
        isError: true,
        text: '{"error":{"code":"needs-person","sentence":"only a person can do this; run surety review"}}',
        structured: { error: { code: 'needs-person', sentence: 'only a person can do this; run surety review' } },
      });
    });

    test('that has a bug tells the model one fixed sentence and the log the rest', async () => {
      await session.listTools();
      const failed = await session.callTool('crash');
      expect(failed).toMatchObject({ isError: true, structured: { error: { code: 'bug' } } });
      expect(failed.text).toContain('"code":"bug","sentence":"Surety failed at this call');
      expect(JSON.stringify(failed)).not.toContain('the inner reason');
      await expect.poll(() => session.server.stderr).toContain('crash failed: TypeError: the inner reason?[2J\n');
    });

    test('that prints keeps stdout clean, and what its output does not describe stays inside', async () => {
      await session.listTools();
      expect((await session.callTool('chatter')).structured).toEqual({ done: true });
      await expect.poll(() => session.server.stderr).toContain('chatter on stdout');
    });

    test('cannot let raw text out, even when the compiler was silenced', async () => {
      await session.listTools();
      const failed = await session.callTool('leak');
      expect(failed).toMatchObject({ isError: true, structured: { error: { code: 'bug' } } });
      expect(JSON.stringify(failed)).not.toContain('raw words');
    });

    test('opens the store at its first use, once, and again after a failure', async () => {
      expect(await session.callTool('open_vault')).toMatchObject({
        isError: true,
        structured: { error: { code: 'lock-busy', retry: true } },
      });
      expect((await session.callTool('open_vault')).structured).toEqual({ opened: 2, openings: 2 });
      expect((await session.callTool('open_vault')).structured).toEqual({ opened: 2, openings: 2 });
    });

    test('learns who calls and whether a person can be asked', async () => {
      expect((await session.callTool('who_am_i')).structured).toEqual({ client: 'surety-tests', canBeAsked: false });
    });
  });

  test('a tool can ask the person through the client', async () => {
    const session = await connect({
      home,
      entry: SAMPLE,
      person: ({ message }) => ({ action: 'accept', content: { choice: message === 'Which?' ? 'yes' : 'no' } }),
    });
    expect((await session.callTool('who_am_i')).structured).toMatchObject({ canBeAsked: true });
    expect((await session.callTool('ask_person')).structured).toEqual({ answer: 'accept yes' });
    await session.close();
  });
});

describe('the SDKs’ own ways of starting a server', () => {
  const command = () => ({ command: process.execPath, args: [MAIN], env: home.env, cwd: home.folder });

  test('sdk 1.x over its stdio transport', async () => {
    const client = new Client1({ name: 'surety-tests', version: '1.0.0' });
    await client.connect(new StdioClientTransport1(command()));
    expect((await client.listTools()).tools).toBeInstanceOf(Array);
    await client.close();
  });

  test.each(['legacy', 'auto'] as const)('client 2.x over its stdio transport, %s', async (mode) => {
    const client = new Client({ name: 'surety-tests', version: '1.0.0' }, { versionNegotiation: { mode } });
    await client.connect(new StdioClientTransport(command()));
    expect((await client.listTools()).tools).toBeInstanceOf(Array);
    expect(client.getNegotiatedProtocolVersion()).toBe(mode === 'auto' ? '2026-07-28' : '2025-11-25');
    await client.close();
  });
});

describe('without a client', () => {
  test('the server leaves when stdin ends before anything was said', async () => {
    const server = new RunningServer({ home });
    server.endInput();
    expect(await server.exit).toEqual({ code: 0, signal: null });
    expect(server.stdout).toEqual([]);
  });

  test('a broken line is answered by nothing and quoted nowhere', async () => {
    const server = new RunningServer({ home });
    server.write('{"hunter2": \n');
    server.write('{"hunter2": 1}\n');
    server.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })}\n`);
    await expect.poll(() => server.stdout.length).toBe(1);
    expectProtocolOnly(server);
    server.endInput();
    expect(await server.exit).toEqual({ code: 0, signal: null });
    expect(server.stderr).toBe('surety: a message from the client was not understood and was ignored.\n');
  });
});

test('a server whose files an update took away before its first call answers it all the same', async () => {
  const folder = temporaryFolder();
  cpSync(dirname(MAIN), join(folder, 'dist'), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const session = await CLIENTS.at(-1)?.connect({ home, entry: join(folder, 'dist', basename(MAIN)) });
  await session?.listTools();
  rmSync(join(folder, 'dist'), { recursive: true });
  expect(await session?.callTool('search_memories', { query: 'pnpm' })).toMatchObject({ isError: false });
  expect(await session?.close()).toEqual({ code: 0, signal: null });
  // What was compiled is not kept where there is no program any more.
  expect(existsSync(join(folder, 'dist'))).toBe(false);
});
