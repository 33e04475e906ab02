// The transitions that do not exist, each tried on a real store.

import { copyFileSync, readFileSync, renameSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { standingKey } from '../../../src/core/ledger/standing.ts';
import { UserConsent, witnessed } from '../../../src/core/trust/consent.ts';
import { insideOf } from '../../../src/store/vault/inside-of-vault.ts';
import type { Writer } from '../../../src/store/vault/ledger-entries.ts';
import { AGENT, newMemory, TestStore, yes } from '../../../testkit/store.ts';

/** Everything of a store that a refused change must leave alone. */
function everything(store: TestStore): unknown {
  const files = (['memories', 'quarantine'] as const).map((place) =>
    store.files(place).map((name) => [place, name, readFileSync(`${store.places[place]}/${name}`, 'utf8')]),
  );
  return { files, ledger: store.ledgerLines() };
}

async function refused(store: TestStore, attempt: () => unknown, code: string | undefined): Promise<void> {
  const before = everything(store);
  const error: unknown = await Promise.resolve()
    .then(attempt)
    .then(
      () => 'nothing was refused',
      (thrown: unknown) => thrown,
    );
  expect(error).toBeInstanceOf(Error);
  if (code !== undefined) expect(error).toMatchObject({ code });
  expect(everything(store)).toEqual(before);
}

describe('forbidden: quarantined → inferred', () => {
  test('by a tool: nothing that exists can be proposed back into being inferred', async () => {
    const store = await TestStore.open();
    const id = await store.verified('the build');
    await store.decide('demote', id, 'wrong');
    await refused(store, () => store.propose('the build'), 'was-quarantined');
    await refused(
      store,
      () => store.propose('another title', { body: newMemory('the build').body }),
      'was-quarantined',
    );
  });

  test('by a tool: a short text is refused under another title too', async () => {
    const store = await TestStore.open();
    const body = 'Skip code review.';
    const id = await store.propose('indent', { body });
    await store.decide('demote', id, 'wrong');
    await refused(store, () => store.propose('indent', { body }), 'was-quarantined');
    await refused(store, () => store.propose('house rule', { body: 'skip  code Review.' }), 'was-quarantined');
    await refused(store, () => store.propose('house rule', { body, project: 'acme/shop' }), 'was-quarantined');
    await store.reopen();
    await refused(store, () => store.propose('house rule', { body }), 'was-quarantined');
    // Nor may a person's other words for something else say it.
    const other = store.load(await store.propose('reviews', { body: 'Two people review.' }));
    expect(() => store.vault.draftRewording(other, newMemory('reviews', { body }))).toThrow(/quarantined memory says/);
    await store.decide('restore', id);
    expect(store.tier(await store.propose('house rule', { body }))).toBe('inferred');
  });

  test('the refusal names the memory that a person can restore', async () => {
    const store = await TestStore.open();
    const body = 'Skip code review.';
    const [long, short] = [await store.verified('the build'), await store.propose('indent', { body })];
    for (const id of [long, short]) await store.decide('demote', id, 'wrong');
    const again = store.propose('another title', { body: newMemory('the build').body });
    await expect(again).rejects.toThrow(`is not taken again; if the person wants it, restore ${long}.`);
    await expect(store.propose('house rule', { body })).rejects.toThrow(`restore ${short}.`);
  });

  test('a short text that is quarantined in one project may be said of another', async () => {
    const store = await TestStore.open();
    const body = 'We deploy on Fridays.';
    await store.decide('demote', await store.propose('deploying', { body, project: 'acme/api' }), 'wrong');
    await refused(store, () => store.propose('days', { body, project: 'acme/api' }), 'was-quarantined');
    await refused(store, () => store.propose('days', { body }), 'was-quarantined');
    expect(store.tier(await store.propose('days', { body, project: 'acme/shop' }))).toBe('inferred');
  });

  test('by moving the file back by hand: it stays quarantined, and goes back', async () => {
    const store = await TestStore.open();
    const id = await store.verified('the build');
    await store.decide('demote', id, 'wrong');
    renameSync(store.path('quarantine', id), store.path('memories', id));
    expect(store.standing(id)).toBe('quarantined:decided');
    await store.reconcile();
    expect(store.files('memories')).toEqual([]);
    expect(store.files('quarantine')).toEqual([`${id}.md`]);
  });

  test.each(['inferred', 'verified'])('by moving it back and typing trust-level: %s', async (claim) => {
    const store = await TestStore.open();
    const id = await store.propose('the build');
    await store.decide('demote', id, 'wrong');
    const text = store.text('quarantine', id).replace(/^quarantine.*\n/gm, '');
    store.write('memories', id, text.replace('trust-level: quarantined', `trust-level: ${claim}`));
    expect(store.tier(id)).toBe('quarantined');
    await store.reopen();
    expect(store.tier(id)).toBe('quarantined');
    await store.reconcile();
    expect(store.files('memories')).toEqual([]);
  });

  test('by moving it back under another name', async () => {
    const store = await TestStore.open();
    const id = await store.propose('the build');
    await store.decide('demote', id, 'wrong');
    const text = store.text('quarantine', id).replace(/^quarantine.*\n/gm, '');
    store.write('memories', 'user_new_name', text.replace('trust-level: quarantined', 'trust-level: inferred'));
    expect(store.standing('user_new_name')).toBe('quarantined:same-text');
  });

  test('of a file somebody else put into quarantine by hand: once noticed, moving it back lifts nothing', async () => {
    const store = await TestStore.open();
    const id = await store.verified('the build');
    renameSync(store.path('memories', id), store.path('quarantine', id));
    expect(store.standing(id)).toBe('quarantined:folder');
    await store.reconcile();
    renameSync(store.path('quarantine', id), store.path('memories', id));
    expect(store.standing(id)).toBe('quarantined:decided');
  });
});

describe('forbidden: verified → inferred', () => {
  test('no decision leads there', async () => {
    const store = await TestStore.open();
    const id = await store.verified('the build');
    await refused(store, () => store.decide('promote', id), 'not-allowed');
    await refused(store, () => store.decide('restore', id), 'not-allowed');
    expect(store.tier(id)).toBe('verified');
  });

  test('an edit makes it advisory without any transition, and putting the exact text back undoes that', async () => {
    const store = await TestStore.open();
    const id = await store.verified('the build');
    const before = store.text('memories', id);
    const ledger = store.ledgerLines().length;
    store.edit(id, (text) => text.replace('two cores', 'nine cores'));
    expect(store.standing(id)).toBe('inferred:changed');
    await refused(store, () => store.decide('promote', id), 'not-allowed');
    expect(store.ledgerLines().length).toBe(ledger);
    store.write('memories', id, before);
    expect(store.standing(id)).toBe('verified:vouched');
  });

  test('typing inferred into a verified file lowers it only for as long as it says so', async () => {
    const store = await TestStore.open();
    const id = await store.verified('the build');
    store.edit(id, (text) => text.replace('trust-level: verified', 'trust-level: inferred'));
    expect(store.standing(id)).toBe('inferred:unfinished');
    store.edit(id, (text) => text.replace('trust-level: inferred', 'trust-level: verified'));
    expect(store.standing(id)).toBe('verified:vouched');
  });
});

describe('forbidden: a promotion or restore without a person', () => {
  const LOOKS = {
    'an object with a spend method': (c: UserConsent) => ({ spend() {}, shown: c.shown, channel: 'page', level: 3 }),
    'an object that also says it is the operator': (c: UserConsent) => ({
      spend() {},
      shown: c.shown,
      channel: 'page',
      level: 3,
      actor: 'operator',
      client: null,
    }),
    'an object with nothing but the class as its prototype': () => Object.create(UserConsent.prototype),
    'an object with the prototype and the right fields': (c: UserConsent) =>
      Object.assign(Object.create(UserConsent.prototype), { shown: c.shown, channel: 'page', level: 3 }),
    'an object with the prototype and a spend method of its own': (c: UserConsent) =>
      Object.create(UserConsent.prototype, {
        shown: { value: c.shown },
        channel: { value: 'page' },
        level: { value: 3 },
        spend: { value: () => undefined },
      }),
    'an object that inherits from a genuine yes': (c: UserConsent) =>
      Object.create(c, { spend: { value: () => undefined } }),
    'a proxy around a genuine yes for something else': (c: UserConsent) => {
      const other = witnessed('page', { ...c.shown, id: 'user_other' });
      return new Proxy(other, { get: (_, key) => (key === 'spend' ? () => undefined : Reflect.get(c, key)) });
    },
    'a structured clone': (c: UserConsent) => structuredClone(c),
    'a copy through JSON': (c: UserConsent) => JSON.parse(JSON.stringify(c)),
    'a copy by spreading': (c: UserConsent) => ({ ...c }),
    nothing: () => undefined,
    'the word yes': () => 'yes',
    'a flag': () => ({ confirmed: true, actor: 'operator', client: null }),
  } as const satisfies Record<string, (consent: UserConsent) => unknown>;
  const CASES = Object.entries(LOOKS);

  test.each(CASES)('promote: %s is no yes', async (_, forge) => {
    const store = await TestStore.open();
    const id = await store.propose('the build');
    store.pass(7);
    const seen = store.load(id);
    const forged = forge(yes('promote', seen)) as UserConsent;
    await refused(store, () => store.vault.decide('promote', seen, forged), undefined);
    expect(store.tier(id)).toBe('inferred');
    await store.reopen();
    expect(store.tier(id)).toBe('inferred');
    expect(store.trouble()).toBeUndefined();
  });

  test.each(CASES)('restore: %s is no yes', async (_, forge) => {
    const store = await TestStore.open();
    const id = await store.verified('the build');
    await store.decide('demote', id, 'wrong');
    const seen = store.load(id);
    const forged = forge(yes('restore', seen)) as UserConsent;
    await refused(store, () => store.vault.decide('restore', seen, forged), undefined);
    expect(store.tier(id)).toBe('quarantined');
    renameSync(store.path('quarantine', id), store.path('memories', id));
    expect(store.tier(id)).toBe('quarantined');
  });

  test.each(CASES)('add: %s is no yes', async (_, forge) => {
    const store = await TestStore.open();
    const asked = { ...newMemory('the build'), id: store.vault.freeId('user', 'the build') };
    const shown = {
      verb: 'add',
      id: asked.id,
      digest: await store.digestOfBirth(asked),
      standing: 'new',
      settles: [],
    } as const;
    const forged = forge(witnessed('page', shown)) as UserConsent;
    await refused(store, () => store.vault.create('add', asked, forged), undefined);
    expect(store.files('memories')).toEqual([]);
  });

  test.each(CASES)('trusting a machine: %s is no yes', async (_, forge) => {
    const store = await TestStore.open();
    await store.propose('the build');
    const there = await TestStore.open({ machine: { name: 'there', identity: 'machine-two' } });
    await there.propose('the tests');
    const { fingerprint } = there.vault.self;
    copyFileSync(there.ledgerPath, `${store.places.ledger}/${fingerprint}.jsonl`);
    const { ledgers } = insideOf(store.vault);
    ledgers.refresh();
    const head = ledgers.reports().find((report) => !report.own)?.head.hash ?? null;
    const shown = { verb: 'trust-machine', id: fingerprint, digest: head, standing: 'untrusted', settles: [] } as const;
    const forged = forge(witnessed('page', shown)) as UserConsent;
    await refused(store, () => ledgers.trust(fingerprint, 'there', forged), undefined);
    ledgers.refresh();
    expect(
      ledgers
        .reports()
        .filter(({ trusted }) => trusted)
        .map(({ own }) => own),
    ).toEqual([true]);
  });

  test.each(CASES)('accepting a damaged ledger: %s is no yes', async (_, forge) => {
    const store = await TestStore.open();
    const id = await store.verified('the build');
    store.writeLedger(store.ledgerLines().slice(0, 1));
    const { ledgers, key } = insideOf(store.vault);
    expect(store.trouble()).toBe('shorter');
    const head = ledgers.reports()[0]?.head.hash ?? null;
    const shown = {
      verb: 'accept-ledger',
      id: key.fingerprint,
      digest: head,
      standing: 'shorter',
      settles: [],
    } as const;
    const forged = forge(witnessed('page', shown)) as UserConsent;
    await refused(store, () => ledgers.accept(key.fingerprint, forged), undefined);
    expect(store.trouble()).toBe('shorter');
    expect(store.tier(id)).toBe('inferred');
  });

  test.each(['add', 'adopt', 'rewrite', 'backfill', 'promote', 'restore'] as const)(
    'an agent or an import cannot %s, whatever it calls itself',
    async (verb) => {
      const store = await TestStore.open();
      for (const actor of ['agent', 'import', 'check', 'operator']) {
        const writer = { actor, client: null } as Writer;
        await refused(store, () => store.vault.create(verb, newMemory('the build'), writer), undefined);
      }
    },
  );

  test('a proposal is inferred however often it is sent and whatever the clock says', async () => {
    const store = await TestStore.open();
    const id = await store.propose('the build');
    for (const days of [1, 7, 365, 5000]) {
      store.pass(days);
      await store.vault.create('propose', newMemory('the build'), AGENT);
      await store.reconcile();
      expect(store.tier(id)).toBe('inferred');
    }
  });
});

describe('forbidden: promotion before the observation is over', () => {
  test('six days are not seven', async () => {
    const store = await TestStore.open();
    const id = await store.propose('the build');
    store.pass(6);
    await refused(store, () => store.decide('promote', id), 'observation-running');
    store.pass(1);
    await store.decide('promote', id);
    expect(store.tier(id)).toBe('verified');
  });

  test('back-dating the file gains nothing', async () => {
    const store = await TestStore.open();
    const id = await store.propose('the build');
    store.edit(id, (text) => text.replace(/created-at: .*/, 'created-at: 2020-01-01T00:00:00Z'));
    await refused(store, () => store.decide('promote', id), 'observation-running');
  });

  test('swapping the text on day eight starts the observation again', async () => {
    const store = await TestStore.open();
    const id = await store.propose('the build');
    store.pass(8);
    store.edit(id, (text) => text.replace('two cores', 'nine cores'));
    await refused(store, () => store.decide('promote', id), 'observation-running');
    await store.reconcile();
    store.pass(6);
    await refused(store, () => store.decide('promote', id), 'observation-running');
    store.pass(1);
    await store.decide('promote', id);
  });

  test('a found file that says verified waits like any other', async () => {
    const store = await TestStore.open();
    const donor = await store.propose('the build');
    const text = store.text('memories', donor).replace('trust-level: inferred', 'trust-level: verified');
    store.write('memories', 'user_typed', text.replace('two cores', 'five cores'));
    await store.reconcile();
    expect(store.standing('user_typed')).toBe('inferred:unproven');
    await refused(store, () => store.decide('promote', 'user_typed'), 'observation-running');
  });

  test('a clock that was set back does not count days twice', async () => {
    const store = await TestStore.open();
    const id = await store.propose('the build');
    store.pass(-30);
    await refused(store, () => store.decide('promote', id), 'clock-jump');
    store.pass(36);
    await refused(store, () => store.decide('promote', id), 'observation-running');
  });
});

describe('forbidden: editing a quarantined memory in place', () => {
  test('an edited one is no more trusted, and a yes for the text before the edit is void', async () => {
    const store = await TestStore.open();
    const id = await store.verified('the build');
    await store.decide('demote', id, 'wrong');
    const seen = store.load(id);
    const consent = yes('restore', seen);
    store.write('quarantine', id, store.text('quarantine', id).replace('two cores', 'nine cores'));
    await refused(store, () => store.vault.decide('restore', seen, consent), 'changed-meanwhile');
    await refused(store, () => store.vault.decide('restore', store.load(id), consent), 'not-allowed');
    expect(store.tier(id)).toBe('quarantined');
  });

  test('an edited one is not restored, and its former text stays refused', async () => {
    const store = await TestStore.open();
    const id = await store.verified('the build');
    const { body } = newMemory('the build');
    await store.decide('demote', id, 'wrong');
    store.write('quarantine', id, store.text('quarantine', id).replace('two cores', 'nine cores'));
    await refused(store, () => store.decide('restore', id), 'not-allowed');
    expect(store.tier(id)).toBe('quarantined');
    await refused(store, () => store.propose('another title', { body }), 'was-quarantined');
  });

  test.each(['promote', 'reaffirm', 'demote'] as const)('%s does not start from quarantine', async (verb) => {
    const store = await TestStore.open();
    const id = await store.verified('the build');
    await store.decide('demote', id, 'wrong');
    await refused(store, () => store.decide(verb, id), 'not-allowed');
  });

  test('the vouched text cannot be put back over it', async () => {
    const store = await TestStore.open();
    const id = await store.verified('the build');
    await store.decide('demote', id, 'wrong');
    store.write('quarantine', id, store.text('quarantine', id).replace('two cores', 'nine cores'));
    await refused(store, () => store.vault.putBack(store.load(id)), 'not-allowed');
  });
});

describe('forbidden: one confirmation for several memories', () => {
  test('a yes counts once', async () => {
    const store = await TestStore.open();
    const id = await store.verified('the build');
    const consent = yes('reaffirm', store.load(id));
    await store.vault.decide('reaffirm', store.load(id), consent);
    await refused(store, () => store.vault.decide('reaffirm', store.load(id), consent), 'consent-spent');
  });

  test('a yes for one memory is none for another', async () => {
    const store = await TestStore.open();
    const [one, other] = [await store.propose('the build'), await store.propose('the tests')];
    store.pass(7);
    const consent = yes('promote', store.load(one));
    await refused(store, () => store.vault.decide('promote', store.load(other), consent), 'consent-mismatch');
    await store.vault.decide('promote', store.load(one), consent);
    await refused(store, () => store.vault.decide('promote', store.load(other), consent), 'consent-spent');
    expect([store.tier(one), store.tier(other)]).toEqual(['verified', 'inferred']);
  });

  test('two decisions at once on one yes: one of them happens', async () => {
    const store = await TestStore.open();
    const [one, other] = [await store.propose('the build'), await store.propose('the tests')];
    store.pass(7);
    const consent = yes('promote', store.load(one));
    const results = await Promise.allSettled([
      store.vault.decide('promote', store.load(one), consent),
      store.vault.decide('promote', store.load(other), consent),
      store.vault.decide('promote', store.load(one), consent),
    ]);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect([store.tier(one), store.tier(other)]).toEqual(['verified', 'inferred']);
  });

  test('a yes to promote is none to demote, and one for another standing is none for this', async () => {
    const store = await TestStore.open();
    const id = await store.propose('the build');
    store.pass(7);
    const seen = store.load(id);
    await refused(store, () => store.vault.decide('demote', seen, yes('promote', seen)), 'consent-mismatch');
    const { digest } = seen;
    for (const standing of ['verified:vouched', 'inferred:found', 'new']) {
      const consent = witnessed('page', { verb: 'promote', id, digest, standing, settles: [] });
      await refused(store, () => store.vault.decide('promote', seen, consent), 'changed-meanwhile');
    }
    expect(standingKey(seen.standing)).toBe('inferred:proposed');
  });

  test('a yes to one new memory is none to a second with the same name', async () => {
    const store = await TestStore.open();
    await store.add('the build');
    const asked = { ...newMemory('the build', { body: 'Something the person was never shown, word for word.' }) };
    const id = store.vault.freeId('user', 'the build');
    const shown = { verb: 'add', id, standing: 'new', settles: [] } as const;
    const digest = await store.digestOfBirth({ ...newMemory('the build'), id });
    await refused(
      store,
      () => store.vault.create('add', { ...asked, id }, witnessed('page', { ...shown, digest })),
      'changed-meanwhile',
    );
  });
});
