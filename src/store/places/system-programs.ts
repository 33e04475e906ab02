import * as fs from 'node:fs';
import { homedir } from 'node:os';
import { posix, win32 } from 'node:path';
import { workingFolder } from './working-folder.ts';

/** What decides where a program is found. Tests pass other systems' values. */
export interface ProgramSystem {
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly home: string;
  isProgram(path: string): boolean;
}

export function thisSystem(env: NodeJS.ProcessEnv = process.env): ProgramSystem {
  return { platform: process.platform, env, cwd: workingFolder(), home: homedir(), isProgram };
}

/** In the order Windows tries them; its command interpreter runs the last two. */
const ENDINGS = ['.com', '.exe', '.cmd', '.bat'];

/**
 * A program's absolute path. Windows looks for a bare name in the working folder first, and a relative PATH entry does
 * so elsewhere; that folder is the repository an agent works in. PATH entries below it, which npm adds, are skipped
 * too, unless it is the home folder.
 */
export function programOnPath(name: string, system: ProgramSystem = thisSystem()): string | undefined {
  const { platform, env, cwd, home } = system;
  const { delimiter, isAbsolute, join, relative, sep } = platform === 'win32' ? win32 : posix;
  const holds = (folder: string, path: string) => {
    const way = relative(folder, path);
    return !(way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way));
  };
  const isForeign = (folder: string) => holds(cwd, folder) && !holds(cwd, home);
  return variable(env, 'PATH')
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !isForeign(folder))
    .flatMap((folder) => spellings(join(folder, name), platform))
    .find((path) => system.isProgram(path));
}

/** A program of Windows itself. The variable counts only if it names a folder directly on a drive. */
export function windowsProgram(name: string, { env }: Pick<ProgramSystem, 'env'> = process): string {
  const named = variable(env, 'SYSTEMROOT');
  const root = /^[A-Za-z]:\\[^\\/:*?"<>|]+$/.test(named) ? named : 'C:\\Windows';
  return win32.join(root, 'System32', name);
}

/** The file names a program can have at this path. */
export function spellings(path: string, platform: NodeJS.Platform): string[] {
  if (platform !== 'win32' || ENDINGS.includes(win32.extname(path).toLowerCase())) return [path];
  return ENDINGS.map((ending) => path + ending);
}

/** Windows ignores the case of variable names. */
function variable(env: NodeJS.ProcessEnv, name: string): string {
  return env[name] ?? Object.entries(env).find(([each]) => each.toUpperCase() === name)?.[1] ?? '';
}

function isProgram(path: string): boolean {
  try {
    fs.accessSync(path, fs.constants.X_OK);
    return fs.statSync(path).isFile();
  } catch {
    return false;
  }
}
