import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { draftAdoption, wordingOf } from '../../src/actions/review/adopt.ts';
import { type Case, itemsToReview, openCase } from '../../src/actions/review/review.ts';
import { onScreen } from '../../src/actions/review/shown.ts';
import type { Session } from '../../src/actions/session.ts';
import { UserConsent } from '../../src/core/trust/consent.ts';
import { assertionIn, PageWitness, type Sheet } from '../../src/page/witness.ts';
import { AuditLog } from '../../src/store/records/audit-log.ts';
import { TestStore } from '../../testkit/store.ts';

let store: TestStore;
let session: Session;
let open: Case;
let sheet: Sheet;

beforeEach(async () => {
  store = await TestStore.open();
  await store.propose('a branch', { body: 'Releases are cut from main.' });
  store.pass(8);
  const audit = new AuditLog(
    join(store.places.state, 'audit.ndjson'),
    () => new Date(store.now),
    () => {},
  );
  session = { vault: store.vault, audit, proposals: 0 };
  const [item] = itemsToReview(session);
  const opened = item && openCase(session, item);
  if (opened === undefined) throw new Error('nothing waits');
  open = opened;
  sheet = { kind: 'case', open };
});

const form = (fields: Record<string, string>) => new URLSearchParams(fields);
const MACHINE = { fingerprint: 'f'.repeat(64), head: { seq: 3, hash: 'h'.repeat(64) } };
/** Another machine's ledger as the page shows it; a yes takes only its fingerprint and its end. */
const machineSheet = (): Sheet => ({
  kind: 'machine',
  machine: MACHINE as unknown as Extract<Sheet, { kind: 'machine' }>['machine'],
  vouched: [],
});
const PLANNED = {
  action: 'enrol-passkey',
  change: { credential: 'credential', key: 'key', ledgers: [] },
  after: [],
} as unknown as Parameters<NonNullable<ReturnType<PageWitness['take']>>['yesToPasskey']>[0];

