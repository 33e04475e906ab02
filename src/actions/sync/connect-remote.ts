import { resolve } from 'node:path';
import { Refusal } from '../../core/refusal.ts';
import { truncate, visible } from '../../core/text/safe-text.ts';
import { GitFailure } from '../../store/git/git.ts';
import { isFolder } from '../../store/git/remote.ts';
import { connect } from '../../store/git/repository.ts';
import type { Vault } from '../../store/vault/vault.ts';

/** Makes the store sync with `url`. A folder is made absolute, because git would resolve it against its own cwd. */
export async function connectStore(vault: Vault, url: string): Promise<void> {
  const address = isFolder(url) && !url.startsWith('file://') && !url.startsWith('-') ? resolve(url) : url;
  try {
    await connect(vault, address);
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    const words = truncate(visible(error.said.trim(), 'line'), 300);
    throw new Refusal('repository-unusable', `The remote could not be set: ${error.message}. ${words}`);
  }
}
