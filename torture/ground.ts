import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** How a full disk and a read-only folder are made: by the system, or by taking over the calls of the server's process. */
export type Means = 'mounted' | 'injected';

/** The folder a lane's home lies in, and the ways it can turn bad. */
export interface Ground {
  readonly folder: string;
  readonly means: Means;
  readonly env: Record<string, string>;
  /** Leaves hardly any room, until the result is called. */
  fill(leaving: number): () => void;
  /** Lets nothing be written below this folder, until the result is called. */
  freeze(folder: string): () => void;
  remove(): void;
}

const SMALL_DISK = 96 * 1024 * 1024;

/** Whether this process may mount: in a namespace of its own (see run.ts) also without being root. */
export function canMount(): boolean {
  const probe = mkdtempSync(join(tmpdir(), 'surety-mount-'));
  try {
    mountDisk(probe);
    unmount(probe);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(probe, { recursive: true, force: true });
  }
}

/** `small`: a disk of its own that can be filled, where that is possible. */
export function ground(small: boolean, means: Means): Ground {
  const folder = mkdtempSync(join(tmpdir(), 'surety-torture-'));
  const disk = small && means === 'mounted';
  if (disk) mountDisk(folder);
  const faultFile = join(folder, 'fault');
  const inject = (fault: object) => {
    writeFileSync(faultFile, JSON.stringify(fault));
    return () => rmSync(faultFile, { force: true });
  };
  return {
    folder,
    means,
    env: means === 'injected' ? { TORTURE_FAULT: faultFile } : {},
    fill: (leaving) => (disk ? fillUp(folder, leaving) : inject({ code: 'ENOSPC', below: folder })),
    freeze: (below) => (means === 'mounted' ? freezeMount(below) : inject({ code: 'EROFS', below })),
    remove: () => {
      if (disk) unmount(folder);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function mountDisk(folder: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SMALL_DISK},mode=0700`, 'tmpfs', folder], { stdio: 'ignore' });
}

function unmount(folder: string): void {
  execFileSync('umount', ['-l', folder], { stdio: 'ignore' });
}

/** A file as large as what is left, but for a few bytes: where exactly the next write fails is chance. */
function fillUp(folder: string, leaving: number): () => void {
  const { bavail, bsize } = statfsSync(folder);
  const filler = join(folder, 'filler');
  const size = Math.max(0, bavail * bsize - leaving);
  try {
    writeFileSync(filler, Buffer.alloc(size));
  } catch {
    // Somebody took the rest meanwhile: full it is.
  }
  return () => rmSync(filler, { force: true });
}

/** Made read-only beside it and then moved over it: in place a server could open a file for writing in between. */
function freezeMount(folder: string): () => void {
  const aside = mkdtempSync(join(tmpdir(), 'surety-frozen-'));
  execFileSync('mount', ['--bind', folder, aside], { stdio: 'ignore' });
  execFileSync('mount', ['-o', 'remount,bind,ro', aside], { stdio: 'ignore' });
  execFileSync('mount', ['--move', aside, folder], { stdio: 'ignore' });
  rmSync(aside, { recursive: true, force: true });
  return () => unmount(folder);
}
