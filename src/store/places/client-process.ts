import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { codeOf } from '../disk/disk-errors.ts';
import { programOutput } from './program-output.ts';

/** A running process. Ids are used again, so the time of its start is part of what it is. */
export interface ProcessIdentity {
  readonly pid: number;
  /** As the system tells it; only compared with itself. */
  readonly started: string;
}

interface FoundProcess extends ProcessIdentity {
  readonly parent: number;
  readonly name: string;
}

/** Where processes are looked up; tests pass other systems' answers. */
interface ProcessSources {
  readonly platform?: NodeJS.Platform;
  /** The process that started this one. */
  readonly parent?: number;
  readonly read?: (path: string) => string;
  readonly run?: (command: string, args: readonly string[]) => string;
}

/** Clients start hooks, and some start servers, through a shell. */
const SHELL = /^-?(?:[a-z]{0,3}sh|busybox)$/;

/**
 * The client that started this process: its parent, or the parent's parent where a shell is between. Undefined where it cannot
 * be known, as on Windows, and where more than one shell is between: then somebody typed the command.
 */
export function clientProcess(sources: ProcessSources = {}): ProcessIdentity | undefined {
  const parent = found(sources.parent ?? process.ppid, sources);
  const client = parent !== undefined && SHELL.test(parent.name) ? found(parent.parent, sources) : parent;
  if (client === undefined || client.pid <= 1 || SHELL.test(client.name)) return undefined;
  return { pid: client.pid, started: client.started };
}

/** Whether a process still runs; true where it cannot be known. */
export function isRunning({ pid, started }: ProcessIdentity, sources: ProcessSources = {}): boolean {
  if ((sources.platform ?? process.platform) === 'win32') return true;
  return found(pid, sources)?.started === started;
}

/** Whether some process has this id; true where it cannot be known. */
export function hasProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}

function found(pid: number, sources: ProcessSources): FoundProcess | undefined {
  const { platform = process.platform, read = contents, run = output } = sources;
  if (platform === 'win32') return undefined;
  try {
    return platform === 'linux' ? fromStat(pid, read(`/proc/${pid}/stat`)) : fromPs(pid, run('/bin/ps', psFor(pid)));
  } catch {
    return undefined;
  }
}

/** The name is in brackets and may hold some itself. Field 4 is the parent, field 22 the start in ticks since the system's. */
function fromStat(pid: number, stat: string): FoundProcess | undefined {
  const [from, to] = [stat.indexOf('('), stat.lastIndexOf(')')];
  const fields = stat.slice(to + 2).split(' ');
  const [parent, started] = [fields[1], fields[19]];
  if (from < 0 || to < from || !isWhole(parent) || !isWhole(started)) return undefined;
  return { pid, started, parent: Number(parent), name: stat.slice(from + 1, to) };
}

function psFor(pid: number): string[] {
  return ['-o', 'ppid=', '-o', 'lstart=', '-o', 'comm=', '-p', String(pid)];
}

function fromPs(pid: number, said: string): FoundProcess | undefined {
  const [, parent, started, command] = /^\s*(\d+)\s+(\S+\s+\S+\s+\S+\s+[\d:]{8}\s+\d{4})\s+(.+?)\s*$/.exec(said) ?? [];
  if (parent === undefined || started === undefined || command === undefined) return undefined;
  return { pid, started: started.replaceAll(/\s+/g, ' '), parent: Number(parent), name: basename(command) };
}

function isWhole(field: string | undefined): field is string {
  return field !== undefined && /^\d+$/.test(field);
}

function contents(path: string): string {
  return readFileSync(path, 'utf8');
}

function output(command: string, args: readonly string[]): string {
  // The names of days and months follow the locale.
  return programOutput(command, args, { timeout: 2000, env: { ...process.env, LC_ALL: 'C' } });
}
