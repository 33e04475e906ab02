// npm run bench:sync [-- --machines 2,5,10] [--memories 10000] [--main dist/main.js]
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { built } from '../testkit/built.ts';

const { values } = parseArgs({
  options: {
    machines: { type: 'string', default: '2,5,10' },
    memories: { type: 'string', default: '10000' },
    main: { type: 'string' },
  },
});
const say = (line: string) => process.stdout.write(`${line}\n`);
const memories = Number(values.memories);
const { main, remove } = built(values.main);

/** How long a command takes from its start to its end, in seconds. */
function timed(program: string, args: readonly string[], home: string, cwd = home): number {
  const env = { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
  const begun = performance.now();
  execFileSync(program, args, { env, cwd, stdio: ['ignore', 'ignore', 'pipe'] });
  return (performance.now() - begun) / 1000;
}

/** One computer: a home of its own with a store and a key. */
class Machine {
  readonly #home: string;

  /** A copy of another one's store is a machine that has joined, without the waiting. */
  constructor(folder: string, name: string, remote: string, like?: Machine) {
    this.#home = join(folder, name);
    mkdirSync(this.#home);
    if (like !== undefined) {
      // Its key first, beside another store: a machine that finds a ledger of its name and has no key asks a person.
      timed(process.execPath, [main, 'init', '--root', join(this.#home, 'other')], this.#home);
      cpSync(like.#store, this.#store, { recursive: true });
    }
    timed(process.execPath, [main, 'init', '--remote', remote], this.#home);
  }

  get #store(): string {
    return join(this.#home, '.surety');
  }

  write(number: number): void {
    const about = `name: Memory ${number}\ndescription: What is known about number ${number}\ntype: project`;
    const body = `Number ${number} is built with two cores, because more of them wait for the disk anyway.`;
    const text = `---\n${about}\ntrust-level: inferred\n---\n\n${body}\n`;
    writeFileSync(join(this.#store, 'memories', `project_memory_${number}.md`), text);
  }

  /** The size of its own repository, packed or not, in KB. */
  repositorySize(): number {
    const args = ['-C', this.#store, 'count-objects', '-v'];
    const said = execFileSync('git', args, { encoding: 'utf8' });
    return [...said.matchAll(/^size(?:-pack)?: (\d+)$/gm)].reduce((sum, [, kib]) => sum + Number(kib) * 1.024, 0);
  }

  /** The command as a person or a timer runs it, the start of the program included. */
  sync(): number {
    return timed(process.execPath, [main, 'sync', '--json'], this.#home);
  }
}

/** How much a repository holds: files, and folders with commits, as git keeps them; and its newest commit. */
function heldBy(repository: string): { readonly files: number; readonly folders: number; readonly head: string } {
  const git = (args: readonly string[]) =>
    execFileSync('git', ['-C', repository, ...args], { encoding: 'utf8', maxBuffer: 1 << 28 });
  const asked = ['--batch-all-objects', '--unordered', '--batch-check=%(objecttype) %(objectsize:disk)'];
  let [files, folders] = [0, 0];
  for (const line of git(['cat-file', ...asked]).split('\n')) {
    const [type, size] = line.split(' ');
    if (type === 'blob') files += Number(size);
    else folders += Number(size ?? 0);
  }
  return { files, folders, head: git(['rev-parse', 'main']).trim() };
}

/** What one sync added to a repository, in KB: files, folders with commits, and all of it as git sends and packs it. */
function added(repository: string, before: ReturnType<typeof heldBy>, after: ReturnType<typeof heldBy>): string {
  const packed = execFileSync('git', ['-C', repository, 'pack-objects', '--revs', '--thin', '--stdout', '-q'], {
    input: `${after.head}\n^${before.head}\n`,
    maxBuffer: 1 << 28,
  });
  return [after.files - before.files, after.folders - before.folders, packed.length]
    .map((bytes) => (bytes / 1000).toFixed(1).padStart(9))
    .join('');
}

/** So many syncs of one memory each are averaged, because a store packs what it keeps now and then. */
const ONE_BY_ONE = 50;

function measure(count: number): void {
  const folder = mkdtempSync(join(tmpdir(), 'surety-bench-'));
  try {
    const remote = join(folder, 'remote.git');
    const git = (...args: string[]) => timed('git', args, folder);
    // Each figure as soon as it is known: the whole line takes minutes.
    const told = (seconds: number) => process.stdout.write(seconds.toFixed(1).padStart(9));
    process.stdout.write(String(count).padStart(8));
    git('init', '--quiet', '--bare', '--initial-branch=main', remote);
    const first = new Machine(folder, 'first', remote);
    for (let number = 0; number < memories; number++) first.write(number);
    told(first.sync());
    const second = new Machine(folder, 'second', remote);
    const joined = second.sync();
    told(joined);
    for (let n = 2; n < count - 1; n++) new Machine(folder, `machine${n}`, remote, second).sync();
    told(count > 2 ? new Machine(folder, 'last', remote).sync() : joined);
    // Until these two have what the others wrote down when they joined, and have read once what lies still.
    for (const machine of [first, second, first, second, first, second]) machine.sync();
    const clone = join(folder, 'clone');
    git('clone', '--quiet', remote, clone);
    told(first.sync());
    told(git('-C', clone, 'fetch', '--quiet') + git('-C', clone, 'status', '--porcelain'));
    first.write(memories);
    const before = heldBy(remote);
    told(first.sync());
    const sent = heldBy(remote);
    const pulled = git('-C', clone, 'pull', '--quiet', '--ff-only');
    told(second.sync());
    const answered = heldBy(remote);
    told(pulled);
    const size = execFileSync('du', ['-sk', remote], { encoding: 'utf8' }).split('\t')[0];
    process.stdout.write((Number(size) / 1024).toFixed(0).padStart(9));
    process.stdout.write(added(remote, before, sent) + added(remote, sent, answered));
    const own = first.repositorySize();
    for (let n = 1; n <= ONE_BY_ONE; n++) {
      first.write(memories + n);
      first.sync();
    }
    say(((first.repositorySize() - own) / ONE_BY_ONE).toFixed(1).padStart(9));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

try {
  say(
    `${memories} memories; seconds, MB of the remote, and KB that one new memory adds to it and to the store’s own repository`,
  );
  say(
    'machines     send     join     last     idle  git idle      one received git pull   remote     sent  folders   packed answered  folders   packed      own',
  );
  for (const count of values.machines.split(',').map(Number)) measure(count);
} finally {
  remove();
}
