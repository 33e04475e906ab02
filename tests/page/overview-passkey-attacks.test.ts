import { beforeEach, describe, expect, test } from 'vitest';
import type { Assertion } from '../../src/core/passkeys/assertion.ts';
import type { OverviewPage } from '../../src/page/overview/serve.ts';
import { SoftwareAuthenticator } from '../../testkit/authenticator.ts';
import { overviewOf } from '../../testkit/overview-page.ts';
import { change, enrol, forgeReceipt, requirePasskey } from '../../testkit/passkeys.ts';
import { pageOf, Visitor } from '../../testkit/review-page.ts';
import { TestStore } from '../../testkit/store.ts';

// The thief has the machine's private key, a shell, all files, and the browser's cookie of the overview. The person
// touches the authenticator for one thing, and the thief uses the signature for another.

let store: TestStore;
let passkey: SoftwareAuthenticator;
let id: string;
let other: string;
let page: OverviewPage;
let thief: Visitor;

beforeEach(async () => {
  store = await TestStore.open();
  [id, other] = [await store.propose('the build'), await store.propose('the release')];
  store.pass(8);
  passkey = new SoftwareAuthenticator();
  await enrol(store, passkey);
  await requirePasskey(store, passkey);
  page = await overviewOf(store, { levelAtMost: 1 });
  thief = await Visitor.enter(page);
});

interface Asked {
  readonly token: string;
  /** By the key of the answer. */
  readonly challenges: ReadonlyMap<string, string>;
}

/** What a page asks about a memory: the token of its form, and what a passkey would sign for each answer. */
async function asked(visitor: Visitor, path: string): Promise<Asked> {
  const { text } = await visitor.get(path);
  const buttons = text.matchAll(/value="(\w)"[^>]*data-challenge="([\w-]+)"/g);
  const challenges = new Map([...buttons].map(([, key = '', challenge = '']) => [key, challenge]));
  const token = /name="token" value="([0-9a-f]{64})"/.exec(text)?.[1] ?? '';
  expect(token).not.toBe('');
  return { token, challenges };
}

function signed({ challenges }: Asked, key = 'y', by = passkey): Assertion {
  const challenge = challenges.get(key) ?? '';
  expect(challenge).not.toBe('');
  return by.sign(challenge, '');
}

async function send({ token }: Asked, assertion: Partial<Assertion>, key = 'y'): Promise<Record<string, unknown>> {
  const { nonce: _, ...fields } = assertion;
  return JSON.parse((await thief.post({ token, key, ...fields })).text);
}

const tiers = () => [store.tier(id), store.tier(other)];
const receipts = () => store.entries().filter(({ to }) => to === 'verified');

test('the person’s own signature of what was shown makes it verified, so the attacks below fail for their own reason', async () => {
  const sheet = await asked(thief, `sheet/${id}`);
  expect(await send(sheet, signed(sheet))).toMatchObject({ kind: 'held' });
  await page.close();
  expect([tiers(), receipts().map(({ by }) => by.level)]).toEqual([['verified', 'inferred'], [4]]);
});

describe('makes nothing verified', () => {
  const ATTACKS: Readonly<Record<string, () => Promise<unknown>>> = {
    'a yes without a signature': async () => send(await asked(thief, `sheet/${id}`), {}),
    'a signature for another memory': async () =>
      send(await asked(thief, `sheet/${id}`), signed(await asked(thief, `sheet/${other}`))),
    'a signature for an earlier sheet of the same memory': async () => {
      const earlier = await asked(thief, `sheet/${id}`);
      return send(await asked(thief, `sheet/${id}`), signed(earlier));
    },
    'a signature for another answer to the same sheet': async () => {
      const sheet = await asked(thief, `sheet/${id}`);
      return send(sheet, signed(sheet, 'a'), 'y');
    },
    'a signature that was given on the review page': async () => {
      const review = await pageOf(store, { levelAtMost: 1 });
      const given = signed(await asked(await Visitor.enter(review), ''));
      return send(await asked(thief, `sheet/${id}`), given);
    },
    'a signature of a key that nobody enrolled, under the enrolled id': async () => {
      const sheet = await asked(thief, `sheet/${id}`);
      const { credential } = passkey;
      return send(sheet, { ...signed(sheet, 'y', new SoftwareAuthenticator()), credential });
    },
    'a text that is put in the place of the shown one before the answer': async () => {
      const sheet = await asked(thief, `sheet/${id}`);
      store.edit(id, (text) => text.replace('two cores', 'no tests at all'));
      return send(sheet, signed(sheet));
    },
    'a text that is put in the place of the shown one while the answer is held': async () => {
      const sheet = await asked(thief, `sheet/${id}`);
      expect(await send(sheet, signed(sheet))).toMatchObject({ kind: 'held' });
      store.edit(id, (text) => text.replace('two cores', 'no tests at all'));
    },
    'the file of another memory in its place while the answer is held': async () => {
      const sheet = await asked(thief, `sheet/${id}`);
      expect(await send(sheet, signed(sheet))).toMatchObject({ kind: 'held' });
      store.write('memories', id, store.text('memories', other));
    },
    'a receipt forged with the machine’s key while the answer is held, which the answer would come after': async () => {
      const sheet = await asked(thief, `sheet/${id}`);
      expect(await send(sheet, signed(sheet))).toMatchObject({ kind: 'held' });
      forgeReceipt(store, id);
    },
    'a passkey that is removed while the answer is held': async () => {
      const second = new SoftwareAuthenticator();
      await enrol(store, second, passkey);
      const sheet = await asked(thief, `sheet/${id}`);
      expect(await send(sheet, signed(sheet))).toMatchObject({ kind: 'held' });
      await change(store, 'removed', { credential: passkey.credential }, second);
    },
    'a draft that was signed as a memory': async () => {
      const sheet = await asked(thief, `sheet/${id}`);
      const form = await asked(thief, `edit/${id}`);
      const words = { name: 'The build', description: 'How it is built', body: 'No tests at all.', project: '' };
      await thief.post({ token: form.token, key: 'y', ...words });
      return send(await asked(thief, `draft/${id}`), signed(sheet));
    },
  };
  test.each(Object.entries(ATTACKS))('%s', async (_, attack) => {
    await attack();
    await page.close();
    for (const _ of ['this process', 'the next']) {
      expect(tiers()).toEqual(['inferred', 'inferred']);
      await store.reopen();
    }
  });

  test('a held answer that was signed, when another program has used the link', async () => {
    const sheet = await asked(thief, `sheet/${id}`);
    expect(await send(sheet, signed(sheet))).toMatchObject({ kind: 'held' });
    await Visitor.enter(page);
    await page.closed;
    expect([tiers(), receipts()]).toEqual([['inferred', 'inferred'], []]);
  });

  test('a yes on an overview that was opened before a passkey was required', async () => {
    const free = await TestStore.open();
    const waiting = await free.propose('the build');
    free.pass(8);
    const early = await overviewOf(free, { levelAtMost: 1 });
    const visitor = await Visitor.enter(early);
    const key = new SoftwareAuthenticator();
    const sheet = await asked(visitor, `sheet/${waiting}`);
    await enrol(free, key);
    await requirePasskey(free, key);
    await visitor.post({ token: sheet.token, key: 'y' });
    await early.close();
    expect(free.tier(waiting)).toBe('inferred');
  });
});

test('the overview answers to its name alone', async () => {
  const { port } = new URL(page.url);
  const { status } = await thief.get(`sheet/${id}`, { host: `127.0.0.1:${port}` });
  expect(status).toBe(403);
});
