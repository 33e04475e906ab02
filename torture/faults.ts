import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readFolder } from './checker/file.ts';
import type { Journal } from './journal.ts';
import { DAY_MS, type Lane } from './lane.ts';
import { Repository } from './repository.ts';

/** What goes wrong in a round besides the kills. Each comes back when `stop` says so, with everything put right. */
export type Fault = (lane: Lane, stop: () => boolean) => Promise<void>;

export const FAULTS = {
  'kills only': async () => undefined,

  'clock jumps': over(async (lane) => {
    const now = lane.apart;
    await pause(lane, 150, 600);
    lane.setClock(now + lane.pick([-400, -9, -1, 0.5, 9]) * DAY_MS);
    await pause(lane, 150, 600);
    if (lane.chance() < 0.5) lane.setClock(now);
  }),

  'full disk': over(async (lane) => {
    await pause(lane, 200, 500);
    const free = lane.ground.fill(lane.pick([0, 0, 4096, 16_384, 65_536]));
    await pause(lane, 200, 700);
    free();
  }),

  'read-only folder': over(async (lane) => {
    await pause(lane, 200, 500);
    const { root, state } = lane;
    const thaw = lane.ground.freeze(lane.pick([root, join(root, 'memories'), join(root, 'ledger'), state]));
    await pause(lane, 200, 700);
    thaw();
  }),

  'index deleted or spoiled': over(async (lane) => {
    await pause(lane, 50, 400);
    const [index = join(lane.cache, 'index.db')] = globSync(join(lane.cache, 'index-*.db'));
    const dice = lane.chance();
    if (dice < 0.6) for (const part of ['', '-wal', '-shm']) rmSync(index + part, { force: true });
    else if (dice < 0.8) removeAll(lane.cache);
    else if (existsSync(index)) writeFileSync(index, 'no database any more, but a line of text\n'.repeat(300));
  }),

  'lock left behind': over(async (lane) => {
    await pause(lane, 50, 400);
    const folder = join(lane.root, '.surety');
    const queue = join(folder, 'queue');
    if (lane.chance() < 0.3) removeAll(folder);
    else if (!existsSync(queue)) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(queue, '');
      const when = Date.now() / 1000 + lane.pick([-3600, 0, 3600]);
      utimesSync(queue, when, when);
    }
  }),

  'git checkout': async (lane, stop) => {
    const repository = new Repository(lane.root);
    await repository.begin();
    while (!stop()) {
      await pause(lane, 100, 400);
      await repository.commit();
      await pause(lane, 0, 150);
      if (await noticing(lane, repository, () => repository.lookBack())) carriedBack(lane);
      await pause(lane, 50, 300);
      const forced = await noticing(lane, repository, () => repository.comeBack());
      if (forced) for (const id of lane.journal.may.keys()) loosen(lane.journal, id);
    }
    mend(lane);
  },
} as const satisfies Record<string, Fault>;
export type FaultName = keyof typeof FAULTS;

/** As far as it goes: a server may be putting files there meanwhile. */
function removeAll(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
  }
}

function over(once: (lane: Lane) => Promise<void>): Fault {
  return async (lane, stop) => {
    while (!stop()) await once(lane);
  };
}

function pause(lane: Lane, least: number, most: number): Promise<void> {
  return sleep(least + lane.chance() * (most - least));
}

/** Writes down what a checkout did behind everybody's back: which files it put there, and which of them beside another. */
async function noticing<T>({ root, journal }: Lane, repository: Repository, checkOut: () => Promise<T>): Promise<T> {
  const before = inventory(root);
  const done = await checkOut();
  const asCommitted = new Set(await repository.asCommitted());
  const after = inventory(root);
  const isGits = (file: string) => asCommitted.has(file) && before.get(file) !== after.get(file);
  const had = Map.groupBy(before.keys(), idOf);
  for (const [id, files] of Map.groupBy(after.keys(), idOf)) {
    const came = files.filter(isGits);
    if (came.length === 0 || files.length < 2 || files.length <= (had.get(id)?.length ?? 0)) continue;
    journal.doubledByGit.add(id);
    journal.note(id, `doubled by git: ${came.join(', ')}`);
  }
  for (const id of journal.may.keys()) if (isGits(`memories/${id}.md`)) loosen(journal, id);
  return done;
}

/** Every file of the two folders as git names it, and which one it is: moving a file keeps that, and git makes a new one. */
function inventory(root: string): Map<string, bigint | undefined> {
  const names = ['memories', 'quarantine'].flatMap((place) => {
    // Git takes the folder away with the last file in it.
    if (!existsSync(join(root, place))) return [];
    return readdirSync(join(root, place)).map((name) => `${place}/${name}`);
  });
  return new Map(names.map((name) => [name, statSync(join(root, name), { bigint: true, throwIfNoEntry: false })?.ino]));
}

function idOf(file: string): string {
  return file.replace(/^.*\/|(~\d+)?\.md$/g, '');
}

/**
 * Git put back into the quarantine folder what was restored since, and whatever lies there is quarantined: told apart, since
 * nobody decided it.
 */
function carriedBack({ root, journal }: Lane): void {
  // Git takes the folder away with the last file in it.
  if (!existsSync(join(root, 'quarantine'))) return;
  for (const { id } of readFolder(root, 'quarantine').found) {
    const may = journal.may.get(id);
    if (may === undefined || may.has('quarantined')) continue;
    may.add('quarantined');
    journal.carriedBack.add(id);
    journal.note(id, 'carried back into quarantine by git');
  }
}

/**
 * Git put another state of a file back: what was marked verified may not say so any more or say something else, and what was
 * edited may say again what a person vouched for.
 */
function loosen(journal: Journal, id: string): void {
  const may = journal.may.get(id);
  if (may?.has('inferred') && journal.wasVouchedFor(id)) may.add('verified');
  if (may?.has('verified')) may.add('inferred');
}

/** Puts the kept copy of the ledger back where git took lines away, as the server tells the person to. */
function mend(lane: Lane): void {
  const folder = join(lane.root, 'ledger');
  const copy = join(lane.state, 'ledgers', `${lane.own}.jsonl`);
  if (!existsSync(copy)) return;
  // The first file has no number; the others have as many digits each.
  const [first = [], others = []] = [false, true].map((numbered) =>
    readdirSync(folder).filter((name) => name.startsWith(lane.own) && /\.\d+\.jsonl$/.test(name) === numbered),
  );
  const files = [...first, ...others.sort()].map((name) => join(folder, name));
  const [there, kept] = [Buffer.concat(files.map((file) => readFileSync(file))), readFileSync(copy)];
  if (there.subarray(0, kept.length).equals(kept)) return;
  for (const file of files) rmSync(file);
  copyFileSync(copy, join(folder, `${lane.own}.jsonl`));
  lane.mended += 1;
}
