import { LIMITS_OF_A_FILE } from '../../core/memory/document.ts';
import { SHARED_FOLDERS } from '../../core/sync/shared-paths.ts';
import type { Repository } from '../git/repository.ts';
import type { VaultParts } from '../vault/vault-parts.ts';
import { whyPrivate } from './local-files.ts';

/**
 * Files that must not leave, in commits that the remote lacks. Commits made by hand may hold such files, and a push
 * also sends a file that a later commit removed. Without a commit made by hand only secrets are reported: a sync
 * commits personal data only if the other side has it already.
 */
export async function privateHistory(
  { git, trees }: Repository,
  parts: VaultParts,
  head: string,
  theirs: string | undefined,
  clean: ReadonlySet<string>,
): Promise<readonly string[]> {
  const range = [head, ...(theirs === undefined ? [] : [`^${theirs}`])];
  const { out } = await git.run(['rev-list', '--objects', ...range]);
  const named = new Map<string, string>();
  for (const line of out.toString('utf8').split('\n')) {
    const space = line.indexOf(' ');
    const [oid, path] = [line.slice(0, space), line.slice(space + 1)];
    if (space > 0 && isOfInterest(path) && !clean.has(oid)) named.set(oid, path);
  }
  if (named.size === 0) return [];
  parts.ledgers.refresh();
  const byHand = await git.text(['rev-list', '--invert-grep', '--grep=^Surety-Machine: ', '-1', ...range]);
  const found: string[] = [];
  for (const [oid, bytes] of await trees.blobs(named.keys(), LIMITS_OF_A_FILE.bytes)) {
    const path = named.get(oid) ?? '';
    const stem = /([^/]*?)(?:\.md)?$/.exec(path)?.[1] ?? '';
    const why = whyPrivate(parts, stem, bytes);
    if (why === 'secret' || (why !== undefined && byHand !== '' && path.endsWith('.md'))) found.push(path);
  }
  return found.sort();
}

/** Folders are listed too and are no files. Ledgers hold hashes and no texts. */
function isOfInterest(path: string): boolean {
  return path !== '' && !SHARED_FOLDERS.some((folder) => folder === path) && !path.startsWith('ledger/');
}
