import { Refusal } from '../../core/refusal.ts';
import { shownPath } from '../disk/display-path.ts';
import { insideOf } from '../vault/inside-of-vault.ts';
import type { Vault } from '../vault/vault.ts';
import { Git, GitFailure, makeRepository } from './git.ts';
import { refuseChanges, refuseForeignRepository, refuseLinks } from './refuse-repository.ts';
import { type Upstream, upstreamOf } from './remote.ts';
import { GitTrees } from './trees.ts';
import { GitWriter } from './writer.ts';

/** The store's own open repository: every read and write goes through it. */
export interface Repository {
  readonly git: Git;
  readonly trees: GitTrees;
  readonly writer: GitWriter;
  readonly upstream: Upstream;
}

export async function openRepository(vault: Vault): Promise<Repository> {
  const { places, disk, key } = insideOf(vault);
  await refuseForeignRepository(places);
  const git = new Git(places.root, refuseChanges(places));
  const upstream = await upstreamOf(git, key.machine);
  return { git, trees: new GitTrees(git), writer: new GitWriter(git, disk, upstream.algorithm), upstream };
}

/** The commit of a ref; undefined where there is none yet. */
export async function commitAt({ git }: Pick<Repository, 'git'>, ref: string): Promise<string | undefined> {
  const { out } = await git.run(['rev-parse', '--verify', '--quiet', `${ref}^{commit}`], { answers: [1] });
  return out.toString('utf8').trim() || undefined;
}

/** Rejects an address that could be an option, a command or more than one line. */
const ADDRESS = /^(?!-)(?!(?:ext|fd)::)[^\p{C}]{1,2000}$/u;

/** Makes the store a repository where it is none, and sets its remote. Existing settings are not changed. */
export async function connect(vault: Vault, url: string): Promise<'new' | 'same'> {
  const { places, disk } = insideOf(vault);
  if (!ADDRESS.test(url)) throw new Refusal('invalid-input', 'This is not an address git can sync with.');
  const git: Git = new Git(places.root, () => refuseLinks(git.folder));
  if (!disk.exists(git.folder)) await makeRepository(places.root, 'main');
  await refuseForeignRepository(places);
  const { out, code } = await git.run(['remote', 'get-url', 'origin'], { answers: [2, 128] });
  const known = code === 0 ? out.toString('utf8').trim() : undefined;
  if (known === url) return 'same';
  if (known !== undefined) {
    throw new Refusal(
      'repository-unusable',
      `The store’s repository syncs with another address already. If you mean to change it: git -C ${shownPath(places.root)} remote set-url origin, and the new address.`,
    );
  }
  await git.run(['remote', 'add', '--', 'origin', url]);
  await followDefaultBranch(git);
  return 'new';
}

/** A store without commits takes over the branch name of a remote that already holds a store. */
async function followDefaultBranch(git: Git): Promise<void> {
  const unborn = (await commitAt({ git }, 'HEAD')) === undefined;
  if (!unborn) return;
  try {
    const said = await git.text(['ls-remote', '--symref', '--', 'origin', 'HEAD'], { timeout: 60_000 });
    const branch = /^ref: (refs\/heads\/[\w./-]+)\tHEAD$/m.exec(said)?.[1];
    if (branch !== undefined) await git.run(['symbolic-ref', 'HEAD', branch]);
  } catch (error) {
    // The remote may be unreachable now; then the branch is main.
    if (!(error instanceof GitFailure)) throw error;
  }
}
