import { Refusal } from '../../core/refusal.ts';
import { insideOf } from '../vault/inside.ts';
import type { Vault } from '../vault/vault.ts';
import { refuseChanges, refuseForeignRepository, refuseLinks } from './config-allowlist.ts';
import { Git, GitFailure, makeRepository } from './git.ts';
import { type Upstream, upstreamOf } from './remote.ts';
import { GitTrees } from './trees.ts';
import { GitWriter } from './writer.ts';

/** The store's own repository, opened: nothing else is read from it or written to it but through this. */
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

/** The commit a ref names; undefined where there is none yet. */
export async function commitAt({ git }: Pick<Repository, 'git'>, ref: string): Promise<string | undefined> {
  const { out } = await git.run(['rev-parse', '--verify', '--quiet', `${ref}^{commit}`], { answers: [1] });
  return out.toString('utf8').trim() || undefined;
}

/** An address that could be an option, a command or more than one line is none. */
const ADDRESS = /^(?!-)(?!(?:ext|fd)::)[^\p{C}]{1,2000}$/u;

/** Makes the store a repository where it is none, and names what it syncs with. What is set already is not changed. */
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
      'The store’s repository syncs with another address already; change it with git remote set-url origin, if you mean to.',
    );
  }
  await git.run(['remote', 'add', '--', 'origin', url]);
  await followDefaultBranch(git);
  return 'new';
}

/** A remote that holds a store already has its branch; a store without a commit goes along with its name. */
async function followDefaultBranch(git: Git): Promise<void> {
  const unborn = (await commitAt({ git }, 'HEAD')) === undefined;
  if (!unborn) return;
  try {
    const said = await git.text(['ls-remote', '--symref', '--', 'origin', 'HEAD'], { timeout: 60_000 });
    const branch = /^ref: (refs\/heads\/[\w./-]+)\tHEAD$/m.exec(said)?.[1];
    if (branch !== undefined) await git.run(['symbolic-ref', 'HEAD', branch]);
  } catch (error) {
    // It may be out of reach now; then the branch is main, as anywhere else.
    if (!(error instanceof GitFailure)) throw error;
  }
}
