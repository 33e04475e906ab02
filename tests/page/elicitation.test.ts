import { Client as Client2, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport as Transport1 } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ElicitationCompleteNotificationSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Browser, Page as Tab } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type Home, makeHome } from '../../testkit/clients.ts';
import { prepare, sharedEnv } from '../../testkit/prepared.ts';
import { MAIN } from '../../testkit/program.ts';
import {
  describeInBrowser,
  knock,
  launch,
  press,
  pressInVain,
  settled,
  tabAt,
  Visitor,
} from '../../testkit/review-page.ts';
import type { TestStore } from '../../testkit/store.ts';

interface Sent {
  readonly mode?: string | undefined;
  readonly url?: string | undefined;
  readonly message: string;
}
type Person = (sent: Sent) => Promise<'accept' | 'decline' | 'cancel'>;

interface Connected {
  call(tool: string, input: Record<string, unknown>): Promise<{ structured: unknown; text: string; raw: string }>;
  readonly completed: string[];
  /** What the client would show while it waits. */
  readonly progress: string[];
  close(): Promise<void>;
}

const IDENTITY = { name: 'surety-tests', version: '1.0.0' };
const CAPABILITIES = { capabilities: { elicitation: { form: {}, url: {} } } };
const LONG = { body: 'A long paragraph that does not fit into three lines of a dialog. '.repeat(10) };

