/**
 * A program the tests run as a real process, and the transitions they interrupt. Run as
 * `node run-child.ts '{"do": …}'`; it prints one JSON value a line and waits for a line on stdin where it says it is ready.
 */
import * as fs from 'node:fs';
import { join } from 'node:path';
import type { Check } from '../src/core/checks/inspect.ts';
import { joinTexts } from '../src/core/ledger/segments.ts';
import { standingKey } from '../src/core/ledger/standing.ts';
import { Refusal } from '../src/core/refusal.ts';
import { reveal } from '../src/core/text/safe-text.ts';
import type { Tier } from '../src/core/trust/tiers.ts';
import { Disk } from '../src/store/disk/disk.ts';
import { codeOf } from '../src/store/disk/disk-errors.ts';
import { Lock } from '../src/store/disk/lock.ts';
import { pathsByLedger } from '../src/store/ledger/ledger-bytes.ts';
import { openVault, type World } from '../src/store/open-vault.ts';
import { type Reconciled, reconcile } from '../src/store/reconcile/reconcile.ts';
import { insideOf } from '../src/store/vault/inside-of-vault.ts';
import type { Loaded } from '../src/store/vault/loaded-memory.ts';
import type { Decision, Vault } from '../src/store/vault/vault.ts';
import { type Fault, FaultyDisk, MACHINE, placesOf } from './faults.ts';
import { add, DAY, newMemory, propose, reword, START, takePlace, yes } from './sample.ts';

/** When everything that had to be observed has been. */
export const LATER = START + 8 * DAY;

/** Blocks one word, so that no test here depends on what the real checks find. */
const forbidden: Check = {
  name: 'forbidden',
  evidence: [],
  *run({ memory }) {
    if (memory === undefined || !reveal(memory.body).includes('FORBIDDEN')) return;
    yield { class: 'format', rule: 'forbidden-word', severity: 'block', field: 'body', line: 1, message: 'A word.' };
  },
};

export function openAt(home: string, now: number, world: World = {}): Promise<Vault> {
  return openVault(placesOf(home), {
    machine: MACHINE,
    checks: [forbidden],
    complain: () => undefined,
    now: () => now,
    ...world,
  });
}

export function decide(vault: Vault, verb: Decision, id: string) {
  const seen = found(vault, id);
  return vault.decide(verb, seen, yes(verb, seen), 'a reason');
}

export function found(vault: Vault, id: string): Loaded {
  const seen = vault.load(id);
  if (seen === undefined) throw new Error(`no memory ${id}`);
  return seen;
}

function edit(vault: Vault, id: string, from: string, to: string): void {
  const path = insideOf(vault).files.path({ place: 'memories', stem: id });
  fs.writeFileSync(path, fs.readFileSync(path, 'utf8').replace(from, to));
}

/** A memory file as somebody with an editor leaves it. */
export function foundFile(about: string): string {
  const { name, description, type, body } = newMemory(about);
  return `---\nname: ${name}\ndescription: ${description}\ntype: ${type}\n---\n\n${body}\n`;
}

/** A change of standing that is interrupted at every step. */
export interface Scenario {
  readonly id: string;
  readonly before: Tier | 'absent';
  readonly asked: Tier;
  /** Standings it may stop at in between, lower than what was asked. */
  readonly between?: readonly Tier[];
  /** Whether the folder is new: no store, no key, nothing. */
  readonly fresh?: true;
  prepare(vault: Vault): Promise<unknown>;
  act(vault: Vault): Promise<unknown>;
  /** Whether there is nothing left to repeat. */
  isDone?(vault: Vault): boolean;
}

const ID = 'user_subject';
const OLD = 'user_old';
const tierOf = (vault: Vault, id = ID) => vault.load(id)?.standing.tier;
const later = (home: Vault) => openAt(homeOf(home), LATER);
const homeOf = (vault: Vault) => join(vault.places.root, '..');

async function verifiedFirst(vault: Vault): Promise<void> {
  await propose(vault, 'subject');
  const grown = await later(vault);
  await decide(grown, 'promote', ID);
  grown.close();
}

