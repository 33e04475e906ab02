import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { Disk } from '../disk/disk.ts';

/** What opens a file in the person's browser. */
const OPENERS: Partial<Record<NodeJS.Platform, readonly [program: string, ...args: string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** A link on its way to the browser. */
export interface Handed {
  /** The file that leads there, closed to everybody else. */
  readonly file: string;
  /** False where nothing could be started. */
  readonly started: Promise<boolean>;
  /** To be called when the link was followed, or has no more use. */
  withdraw(): void;
}

/**
 * Hands a link to the browser by way of a file that only this account can read: as an argument it would stand in the list
 * of processes, for everybody on this machine to see.
 */
export function handToBrowser(url: string, folder: string, disk: Disk = new Disk()): Handed {
  const file = join(folder, 'open-review.html');
  disk.makeFolder(folder);
  disk.replace(file, `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=${url}">\n`);
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const started = new Promise<boolean>((resolve) => {
    const child = spawn(program, [...args, file], { stdio: 'ignore', detached: true });
    child.on('error', () => resolve(false));
    child.on('exit', (code) => resolve(code === 0));
    child.unref();
  });
  return { file, started, withdraw: () => void (disk.exists(file) && disk.remove(file)) };
}
