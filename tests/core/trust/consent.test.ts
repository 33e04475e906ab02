import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Refusal } from '../../../src/core/refusal.ts';
import {
  CHANNELS,
  type Channel,
  type Level,
  refuseLookalike,
  type Shown,
  UserConsent,
  witnessed,
} from '../../../src/core/trust/consent.ts';

const SHOWN: Shown = { verb: 'promote', id: 'user_x', digest: 'd1', standing: 'inferred:proposed', settles: ['rule'] };
const asked = (changes: Partial<Shown> = {}) => ({ ...SHOWN, ...changes });

test('a yes is spent by exactly the change it was given for, once', () => {
  const consent = witnessed('page', SHOWN);
  consent.spend(SHOWN);
  expect(() => consent.spend(SHOWN)).toThrow(
    new Refusal('consent-spent', 'This confirmation was used already; one yes counts for one change.'),
  );
});

test.each([
  ['another verb', { verb: 'restore' }, 'consent-mismatch'],
  ['another memory', { id: 'user_y' }, 'consent-mismatch'],
  ['the place of another memory', { replaces: 'user_y' }, 'consent-mismatch'],
  ['another text', { digest: 'd2' }, 'changed-meanwhile'],
  ['no text', { digest: null }, 'changed-meanwhile'],
  ['another standing', { standing: 'inferred:found' }, 'changed-meanwhile'],
  ['a text that was another one before', { was: 'd0' }, 'changed-meanwhile'],
] as const)('a yes is none for %s, and asking for it does not spend it', (_, change, code) => {
  const consent = witnessed('page', SHOWN);
  expect(() => consent.spend(asked(change))).toThrow(expect.objectContaining({ code }));
  consent.spend(SHOWN);
});

test('a refusal of a yes says whether it was for something else, or the memory changed', () => {
  const consent = witnessed('page', SHOWN);
  expect(() => consent.spend(asked({ id: 'user_y' }))).toThrow(
    'The confirmation was given for something else. Nothing was changed.',
  );
  expect(() => consent.spend(asked({ digest: 'd2' }))).toThrow(
    'user_x changed while the person was asked. Nothing was changed; read it again and ask again.',
  );
});

test('of all possible changes, a yes allows only the one that was shown', () => {
  const shown = fc.record({
    verb: fc.constantFrom<Shown['verb']>('promote', 'demote', 'restore', 'reaffirm', 'add', 'trust-machine'),
    id: fc.constantFrom('user_x', 'user_y', 'user_x ', ''),
    digest: fc.constantFrom('d1', 'd2', null, 'D1', ''),
    was: fc.constantFrom(undefined, 'd1', 'd2'),
    standing: fc.constantFrom('new', 'inferred:proposed', 'verified:vouched', ''),
    replaces: fc.constantFrom(undefined, 'user_x', 'user_y'),
  });
  fc.assert(
    fc.property(shown, shown, (one, other) => {
      const consent = witnessed('page', { ...one, settles: [] });
      if (JSON.stringify(one) === JSON.stringify(other)) consent.spend(other);
      else expect(() => consent.spend(other)).toThrow();
    }),
  );
});

test('what was shown cannot be changed after the yes', () => {
  const settles = ['rule'];
  const given = { ...SHOWN, settles };
  const consent = witnessed('page', given);
  settles.push('another-rule');
  Object.assign(given, { id: 'user_y' });
  expect(consent.shown).toEqual(SHOWN);
  expect(() => Object.assign(consent.shown, { id: 'user_y' })).toThrow(TypeError);
  expect(() => Object.assign(consent, { level: 3, shown: {} })).toThrow(TypeError);
  expect(() => (consent.shown.settles as string[]).push('x')).toThrow(TypeError);
});

test('nobody else can make one: the constructor needs a key that is not exported', () => {
  const Open = UserConsent as unknown as new (...args: unknown[]) => UserConsent;
  for (const proof of [undefined, null, true, Symbol('witnessed'), Symbol.for('witnessed'), 'witnessed', {}]) {
    expect(() => new Open(proof, SHOWN, 'page', 3)).toThrow(
      new TypeError('A consent is made by a witness, after a person answered.'),
    );
  }
  class Forged extends Open {}
  expect(() => new Forged(Symbol('witnessed'), SHOWN, 'page', 3)).toThrow(TypeError);
});

test('a copy of a yes is not a yes', () => {
  const consent = witnessed('page', SHOWN);
  const bare = Object.create(UserConsent.prototype) as UserConsent;
  expect(() => bare.spend(SHOWN)).toThrow(TypeError);
  expect(UserConsent.isGenuine(bare)).toBe(false);
  expect(UserConsent.isGenuine(Object.create(consent))).toBe(false);
  expect(UserConsent.isGenuine(new Proxy(consent, {}))).toBe(false);
  for (const copy of [structuredClone(consent), JSON.parse(JSON.stringify(consent)), { ...consent }]) {
    expect(copy).not.toBeInstanceOf(UserConsent);
    expect('spend' in copy).toBe(false);
    expect(UserConsent.isGenuine(copy)).toBe(false);
    expect(() => UserConsent.prototype.spend.call(copy as UserConsent, SHOWN)).toThrow(TypeError);
  }
  expect(UserConsent.isGenuine(consent)).toBe(true);
  consent.spend(SHOWN);
});

test('what is no object is not a yes', () => {
  for (const claim of [undefined, null, true, 'yes', 3, {}, []]) {
    expect(UserConsent.isGenuine(claim)).toBe(false);
    expect(() => refuseLookalike(claim)).toThrow(
      expect.objectContaining({ code: 'needs-person', message: 'Only a person can do this. Nothing was changed.' }),
    );
  }
  expect(() => refuseLookalike(witnessed('page', SHOWN))).not.toThrow();
});

test('a yes that a passkey signed is of level 4, however the page was opened', () => {
  const part = 'AA';
  const assertion = { credential: part, authenticatorData: part, clientDataJSON: part, signature: part, nonce: part };
  const consent = witnessed('page', SHOWN, { levelAtMost: 1, assertion });
  expect([consent.level, consent.assertion]).toEqual([4, assertion]);
  expect(witnessed('page', SHOWN, { levelAtMost: 1 }).assertion).toBeUndefined();
});

test('each channel has its level, and a page opened from a terminal proves no more than the terminal', () => {
  const level = (channel: Channel, most?: Level) =>
    witnessed(channel, SHOWN, most === undefined ? {} : { levelAtMost: most }).level;
  expect(CHANNELS).toEqual({ terminal: 1, dialog: 2, page: 3 });
  expect([level('terminal'), level('dialog'), level('page')]).toEqual([1, 2, 3]);
  expect([level('page', 1), level('page', 2), level('terminal', 3)]).toEqual([1, 2, 1]);
});
