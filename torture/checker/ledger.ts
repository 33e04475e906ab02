import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from './file.ts';

// Written from docs/ledger-format.md; no code of the store is used.

export interface Entry {
  readonly v: number;
  readonly seq: number;
  readonly at: string;
  readonly clock?: string;
  readonly key?: string;
  readonly store?: string;
  readonly by: { readonly actor: string; readonly level: number };
  readonly settings: { readonly observationDays: number };
  readonly action: string;
  readonly id: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly digest: string | null;
  readonly saying: string | null;
  readonly was?: string;
  readonly texts?: readonly (readonly [id: string, digest: string, saying: string])[];
  readonly alias?: string;
  readonly settled: readonly string[];
  readonly replaces: string | null;
  readonly passkeys?: {
    readonly credential?: string;
    readonly key?: string;
    readonly recovery?: string;
    readonly code?: string;
    readonly ledgers: readonly (readonly [fingerprint: string, count: number, hash: string])[];
  };
  readonly assertion?: Readonly<
    Record<'credential' | 'authenticatorData' | 'clientDataJSON' | 'signature' | 'nonce', string>
  >;
  readonly after: readonly string[];
  readonly prev: string | null;
}

/** One line that could be read. */
export interface Line {
  readonly hash: string;
  readonly entry: Entry;
  readonly authentic: boolean;
}

export interface Ledger {
  readonly fingerprint: string;
  /** What its lines are signed with, where the first line or somebody else has told. */
  readonly key: KeyObject | undefined;
  readonly lines: readonly Line[];
  /** Hashes of all complete lines, readable or not. */
  readonly hashes: readonly string[];
  /** Everything that a reader must check and that does not hold. */
  readonly faults: readonly string[];
  /** Whether the file ends in the middle of a line: a write that did not finish. */
  readonly cut: boolean;
}

const NAME = /^([0-9a-f]{64})(?:\.(\d{9,}))?\.jsonl$/;

export function readLedgers(root: string): Ledger[] {
  const files = readdirSync(join(root, 'ledger')).flatMap((name) => {
    const [, fingerprint, first] = NAME.exec(name) ?? [];
    return fingerprint === undefined ? [] : [{ fingerprint, first: Number(first ?? 0), name }];
  });
  return [...Map.groupBy(files, ({ fingerprint }) => fingerprint)].map(([fingerprint, parts]) => {
    const inOrder = parts.sort((a, b) => a.first - b.first);
    return readLedger(fingerprint, asOne(inOrder.map(({ name }) => readFileSync(join(root, 'ledger', name), 'utf8'))));
  });
}

/** Lines that a file repeats of those before it, which a join that was cut short leaves, are taken once if they are the same. */
function asOne(files: readonly string[]): string {
  const lines: string[] = [];
  let rest = '';
  for (const file of files) {
    const own = `${rest}${file}`.split('\n');
    rest = own.pop() ?? '';
    const isNew = (line: string) => lines[parsed(line)?.seq ?? -1] !== line;
    const from = own.findIndex(isNew);
    if (from !== -1) lines.push(...own.slice(from));
  }
  return `${lines.map((line) => `${line}\n`).join('')}${rest}`;
}

/** Every line's own signature is verified, also where the last one would be enough. `known` is its key, had from elsewhere. */
export function readLedger(fingerprint: string, content: string, known?: KeyObject): Ledger {
  const whole = content.slice(0, content.lastIndexOf('\n') + 1);
  const texts = whole === '' ? [] : whole.slice(0, -1).split('\n');
  const faults: string[] = [];
  const lines: Line[] = [];
  let key = known;
  let [prev, lastAt, version]: [string | null, string, number] = [null, '', 1];
  for (const [at, text] of texts.entries()) {
    const fault = (what: string) => faults.push(`entry ${at}: ${what}`);
    const hash = sha256(text);
    const entry = parsed(text);
    if (entry === undefined) fault('cannot be read');
    else {
      if (at === 0) {
        if (entry.key === undefined || sha256(Buffer.from(entry.key, 'base64url')) !== fingerprint) fault('wrong key');
        else key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: entry.key }, format: 'jwk' });
      }
      if (entry.seq !== at) fault('out of count');
      if (entry.prev !== prev) fault('not linked to the one before');
      if (entry.at < lastAt) fault('earlier than the one before');
      if (entry.v < version) fault('of an older version than the one before');
      lastAt = entry.at;
      version = entry.v;
      const authentic = key !== undefined && isSigned(text, key);
      if (!authentic) fault('badly signed');
      lines.push({ hash, entry, authentic });
    }
    prev = hash;
  }
  return { fingerprint, key, lines, hashes: texts.map(sha256), faults, cut: content.length > whole.length };
}

function parsed(text: string): Entry | undefined {
  try {
    const entry = JSON.parse(text) as Entry;
    const readable =
      JSON.stringify(entry) === text &&
      (entry.v === 1 || (entry.v === 2 && text.startsWith('{"v":2,') && isSecond(entry))) &&
      typeof entry.id === 'string' &&
      typeof entry.at === 'string' &&
      Array.isArray(entry.after);
    return readable ? entry : undefined;
  } catch {
    return undefined;
  }
}

/** What every entry of version 2 has besides; a list of texts stands only in a record that is about nothing else. */
function isSecond({ clock, store, action, id, digest, texts }: Entry): boolean {
  const many = Array.isArray(texts) && texts.length > 0 && texts.length <= 500;
  const isMany = action === 'seen' && id === '*' && digest === null && many;
  return typeof clock === 'string' && typeof store === 'string' && (texts === undefined || isMany);
}

/** The entries of a line: one for each text, where it is about many. */
export function spread({ entry, ...line }: Line): Line[] {
  if (entry.texts === undefined) return [{ entry, ...line }];
  return entry.texts.map(([id, digest, saying]) => ({ ...line, entry: { ...entry, id, digest, saying } }));
}

function isSigned(text: string, key: KeyObject): boolean {
  const [, payload, signature] = /^(\{.*),"sig":"([\w-]{86})"\}$/s.exec(text) ?? [];
  if (payload === undefined || signature === undefined) return false;
  const version = payload.startsWith('{"v":2,') ? 2 : 1;
  return verify(null, Buffer.from(`surety-ledger-${version}\n${payload}}`), key, Buffer.from(signature, 'base64url'));
}