/** One answer about two memories. Once the new one is verified, only the old one is left to ask about. */
function replaceOld(vault: Vault): Promise<unknown> {
  if (tierOf(vault) === 'verified') return decide(vault, 'demote', OLD);
  // The old one goes only after the new one counts.
  if (tierOf(vault, OLD) !== 'verified') throw new Error('the old one is gone, and nothing has its place');
  return takePlace(vault, found(vault, ID), found(vault, OLD));
}

export const SCENARIOS = {
  'first open and proposal': {
    id: ID,
    before: 'absent',
    asked: 'inferred',
    fresh: true,
    prepare: async () => undefined,
    act: (vault) => propose(vault, 'subject'),
  },
  propose: {
    id: ID,
    before: 'absent',
    asked: 'inferred',
    prepare: async () => undefined,
    act: (vault) => propose(vault, 'subject'),
  },
  add: {
    id: ID,
    before: 'absent',
    asked: 'verified',
    // The file is written before its receipt. Until then it is a file that says verified without a receipt.
    between: ['inferred'],
    prepare: async () => undefined,
    act: (vault) => add(vault, 'subject'),
  },
  promote: {
    id: ID,
    before: 'inferred',
    asked: 'verified',
    prepare: (vault) => propose(vault, 'subject'),
    act: (vault) => decide(vault, 'promote', ID),
    isDone: (vault) => tierOf(vault) === 'verified',
  },
  adopt: {
    id: ID,
    before: 'inferred',
    asked: 'verified',
    prepare: (vault) => propose(vault, 'subject'),
    act: (vault) => decide(vault, 'adopt', ID),
    isDone: (vault) => tierOf(vault) === 'verified',
  },
  'adopt in other words': {
    id: ID,
    before: 'inferred',
    asked: 'verified',
    prepare: (vault) => propose(vault, 'subject'),
    act: (vault) => reword(vault, ID, 'subject, reworded'),
    isDone: (vault) => tierOf(vault) === 'verified',
  },
  'demote verified': {
    id: ID,
    before: 'verified',
    asked: 'quarantined',
    prepare: verifiedFirst,
    act: (vault) => decide(vault, 'demote', ID),
    isDone: (vault) => tierOf(vault) === 'quarantined',
  },
  'demote inferred': {
    id: ID,
    before: 'inferred',
    asked: 'quarantined',
    prepare: (vault) => propose(vault, 'subject'),
    act: (vault) => decide(vault, 'demote', ID),
    isDone: (vault) => tierOf(vault) === 'quarantined',
  },
  'take the place of another': {
    id: ID,
    before: 'inferred',
    asked: 'verified',
    prepare: async (vault) => {
      await propose(vault, 'subject');
      await add(vault, 'old');
    },
    act: replaceOld,
    isDone: (vault) => tierOf(vault) === 'verified' && tierOf(vault, OLD) === 'quarantined',
  },
  'quarantine by a check': {
    id: ID,
    before: 'inferred',
    asked: 'quarantined',
    prepare: async (vault) => {
      await verifiedFirst(vault);
      edit(vault, ID, 'two cores', 'FORBIDDEN cores');
    },
    act: async (vault) => {
      const { notices } = await reconcile(vault);
      // What it could not move it says so, and goes on with the others.
      if (notices.some(({ kind }) => kind === 'held-back')) throw new Refusal('disk-failed', 'It could not be moved.');
    },
  },
  restore: {
    id: ID,
    before: 'quarantined',
    asked: 'verified',
    prepare: async (vault) => {
      await verifiedFirst(vault);
      await decide(vault, 'demote', ID);
    },
    act: (vault) => decide(vault, 'restore', ID),
    isDone: (vault) => tierOf(vault) === 'verified',
  },
  reaffirm: {
    id: ID,
    before: 'verified',
    asked: 'verified',
    prepare: verifiedFirst,
    act: (vault) => decide(vault, 'reaffirm', ID),
  },
  'reaffirm a changed text': {
    id: ID,
    before: 'inferred',
    asked: 'verified',
    prepare: async (vault) => {
      await verifiedFirst(vault);
      edit(vault, ID, 'two cores', 'three cores');
    },
    act: (vault) => decide(vault, 'reaffirm', ID),
  },
  'put back': {
    id: ID,
    before: 'inferred',
    asked: 'verified',
    prepare: async (vault) => {
      await verifiedFirst(vault);
      edit(vault, ID, 'two cores', 'three cores');
    },
    act: (vault) => vault.putBack(found(vault, ID)),
    isDone: (vault) => tierOf(vault) === 'verified',
  },
  'found files': {
    id: ID,
    before: 'inferred',
    asked: 'inferred',
    prepare: async (vault) => {
      for (const about of ['subject', 'second', 'third']) {
        fs.writeFileSync(insideOf(vault).files.path({ place: 'memories', stem: `user_${about}` }), foundFile(about));
      }
    },
    act: (vault) => reconcile(vault),
  },
} as const satisfies Record<string, Scenario>;
export type ScenarioName = keyof typeof SCENARIOS;
export const NAMES = Object.keys(SCENARIOS) as ScenarioName[];

