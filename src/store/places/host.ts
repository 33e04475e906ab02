import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { windowsProgram } from './system-programs.ts';

/** This computer: a name for people, and an id that is not copied along with files. */
export interface Machine {
  readonly name: string;
  readonly identity: string;
}

export function thisMachine(platform: NodeJS.Platform = process.platform): Machine {
  const name = hostname().split('.')[0] || 'unknown';
  const identity = createHash('sha256')
    .update(`surety-machine\n${platform}\n${systemId(platform) ?? name}`)
    .digest('hex');
  return { name, identity };
}

/** The id the operating system gave this installation; without one the host name is used. */
function systemId(platform: NodeJS.Platform): string | undefined {
  switch (platform) {
    case 'darwin':
      return /"IOPlatformUUID" = "([^"]+)"/.exec(
        output('/usr/sbin/ioreg', ['-rd1', '-c', 'IOPlatformExpertDevice']),
      )?.[1];
    case 'win32':
      return /MachineGuid\s+REG_SZ\s+(\S+)/.exec(
        output(windowsProgram('reg.exe'), ['query', 'HKLM\\SOFTWARE\\Microsoft\\Cryptography', '/v', 'MachineGuid']),
      )?.[1];
    default:
      return contents('/etc/machine-id') ?? contents('/var/lib/dbus/machine-id');
  }
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
    return execFileSync(command, args, { encoding: 'utf8', timeout: 5000, stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return '';
  }
}
