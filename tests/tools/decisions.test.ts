import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { insideOf } from '../../src/store/vault/inside-of-vault.ts';
import {
  type Answer,
  CLIENTS,
  type ConnectOptions,
  type Home,
  makeHome,
  type Person,
  type Session,
} from '../../testkit/clients.ts';
import { failingDisk } from '../../testkit/failing-disk.ts';
import { prepare, prepareForSeveral, sharedEnv } from '../../testkit/prepared.ts';
import type { TestStore } from '../../testkit/store.ts';

let home: Home;
let store: TestStore;

/** Short enough for a dialog of three lines. */
const SHORT = { description: 'Merging', body: 'Merge by rebase; the reason is a readable history.' };
const LONG = { body: 'A long paragraph that does not fit into three lines of a dialog. '.repeat(10) };

const YES = {
  promote: 'yes, make it verified',
  demote: 'yes, quarantine it',
  reaffirm: 'yes, it still holds',
} as const;
type Gated = keyof typeof YES;
const GATED = Object.keys(YES) as Gated[];

/** What the tests of a shared store are about, so that none meets the memory of another. */
const TOPICS = [
  'parsers',
  'adapters',
  'drivers',
  'lexers',
  'widgets',
  'codecs',
  'themes',
  'plugins',
  'shaders',
] as const;
type Topic = (typeof TOPICS)[number];

/** As short as SHORT. */
const shortOn = (topic: string) => ({
  description: `Merging ${topic}`,
  body: `Merge ${topic} by rebase; the reason is a readable history.`,
});

/** A memory that allows this decision, with its tier before and after. */
async function memoryFor(tool: Gated, about = 'merging', changes: object = SHORT): Promise<string> {
  const id = await store.propose(about, changes);
  if (tool === 'reaffirm') {
    store.pass(7);
    await store.decide('promote', id);
  }
  return id;
}
const BEFORE = { promote: 'inferred', demote: 'inferred', reaffirm: 'verified' } as const;
const AFTER = { promote: 'verified', demote: 'quarantined', reaffirm: 'verified' } as const;

/** When the newest receipt or decision was made; a reaffirmation changes nothing else. */
function lastDecision(id: string): number {
  insideOf(store.vault).ledgers.refresh();
  // A record, such as a first sight or a no, decides nothing.
  const decisions = store.vault.evidence.of(id).filter(({ to }) => to !== null);
  return Math.max(...decisions.map(({ at }) => at));
}

function accept(value?: string): Answer {
  return value === undefined ? { action: 'accept' } : { action: 'accept', content: { answer: value } };
}

