// npm run bench:passkeys [-- --entries 10000] [--stores 1000,10000] [--rounds 5] [--audit]: what it takes to read a ledger whose
// receipts passkeys signed, from its lines as where a passkey is required and from the cache as elsewhere, and to verify them; in
// milliseconds of one core. Then the CPU time of processes in stores of verified memories: without a passkey, signed by one, and
// with one required.
// A store of 100,000 takes ten minutes to make: --stores 100000. An audit takes minutes, so each store has one, on request.
import { execFileSync } from 'node:child_process';
import { createHash, generateKeyPairSync, randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { EMPTY_HEAD, type EntryDraft, fingerprintOf, type Head, hashOf, signEntry } from '../src/core/ledger/entry.ts';
import { Evidence } from '../src/core/ledger/evidence.ts';
import { vouches } from '../src/core/ledger/heads.ts';
import { Statements } from '../src/core/ledger/packed-statements.ts';
import { replay } from '../src/core/ledger/replay.ts';
import { challengeOfChange, challengeOfYes } from '../src/core/passkeys/challenge.ts';
import { PASSKEYS, type PasskeyChange } from '../src/core/passkeys/change.ts';
import { ALGORITHMS, type Algorithm, SoftwareAuthenticator } from '../testkit/authenticator.ts';
import { cpuOf, type Input, sessionOf } from './process-cpu.ts';
import { type Passkey, writeVerified } from './verified-store.ts';

const { values } = parseArgs({
  options: {
    entries: { type: 'string', default: '10000' },
    stores: { type: 'string', default: '1000,10000' },
    rounds: { type: 'string', default: '5' },
    audit: { type: 'boolean', default: false },
  },
});
const entries = Number(values.entries);
const rounds = Number(values.rounds);
const NOW = Date.parse('2026-03-01T12:00:00Z');
const DAY = '2026-03-01';
const STORE = '0'.repeat(32);

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const signer = { machine: 'here', publicKey: publicKey.export({ format: 'jwk' }).x ?? '', privateKey };
const fingerprint = fingerprintOf(signer.publicKey);
const settings = { observationDays: 7, staleDays: 90, injection: 'hold', minimumAssurance: 1 } as const;
const by = { actor: 'operator', channel: 'page', level: 4, client: null } as const;
const EMPTY: EntryDraft = {
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
  const write = (draft: Partial<EntryDraft>) => {
    const line = signEntry({ ...EMPTY, ...draft }, head, NOW, NOW, signer, STORE);
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
  const size = lines.reduce((sum, { length }) => sum + length + 1, 0);
  const ms = (took: number) => `${took.toFixed(0)} ms`;
  const each = (size: number) => `${Math.round(size / entries)} B`;
  process.stdout.write(
    `${name.padEnd(10)} read ${ms(read)}, from the cache ${ms(unpacked)}; 20 standings ${ms(twenty)}, all ${ms(first)}, again ${ms(again)}; a receipt takes ${each(size)} on disk, ${each(packed)} packed\n`,
  );
}

/** Another one each time, because one that is known already is not written again. */
function proposal(): object {
  const number = randomInt(2 ** 40);
  return {
    type: 'reference',
    name: `Importer ${number}`,
    description: `Which importer number ${number} is`,
    body: `Number ${number} reads its database with importer ${number} of the standard library.`,
  };
}
const calling = (name: string, args: object) => ({ method: 'tools/call', params: { name, arguments: args } });
const hooked = (event: object) => JSON.stringify({ source: 'startup', session_id: 'bench', cwd: tmpdir(), ...event });

/** What is measured: a command with what it reads, or a server with a session. */
const PROCESSES: Readonly<Record<string, { readonly args: readonly string[]; readonly input: () => Input }>> = {
  'session start': { args: ['hook', 'session-start'], input: () => hooked({}) },
  'a prompt': {
    args: ['hook', 'user-prompt-submit'],
    input: () => hooked({ prompt: 'which database importer is used?' }),
  },
  search: { args: ['search', 'database importer'], input: () => '' },
  'server until its tools are listed': { args: [], input: () => sessionOf({ method: 'tools/list' }) },
  '… and a search': { args: [], input: () => sessionOf(calling('search_memories', { query: 'database importer' })) },
  '… and a proposal': { args: [], input: () => sessionOf(calling('propose_memory', proposal())) },
};

const KINDS: readonly Passkey[] = ['none', 'signed', 'required'];
type Times = Readonly<Record<Passkey, number[]>>;

/** Three stores of as many memories, each verified: without a passkey, signed by one, and with one required. */
async function inStores(main: string, memories: number): Promise<void> {
  const homes = new Map(KINDS.map((kind) => [kind, mkdtempSync(join(tmpdir(), 'surety-bench-'))]));
  try {
    for (const [kind, home] of homes) await writeVerified(home, memories, kind);
    const times = new Map<string, Times>();
    const measure = async (name: string, args: readonly string[], input: () => Input) => {
      const taken = times.get(name) ?? { none: [], signed: [], required: [] };
      times.set(name, taken);
      for (const [kind, home] of homes) taken[kind].push(await cpuOf([main, ...args], home, input()));
    };
    // In turns, so that whatever else the machine does is felt by all alike. The first round warms the disk's cache.
    for (let round = -1; round < rounds; round++) {
      if (round === 0) times.clear();
      for (const [name, { args, input }] of Object.entries(PROCESSES)) await measure(name, args, input);
    }
    if (values.audit) await measure('audit', ['audit'], () => '');
    reportTimes(memories, times, await cpuOf(['-e', '0'], tmpdir(), ''));
  } finally {
    for (const home of homes.values()) rmSync(home, { recursive: true, force: true });
  }
}

/** The least of all rounds, because others on the machine only ever add to it, and the median. */
function reportTimes(memories: number, times: ReadonlyMap<string, Times>, floor: number): void {
  const least = (all: readonly number[]) => Math.min(...all);
  const median = (all: readonly number[]) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;
  const ms = (time: number) => time.toFixed(0).padStart(6);
  process.stdout.write(
    `${memories} verified memories, ms of CPU time, least and median of ${rounds}; node -e 0 takes ${floor.toFixed(0)}\n` +
      `${''.padEnd(36)}no passkey        signed by one, ratio             required, ratio\n`,
  );
  for (const [name, taken] of times) {
    const figures = KINDS.map((kind) => {
      const ratios = [least, median].map((of) => (of(taken[kind]) / of(taken.none)).toFixed(2)).join(', ');
      return `${ms(least(taken[kind]))} ${ms(median(taken[kind]))}${kind === 'none' ? '' : `  ${ratios}`}`;
    });
    process.stdout.write(`  ${name.padEnd(34)}${figures.join('    ')}\n`);
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