describeInBrowser('a decision that a real MCP client sends to the page', () => {
  let browser: Browser;
  let home: Home;
  let store: TestStore;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    home = makeHome();
    store = await prepare(home);
  });
  afterEach(() => home.remove());

  const transport = () => {
    const env = { ...home.env, ...sharedEnv(home) };
    return new StdioClientTransport({
      command: process.execPath,
      args: [MAIN],
      cwd: home.folder,
      env,
      stderr: 'ignore',
    });
  };
  const connected = (
    callTool: (name: string, input: Record<string, unknown>) => Promise<Record<string, unknown>>,
    { completed = [], progress }: { completed?: string[]; progress: string[] },
    close: () => Promise<void>,
  ): Connected => ({
    completed,
    progress,
    close,
    call: async (name, input) => {
      const result = await callTool(name, input);
      const content = result.content as { text?: string }[];
      return {
        structured: result.structuredContent,
        text: content.map(({ text }) => text ?? '').join(),
        raw: JSON.stringify(result),
      };
    },
  });

  async function sdk1(person: Person): Promise<Connected> {
    const client = new Client1(IDENTITY, CAPABILITIES);
    const completed: string[] = [];
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => ({ action: await person(params as Sent) }));
    client.setNotificationHandler(ElicitationCompleteNotificationSchema, ({ params }) => {
      completed.push(params.elicitationId);
    });
    await client.connect(transport() as unknown as Transport1);
    onTestFinished(() => client.close());
    const progress: string[] = [];
    const onprogress = ({ message = '' }) => void progress.push(message);
    return connected(
      (name, input) => client.callTool({ name, arguments: input }, undefined, { onprogress }),
      { completed, progress },
      () => client.close(),
    );
  }

  async function client2(mode: 'legacy' | { pin: string }, person: Person): Promise<Connected> {
    const client = new Client2(IDENTITY, { ...CAPABILITIES, versionNegotiation: { mode } });
    client.setRequestHandler('elicitation/create', async ({ params }) => ({ action: await person(params as Sent) }));
    await client.connect(transport() as Transport);
    onTestFinished(() => client.close());
    const progress: string[] = [];
    const onprogress = ({ message = '' }) => void progress.push(message);
    return connected(
      (name, input) => client.callTool({ name, arguments: input }, { onprogress }),
      { progress },
      () => client.close(),
    );
  }

  /** A person who follows the link and answers with this key; one in `ignored` is none of the page's. */
  const browsing =
    (links: string[], key: string, ignored = ''): Person =>
    async ({ url = '', mode }) => {
      expect(mode).toBe('url');
      links.push(url);
      const context = await browser.newContext();
      // Not awaited: Chromium can leave a close unanswered while the tab loads. The browser is closed after the last test.
      onTestFinished(() => void context.close().catch(() => {}));
      const tab = await context.newPage();
      const answering = async () => {
        await tab.goto(url);
        await tab.waitForURL((at) => !at.pathname.includes('/open/'));
        await settled(tab);
        if (ignored !== '') await pressInVain(tab, ignored);
        await press(tab, key);
      };
      // The tab may be closed while it shows the last page; the decision is in the tool's result.
      answering().catch(() => {});
      return 'accept';
    };

  const ERAS: readonly (readonly [string, (person: Person) => Promise<Connected>])[] = [
    ['sdk 1.x', sdk1],
    ['client 2.x, handshake', (person) => client2('legacy', person)],
    ['client 2.x, 2026-07-28', (person) => client2({ pin: '2026-07-28' }, person)],
  ];

  describe.each(ERAS)('%s', (era, connect) => {
    test('promote ends on the page, and the result says what the person decided', async () => {
      const id = await store.propose('long one', LONG);
      const links: string[] = [];
      const client = await connect(browsing(links, 'y'));
      const result = await client.call('promote', { id, reason: 'they said so' });
      expect(result.structured).toMatchObject({ id, outcome: 'done', tier: 'verified' });
      expect(store.tier(id)).toBe('verified');
      expect(store.vault.evidence.heads(id)[0]).toMatchObject({ action: 'promote', actor: 'operator', level: 3 });
      expect(store.audit()).toMatchObject([
        { channel: 'mcp', action: 'promote', outcome: 'asked', reason: 'page' },
        { channel: 'page', action: 'promote', outcome: 'accepted', id },
      ]);
      expect(links).toHaveLength(1);
      expect(result.raw).not.toContain('127.0.0.1');
      expect(client.completed).toHaveLength(era === 'sdk 1.x' ? 1 : 0);
      expect(client.progress).toContain('The person is reading the page.');
    });

    test('adopt ends on the page, with a key of its own', async () => {
      const messages: string[] = [];
      const answering = browsing([], 'a', 'y');
      const client = await connect((sent) => {
        messages.push(sent.message);
        return answering(sent);
      });
      const said = { type: 'user', name: 'Long one', description: 'What they said', ...LONG };
      const { id } = (await client.call('propose_memory', said)).structured as { id: string };
      const result = await client.call('adopt', { id });
      // A client may show one line of 74 columns.
      expect(messages).toEqual(['Did you say this? It will count from now on. The page has the whole text.']);
      expect(result.structured).toMatchObject({ id, outcome: 'done', tier: 'verified' });
      expect(store.vault.load(id)?.standing.tier).toBe('verified');
      expect(store.vault.evidence.heads(id)).toMatchObject([{ action: 'adopt', actor: 'operator', level: 3 }]);
    });

    test('a choice between two memories ends on the page, and the result names the one that went', async () => {
      const old = await store.add('Deploy day', { body: `We deploy the shop on Tuesdays. ${LONG.body}` });
      const messages: string[] = [];
      const answering = browsing([], 'a');
      const client = await connect((sent) => {
        messages.push(sent.message);
        return answering(sent);
      });
      const said = { type: 'user', name: 'Deploying', description: 'Days', body: 'We deploy the shop on Thursdays.' };
      const { id } = (await client.call('propose_memory', said)).structured as { id: string };
      const result = await client.call('adopt', { id });
      expect(messages).toEqual(['This contradicts a verified memory. The page shows both; you choose.']);
      expect(result.structured).toMatchObject({
        id,
        outcome: 'done',
        note: expect.stringContaining(`${old} is quarantined.`),
      });
      expect([store.tier(id), store.tier(old)]).toEqual(['verified', 'quarantined']);
    });

    test('a no on the page is the person’s no', async () => {
      const id = await store.propose('long one', LONG);
      const client = await connect(browsing([], 'n'));
      const result = await client.call('promote', { id });
      expect(result.structured).toMatchObject({ outcome: 'declined', tier: 'inferred' });
      expect(store.tier(id)).toBe('inferred');
      expect(store.audit().at(-1)).toMatchObject({ channel: 'page', outcome: 'declined', reason: 'person-said-no' });
    });

    test('if the page is skipped or never opened, the request waits for surety review and nothing changes', async () => {
      const id = await store.propose('long one', LONG);
      const skipping = await connect(browsing([], 's'));
      expect((await skipping.call('promote', { id })).structured).toMatchObject({
        outcome: 'queued',
        tier: 'inferred',
      });
      const links: string[] = [];
      const declining = await connect(async ({ url = '' }) => {
        links.push(url);
        return 'decline';
      });
      const result = await declining.call('promote', { id });
      expect(result.structured).toMatchObject({ outcome: 'queued', note: expect.stringContaining('surety review') });
      await expect(knock(links[0] ?? '')).rejects.toThrow();
      const queue = await declining.call('review_queue', { category: 'requests' });
      expect(queue.structured).toMatchObject({ waiting: [{ id, reason: 'promote' }] });
      expect(store.tier(id)).toBe('inferred');
    });

    test('a yes before the client’s accept is held, and carried out after it', async () => {
      const id = await store.propose('long one', LONG);
      const shown: string[] = [];
      let tab: Tab | undefined;
      const client = await connect(async ({ url = '' }) => {
        tab = await (await browser.newContext()).newPage();
        await tab.goto(url);
        await tab.waitForURL((at) => !at.pathname.includes('/open/'));
        await settled(tab);
        await press(tab, 'y');
        shown.push(await tab.innerText('main'));
        await tab.waitForTimeout(2_500);
        // The same browser may follow its link again.
        await tab.goto(url);
        await tab.waitForURL((at) => !at.pathname.includes('/open/'));
        shown.push(await tab.innerText('main'));
        expect(store.tier(id)).toBe('inferred');
        return 'accept';
      });
      const result = await client.call('promote', { id });
      for (const said of shown) expect(said).toContain('go back to your client and continue');
      expect(result.structured).toMatchObject({ id, outcome: 'done', tier: 'verified' });
      expect(store.tier(id)).toBe('verified');
      expect(store.vault.evidence.heads(id)[0]).toMatchObject({ actor: 'operator', level: 3 });
      // The waiting tab finds out by itself.
      await tab?.getByText('is verified').first().waitFor();
      await tab?.context().close();
    });

    test.each(['cancel', 'decline'] as const)(
      'a yes before the client’s %s is void, and the request waits',
      async (action) => {
        const id = await store.propose('long one', LONG);
        const client = await connect(async ({ url = '' }) => {
          const visitor = await Visitor.enter({ url });
          expect((await visitor.post({ token: await visitor.token(), key: 'y' })).status).toBe(303);
          return action;
        });
        const result = await client.call('promote', { id });
        expect(result.structured).toMatchObject({ id, outcome: 'queued', tier: 'inferred' });
        await new Promise((later) => setTimeout(later, 2_300));
        expect(store.tier(id)).toBe('inferred');
        const queue = await client.call('review_queue', { category: 'requests' });
        expect(queue.structured).toMatchObject({ waiting: [{ id, reason: 'promote' }] });
      },
    );

    test('a model that was faster than the person’s browser has decided nothing', async () => {
      const id = await store.propose('long one', LONG);
      const client = await connect(async ({ url = '' }) => {
        const model = await Visitor.enter({ url });
        expect((await model.post({ token: await model.token(), key: 'y' })).status).toBe(303);
        // The person's browser starts after the client has agreed to open it.
        setTimeout(() => void knock(url), 500);
        return 'accept';
      });
      const result = await client.call('promote', { id });
      expect(result.structured).toMatchObject({ outcome: 'queued', note: expect.stringContaining('used twice') });
      await new Promise((later) => setTimeout(later, 2_300));
      expect(store.tier(id)).toBe('inferred');
    });

    test('a text that changed while its yes was held is shown again', async () => {
      const id = await store.propose('long one', LONG);
      const client = await connect(async ({ url = '' }) => {
        const visitor = await Visitor.enter({ url });
        expect((await visitor.post({ token: await visitor.token(), key: 'y' })).status).toBe(303);
        store.edit(id, (text) => text.replace('A long paragraph', 'Another paragraph'));
        const looking = async () => {
          for (let turn = 0; turn < 50; turn++) {
            const { text } = await visitor.get();
            if (text.includes('It changed while you were looking')) {
              expect(text).toContain('Another paragraph');
              return visitor.post({ token: await visitor.token(), key: 'n' });
            }
            await new Promise((later) => setTimeout(later, 200));
          }
          throw new Error('the page never said so');
        };
        void looking();
        return 'accept';
      });
      const result = await client.call('promote', { id });
      expect(result.structured).toMatchObject({ id, outcome: 'declined', tier: 'inferred' });
    });

    test('restore and a changed memory are decided on the page, and none of the text reaches the client', async () => {
      const id = await store.propose('secret plan');
      await store.decide('demote', id);
      const said: string[] = [];
      const links: string[] = [];
      const go = browsing(links, 'y');
      const client = await connect(async (sent) => {
        said.push(sent.message);
        return go(sent);
      });
      const result = await client.call('restore', { id });
      expect(result.structured).toMatchObject({ outcome: 'done', tier: 'verified' });
      expect(said.join()).not.toContain('two cores');
      expect(result.raw).not.toContain('two cores');

      store.edit(id, (text) => text.replace('two cores', 'three cores'));
      const again = await client.call('reaffirm', { id });
      expect(again.structured).toMatchObject({ outcome: 'done', tier: 'verified' });
      expect(store.standing(id)).toBe('verified:vouched');
    });

    test('a link used twice decides nothing, and the result says so', async () => {
      const id = await store.propose('long one', LONG);
      const client = await connect(async ({ url = '' }) => {
        await knock(url);
        await knock(url);
        return 'accept';
      });
      const result = await client.call('promote', { id });
      expect(result.structured).toMatchObject({ outcome: 'queued', note: expect.stringContaining('used twice') });
      expect(store.tier(id)).toBe('inferred');
      expect(store.audit().map(({ reason }) => reason)).toContain('link-used-twice');
    });
  });

  describe('the open tab', () => {
    /** A person with the sheet in front of them, whose client does what `then` says. */
    async function looking(then: (tab: Tab) => Promise<'accept' | 'decline' | 'cancel'>) {
      const context = await browser.newContext();
      // Not awaited: Chromium can leave a close unanswered while the tab loads. The browser is closed after the last test.
      onTestFinished(() => void context.close().catch(() => {}));
      const tab = await context.newPage();
      const id = await store.propose('long one', LONG);
      const client = await client2({ pin: '2026-07-28' }, async ({ url = '' }) => {
        await tabAt(tab, url);
        return then(tab);
      });
      return { tab, id, client };
    }

    async function expectStyled(tab: Tab, ...words: string[]): Promise<void> {
      for (const each of words) await tab.getByText(each).first().waitFor();
      expect(await tab.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(250, 248, 244)');
      expect(await tab.locator('button:visible').count()).toBe(0);
    }

    test.each([
      ['decline', 'Your client declined the question'],
      ['cancel', 'Your client took the question back'],
    ] as const)('says that the client answered with %s', async (action, words) => {
      const { tab, id, client } = await looking(async () => action);
      await client.call('promote', { id });
      await expectStyled(tab, words, '1 memory still waits for you', 'Back in your client, go on');
    });

    test('has its last page although the client ends the server as soon as it has the result', async () => {
      const { tab, id, client } = await looking(async (open) => {
        void press(open, 'y').catch(() => {});
        return 'accept';
      });
      const { structured } = await client.call('promote', { id });
      await client.close();
      expect(structured).toMatchObject({ outcome: 'done' });
      await expectStyled(tab, 'All is settled', 'is verified', 'Back in your client, go on');
    });

    test('says that the client has ended its session', async () => {
      const { tab, id, client } = await looking(async () => 'accept');
      const watched = tab.waitForResponse((reply) => reply.url().endsWith('/watch'));
      const call = client.call('promote', { id }).catch(() => {});
      await watched;
      await client.close();
      await call;
      await expectStyled(tab, 'Your client has ended its session', 'Back in your client, go on');
      expect(store.tier(id)).toBe('inferred');
    });
  });
});
