import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { Disk } from '../disk/disk.ts';
import { type ProgramSystem, programOnPath, thisSystem, windowsProgram } from '../places/system-programs.ts';

/** The program that opens a file in the person's browser; undefined where there is none. */
export function browserOpener(
  system: ProgramSystem = thisSystem(),
): readonly [program: string, ...args: string[]] | undefined {
  if (system.platform === 'darwin') return ['/usr/bin/open'];
  if (system.platform === 'win32') return [windowsProgram('rundll32.exe', system), 'url.dll,FileProtocolHandler'];
  const program = programOnPath('xdg-open', system);
  return program === undefined ? undefined : [program];
}

/** A link given to the browser. */
export interface Handed {
  /** The file that redirects to the link, closed to everybody else. */
  readonly file: string;
  /** False where nothing could be started. */
  readonly started: Promise<boolean>;
  /** Call it when the link was followed or is no longer needed. */
  withdraw(): void;
}

/**
 * Gives the browser a link through a file that only this account can read: an argument would show in the list of
 * processes to everybody on this machine.
 */
export function handToBrowser(url: string, folder: string): Handed {
  const disk = new Disk();
  const file = join(folder, 'open-review.html');
  disk.makeFolder(folder);
  disk.replace(file, `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=${url}">\n`);
  const started = new Promise<boolean>((resolve) => {
    const [program, ...args] = browserOpener() ?? [];
    if (program === undefined) {
      resolve(false);
      return;
    }
    const child = spawn(program, [...args, file], { stdio: 'ignore', detached: true });
    child.on('error', () => resolve(false));
    child.on('exit', (code) => resolve(code === 0));
    child.unref();
  });
  return { file, started, withdraw: () => void (disk.exists(file) && disk.remove(file)) };
}
