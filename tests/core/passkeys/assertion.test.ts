import { createPublicKey } from 'node:crypto';
import { verifyAuthenticationResponse } from '@simplewebauthn/server';
import { isoCBOR } from '@simplewebauthn/server/helpers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Assertion, flawOf, isUsableKey, signCountOf } from '../../../src/core/passkeys/assertion.ts';
import { challengeOfChange, challengeOfYes, type SignedYes } from '../../../src/core/passkeys/challenge.ts';
import { ALGORITHMS, type Mistakes, SoftwareAuthenticator } from '../../../testkit/authenticator.ts';

const YES: SignedYes = {
  store: '0'.repeat(32),
  ledger: 'a'.repeat(64),
  verb: 'promote',
  id: 'user_editor',
  was: null,
  digest: 'b'.repeat(64),
  from: 'inferred',
  settled: [],
  replaces: null,
  after: ['c'.repeat(64)],
  day: '2026-03-08',
  nonce: 'bm9uY2U',
};
const CHALLENGE = challengeOfYes(YES);
const PASSKEYS = ALGORITHMS.map((algorithm) => new SoftwareAuthenticator(algorithm));

/** The same key as the oracle takes it. */
function coseOf({ publicKey }: SoftwareAuthenticator): Uint8Array<ArrayBuffer> {
  const key = createPublicKey({ key: Buffer.from(publicKey, 'base64url'), format: 'der', type: 'spki' });
  const { kty, x = '', y = '', n = '', e = '' } = key.export({ format: 'jwk' });
  const bytes = (part: string) => new Uint8Array(Buffer.from(part, 'base64url'));
  const pairs: Record<string, [number, number | Uint8Array][]> = {
    EC: [
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, bytes(x)],
      [-3, bytes(y)],
    ],
    OKP: [
      [1, 1],
      [3, -8],
      [-1, 6],
      [-2, bytes(x)],
    ],
    RSA: [
      [1, 3],
      [3, -257],
      [-1, bytes(n)],
      [-2, bytes(e)],
    ],
  };
  return isoCBOR.encode(new Map(pairs[kty ?? '']) as never) as Uint8Array<ArrayBuffer>;
}

/** Whether an independent implementation takes it, as strict as ours. */
async function oracle(
  passkey: SoftwareAuthenticator,
  { nonce: _, credential, ...response }: Assertion,
  challenge: string,
) {
  const credentials = { id: credential, publicKey: coseOf(passkey), counter: 0 };
  try {
    const { verified } = await verifyAuthenticationResponse({
      response: { id: credential, rawId: credential, type: 'public-key', clientExtensionResults: {}, response },
      expectedChallenge: challenge,
      expectedOrigin: 'http://surety.localhost:4711',
      expectedRPID: 'surety.localhost',
      credential: credentials,
      requireUserVerification: true,
    });
    return verified;
  } catch {
    return false;
  }
}

test.each(PASSKEYS)('an assertion of $algorithm counts here and for an independent implementation', async (passkey) => {
  const assertion = passkey.sign(CHALLENGE, YES.nonce, { counter: 7 });
  expect(flawOf(assertion, CHALLENGE, passkey.publicKey)).toBeUndefined();
  expect(await oracle(passkey, assertion, CHALLENGE)).toBe(true);
  expect(signCountOf(assertion)).toBe(7);
});

const WRONG: readonly [flaw: string, mistakes: Mistakes][] = [
  ['type', { type: 'webauthn.create' }],
  ['origin', { origin: 'http://localhost:4711' }],
  ['origin', { origin: 'http://127.0.0.1:4711' }],
  ['origin', { origin: 'http://surety.localhost.evil.example:4711' }],
  ['origin', { origin: 'https://surety.localhost:4711' }],
  ['origin', { origin: 'http://surety.localhost:4711/' }],
  ['relying-party', { rpId: 'localhost' }],
  ['user-present', { flags: 4 }],
  ['user-verified', { flags: 1 }],
];

