import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type { Assertion } from '../src/core/passkeys/assertion.ts';

// An authenticator in software, for tests that need thousands of assertions or broken ones. Tests of the page use the
// browser's own virtual authenticators.

export const ALGORITHMS = ['ES256', 'EdDSA', 'RS256'] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

/** What a test gets wrong on purpose. */
export interface Mistakes {
  readonly origin?: string;
  readonly rpId?: string;
  readonly type?: string;
  readonly crossOrigin?: boolean | undefined;
  /** UP 1 and UV 4. */
  readonly flags?: number;
  readonly counter?: number;
}

export class SoftwareAuthenticator {
  readonly credential = randomBytes(16).toString('base64url');
  readonly publicKey: string;
  readonly algorithm: Algorithm;
  readonly #privateKey: KeyObject;

  constructor(algorithm: Algorithm = 'ES256') {
    const { publicKey, privateKey } = pairOf(algorithm);
    this.algorithm = algorithm;
    this.#privateKey = privateKey;
    this.publicKey = publicKey.export({ format: 'der', type: 'spki' }).toString('base64url');
  }

  /** The private key as a browser's virtual authenticator takes it. */
  get pkcs8(): string {
    return this.#privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
  }

  /** Signs a challenge (base64url), as a browser on the page has it done. */
  sign(challenge: string, nonce: string, mistakes: Mistakes = {}): Assertion {
    const { origin = 'http://surety.localhost:4711', rpId = 'surety.localhost', type = 'webauthn.get' } = mistakes;
    const crossOrigin = 'crossOrigin' in mistakes ? mistakes.crossOrigin : false;
    const client = Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin }));
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(mistakes.counter ?? 0);
    const data = Buffer.concat([sha256(rpId), Buffer.from([mistakes.flags ?? 5]), counter]);
    const digest = this.algorithm === 'EdDSA' ? null : 'sha256';
    const signature = sign(digest, Buffer.concat([data, sha256(client)]), this.#privateKey);
    return {
      credential: this.credential,
      authenticatorData: data.toString('base64url'),
      clientDataJSON: client.toString('base64url'),
      signature: signature.toString('base64url'),
      nonce,
    };
  }
}

function pairOf(algorithm: Algorithm) {
  if (algorithm === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  return algorithm === 'EdDSA' ? generateKeyPairSync('ed25519') : generateKeyPairSync('rsa', { modulusLength: 2048 });
}

function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest();
}
