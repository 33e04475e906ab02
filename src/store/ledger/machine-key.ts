import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { join } from 'node:path';
import { fingerprintOf, publicKeyOf, type Signer } from '../../core/ledger/entry.ts';
import { parsedObject } from '../../core/parsed-json.ts';
import { Refusal } from '../../core/refusal.ts';
import type { Disk } from '../disk/disk.ts';
import type { Machine } from '../places/host.ts';

export const KEY_FILE = 'key.json';
const LARGEST_KEY_FILE = 4096;

/** This machine's key. By its signature others recognize what this machine wrote. */
export class MachineKey implements Signer {
  readonly machine: string;
  readonly publicKey: string;
  readonly privateKey: KeyObject;
  readonly fingerprint: string;
  readonly verifier: KeyObject;
  /** Why nothing may be signed: this key stands in for one that cannot be used, so that the store can still be read. */
  readonly trouble: Refusal | undefined;
  #secretForHashes: Buffer | undefined;

  constructor(machine: string, privateKey: KeyObject, publicKey: string, trouble?: Refusal) {
    const verifier = publicKeyOf(publicKey);
    if (verifier === undefined) throw unusable('The machine key is damaged');
    this.machine = machine;
    this.privateKey = privateKey;
    this.publicKey = publicKey;
    this.verifier = verifier;
    this.fingerprint = fingerprintOf(publicKey);
    this.trouble = trouble;
  }

  /**
   * The content of a file that only this machine can write. `purpose` names the one file it is valid for, so that a
   * genuine file cannot be copied to a place where it means something else.
   */
  signed(content: object, purpose: string): string {
    const payload = JSON.stringify(content);
    const signature = sign(null, fileBytes(purpose, payload), this.privateKey).toString('base64url');
    return `${JSON.stringify({ payload, signature })}\n`;
  }

  /**
   * A secret of this machine for one purpose, for data that only this machine checks. It is faster than a signature.
   */
  secretFor(purpose: string): Buffer {
    const { d = '' } = this.privateKey.export({ format: 'jwk' });
    return createHmac('sha256', Buffer.from(d, 'base64url')).update(`surety-secret-1\n${purpose}`).digest();
  }

  /** The seal of a text for one purpose, in hex. Only this machine can make it. */
  seal(purpose: string, text: string): string {
    return createHmac('sha256', this.secretFor(purpose)).update(text).digest('hex');
  }

  /** A hash that only this machine can tell, of the hash of a text that may hold a secret. */
  keyedHash(hash: string): string {
    this.#secretForHashes ??= this.secretFor('surety-keyed-hash-1');
    return createHmac('sha256', this.#secretForHashes).update(hash).digest('hex');
  }
}

/** What the machine with this key `signed` for this purpose; undefined for anything else. */
export function openedBy(verifier: KeyObject, text: string, purpose: string): unknown {
  try {
    const { payload, signature } = JSON.parse(text) as { payload: string; signature: string };
    const genuine = verify(null, fileBytes(purpose, payload), verifier, Buffer.from(signature, 'base64url'));
    return genuine ? JSON.parse(payload) : undefined;
  } catch {
    return undefined;
  }
}

function fileBytes(purpose: string, payload: string): Buffer {
  return Buffer.from(`surety-file-1\n${purpose}\n${payload}`);
}

interface KeyFile {
  readonly v: 1;
  readonly machine: string;
  readonly identity: string;
  readonly publicKey: string;
  readonly privateKey: string;
}

/**
 * Reads the key, or makes one on a machine that has none. The key records its machine and is refused on any other,
 * because two machines with one key would write to one ledger. A caller that may have to make a key holds a lock.
 */
export function machineKey(configFolder: string, disk: Disk, machine: Machine): MachineKey {
  return existingKey(configFolder, disk, machine) ?? makeKey(join(configFolder, KEY_FILE), disk, machine);
}

/** A key without a file that signs nothing. No ledger or list is signed with it, so nothing counts as verified. */
export function standInKey({ name }: Machine, trouble: Refusal): MachineKey {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { x = '' } = privateKey.export({ format: 'jwk' });
  return new MachineKey(name, privateKey, x, trouble);
}

/** The key if there is one. It makes none. */
export function existingKey(configFolder: string, disk: Disk, machine: Machine): MachineKey | undefined {
  const path = join(configFolder, KEY_FILE);
  const found = disk.read(path, LARGEST_KEY_FILE);
  if (found.kind === 'refused') throw unusable(`The machine key ${path} is not an ordinary file of one link`);
  if (found.kind === 'absent') return undefined;
  const file = parse(found.bytes);
  if (file === undefined) throw unusable(`The machine key ${path} is damaged`);
  if (file.identity !== machine.identity && machine.others?.includes(file.identity) !== true) {
    throw new Refusal(
      'key-unusable',
      // Without the name of that machine, which is whatever the file says.
      'The machine key was made on another machine and does not sign here. ' +
        'Memories are found and read, all of them as inferred. In a container, give it the machine id or the host name it had when the key was made. Otherwise run surety doctor in a terminal: it can put the key aside and make a new one. What the old machine vouched for is advisory until you trust it with surety machines trust.',
    );
  }
  const secret = secretKey(file, path);
  if (createPublicKey(secret).export({ format: 'jwk' }).x !== file.publicKey)
    throw unusable(`The machine key ${path} is damaged`);
  return new MachineKey(file.machine, secret, file.publicKey);
}

function makeKey(path: string, disk: Disk, machine: Machine): MachineKey {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { d, x } = privateKey.export({ format: 'jwk' });
  if (d === undefined || x === undefined) throw unusable('No key could be made');
  const file: KeyFile = { v: 1, machine: machine.name, identity: machine.identity, publicKey: x, privateKey: d };
  disk.create(path, `${JSON.stringify(file)}\n`);
  return new MachineKey(machine.name, privateKey, x);
}

function secretKey(file: KeyFile, path: string): KeyObject {
  try {
    return createPrivateKey({
      key: { kty: 'OKP', crv: 'Ed25519', x: file.publicKey, d: file.privateKey },
      format: 'jwk',
    });
  } catch {
    throw unusable(`The machine key ${path} is damaged`);
  }
}

function parse(bytes: Buffer): KeyFile | undefined {
  const value = parsedObject(bytes.toString('utf8')) as Partial<KeyFile>;
  const texts = [value.machine, value.identity, value.publicKey, value.privateKey];
  if (typeof value.v === 'number' && value.v > 1) throw newer();
  return value.v === 1 && texts.every((text) => typeof text === 'string') ? (value as KeyFile) : undefined;
}

/** The key is sound, so the message does not suggest making another. */
function newer(): Refusal {
  return new Refusal(
    'format-unknown',
    'This machine’s key was made by a newer Surety, and this one cannot use it. Nothing was changed. Update Surety.',
  );
}

function unusable(what: string): Refusal {
  return new Refusal(
    'key-unusable',
    `${what}. Nothing can be signed; put it back from a backup, or run surety doctor in a terminal to have a new one made.`,
  );
}