test.each(WRONG)('an assertion with a wrong %s counts nowhere: %o', async (flaw, mistakes) => {
  for (const passkey of PASSKEYS) {
    const assertion = passkey.sign(CHALLENGE, YES.nonce, mistakes);
    expect(flawOf(assertion, CHALLENGE, passkey.publicKey)).toBe(flaw);
    expect(await oracle(passkey, assertion, CHALLENGE)).toBe(false);
  }
});

test.each([true, undefined])(
  'one that a page inside another page asked for counts not: crossOrigin %s',
  (crossOrigin) => {
    const [passkey = new SoftwareAuthenticator()] = PASSKEYS;
    const assertion = passkey.sign(CHALLENGE, YES.nonce, { crossOrigin });
    expect(flawOf(assertion, CHALLENGE, passkey.publicKey)).toBe('cross-origin');
  },
);

test('an assertion fits the one key that made it, whatever kind another key is', () => {
  for (const passkey of PASSKEYS) {
    const assertion = passkey.sign(CHALLENGE, YES.nonce);
    for (const other of [...PASSKEYS.filter((each) => each !== passkey), new SoftwareAuthenticator(passkey.algorithm)])
      expect(flawOf(assertion, CHALLENGE, other.publicKey)).toBe('signature');
  }
});

test('an assertion fits no yes that differs in anything', () => {
  const [passkey = new SoftwareAuthenticator()] = PASSKEYS;
  const assertion = passkey.sign(CHALLENGE, YES.nonce);
  const others: Partial<SignedYes>[] = [
    { store: '1'.repeat(32) },
    { ledger: 'd'.repeat(64) },
    { verb: 'adopt' },
    { id: 'user_shell' },
    { was: 'b'.repeat(64) },
    { digest: 'e'.repeat(64) },
    { from: 'quarantined' },
    { settled: ['injection/role'] },
    { replaces: 'user_shell' },
    { after: [] },
    { after: ['c'.repeat(64), 'd'.repeat(64)] },
    { day: '2026-03-09' },
    { nonce: 'b3RoZXI' },
  ];
  expect(new Set(others.flatMap(Object.keys))).toEqual(new Set(Object.keys(YES)));
  for (const other of others)
    expect(flawOf(assertion, challengeOfYes({ ...YES, ...other }), passkey.publicKey)).toBe('challenge');
  const { store, ledger, verb: action, after, day, nonce } = YES;
  const change = challengeOfChange({ store, ledger, action, change: { ledgers: [] }, after, day, nonce });
  expect(flawOf(assertion, change, passkey.publicKey)).toBe('challenge');
});

test('one changed byte anywhere is enough to make it none', () => {
  const [passkey = new SoftwareAuthenticator()] = PASSKEYS;
  const assertion = passkey.sign(CHALLENGE, YES.nonce);
  const part = fc.constantFrom('authenticatorData', 'clientDataJSON', 'signature');
  fc.assert(
    fc.property(part, fc.nat(), fc.integer({ min: 1, max: 255 }), (name, at, flip) => {
      const bytes = Buffer.from(assertion[name as keyof Assertion], 'base64url');
      const place = at % bytes.length;
      bytes[place] = (bytes[place] ?? 0) ^ flip;
      const changed = { ...assertion, [name]: bytes.toString('base64url') };
      expect(flawOf(changed, CHALLENGE, passkey.publicKey)).toBeDefined();
    }),
  );
});

test('nothing that is sent makes it throw', () => {
  const text = fc.oneof(fc.string(), fc.base64String(), fc.constantFrom('', 'bnVsbA', 'W10', '////'));
  fc.assert(
    fc.property(text, text, text, text, (authenticatorData, clientDataJSON, signature, key) => {
      expect(flawOf({ authenticatorData, clientDataJSON, signature }, CHALLENGE, key)).toBeDefined();
      expect(isUsableKey(key)).toBe(false);
    }),
  );
});