/** A store as it is before `name` is done in it, with a memory that must come to no harm. */
export async function prepare(name: ScenarioName, home: string): Promise<void> {
  const scenario: Scenario = SCENARIOS[name];
  if (scenario.fresh) return;
  const vault = await openAt(home, START);
  await add(vault, 'bystander');
  await scenario.prepare(vault);
  vault.close();
}

/** Opens the store and does what the scenario is about, on a disk that may fail. */
export async function perform(name: ScenarioName, home: string, disk: FaultyDisk): Promise<void> {
  const scenario: Scenario = SCENARIOS[name];
  const vault = await openAt(home, LATER, { disk });
  try {
    await scenario.act(vault);
  } finally {
    vault.close();
  }
}

/** What a process that knows nothing of what happened finds in a store. */
export interface Facts {
  readonly standing: string;
  readonly bystander: string;
  readonly trouble: string | null;
  /** Of the last entry on the memory: who decided what. */
  readonly decision: { readonly to: string | null; readonly actor: string; readonly level: number } | null;
  /** How many entries on the memory decide something. */
  readonly decisions: number;
  readonly consecutive: boolean;
  readonly unreadable: readonly string[];
  readonly temporary: number;
  /** After somebody looked over the folders. */
  readonly reconciled: string;
  readonly notices: readonly string[];
  /** After the operation was asked for once more. */
  readonly repeated: string;
  readonly troubleAfter: string | null;
  readonly unseen: readonly string[];
}

export async function examine(name: ScenarioName, home: string): Promise<Facts> {
  const scenario: Scenario = SCENARIOS[name];
  let vault = await openAt(home, LATER);
  const { memories, quarantine } = vault.places;
  const standing = (id: string) => {
    const loaded = vault.load(id);
    return loaded === undefined ? 'absent' : standingKey(loaded.standing);
  };
  const first = { standing: standing(scenario.id), bystander: standing('user_bystander'), trouble: troubleOf(vault) };
  const entries = ledgerEntries(vault);
  const decisions = entries.filter((e) => e.id === scenario.id && e.to !== null);
  const last = decisions.at(-1);
  const names = [memories, quarantine].flatMap((folder) => fs.readdirSync(folder).map((file) => join(folder, file)));
  const unreadable = (['memories', 'quarantine'] as const).flatMap((place) =>
    stems(vault, place).filter((stem) => vault.loadSpot({ place, stem })?.memory === undefined),
  );

  const noticed: Reconciled = await reconcile(vault);
  const reconciled = standing(scenario.id);
  let repeated: string;
  try {
    const done = scenario.isDone?.(vault) ? undefined : await scenario.act(vault);
    repeated = standing(typeof done === 'string' ? done : scenario.id);
  } catch (error) {
    repeated = `failed: ${error instanceof Refusal ? error.code : String(error)}`;
  }
  vault.close();
  vault = await openAt(home, LATER);
  const unseen = stems(vault, 'memories').filter((stem) => vault.load(stem)?.firstSeen === undefined);
  const facts = {
    ...first,
    decision: last === undefined ? null : { to: last.to, actor: last.by.actor, level: last.by.level },
    decisions: decisions.length,
    consecutive: isConsecutive(entries),
    unreadable,
    temporary: names.filter((path) => path.includes('.tmp-')).length,
    reconciled,
    notices: noticed.notices.map((notice) => notice.kind),
    repeated,
    troubleAfter: troubleOf(vault),
    unseen,
  };
  vault.close();
  return facts;
}

