// npm run bench:passkeys [-- --entries 10000] [--stores 1000,10000] [--rounds 5]: what it takes to read a ledger whose receipts
// passkeys signed, from its lines as where a passkey is required and from the cache as elsewhere, and to verify them; in
// milliseconds of one core. Then what a process takes in a store of verified memories, with and without a requirement.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Draft, EMPTY_HEAD, fingerprintOf, type Head, hashOf, seal } from '../src/core/ledger/entry.ts';
import { Evidence, vouches } from '../src/core/ledger/evidence.ts';
import { Statements } from '../src/core/ledger/packed-statements.ts';
import { replay } from '../src/core/ledger/replay.ts';
import { challengeOfChange, challengeOfYes } from '../src/core/passkeys/challenge.ts';
import { PASSKEYS, type PasskeyChange } from '../src/core/passkeys/change.ts';
import { ALGORITHMS, type Algorithm, SoftwareAuthenticator } from '../testkit/authenticator.ts';
import { writeVerified } from './verified-store.ts';

const { values } = parseArgs({
  options: {
    entries: { type: 'string', default: '10000' },
    stores: { type: 'string', default: '1000,10000' },
    rounds: { type: 'string', default: '5' },
  },
});
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

type Start = { readonly args: readonly string[]; readonly home: string };

/** Two stores of as many memories, each verified; in one of them by a passkey, and one is required. */
async function inStores(main: string, memories: number): Promise<void> {
  const homes = {
    'passkey required': mkdtempSync(join(tmpdir(), 'surety-bench-')),
    'no passkey': mkdtempSync(join(tmpdir(), 'surety-bench-')),
  };
  try {
    const starts = new Map<string, Start>([['node -e 0', { args: ['-e', '0'], home: tmpdir() }]]);
    for (const [name, home] of Object.entries(homes)) {
      await writeVerified(home, memories, name === 'passkey required');
      starts.set(`session start, ${name}`, { args: [main, 'hook', 'session-start'], home });
      starts.set(`search, ${name}`, { args: [main, 'search', 'database importer'], home });
      starts.set(`audit, ${name}`, { args: [main, 'audit'], home });
    }
    reportStarts(memories, timesOf(starts));
  } finally {
    for (const home of Object.values(homes)) rmSync(home, { recursive: true, force: true });
  }
}

/** Taken in turns, so that whatever else the machine does is felt by all alike. The first round warms the disk's cache. */
function timesOf(starts: ReadonlyMap<string, Start>): Map<string, number[]> {
  const times = new Map([...starts.keys()].map((name) => [name, [] as number[]]));
  for (let round = -1; round < Number(values.rounds); round++) {
    for (const [name, { args, home }] of starts) {
      const began = performance.now();
      const input = JSON.stringify({ source: 'startup', cwd: home });
      const env = { PATH: process.env.PATH ?? '', HOME: home };
      const { stderr } = spawnSync(process.execPath, args, { input, encoding: 'utf8', env });
      if (stderr !== '') throw new Error(`${name} failed: ${stderr}`);
      if (round >= 0) times.get(name)?.push(performance.now() - began);
    }
  }
  return times;
}

function reportStarts(memories: number, times: ReadonlyMap<string, number[]>): void {
  const median = (name: string) =>
    times.get(name)?.toSorted((a, b) => a - b)[Math.floor(Number(values.rounds) / 2)] ?? 0;
  process.stdout.write(`${memories} verified memories, median of ${values.rounds} processes\n`);
  for (const name of times.keys()) {
    const ratio = median(name) / median('node -e 0');
    process.stdout.write(
      `  ${name.padEnd(32)} ${median(name).toFixed(0).padStart(6)} ms ${ratio.toFixed(1).padStart(6)} ×\n`,
    );
  }
}

// The first reading also compiles the code.
replay(new Statements({ fingerprint, raises: true }), ledgerOf(undefined));
measured('no passkey', undefined);
for (const algorithm of ALGORITHMS as readonly Algorithm[]) measured(algorithm, new SoftwareAuthenticator(algorithm));

const ROOT = join(import.meta.dirname, '..');
// In the project, because the native module is found from there.
const built = mkdtempSync(join(ROOT, '.built-for-tests-'));
try {
  execFileSync(process.execPath, [join(ROOT, 'build.ts'), built]);
  for (const memories of values.stores.split(',').filter(Boolean))
    await inStores(join(built, 'main.js'), Number(memories));
} finally {
  rmSync(built, { recursive: true, force: true });
}
