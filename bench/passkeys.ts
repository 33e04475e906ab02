// npm run bench:passkeys [-- --entries 10000]: what it takes to read a ledger whose receipts passkeys signed, from its lines
// as where a passkey is required and from the cache as elsewhere, and to verify them. In milliseconds of one core.
import { createHash, generateKeyPairSync } from 'node:crypto';
import { parseArgs } from 'node:util';
import { type Draft, EMPTY_HEAD, fingerprintOf, type Head, hashOf, seal } from '../src/core/ledger/entry.ts';
import { Evidence, vouches } from '../src/core/ledger/evidence.ts';
import { Statements } from '../src/core/ledger/packed-statements.ts';
import { replay } from '../src/core/ledger/replay.ts';
import { challengeOfChange, challengeOfYes } from '../src/core/passkeys/challenge.ts';
import { PASSKEYS, type PasskeyChange } from '../src/core/passkeys/change.ts';
import { ALGORITHMS, type Algorithm, SoftwareAuthenticator } from '../testkit/authenticator.ts';

const { values } = parseArgs({ options: { entries: { type: 'string', default: '10000' } } });
const entries = Number(values.entries);
const NOW = Date.parse('2026-03-01T12:00:00Z');
const DAY = '2026-03-01';
const STORE = '0'.repeat(32);

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const signer = { machine: 'here', publicKey: publicKey.export({ format: 'jwk' }).x ?? '', privateKey };
const fingerprint = fingerprintOf(signer.publicKey);
const settings = { observationDays: 7, staleDays: 90, injection: 'hold', minimumAssurance: 1 } as const;
const by = { actor: 'operator', channel: 'page', level: 4, client: null } as const;
const EMPTY: Draft = {
  by,
  settings,
  rules: 'rules',
  action: 'seen',
  id: '',
  from: null,
  to: null,
  digest: null,
  saying: null,
  reason: null,
  settled: [],
  replaces: null,
  after: [],
};

/** A ledger in which a passkey is required, and every receipt has its assertion. */
function ledgerOf(passkey: SoftwareAuthenticator | undefined): string[] {
  const lines: string[] = [];
  let head: Head = EMPTY_HEAD;
  const write = (draft: Partial<Draft>) => {
    const line = seal({ ...EMPTY, ...draft }, head, NOW, NOW, signer, STORE);
    head = { count: head.count + 1, hash: hashOf(line) };
    lines.push(line);
  };
  const place = { store: STORE, ledger: fingerprint, after: [], day: DAY, nonce: 'bm9uY2U' };
  write({ action: 'store', id: STORE, by: { actor: 'check', channel: 'reconcile', level: 0, client: null } });
  if (passkey !== undefined) {
    const ends = (): PasskeyChange['ledgers'] => [[fingerprint, head.count, head.hash ?? '']];
    const passkeys = { credential: passkey.credential, key: passkey.publicKey, ledgers: ends() };
    write({ action: 'enrolled', id: PASSKEYS, passkeys });
    const change = { recovery: 'a'.repeat(64), ledgers: ends() };
    const challenge = challengeOfChange({ ...place, action: 'required', change });
    write({ action: 'required', id: PASSKEYS, passkeys: change, assertion: passkey.sign(challenge, place.nonce) });
  }
  for (let i = 0; i < entries; i++) {
    const yes = {
      id: `user_memory_${i}`,
      digest: hashOf(`${i}`),
      from: 'inferred',
      settled: [],
      replaces: null,
    } as const;
    const challenge = challengeOfYes({ ...place, ...yes, verb: 'promote', was: null });
    const assertion = passkey?.sign(challenge, place.nonce);
    write({ ...yes, action: 'promote', to: 'verified', saying: hashOf(`said ${i}`), ...(assertion && { assertion }) });
  }
  return lines;
}

function timed(work: () => void): number {
  const began = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1000;
}

function measured(name: string, passkey: SoftwareAuthenticator | undefined): void {
  const lines = ledgerOf(passkey);
  const statements = new Statements({ fingerprint, raises: true });
  const read = timed(() => replay(statements, lines));
  const whole = Buffer.from(`${lines.join('\n')}\n`);
  const kept = statements.packed();
  const unpacked = timed(() => {
    createHash('sha256').update(whole).digest('hex');
    Statements.unpacked({ fingerprint, raises: true }, kept);
  });
  const evidence = new Evidence(() => NOW);
  evidence.take(statements);
  let counted = 0;
  const all = () => {
    for (let i = 0; i < entries; i++) counted += evidence.heads(`user_memory_${i}`).filter(vouches).length;
  };
  const twenty = timed(() => {
    for (let i = 0; i < 20; i++) evidence.heads(`user_memory_${i * 7}`);
  });
  const [first, again] = [timed(all), timed(all)];
  if (counted !== 2 * entries) throw new Error(`${counted} receipts count`);
  const packed = statements.packed().chunks.reduce((sum, { length }) => sum + length, 0);
  const bytes = lines.reduce((sum, { length }) => sum + length + 1, 0);
  const ms = (took: number) => `${took.toFixed(0)} ms`;
  const each = (size: number) => `${Math.round(size / entries)} B`;
  process.stdout.write(
    `${name.padEnd(10)} read ${ms(read)}, from the cache ${ms(unpacked)}; 20 standings ${ms(twenty)}, all ${ms(first)}, again ${ms(again)}; a receipt takes ${each(bytes)} on disk, ${each(packed)} packed\n`,
  );
}

// The first reading also compiles the code.
replay(new Statements({ fingerprint, raises: true }), ledgerOf(undefined));
measured('no passkey', undefined);
for (const algorithm of ALGORITHMS as readonly Algorithm[]) measured(algorithm, new SoftwareAuthenticator(algorithm));
