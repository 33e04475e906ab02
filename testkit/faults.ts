import * as fs from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { Disk } from '../src/store/disk/disk.ts';
import { KEY_FILE, machineKey } from '../src/store/ledger/machine-key.ts';
import { RememberedHeads } from '../src/store/ledger/remembered-heads.ts';
import { resolvePlaces } from '../src/store/places/places.ts';

export type Step = 'open' | 'write' | 'sync' | 'cut' | 'rename' | 'unlink' | 'mkdir' | 'syncFolder';
export type Errno = 'ENOSPC' | 'EIO' | 'EROFS';

/** What goes wrong, and at which writing step, counted from 1. */
export interface Fault {
  readonly at: number;
  /** `torn` is half of what a write was to write; any other step has no half and fails before. */
  readonly moment: 'before' | 'torn' | 'after';
  /** `kill` ends this process with SIGKILL. `die` is its stand-in: nothing is written any more, no matter who tries. */
  readonly how: 'kill' | 'die' | Errno;
  /** Steps that go on failing afterwards, as on a disk that is full or has become read-only. */
  readonly lasting?: readonly Step[];
}

/** What a full disk still refuses; renaming, cutting and removing need no room. */
export const NEEDS_ROOM: readonly Step[] = ['open', 'write', 'mkdir'];
export const EVERYTHING: readonly Step[] = ['open', 'write', 'sync', 'cut', 'rename', 'unlink', 'mkdir', 'syncFolder'];

/** The machine all stores of these tests are on. */
export const MACHINE = { name: 'here', identity: 'machine-one' } as const;

export class Died extends Error {}

/** Whether a process still lives that also works through other programs: its death is theirs, and theirs is its own. */
export interface Life {
  isOver(): boolean;
  end(): void;
}

/** A disk that counts every writing step and fails, or kills the process, at one of them. */
export class FaultyDisk extends Disk {
  readonly steps: Step[] = [];
  readonly #life: Life | undefined;
  #fault: Fault | undefined;
  #struck = false;

  constructor(life?: Life) {
    super();
    this.#life = life;
  }

  arm(fault?: Fault): void {
    this.steps.length = 0;
    this.#fault = fault;
    this.#struck = false;
  }

  get struck(): boolean {
    return this.#struck;
  }

  /** The step that failed. */
  get failed(): Step | undefined {
    return this.#fault && this.#struck ? this.steps[this.#fault.at - 1] : undefined;
  }

  #step<T>(kind: Step, work: () => T, half?: () => void): T {
    this.steps.push(kind);
    if (this.#life?.isOver()) throw failure('die');
    const fault = this.#fault;
    if (fault === undefined) return work();
    if (this.#struck) {
      if (fault.how === 'die' || fault.lasting?.includes(kind)) throw failure(fault.how);
      return work();
    }
    if (this.steps.length !== fault.at) return work();
    this.#struck = true;
    if (fault.moment === 'torn') half?.();
    if (fault.moment === 'after') work();
    if (fault.how === 'kill') {
      process.kill(process.pid, 'SIGKILL');
      // The signal is delivered before the call returns, or a moment later; nothing may be written in between.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10_000);
    }
    if (fault.how === 'die') this.#life?.end();
    throw failure(fault.how);
  }

  protected override open(path: string, flags: number): number {
    let fd: number | undefined;
    try {
      return this.#step('open', () => {
        fd = super.open(path, flags);
        return fd;
      });
    } catch (error) {
      if (fd !== undefined) fs.closeSync(fd);
      throw error;
    }
  }

  protected override write(fd: number, bytes: Buffer | string): void {
    const whole = Buffer.from(bytes);
    this.#step(
      'write',
      () => super.write(fd, bytes),
      () => super.write(fd, whole.subarray(0, Math.ceil(whole.length / 2))),
    );
  }

  protected override sync(fd: number): void {
    this.#step('sync', () => super.sync(fd));
  }

  protected override syncAll(fds: readonly number[]): Promise<void> {
    return this.#step('sync', () => super.syncAll(fds));
  }

  protected override cut(fd: number, length: number): void {
    this.#step('cut', () => super.cut(fd, length));
  }

  protected override rename(from: string, to: string): void {
    this.#step('rename', () => super.rename(from, to));
  }

  protected override unlink(path: string): void {
    this.#step('unlink', () => super.unlink(path));
  }

  protected override mkdir(path: string): string | undefined {
    return this.#step('mkdir', () => super.mkdir(path));
  }

  protected override syncFolder(path: string): void {
    this.#step('syncFolder', () => super.syncFolder(path));
  }
}

function failure(how: Fault['how']): Error {
  if (how === 'kill' || how === 'die') return new Died('this process is dead');
  return Object.assign(new Error(`${how}: injected`), { code: how });
}

/** A store copied to another home, where its own folders have other names. */
export function copyHome(from: string, to: string): void {
  fs.cpSync(from, to, { recursive: true });
  const [old, fresh] = [placesOf(from), placesOf(to)];
  for (const name of ['state', 'cache'] as const) {
    const copied = join(to, relative(from, old[name]));
    if (!fs.existsSync(copied)) continue;
    fs.mkdirSync(dirname(fresh[name]), { recursive: true });
    fs.renameSync(copied, fresh[name]);
  }
  // What is remembered of the ledgers is signed for one store's place; the copy needs it for its own.
  const disk = new Disk();
  if (!disk.exists(join(fresh.config, KEY_FILE))) return;
  const key = machineKey(fresh.config, disk, MACHINE);
  const [before, now] = [new RememberedHeads(old, disk, key), new RememberedHeads(fresh, disk, key)];
  now.remember([...before.all()]);
  const head = before.all().get(key.fingerprint);
  if (head !== undefined) now.announce(head, [...before.announced()]);
}

export function placesOf(home: string) {
  fs.mkdirSync(home, { recursive: true });
  return resolvePlaces({ root: undefined, env: {}, home, account: home, platform: 'linux' });
}
