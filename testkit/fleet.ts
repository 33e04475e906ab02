import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { auditOf, type Session } from '../src/actions/session.ts';
import { connectStore } from '../src/actions/sync/connect-remote.ts';
import { sync } from '../src/actions/sync/sync.ts';
import type { SyncOptions } from '../src/actions/sync/sync-steps.ts';
import type { Synced } from '../src/actions/sync/synced.ts';
import type { World } from '../src/store/open-vault.ts';
import { PreparedFolder } from './prepared-folder.ts';
import { TestStore, temporaryFolder } from './store.ts';

// The tests' git is nobody's: no settings of the machine they run on, and a name for commits made by hand. It starts no git that
// looks whether there is something to pack.
const settings = join(mkdtempSync(join(tmpdir(), 'surety-git-')), 'config');
writeFileSync(settings, '[core]\n\tfsync = none\n[receive]\n\tautogc = false\n[maintenance]\n\tauto = false\n');
process.env.GIT_CONFIG_GLOBAL = settings;
process.env.GIT_CONFIG_NOSYSTEM = '1';
for (const role of ['AUTHOR', 'COMMITTER']) {
  process.env[`GIT_${role}_NAME`] = 'somebody';
  process.env[`GIT_${role}_EMAIL`] = 'somebody@example.com';
}

export function git(folder: string, ...args: string[]): string {
  const quiet = ['-c', 'init.defaultBranch=main', '-c', 'protocol.file.allow=always'];
  return execFileSync('git', ['-C', folder, ...quiet, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trimEnd();
}

/** A bare repository, as a hosting site has it. */
export function bareRemote(within = temporaryFolder()): string {
  const folder = join(within, 'remote.git');
  mkdirSync(folder);
  git(folder, 'init', '--quiet', '--bare');
  return folder;
}

/** One machine with its store, connected to a remote. */
export class Machine {
  readonly name: string;
  readonly store: TestStore;
  readonly remote: string;

  private constructor(name: string, store: TestStore, remote: string) {
    this.name = name;
    this.store = store;
    this.remote = remote;
  }

  static async open(
    name: string,
    remote: string,
    world: Omit<World, 'now'> & { home?: string } = {},
  ): Promise<Machine> {
    const store = await TestStore.open({ machine: { name, identity: `identity-of-${name}` }, ...world });
    await connectStore(store.vault, remote);
    return new Machine(name, store, remote);
  }

  /** A machine whose store is connected already. */
  static async reopen(name: string, remote: string, home: string): Promise<Machine> {
    const store = await TestStore.open({ machine: { name, identity: `identity-of-${name}` }, home });
    return new Machine(name, store, remote);
  }

  get root(): string {
    return this.store.places.root;
  }

  get fingerprint(): string {
    return this.store.vault.self.fingerprint;
  }

  get session(): Session {
    const { places } = this.store;
    const audit = auditOf(places, () => {});
    return { vault: this.store.vault, audit, proposals: 0 };
  }

  /** As the command does it: takes in what happened to the files, then syncs. */
  async sync(options: SyncOptions = {}): Promise<Synced> {
    if (!options.dry) await this.store.reconcile();
    return sync(this.session, options);
  }

  git(...args: string[]): string {
    return git(this.root, ...args);
  }

  /** What git has to say about the folder; empty when nothing is changed, half-merged or forgotten. */
  status(): string {
    return this.git('status', '--porcelain');
  }

  trust(other: Machine): void {
    this.store.trust(other.fingerprint, other.name);
  }

  /** Every shared file, by its path. */
  files(): Record<string, string> {
    const found: Record<string, string> = {};
    for (const folder of ['memories', 'quarantine', 'ledger']) {
      const where = join(this.root, folder);
      for (const name of existsSync(where) ? readdirSync(where).sort() : []) {
        if (!name.startsWith('.')) found[`${folder}/${name}`] = readFileSync(join(where, name), 'utf8');
      }
    }
    return found;
  }

  names(): string[] {
    return Object.keys(this.files()).filter((path) => !path.startsWith('ledger/'));
  }
}

/** Two machines and their remote that several tests begin with, made once. */
export class PreparedPair<T> {
  readonly #prepared: PreparedFolder<T>;

  constructor(make: (a: Machine, b: Machine) => Promise<T>) {
    this.#prepared = new PreparedFolder(async (folder) => {
      const remote = bareRemote(folder);
      const a = await Machine.open('desk', remote, { home: join(folder, 'desk') });
      const b = await Machine.open('laptop', remote, { home: join(folder, 'laptop') });
      const made = await make(a, b);
      for (const { store } of [a, b]) store.vault.close();
      return made;
    });
  }

  async restore(): Promise<{ remote: string; a: Machine; b: Machine; made: T }> {
    const { folder, made } = await this.#prepared.restore();
    const remote = join(folder, 'remote.git');
    const a = await Machine.reopen('desk', remote, join(folder, 'desk'));
    const b = await Machine.reopen('laptop', remote, join(folder, 'laptop'));
    return { remote, a, b, made };
  }
}

/** Somebody with push rights and no respect: a clone worked on with plain git. */
export class Intruder {
  readonly folder: string;

  constructor(remote: string) {
    this.folder = join(temporaryFolder(), 'clone');
    git(remote, 'clone', '--quiet', remote, this.folder);
  }

  write(path: string, content: string | Buffer): void {
    mkdirSync(join(this.folder, path, '..'), { recursive: true });
    writeFileSync(join(this.folder, path), content);
  }

  push(message = 'by hand', ...more: string[]): void {
    git(this.folder, 'add', '-A', '-f');
    git(this.folder, 'commit', '--quiet', '--allow-empty', '-m', message);
    git(this.folder, 'push', '--quiet', ...more, 'origin', 'HEAD:main');
  }
}

/** A file as an agent or an editor writes it. */
export function memoryFile(name: string, body: string, keys: Record<string, string> = {}): string {
  const fields = { name, description: `What is known about ${name}`, type: 'user', 'trust-level': 'inferred', ...keys };
  const lines = Object.entries(fields).map(([key, value]) => `${key}: ${value}\n`);
  return `---\n${lines.join('')}---\n\n${body}\n`;
}

export const BODY = 'A body that is long enough to be a memory of something.';
/** Made up, and of a shape that providers give out. */
export const TOKEN = ['ghp', 'Zq8Wv3Lk1Rt7Yx5Nc9Bd2Fh4Jm6Ps0Ug3Ei7'].join('_');