export function stems(vault: Vault, place: 'memories' | 'quarantine'): string[] {
  const names = fs.readdirSync(vault.places[place]);
  return names.filter((name) => name.endsWith('.md') && !name.startsWith('.')).map((name) => name.slice(0, -3));
}

/** What the index has of a folder. */
export function indexed(vault: Vault, place: 'memories' | 'quarantine'): string[] {
  return [...insideOf(vault).index.stems(place)].sort();
}

export function troubleOf(vault: Vault): string | null {
  insideOf(vault).ledgers.refresh();
  return vault.reports().find((report) => report.trouble !== undefined)?.trouble ?? null;
}

interface LedgerEntry {
  readonly seq: number;
  readonly id: string;
  readonly action: string;
  readonly to: string | null;
  readonly digest: string | null;
  readonly texts?: readonly (readonly [id: string, digest: string, saying: string])[];
  readonly by: { readonly actor: string; readonly level: number };
}

/** The ledger's whole lines, read as a stranger would, one for each memory they are about; not which store it is bound to. */
export function ledgerEntries(vault: Vault): LedgerEntry[] {
  const paths = pathsByLedger(new Disk(), vault.places.ledger).get(vault.self.fingerprint) ?? [];
  const text = joinTexts(paths.map((path) => fs.readFileSync(path, 'utf8')));
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  const entries = lines.filter(Boolean).map((line) => JSON.parse(line) as LedgerEntry);
  return entries
    .filter(({ action }) => action !== 'store')
    .flatMap((entry) => entry.texts?.map(([id, digest]) => ({ ...entry, id, digest })) ?? [entry]);
}

/** Whether no entry is lacking. The first may be the second line, behind the one that binds the ledger to its store. */
export function isConsecutive(entries: readonly LedgerEntry[]): boolean {
  return entries.every(({ seq }, n) => seq - (entries[n - 1]?.seq ?? 0) <= 1);
}

// What follows runs only as a process of its own.

export type Order =
  | { do: 'perform'; name: ScenarioName; home: string; fault?: Fault }
  | { do: 'examine'; stores: { name: ScenarioName; home: string }[] }
  | { do: 'propose'; home: string; count: number; label: string; pipelined?: boolean }
  | { do: 'decide'; home: string; id: string; verb: Decision }
  | { do: 'open'; home: string }
  | { do: 'reconcile'; home: string }
  | { do: 'poll'; home: string; id: string }
  | { do: 'cycle'; home: string; id: string; times: number }
  | { do: 'mixed'; home: string; label: string }
  | { do: 'count'; folder: string; file: string; times: number; wait?: number }
  | { do: 'hold'; folder: string; milliseconds: number };

function say(value: unknown): void {
  fs.writeSync(1, `${JSON.stringify(value)}\n`);
}

/** Says it is ready, and waits for the word to go. */
async function ready(): Promise<void> {
  say('ready');
  await new Promise<void>((resolve) => process.stdin.once('data', () => resolve()));
  process.stdin.pause();
}

function outcomeOf(error: unknown): string {
  return error instanceof Refusal ? error.code : `${codeOf(error)} ${String(error)}`;
}