describe('a form', () => {
  test('gives the yes to exactly what its sheet showed', () => {
    const witness = new PageWitness(3, 'client 1');
    const answered = witness.take(form({ token: witness.show(sheet), key: 'y' }));
    const consent = answered?.yes('promote');
    expect(UserConsent.isGenuine(consent)).toBe(true);
    expect(answered?.sheet).toBe(sheet);
    expect(consent).toMatchObject({
      channel: 'page',
      level: 3,
      client: 'client 1',
      shown: { verb: 'promote', id: open.id, digest: open.loaded.digest, standing: 'inferred:proposed', settles: [] },
    });
    expect(consent?.assertion).toBeUndefined();
    expect(answered?.no).toEqual({ channel: 'page', level: 3, client: 'client 1' });
  });

  test('counts once', () => {
    const witness = new PageWitness(3, null);
    const token = witness.show(sheet);
    expect(witness.take(form({ token }))).toBeDefined();
    expect(witness.take(form({ token }))).toBeUndefined();
  });

  test('without a token of a sheet is nothing', () => {
    const witness = new PageWitness(3, null);
    const token = witness.show(sheet);
    for (const given of [{}, { token: '' }, { token: 'f'.repeat(64) }, { token: token.slice(1) }] as const)
      expect(witness.take(form(given as Record<string, string>))).toBeUndefined();
    expect(new PageWitness(3, null).take(form({ token }))).toBeUndefined();
    expect(witness.take(form({ token }))).toBeDefined();
  });

  test('of a page opened from a terminal proves no more than the terminal, the no as well', () => {
    const witness = new PageWitness(1, null);
    const answered = witness.take(form({ token: witness.show(sheet) }));
    expect(answered?.yes('promote').level).toBe(1);
    expect(answered?.no).toEqual({ channel: 'page', level: 1, client: null });
  });

  test('has a token of its own for each sheet, which nobody can guess', () => {
    const witness = new PageWitness(3, null);
    const tokens = Array.from({ length: 20 }, () => witness.show(sheet));
    expect(new Set(tokens).size).toBe(20);
    for (const token of tokens) expect(token).toMatch(/^[0-9a-f]{64}$/);
  });

  test('of the thirty-third newest sheet is forgotten, and of the thirty-second is not', () => {
    const witness = new PageWitness(3, null);
    const tokens = Array.from({ length: 33 }, () => witness.show(sheet));
    expect(witness.take(form({ token: tokens[0] ?? '' }))).toBeUndefined();
    for (const token of tokens.slice(1)) expect(witness.take(form({ token }))).toBeDefined();
  });

  test('that was open for longer than its lifetime is nothing; at its end it still counts', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      vi.advanceTimersByTime(600);
      const witness = new PageWitness(3, null, 1_000);
      const [early, late] = [witness.show(sheet), witness.show(sheet)];
      vi.advanceTimersByTime(1_000);
      expect(witness.take(form({ token: early }))).toBeDefined();
      vi.advanceTimersByTime(1);
      expect(witness.take(form({ token: late }))).toBeUndefined();
      const forever = new PageWitness(3, null);
      const token = forever.show(sheet);
      vi.advanceTimersByTime(1e9);
      expect(forever.take(form({ token }))).toBeDefined();
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('a yes', () => {
  const answer = (shown: Sheet) => {
    const witness = new PageWitness(3, null);
    const answered = witness.take(form({ token: witness.show(shown) }));
    if (answered === undefined) throw new Error('the form was not taken');
    return answered;
  };

  test('to a draft is for the words on it', () => {
    const adoption = draftAdoption(session, open.loaded, wordingOf(open.loaded), 'page');
    const consent = answer({ kind: 'draft', open, adoption }).yesToDraft();
    expect(consent.shown).toMatchObject({ verb: adoption.verb, id: adoption.screen.id });
  });

  test('to two memories is for each as it was shown, and the passkey signs only the one that counts', async () => {
    const rival = store.load(await store.verified('another branch'));
    const rivalScreen = onScreen(rival, { vouching: false });
    const question = { challenge: 'c', nonce: 'n', credentials: [] };
    const witness = new PageWitness(3, null);
    const token = witness.show({ kind: 'case', open: { ...open, rivalScreen } }, new Map([['y', question]]));
    const signed = { credential: 'c', authenticatorData: 'a', clientDataJSON: 'j', signature: 's' };
    const both = witness.take(form({ token, key: 'y', ...signed }))?.yesToBoth('promote');
    expect(both?.consent).toMatchObject({
      level: 4,
      assertion: { ...signed, nonce: 'n' },
      shown: { verb: 'promote', id: open.id, digest: open.loaded.digest, replaces: rival.id },
    });
    expect(both?.toRival).toMatchObject({ level: 3, shown: { verb: 'demote', id: rival.id, digest: rival.digest } });
    expect(both?.toRival.assertion).toBeUndefined();
    expect([both?.consent, both?.toRival].every(UserConsent.isGenuine)).toBe(true);
  });

  test('to a machine is for its fingerprint and the end of its ledger', () => {
    expect(answer(machineSheet()).yesToMachine().shown).toEqual({
      verb: 'trust-machine',
      id: MACHINE.fingerprint,
      digest: MACHINE.head.hash,
      standing: 'untrusted',
      settles: [],
    });
  });

  test('to a passkey is for this key', () => {
    expect(answer({ kind: 'passkey' }).yesToPasskey(PLANNED).shown).toEqual({
      verb: 'enrol-passkey',
      id: 'credential',
      digest: 'key',
      standing: 'new',
      settles: [],
    });
  });

  test('is refused for anything that was not on the sheet', () => {
    const sheets: readonly Sheet[] = [
      sheet,
      { kind: 'edit', open },
      {
        kind: 'draft',
        open,
        adoption: draftAdoption(session, open.loaded, wordingOf(open.loaded), 'page'),
      },
      machineSheet(),
      { kind: 'passkey' },
      { kind: 'end' },
    ];
    for (const each of sheets) {
      const answered = answer(each);
      if (each.kind !== 'case')
        expect(() => answered.yes('promote')).toThrow(new TypeError('Nothing was shown that could be confirmed.'));
      // No sheet here has a second memory, also not the one with a first.
      expect(() => answered.yesToBoth('promote')).toThrow(new TypeError('There were no two memories on this sheet.'));
      if (each.kind !== 'draft')
        expect(() => answered.yesToDraft()).toThrow(new TypeError('There was no draft on this sheet.'));
      if (each.kind !== 'machine')
        expect(() => answered.yesToMachine()).toThrow(new TypeError('There was no machine on this sheet.'));
      if (each.kind !== 'passkey')
        expect(() => answered.yesToPasskey(PLANNED)).toThrow(new TypeError('There was no passkey on this sheet.'));
    }
  });
});

describe('what a passkey answered', () => {
  const QUESTION = { challenge: 'c', nonce: 'nonce of the question', credentials: [] };
  const SIGNED = { credential: 'c1', authenticatorData: 'a1', clientDataJSON: 'j1', signature: 's1' };

  test('is taken with the nonce of the question for the chosen key, and not with one of the form', () => {
    const witness = new PageWitness(3, null);
    const token = witness.show(sheet, new Map([['y', QUESTION]]));
    const answered = witness.take(form({ token, key: 'y', ...SIGNED, nonce: 'of the form' }));
    const consent = answered?.yes('promote');
    expect(consent).toMatchObject({ level: 4, assertion: { ...SIGNED, nonce: QUESTION.nonce } });
  });

  test('counts for no other key than the one that was asked', () => {
    const witness = new PageWitness(3, null);
    for (const key of [{ key: 'n' }, {}] as const) {
      const token = witness.show(sheet, new Map([['y', QUESTION]]));
      const consent = witness.take(form({ token, ...SIGNED, ...key }))?.yes('promote');
      expect([consent?.level, consent?.assertion]).toEqual([3, undefined]);
    }
  });

  test('is nothing where no question was asked or nothing was signed', () => {
    expect(assertionIn(form(SIGNED), undefined)).toBeUndefined();
    expect(assertionIn(form({ credential: 'c1' }), QUESTION)).toBeUndefined();
    expect(assertionIn(form({ signature: 's1' }), QUESTION)).toEqual({
      credential: '',
      authenticatorData: '',
      clientDataJSON: '',
      signature: 's1',
      nonce: QUESTION.nonce,
    });
    expect(assertionIn(form({ ...SIGNED, signature: '' }), QUESTION)).toEqual({
      ...SIGNED,
      signature: '',
      nonce: QUESTION.nonce,
    });
  });

  test('to a draft is part of its yes', () => {
    const witness = new PageWitness(3, null);
    const adoption = draftAdoption(session, open.loaded, wordingOf(open.loaded), 'page');
    const token = witness.show({ kind: 'draft', open, adoption }, new Map([['y', QUESTION]]));
    expect(witness.take(form({ token, key: 'y', ...SIGNED }))?.yesToDraft().level).toBe(4);
  });
});
