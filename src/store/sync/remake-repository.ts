import { basename, join } from 'node:path';
import { Refusal } from '../../core/refusal.ts';
import { timestamp } from '../../core/trust/clocks.ts';
import { SET_ASIDE } from '../git/damage.ts';
import { GitFailure, makeRepository } from '../git/git.ts';
import { refuseForeignRepository } from '../git/refuse-repository.ts';
import { insideOf } from '../vault/inside-of-vault.ts';
import type { Vault } from '../vault/vault.ts';
import { takeSyncLock } from './sync-lock.ts';

const WAIT_MS = 30_000;
const LARGEST = 1 << 20;

/**
 * Makes a new git repository with the settings of the old one, which is moved aside and kept. The next sync commits the
 * files and merges them with the remote's, file by file.
 */
export async function remakeRepository(vault: Vault): Promise<void> {
  const { places, disk, now } = insideOf(vault);
  const leave = await takeSyncLock(places.guard, WAIT_MS);
  try {
    await refuseForeignRepository(places);
    const folder = join(places.root, '.git');
    const old = (name: string) => {
      const found = disk.read(join(folder, name), LARGEST);
      return found.kind === 'file' ? found.bytes.toString('utf8') : '';
    };
    const [settings, excluded] = [old('config'), old('info/exclude')];
    const branch = /^ref: refs\/heads\/([\w][\w./-]*)\s*$/.exec(old('HEAD'))?.[1] ?? 'main';
    const aside = join(places.root, `${SET_ASIDE}${timestamp(now()).replaceAll(/[^0-9]/g, '')}`);
    disk.move(folder, aside);
    try {
      await makeRepository(places.root, branch);
    } catch (error) {
      if (!disk.exists(folder)) disk.move(aside, folder);
      throw error instanceof GitFailure
        ? new Refusal('repository-unusable', `No repository was made: ${error.message}.`)
        : error;
    }
    if (settings.trim() !== '') disk.replace(join(folder, 'config'), settings);
    disk.makeFolder(join(folder, 'info'));
    disk.replace(join(folder, 'info', 'exclude'), `${excluded}/${basename(aside)}/\n`);
  } finally {
    leave();
  }
}
