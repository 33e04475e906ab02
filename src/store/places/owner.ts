import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { OwnerIdentity } from '../../core/checks/personal.ts';
import { Disk } from '../disk/disk.ts';
import { attempt } from '../disk/disk-errors.ts';
import { programOutput } from './program-output.ts';
import { readSettings } from './settings.ts';
import { programOnPath } from './system-programs.ts';

/**
 * Writes into config.json who uses this account, by git's and the system's own settings, so that the checks can tell the person's
 * e-mail address and home folder from other people's. A config.json that is there is the person's and stays as it is.
 */
export function knownOwner(config: string, complain: (line: string) => void): OwnerIdentity {
  const disk = new Disk();
  const path = join(config, 'config.json');
  if (!disk.exists(path)) {
    const email = gitEmail();
    const owner = { emails: email === undefined ? [] : [email], homeUser: userInfo().username };
    // The store works without it: the checks then say what they could not look for.
    attempt(complain, 'config.json could not be written', () =>
      disk.replace(path, `${JSON.stringify({ owner }, null, 2)}\n`),
    );
  }
  return readSettings(config, disk).settings.owner;
}

/** From the account's own settings only: git is started at home, never in a repository that an agent works in. */
function gitEmail(): string | undefined {
  const git = programOnPath('git');
  if (git === undefined) return undefined;
  try {
    const email = ['config', '--global', '--get', 'user.email'];
    const said = programOutput(git, email, { cwd: homedir(), timeout: 5000 });
    return said.trim() || undefined;
  } catch {
    return undefined;
  }
}