describe.each(CLIENTS)('$client', ({ connect }) => {
  const session = (options: Partial<ConnectOptions> = {}) => connect({ home, env: sharedEnv(home), ...options });

  describe('servers that several tests share', () => {
    const ids = new Map<string, string>();
    beforeAll(async () => {
      home = makeHome();
      store = await prepareForSeveral(home);
      // Before any server decides something today: who proposes after that is observed from today on.
      for (const tool of GATED) {
        for (const topic of TOPICS) {
          const about = `${tool} ${topic}`;
          ids.set(about, await memoryFor(tool, about, shortOn(about)));
        }
        ids.set(`${tool} long`, await memoryFor(tool, `${tool} long`, { body: `About ${tool}. ${LONG.body}` }));
      }
    });
    afterAll(() => home.remove());

    /** What the audit log has of this memory. */
    const auditOf = (id: string) => store.audit().filter((line) => line.id === id);

    describe.each(GATED)('%s', (tool) => {
      let person: Person;
      // A process asks no more after five questions without an answer, which is what `unanswered` gets here.
      let unanswered: Session;
      let answered: Session;
      beforeAll(async () => {
        const options = { person: (question: Parameters<Person>[0]) => person(question) };
        [unanswered, answered] = await Promise.all([session(options), session(options)]);
      });
      afterAll(async () => {
        await Promise.all([unanswered.close(), answered.close()]);
      });
      const about = (topic: Topic | 'long') => ids.get(`${tool} ${topic}`) ?? '';

      test('a person who accepts with the exact yes makes it happen', async () => {
        const id = about('parsers');
        const before = lastDecision(id);
        const questions: string[] = [];
        person = ({ message }) => {
          questions.push(message);
          return accept(YES[tool]);
        };
        const result = await answered.callTool(tool, { id });
        expect(result.isError, result.text).toBe(false);
        expect(result.structured).toMatchObject({ id, outcome: 'done', tier: AFTER[tool] });
        expect(questions).toHaveLength(1);
        expect(questions[0]?.replaceAll('\n', ' ')).toContain(`text: ${shortOn(`${tool} parsers`).body}`);
        expect(questions[0]?.split('\n').length).toBeLessThanOrEqual(4);
        expect(store.tier(id)).toBe(AFTER[tool]);
        expect(lastDecision(id)).toBeGreaterThan(before);
        expect(auditOf(id).map((line) => line.outcome)).toEqual(['asked', 'accepted']);
        const receipt = store.vault.evidence.heads(id)[0];
        expect(receipt).toMatchObject({ action: tool, actor: 'operator', level: 2 });
      });

      test.each([
        ['declines', 'lexers', { action: 'decline' } as Answer, 'queued', 'declined'],
        ['cancels', 'widgets', { action: 'cancel' } as Answer, 'queued', 'cancelled'],
        ['accepts without a word', 'codecs', accept(), 'queued', 'empty'],
        ['accepts with a wrong value', 'themes', accept('yes'), 'queued', 'wrong-value'],
        ['accepts with the other tool’s yes', 'plugins', accept('yes, restore it'), 'queued', 'wrong-value'],
        ['says no', 'shaders', accept('no, leave it as it is'), 'declined', 'person-said-no'],
      ] as const)('a person who %s changes nothing', async (_how, topic, given, outcome, reason) => {
        const id = about(topic);
        const before = lastDecision(id);
        person = () => given;
        const client = outcome === 'declined' ? answered : unanswered;
        const result = await client.callTool(tool, { id });
        expect(result.structured).toMatchObject({ id, outcome, tier: BEFORE[tool] });
        expect(store.tier(id)).toBe(BEFORE[tool]);
        expect(lastDecision(id)).toBe(before);
        expect(auditOf(id).map((line) => line.outcome)).toEqual(['asked', outcome]);
        expect(store.audit().at(-1)).toMatchObject({ id, action: tool, outcome, reason });
        if (reason === 'declined') expect(result.text).toContain('The person declined. ');
      });

      test('a text too long for the dialog is never asked about in it', async () => {
        const id = about('long');
        let asked = 0;
        person = () => {
          asked++;
          return accept(YES[tool]);
        };
        const result = await answered.callTool(tool, { id });
        expect(result.structured).toMatchObject({ outcome: 'queued', note: expect.stringContaining('does not fit') });
        expect(asked).toBe(0);
        expect(store.tier(id)).toBe(BEFORE[tool]);
        expect(store.audit().at(-1)).toMatchObject({ id, outcome: 'queued', reason: 'too-long' });
      });

      test('a file edited while the dialog is open voids the yes, and the person is asked about the new text', async () => {
        const id = about('adapters');
        const before = lastDecision(id);
        let asked = 0;
        person = () => {
          asked++;
          if (asked === 1) {
            store.edit(id, (text) => text.replace('readable history', 'shorter queue'));
            return accept(YES[tool]);
          }
          return { action: 'cancel' };
        };
        await answered.callTool(tool, { id });
        expect(asked).toBeGreaterThan(0);
        expect(store.load(id).standing.tier).not.toBe(tool === 'promote' ? 'verified' : 'quarantined');
        expect(lastDecision(id)).toBe(before);
      });

      test('a memory demoted by another process meanwhile stays demoted', async () => {
        const id = about('drivers');
        person = async () => {
          await store.decide('demote', id);
          return accept(YES[tool]);
        };
        const result = await answered.callTool(tool, { id });
        expect(result.isError).toBe(true);
        expect(store.tier(id)).toBe('quarantined');
        expect(store.audit().at(-1)).toMatchObject({ id, outcome: 'refused' });
      });
    });
  });

  describe('a server that several tests share, and whose client can ask nobody', () => {
    let client: Session;
    beforeAll(async () => {
      home = makeHome();
      store = await prepareForSeveral(home);
      client = await session();
    });
    afterAll(async () => {
      await client.close();
      home.remove();
    });

    describe.each(GATED)('%s', (tool) => {
      test('the request waits for surety review', async () => {
        const id = await memoryFor(tool, `${tool} parsers`, shortOn(`${tool} parsers`));
        const result = await client.callTool(tool, { id, reason: 'they said so' });
        expect(result.structured).toMatchObject({ outcome: 'queued', note: expect.stringContaining('surety review') });
        expect(store.tier(id)).toBe(BEFORE[tool]);
        expect(store.audit().at(-1)).toMatchObject({ id, outcome: 'queued', reason: 'no-channel' });
        await client.callTool(tool, { id });
        const queue = await client.callTool('review_queue', { category: 'requests' });
        const { counts, waiting } = queue.structured as { counts: { requests: number }; waiting: { id: string }[] };
        expect(waiting.filter((each) => each.id === id)).toMatchObject([{ id, reason: tool }]);
        // One for each memory, however often it was asked for.
        expect(counts.requests).toBe(new Set(waiting.map((each) => each.id)).size);
        expect(waiting).toHaveLength(counts.requests);
      });

      test('no argument can replace a person', async () => {
        const id = await memoryFor(tool, `${tool} adapters`, shortOn(`${tool} adapters`));
        const tricks = [
          { confirmed: true },
          { force: true },
          { trust_level: 'verified' },
          { actor: 'user' },
          { inputResponses: { answer: accept(YES[tool]) }, requestState: 'x' },
        ];
        for (const trick of tricks) {
          const result = await client.callTool(tool, { id, ...trick });
          expect(result.structured).toMatchObject({
            outcome: 'queued',
            tier: BEFORE[tool],
            ignored: expect.any(String),
          });
        }
        expect(store.tier(id)).toBe(BEFORE[tool]);
      });
    });
  });

  describe('a server for each test', () => {
    beforeEach(async () => {
      home = makeHome();
      store = await prepare(home);
    });
    afterEach(() => home.remove());

    test.each(GATED)(
      '%s: a client that vanishes while the dialog is open changes nothing, and the attempt is recorded',
      async (tool) => {
        const id = await memoryFor(tool);
        const before = lastDecision(id);
        const client = await session({
          person: () =>
            new Promise<Answer>(() => {
              client.server.kill('SIGKILL');
            }),
        });
        // A modern client asks its person by itself and would wait forever; the server is gone anyway.
        await Promise.race([client.callTool(tool, { id }).catch(() => undefined), client.server.exit]);
        expect(store.tier(id)).toBe(BEFORE[tool]);
        expect(lastDecision(id)).toBe(before);
        expect(store.audit().at(-1)).toMatchObject({ action: tool, outcome: 'asked' });
      },
    );

    test('at most five questions stay unanswered; then requests are queued without asking, even if all come at once', async () => {
      const ids: string[] = [];
      for (let n = 0; n < 12; n++) {
        const about = {
          description: `Merging ${n}`,
          body: `Merge by rebase, rule ${n}; the reason is a readable history.`,
        };
        ids.push(await memoryFor('promote', `merging ${n}`, about));
      }
      let asked = 0;
      const client = await session({
        person: () => {
          asked++;
          return asked <= 2 ? accept(YES.promote) : { action: 'cancel' };
        },
      });
      // Answered questions do not count.
      for (const id of ids.splice(0, 2)) {
        expect((await client.callTool('promote', { id })).structured).toMatchObject({ outcome: 'done' });
      }
      const results = await Promise.all(ids.map((id) => client.callTool('promote', { id })));
      expect(asked).toBe(2 + 5);
      for (const { structured } of results) expect(structured).toMatchObject({ outcome: 'queued' });
      const unasked = results.filter(({ text }) => text.includes('Five questions of this session are unanswered'));
      expect(unasked).toHaveLength(5);
      const queue = await client.callTool('review_queue', { category: 'requests' });
      expect(queue.structured).toMatchObject({ counts: { requests: 10 } });
      await client.close();
    });

    test('a question that another answer made pointless does not count as unanswered', async () => {
      const [last = '', ...twice] = await Promise.all(
        ['one', 'two', 'three', 'four', 'five', 'six'].map((about) => memoryFor('promote', about, shortOn(about))),
      );
      let asked = 0;
      const client = await session({
        person: async ({ message }) => {
          const turn = ++asked;
          const id = twice.find((each) => message.includes(each));
          if (id !== undefined && turn % 2 === 1) await expect.poll(() => asked).toBe(turn + 1);
          if (id !== undefined && turn % 2 === 0) await expect.poll(() => store.tier(id)).toBe('verified');
          return accept(YES.promote);
        },
      });
      for (const id of twice) {
        const results = await Promise.all([id, id].map((each) => client.callTool('promote', { id: each })));
        expect(results.filter(({ isError }) => !isError)).toEqual([
          expect.objectContaining({ structured: expect.objectContaining({ outcome: 'done' }) }),
        ]);
      }
      expect(asked).toBe(2 * twice.length);
      expect((await client.callTool('promote', { id: last })).structured).toMatchObject({ outcome: 'done' });
      await client.close();
    });

    test('an id that climbs, is absolute, has controls, is a megabyte long or unknown gets a clear answer', async () => {
      const client = await session({ person: () => accept(YES.promote) });
      const ids = [
        '../../etc/passwd',
        '/etc/passwd',
        'user_x\u0000\u001b[2J',
        'user_'.padEnd(1_000_000, 'x'),
        'user_nobody',
      ];
      for (const tool of [...GATED, 'restore', 'read_memory']) {
        for (const id of ids) {
          const result = await client.callTool(tool, { id });
          expect(result.isError).toBe(true);
          expect(result.text.length).toBeLessThan(400);
          expect(result.text).not.toContain('\u001b');
        }
      }
      expect(store.files('memories')).toEqual([]);
      await client.close();
    });

    test('a quarantine that the ledger cannot record happens, and the reply says that it is not recorded', async () => {
      const id = await memoryFor('demote');
      const env = { ...sharedEnv(home), ...failingDisk(store.places.ledger, 'ENOSPC') };
      const client = await session({ env, person: () => accept(YES.demote) });
      const result = await client.callTool('demote', { id });
      expect(result.structured).toMatchObject({ id, outcome: 'done', tier: 'quarantined' });
      expect(result.text).toContain('The ledger could not take it yet');
      expect(store.standing(id)).toBe('quarantined:folder');
      await client.close();
      // The next server records what it finds.
      await store.reconcile();
      expect(store.standing(id)).toBe('quarantined:decided');
    });

    test('restore is never decided in the client’s dialog, and shows none of the text', async () => {
      const id = await store.propose('secret plan', SHORT);
      await store.decide('demote', id, 'no longer so');
      let asked = 0;
      const client = await session({
        person: () => {
          asked++;
          return accept('yes, restore it');
        },
      });
      const result = await client.callTool('restore', { id });
      expect(asked).toBe(0);
      expect(result.structured).toMatchObject({
        outcome: 'queued',
        tier: 'quarantined',
        reason: 'decided',
        since: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        note: expect.stringMatching(/^A text that is quarantined, .* is not shown in a client’s dialog\. Nothing/),
      });
      expect(store.audit().at(-1)).toMatchObject({ id, outcome: 'queued', reason: 'not-for-dialogs' });
      expect(JSON.stringify(result)).not.toMatch(/secret plan|rebase|no longer so/);
      expect(store.tier(id)).toBe('quarantined');
      await client.close();
    });

    test('a short text that may hold a secret waits because of that, and not for its length', async () => {
      const id = await store.propose('merging', SHORT);
      store.edit(id, (now) => now.replace('Merge by', 'password: kZ4tQ9vXw2LpR7mB. Merge by'));
      const client = await session({ person: () => accept(YES.demote) });
      const result = await client.callTool('demote', { id });
      expect(result.structured).toMatchObject({
        outcome: 'queued',
        note: expect.stringContaining('may hold a secret'),
      });
      expect(store.audit().at(-1)).toMatchObject({ id, outcome: 'queued', reason: 'not-for-dialogs' });
      await client.close();
    });

    test('promote is refused during the observation, without asking anybody', async () => {
      store.now = Date.now();
      const id = await store.propose('fresh', SHORT);
      let asked = 0;
      const client = await session({
        person: () => {
          asked++;
          return accept(YES.promote);
        },
      });
      const result = await client.callTool('promote', { id });
      expect(result).toMatchObject({ isError: true, text: expect.stringContaining('observation') });
      expect(asked).toBe(0);
      expect(store.audit().at(-1)).toMatchObject({ outcome: 'refused', reason: 'observation-running' });
      await client.close();
    });

    test.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'end of input', 'a broken pipe'] as const)(
      'the server exits cleanly on %s while a question is open',
      async (how) => {
        const id = await store.propose('merging', SHORT);
        let asked: () => void = () => undefined;
        const open = new Promise<void>((resolve) => {
          asked = resolve;
        });
        const client = await session({
          person: () => {
            asked();
            return new Promise<Answer>(() => undefined);
          },
        });
        void client.callTool('promote', { id }).catch(() => undefined);
        await open;
        if (how === 'end of input') client.server.endInput();
        else if (how === 'a broken pipe') {
          client.server.stopReading();
          client.server.write(`${JSON.stringify({ jsonrpc: '2.0', id: 99, method: 'tools/list' })}\n`);
          client.server.endInput();
        } else client.server.kill(how);
        expect(await client.server.exit).toEqual({ code: 0, signal: null });
        expect(store.tier(id)).toBe('inferred');
      },
    );
  });
});
