import { createPublicKey, hash, type KeyObject, verify } from 'node:crypto';
import { isObject } from '../is-object.ts';
import { parsedJson } from '../parsed-json.ts';

export const ASSERTION_PARTS = ['credential', 'authenticatorData', 'clientDataJSON', 'signature', 'nonce'] as const;

/** An authenticator's answer with the id of the credential, and the nonce of the question; each in base64url. */
export type Assertion = Readonly<Record<(typeof ASSERTION_PARTS)[number], string>>;

/**
 * The name that passkeys are bound to. It is not `localhost`, because every program that listens there could ask for
 * signatures of `localhost`.
 */
export const RELYING_PARTY = 'surety.localhost';
const ORIGIN = /^http:\/\/surety\.localhost:\d{1,5}$/;

/** Bits of the flags in authenticator data. */
const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
/** Authenticator data begin with 32 bytes of the relying party's hash, one byte of flags and four of the counter. */
const AUTHENTICATOR_DATA = { flags: 32, counter: 33, end: 37 } as const;

/** What is wrong with an assertion. */
export const FLAWS = {
  'not-client-data': 'the browser’s part cannot be read',
  type: 'it is not the answer to a question for a signature',
  challenge: 'it was given for something else',
  origin: 'it was asked for by another page',
  'cross-origin': 'it was asked for by a page inside another page',
  'relying-party': 'it was made for another name than surety.localhost',
  'user-present': 'nobody touched the authenticator',
  'user-verified': 'the authenticator did not check who the person is',
  key: 'the key is none that this version knows',
  signature: 'the passkey did not sign it',
} as const;
export type Flaw = keyof typeof FLAWS;

/**
 * What is wrong with an assertion of this challenge (base64url) by this public key (SPKI in base64url); undefined if the
 * passkey's owner confirmed exactly this. The counter is not looked at, because synced passkeys have none.
 */
export function flawOf(
  assertion: Pick<Assertion, 'authenticatorData' | 'clientDataJSON' | 'signature'>,
  challenge: string,
  publicKey: string,
): Flaw | undefined {
  const client = Buffer.from(assertion.clientDataJSON, 'base64url');
  const data = Buffer.from(assertion.authenticatorData, 'base64url');
  const flaw = flawInClientData(client, 'webauthn.get', challenge) ?? flawInAuthenticatorData(data);
  if (flaw !== undefined) return flaw;
  const key = keyOf(publicKey);
  if (key === undefined) return 'key';
  const signed = Buffer.concat([data, hash('sha256', client, 'buffer')]);
  const signature = Buffer.from(assertion.signature, 'base64url');
  return verify(key.digest, signed, key.object, signature) ? undefined : 'signature';
}

/** What is wrong with the browser's part of an answer. */
export function flawInClientData(
  bytes: Buffer,
  type: 'webauthn.get' | 'webauthn.create',
  challenge: string,
): Flaw | undefined {
  const client = parsedJson(bytes.toString('utf8'));
  if (!isObject(client)) return 'not-client-data';
  if (client.type !== type) return 'type';
  if (client.challenge !== challenge) return 'challenge';
  if (typeof client.origin !== 'string' || !ORIGIN.test(client.origin)) return 'origin';
  return client.crossOrigin === false ? undefined : 'cross-origin';
}

/** What is wrong with the authenticator's part of an answer. */
export function flawInAuthenticatorData(data: Buffer): Flaw | undefined {
  const rightParty = data.subarray(0, AUTHENTICATOR_DATA.flags).equals(hash('sha256', RELYING_PARTY, 'buffer'));
  if (!rightParty || data.length < AUTHENTICATOR_DATA.end) return 'relying-party';
  const flags = data[AUTHENTICATOR_DATA.flags] ?? 0;
  if ((flags & USER_PRESENT) === 0) return 'user-present';
  return (flags & USER_VERIFIED) === 0 ? 'user-verified' : undefined;
}

/** How often the authenticator has signed, as far as it counts; 0 if it does not. */
export function signCountOf({ authenticatorData }: Pick<Assertion, 'authenticatorData'>): number {
  const data = Buffer.from(authenticatorData, 'base64url');
  return data.length < AUTHENTICATOR_DATA.end ? 0 : data.readUInt32BE(AUTHENTICATOR_DATA.counter);
}

/** Whether a public key (SPKI in base64url) is of a kind that can be enrolled. */
export function isUsableKey(publicKey: string): boolean {
  return keyOf(publicKey) !== undefined;
}

interface UsableKey {
  readonly object: KeyObject;
  readonly digest: 'sha256' | null;
}

/** Parsed keys, because parsing one takes as long as verifying a signature. At most 100: a person has a few. */
const PARSED = new Map<string, UsableKey | undefined>();

function keyOf(spki: string): UsableKey | undefined {
  if (!PARSED.has(spki)) {
    if (PARSED.size >= 100) PARSED.clear();
    PARSED.set(spki, parsedKey(spki));
  }
  return PARSED.get(spki);
}

/** The key, with the hash function of the one algorithm that its kind has here: ES256, EdDSA or RS256. */
function parsedKey(spki: string): UsableKey | undefined {
  let object: KeyObject;
  try {
    object = createPublicKey({ key: Buffer.from(spki, 'base64url'), format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
  const { namedCurve, modulusLength = 0 } = object.asymmetricKeyDetails ?? {};
  switch (object.asymmetricKeyType) {
    case 'ec':
      return namedCurve === 'prime256v1' ? { object, digest: 'sha256' } : undefined;
    case 'ed25519':
      return { object, digest: null };
    case 'rsa':
      return modulusLength >= 2048 ? { object, digest: 'sha256' } : undefined;
    default:
      return undefined;
  }
}
