import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readFolder } from './checker/file.ts';
import { askDoctor } from './doctor.ts';
import { DAY_MS, type Lane } from './lane.ts';
import { Life } from './life.ts';
import { Repository } from './repository.ts';
import { shareRemote, strangerSyncs, syncHere } from './stranger.ts';
import { atDoctor, HAS_TERMINAL } from './terminal.ts';

/** What goes wrong in a round besides the kills. Each comes back when `stop` says so, with everything put right. */
type Fault = (lane: Lane, stop: () => boolean) => Promise<void>;

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
      if (forced) for (const id of lane.journal.may.keys()) lane.journal.loosen(id);
    }
    await comeRight(lane);
  },

  'files deleted': over(async (lane) => {
    await pause(lane, 500, 1_500);
    const folder = join(lane.root, 'memories');
    if (!existsSync(folder)) return;
    if (lane.chance() < 0.05) return removeFolder(lane, folder);
    const vouched = lane.journal.certainly('verified').map((id) => `${id}.md`);
    const one = lane.pick(lane.chance() < 0.5 && vouched.length > 0 ? vouched : memoryFilesIn(folder));
    if (one !== undefined) removeFile(lane, folder, one);
  }),

  'key lost': async (lane, stop) => {
    while (!stop()) {
      await pause(lane, 200, 600);
      // Before it has signed anything, another one may take its place.
      if (!existsSync(copyOf(lane))) continue;
      const putBack = takeKey(lane);
      await pause(lane, 200, 800);
      putBack();
    }
    if (!existsSync(copyOf(lane))) return;
    const putBack = takeKey(lane);
    const { code, codes } = await askDoctor(lane);
    if (code !== 3 || !codes.has('key-missing'))
      lane.note([{ kind: 'lost', what: 'the key was gone, and surety doctor did not say so' }]);
    putBack();
  },

  'clock years ahead': async (lane, stop) => {
    const now = lane.apart;
    while (!stop()) {
      await pause(lane, 200, 700);
      const days = lane.pick([300, 390, 800, 36_500]);
      lane.setClock(now + days * DAY_MS, days > 400);
      await pause(lane, 200, 700);
      lane.setClock(now);
    }
    if (!HAS_TERMINAL || lane.chance() < 0.5) return;
    // The store lay still for so long: a person says that the date is right, and all goes on from there.
    lane.setClock(now + 900 * DAY_MS);
    await atDoctor(lane, /the date today\?/);
  },

  'a stranger syncs': async (lane, stop) => {
    const remote = await shareRemote(lane);
    while (!stop()) {
      await pause(lane, 200, 600);
      if (lane.journal.certainly('verified').length > 0) await strangerSyncs(lane, remote);
      await syncHere(lane, lane.chance() < 0.5 ? lane.chance() * 3_000 : undefined);
    }
    await syncHere(lane);
  },

  'two builds': async (lane, stop) => {
    const known = new Map<string, bigint>();
    while (!stop()) {
      for (const path of globSync(join(lane.cache, 'index-*.db'))) {
        const { ino } = statSync(path, { bigint: true, throwIfNoEntry: false }) ?? {};
        if (ino !== undefined && (known.get(path) ?? ino) !== ino)
          lane.journal.wrong.push({ kind: 'bug', what: 'of two builds one threw away the index of the other' });
        if (ino !== undefined) known.set(path, ino);
      }
      await pause(lane, 100, 200);
    }
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
  for (const id of journal.may.keys()) if (isGits(`memories/${id}.md`)) journal.loosen(id);
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

function memoryFilesIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => /^[a-z].*\.md$/.test(name));
}

/** Removes one file behind the servers' backs. */
function removeFile(lane: Lane, folder: string, name: string): void {
  try {
    rmSync(join(folder, name));
  } catch (error) {
    // A server has moved it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return;
  }
  noteRemoved(lane, [name]);
}

/** Removes a whole folder. It is moved away first, so that no server adds a file between the listing and the removal. */
function removeFolder(lane: Lane, folder: string): void {
  const aside = join(lane.home, `aside-${lane.nextNumber()}`);
  renameSync(folder, aside);
  noteRemoved(lane, memoryFilesIn(aside));
  removeAll(aside);
}

function noteRemoved({ root, journal }: Lane, names: readonly string[]): void {
  // What git had put into quarantine beside it is all there is now, and whatever lies there is quarantined.
  const left = new Set([...inventory(root).keys()].filter((file) => file.startsWith('quarantine/')).map(idOf));
  for (const id of names.map(idOf)) {
    journal.removed(id);
    if (left.has(id)) journal.may.get(id)?.add('quarantined');
  }
}

/** Takes the key away, alone or with the folder it is in, until the result is called. Nobody may make another one meanwhile. */
function takeKey(lane: Lane): () => void {
  const config = join(lane.home, '.config/surety');
  const key = join(config, 'key.json');
  const lost = lane.pick([key, config]);
  const aside = join(lane.home, `aside-${lane.nextNumber()}`);
  renameSync(lost, aside);
  return () => {
    if (existsSync(key)) lane.note([{ kind: 'below', what: 'a new key was made, and nobody was asked' }]);
    rmSync(lost, { recursive: true, force: true });
    renameSync(aside, lost);
  };
}

/** A server puts back by itself what git set back; anything else a person has put back, as the server says. */
async function comeRight(lane: Lane): Promise<void> {
  if (isWhole(lane)) return;
  const life = await Life.start(lane, true);
  await life.call('review_queue', {});
  await life.leave();
  if (isWhole(lane)) lane.putBack += 1;
  else mend(lane);
}

/** The files of this machine's ledger, in order. */
function ledgerFiles(lane: Lane): string[] {
  const folder = join(lane.root, 'ledger');
  // The first file has no number; the others have as many digits each.
  const [first = [], others = []] = [false, true].map((numbered) =>
    readdirSync(folder).filter((name) => name.startsWith(lane.own) && /\.\d+\.jsonl$/.test(name) === numbered),
  );
  return [...first, ...others.sort()].map((name) => join(folder, name));
}

function copyOf(lane: Lane): string {
  return join(lane.state, 'ledgers', `${lane.own}.jsonl`);
}

/** Whether the ledger still has every line of its kept copy. */
function isWhole(lane: Lane): boolean {
  if (!existsSync(copyOf(lane))) return true;
  const [there, kept] = [
    Buffer.concat(ledgerFiles(lane).map((file) => readFileSync(file))),
    readFileSync(copyOf(lane)),
  ];
  return there.subarray(0, kept.length).equals(kept);
}

function mend(lane: Lane): void {
  for (const file of ledgerFiles(lane)) rmSync(file);
  copyFileSync(copyOf(lane), join(lane.root, 'ledger', `${lane.own}.jsonl`));
  lane.mended += 1;
}
