import { createHash } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { programOutput } from './program-output.ts';
import { windowsProgram } from './system-programs.ts';

/** This computer: a name for people, and an id that is not copied along with files. */
export interface Machine {
  readonly name: string;
  readonly identity: string;
  /** What else tells this computer from others: a key that was made when only this was known is still this machine's. */
  readonly others?: readonly string[];
}

/** Where the identity comes from; a test turns these. */
export interface MachineSources {
  readonly platform?: NodeJS.Platform;
  /** A file that keeps what a program said, so that it is started once and not at each opening. */
  readonly cache?: string | undefined;
  readonly run?: (command: string, args: readonly string[]) => string;
  readonly read?: (path: string) => string | undefined;
  /** Something cheap that differs between installations: what was kept is good for that installation only. */
  readonly mark?: () => string;
}

export function thisMachine({
  platform = process.platform,
  cache,
  run = output,
  read = contents,
  mark = () => markOf(platform),
}: MachineSources = {}): Machine {
  const name = hostname().split('.')[0] || 'unknown';
  const program = PROGRAMS[platform];
  const ids = program ? [said(program, cache, run, read, mark)] : ID_FILES.map(read);
  const identities = [...ids.filter((id) => id !== undefined), name].map((id) =>
    createHash('sha256').update(`surety-machine\n${platform}\n${id}`).digest('hex'),
  );
  const [identity = '', ...others] = new Set(identities);
  return { name, identity, ...(others.length > 0 && { others }) };
}

/** The id the operating system gave this installation; where there is none the host name must do. */
const ID_FILES = ['/etc/machine-id', '/var/lib/dbus/machine-id'];

interface IdProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly id: RegExp;
  /** Made when the system was installed. */
  readonly folder: string;
}

/** By absolute paths: a bare name is looked for in the working folder too, which is a repository. */
const PROGRAMS: Partial<Record<NodeJS.Platform, IdProgram>> = {
  darwin: {
    command: '/usr/sbin/ioreg',
    args: ['-rd1', '-c', 'IOPlatformExpertDevice'],
    id: /"IOPlatformUUID" = "([^"]+)"/,
    folder: '/private/var/db',
  },
  win32: {
    command: windowsProgram('reg.exe'),
    args: ['query', 'HKLM\\SOFTWARE\\Microsoft\\Cryptography', '/v', 'MachineGuid'],
    id: /MachineGuid\s+REG_SZ\s+(\S+)/,
    folder: 'C:\\Windows',
  },
};

/** What the program says, or said when it was last asked on this installation. */
function said(
  { command, args, id }: IdProgram,
  cache: string | undefined,
  run: NonNullable<MachineSources['run']>,
  read: NonNullable<MachineSources['read']>,
  mark: () => string,
): string | undefined {
  const now = mark();
  const [keptMark, kept] = (cache === undefined ? '' : (read(cache) ?? '')).split('\n');
  if (kept && keptMark === now) return kept;
  const answer = id.exec(run(command, args))?.[1];
  if (answer !== undefined && cache !== undefined) keep(cache, `${now}\n${answer}\n`);
  return answer;
}

function markOf(platform: NodeJS.Platform): string {
  const folder = PROGRAMS[platform]?.folder ?? '/';
  const stat = statSync(folder, { bigint: true, throwIfNoEntry: false });
  return [hostname(), stat?.dev, stat?.ino, stat?.birthtimeNs].join(' ');
}

/** Where it cannot be kept, the program is asked again. */
function keep(path: string, text: string): void {
  try {
    writeFileSync(path, text, { mode: 0o600 });
  } catch {}
}

function contents(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

function output(command: string, args: readonly string[]): string {
  try {
    return programOutput(command, args, { timeout: 5000 });
  } catch {
    return '';
  }
}