/** What the process does (run-child.ts). */
export async function run(order: Order): Promise<void> {
  switch (order.do) {
    case 'perform': {
      const disk = new FaultyDisk();
      disk.arm(order.fault);
      await perform(order.name, order.home, disk);
      return say('done');
    }
    case 'examine': {
      for (const { name, home } of order.stores) say(await examine(name, home));
      return;
    }
    case 'propose': {
      const vault = await openAt(order.home, START);
      await ready();
      const one = async (n: number) => {
        try {
          say({ id: await propose(vault, `${order.label} ${n}`) });
        } catch (error) {
          say({ refused: outcomeOf(error) });
        }
      };
      const all = Array.from({ length: order.count }, (_, n) => n);
      if (order.pipelined) await Promise.all(all.map(one));
      else for (const n of all) await one(n);
      return vault.close();
    }
    case 'decide': {
      const vault = await openAt(order.home, LATER);
      const seen = found(vault, order.id);
      const consent = yes(order.verb, seen);
      await ready();
      try {
        const { loaded, recorded } = await vault.decide(order.verb, seen, consent, 'at once');
        say({ outcome: standingKey(loaded.standing), recorded });
      } catch (error) {
        say({ outcome: outcomeOf(error), recorded: false });
      }
      return vault.close();
    }
    case 'open': {
      await ready();
      const vault = await openAt(order.home, START);
      say(vault.self.fingerprint);
      say(await propose(vault, `from ${process.pid}`));
      return vault.close();
    }
    case 'reconcile': {
      const vault = await openAt(order.home, START);
      await ready();
      const { notices, files } = await reconcile(vault);
      say({ files, notices: notices.map((notice) => notice.kind) });
      return vault.close();
    }
    case 'poll': {
      const vault = await openAt(order.home, LATER);
      let stop = false;
      process.stdin.on('end', () => {
        stop = true;
      });
      process.stdin.resume();
      say('ready');
      const seen = new Map<string, number>();
      while (!stop) {
        const loaded = vault.load(order.id);
        const what =
          loaded === undefined
            ? 'absent'
            : loaded.memory === undefined
              ? 'unreadable'
              : `${standingKey(loaded.standing)} ${troubleOf(vault) ?? 'whole'}`;
        seen.set(what, (seen.get(what) ?? 0) + 1);
        await new Promise((resolve) => setImmediate(resolve));
      }
      say(Object.fromEntries(seen));
      return vault.close();
    }
    case 'cycle': {
      const vault = await openAt(order.home, LATER);
      await ready();
      for (let n = 0; n < order.times; n++) {
        await decide(vault, 'demote', order.id);
        await decide(vault, 'restore', order.id);
      }
      say('done');
      return vault.close();
    }
    case 'mixed': {
      const vault = await openAt(order.home, LATER);
      say('ready');
      for (let n = 0; ; n++) {
        const about = `${order.label} ${n}`;
        const id = await add(vault, about);
        say({ id, tier: 'verified' });
        await decide(vault, 'demote', id);
        say({ id, tier: 'quarantined' });
        if (n % 2 === 0) {
          await decide(vault, 'restore', id);
          say({ id, tier: 'verified' });
        }
        say({ id: await propose(vault, `${about} as proposed`), tier: 'inferred' });
      }
    }
    case 'count': {
      const lock = new Lock(order.folder, order.wait);
      await ready();
      for (let n = 0; n < order.times; n++) {
        try {
          const alone = await lock.hold(() => increment(order.file));
          say({ alone });
        } catch (error) {
          say({ refused: outcomeOf(error) });
        }
      }
      return lock.close();
    }
    case 'hold': {
      const lock = new Lock(order.folder);
      await lock.hold(() => {
        say('inside');
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, order.milliseconds);
      });
      say('out');
      return lock.close();
    }
  }
}

/** Reads, dawdles and writes: two at once lose a count, and find each other's mark. */
function increment(file: string): boolean {
  const mark = `${file}.inside`;
  const alone = !fs.existsSync(mark);
  fs.writeFileSync(mark, String(process.pid));
  const before = Number(fs.readFileSync(file, 'utf8'));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
  const stillAlone = fs.readFileSync(mark, 'utf8') === String(process.pid);
  fs.writeFileSync(file, String(before + 1));
  fs.rmSync(mark, { force: true });
  return alone && stillAlone;
}
