import { Refusal } from '../../core/refusal.ts';
import { shownPath } from '../disk/display-path.ts';
import { insideOf } from '../vault/inside-of-vault.ts';
import type { Vault } from '../vault/vault.ts';
import { Git, makeRepository } from './git.ts';
import { refuseChanges, refuseForeignRepository, refuseLinks, unusable } from './refuse-repository.ts';
import { branchesOf, type Upstream, upstreamOf } from './remote.ts';
import { GitTrees } from './trees.ts';
import { GitWriter } from './writer.ts';

/** The store's own open repository: every read and write goes through it. */
export interface Repository {
  readonly git: Git;
  readonly trees: GitTrees;
  readonly writer: GitWriter;
  readonly upstream: Upstream;
}

/** `branch` is one to use instead of the branch that is checked out. */
export async function openRepository(vault: Vault, branch?: string): Promise<Repository> {
  const { places, disk, key } = insideOf(vault);
  await refuseForeignRepository(places);
  const git = new Git(places.root, refuseChanges(places));
  const upstream = await upstreamOf(git, key.machine, branch);
  return { git, trees: new GitTrees(git), writer: new GitWriter(git, disk, upstream.algorithm), upstream };
}

/** The commit of a ref; undefined where there is none yet. */
export async function commitAt({ git }: Pick<Repository, 'git'>, ref: string): Promise<string | undefined> {
  const { out } = await git.run(['rev-parse', '--verify', '--quiet', `${ref}^{commit}`], { answers: [1] });
  return out.toString('utf8').trim() || undefined;
}

/** Rejects an address that could be an option, a command or more than one line. */
const ADDRESS = /^(?!-)(?!(?:ext|fd)::)[^\p{C}]{1,2000}$/u;

/** Makes the store a repository where it is not one yet, and sets its remote. Existing settings are not changed. */
export async function connect(vault: Vault, url: string): Promise<void> {
  const { places, disk } = insideOf(vault);
  if (!ADDRESS.test(url)) throw new Refusal('invalid-input', 'This is not an address git can sync with.');
  const git: Git = new Git(places.root, () => refuseLinks(git.folder));
  if (!disk.exists(git.folder)) await makeRepository(places.root, 'main');
  await refuseForeignRepository(places);
  const { out, code } = await git.run(['remote', 'get-url', 'origin'], { answers: [2, 128] });
  const known = code === 0 ? out.toString('utf8').trim() : undefined;
  if (known === url) return;
  if (known !== undefined) {
    throw new Refusal(
      'repository-unusable',
      `The store’s repository syncs with another address already. If you mean to change it: git -C ${shownPath(places.root)} remote set-url origin, and the new address.`,
    );
  }
  await git.run(['remote', 'add', '--', 'origin', url]);
}

/** The remote's branch names that can stand in a command a person copies, and in a path: at most 100 characters, no step upward. */
const PLAIN_NAME = /^(?=.{1,111}$)refs\/heads\/\w[\w-]*(?:[./][\w-]+)*$/;
/** At most 3 branches of the remote are named. */
const MOST_NAMED = 3;

interface FirstSync {
  readonly dry: boolean;
  /** Whether the person wants the store's branch to be a new one there. */
  readonly newBranch: boolean;
}

/**
 * Opens the repository for a first sync with its remote: machines that sync two branches never meet. A store without commits takes
 * the remote's branch over (in a dry run only as long as it takes). One with commits is refused where the remote has branches, but
 * not the store's; the person can have it sent there as a new one.
 */
export async function openFirstTime(vault: Vault, repo: Repository, how: FirstSync): Promise<Repository> {
  if (how.newBranch) return repo;
  const { git, upstream } = repo;
  const { names, first } = await branchesOf(git, upstream);
  const plain = names.filter((name) => PLAIN_NAME.test(name));
  const own = names.find((name) => name === upstream.theirs);
  const only = names.length === 1 ? plain[0] : undefined;
  const isUnborn = (await commitAt(repo, 'HEAD')) === undefined;
  const taken = isUnborn ? (plain.find((name) => name === first) ?? own ?? only) : own;
  if (names.length === 0 || taken === upstream.theirs) return repo;
  if (taken === undefined) throw await otherBranches(vault, repo, plain);
  if (!how.dry) await git.run(['symbolic-ref', 'HEAD', taken]);
  return openRepository(vault, taken);
}

/**
 * The store's own branch stands in no command: its name may come from a remote, too. Nobody is told to push with git, which would
 * send what a sync keeps here.
 */
async function otherBranches(vault: Vault, repo: Repository, names: readonly string[]): Promise<Refusal> {
  const { branch, theirs } = repo.upstream;
  const [own = '', ...plain] = [theirs, ...names].map((name) => name.slice('refs/heads/'.length));
  const shown = plain.slice(0, MOST_NAMED).join(', ') || 'other branches';
  const [first = 'NAME'] = plain;
  const git = `git -C ${shownPath(insideOf(vault).places.root)}`;
  const isHereToo = names[0] !== undefined && (await commitAt(repo, names[0])) !== undefined;
  // Commits that were made on a branch of this name keep a name.
  const putAside = isHereToo ? `${git} branch -m ${first} ${first}-before, then ` : '';
  // The branch that is checked out already may only be set to follow another one.
  const follow =
    branch === names[0] ? `${git} config branch.${first}.merge ${branch}` : `${putAside}${git} checkout -b ${first}`;
  return unusable(
    `The remote has ${shown} and not ${own}, the branch of this store. Machines that sync two branches never meet, so nothing was sent. ` +
      `If the memories are on ${plain[0] ?? 'another branch'}: ${follow}, then surety sync. ` +
      'If this store needs a branch of its own there: surety sync --new-branch.',
  );
}
