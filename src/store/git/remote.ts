import type { Refusal } from '../../core/refusal.ts';
import { maskSecrets } from '../../core/secrets/detect.ts';
import { truncate, visible } from '../../core/text/safe-text.ts';
import { shortLine } from '../../core/text/short-line.ts';
import type { Places } from '../places/places.ts';
import { DURABLE, Git, GitFailure, NETWORK_MS, NO_ROOM, OWN_EMAIL } from './git.ts';
import { refuseLinks, unusable } from './refuse-repository.ts';
import type { Algorithm, CommitAuthor } from './writer.ts';

/** What the repository syncs with, and how it commits. */
export interface Upstream {
  readonly branch: string;
  readonly remote: string;
  /** The branch on the remote. */
  readonly theirs: string;
  /** The local ref that tracks the remote's branch. */
  readonly tracked: string;
  readonly addresses: Addresses;
  readonly algorithm: Algorithm;
  readonly who: CommitAuthor;
}

/** The addresses git fetches from and pushes to. They may hold a password. */
export interface Addresses {
  readonly fetch: string;
  readonly push: string;
}

const NAME = /^[A-Za-z0-9_][\w./-]{0,100}$/;

/** Reads the upstream from the repository and the operator's settings. `given` is a branch to use instead of the one checked out. */
export async function upstreamOf(git: Git, machine: string, given?: string): Promise<Upstream> {
  const branch = given ?? (await branchOf(git));
  if (branch === undefined) {
    throw unusable('No branch is checked out in the store (its HEAD is detached); check one out with git, then sync.');
  }
  const settings = await settingsOf(git);
  const last = (key: string) => settings.get(key)?.at(-1);
  const short = branch.slice('refs/heads/'.length);
  const remote = last(`branch.${short}.remote`) ?? 'origin';
  const theirs = last(`branch.${short}.merge`) ?? branch;
  if (!settings.has(`remote.${remote}.url`)) {
    throw unusable('The store’s repository has no remote to sync with. Run surety init --remote URL once, then sync.');
  }
  if (!NAME.test(remote) || !/^refs\/heads\/[^\s~^:?*[\\-][^\s~^:?*[\\]*$/.test(theirs)) {
    throw unusable('The remote or its branch has a name that sync does not use; rename it with git.');
  }
  const addresses = await addressesOf(git, remote, settings);
  const signs = /^(?:true|yes|on|1|)$/i.test(last('commit.gpgsign') ?? 'false');
  const algorithm = last('extensions.objectformat') === 'sha256' ? 'sha256' : 'sha1';
  const tracked = `refs/remotes/${remote}/${short}`;
  const own = nameOf(last('user.name'), last('user.email'), machine);
  return { branch, remote, theirs, tracked, addresses, algorithm, who: { ...own, signs } };
}

/** Whether no branch is checked out in the store's own repository. */
export async function isHeadDetached({ root }: Pick<Places, 'root'>): Promise<boolean> {
  const git: Git = new Git(root, () => refuseLinks(git.folder));
  return (await branchOf(git)) === undefined;
}

/** The full name of the branch that is checked out; undefined where there is none. */
async function branchOf(git: Git): Promise<string | undefined> {
  const head = await git.run(['symbolic-ref', '--quiet', 'HEAD'], { answers: [1] });
  const branch = head.out.toString('utf8').trim();
  return branch.startsWith('refs/heads/') ? branch : undefined;
}

/** The operator's own where their git has both name and email; a name is one clean line. */
function nameOf(
  userName: string | undefined,
  userEmail: string | undefined,
  machine: string,
): Pick<CommitAuthor, 'name' | 'email'> {
  const line = (text: string | undefined) => shortLine(text ?? '', LONGEST_NAME);
  const [name, email] = [line(userName), line(userEmail)];
  return name !== '' && email !== '' ? { name, email } : { name: line(machine) || 'unknown', email: OWN_EMAIL };
}

const LONGEST_NAME = 100;

/** Git is asked only where its settings may lead elsewhere than to the remote's one `url`. */
async function addressesOf(git: Git, remote: string, settings: GitSettings): Promise<Addresses> {
  const urls = settings.get(`remote.${remote}.url`) ?? [];
  const leadElsewhere = [...settings.keys()].some(
    (key) => key.startsWith('url.') || key === `remote.${remote}.pushurl`,
  );
  const only = urls[0]?.trim() ?? '';
  if (urls.length === 1 && /^[^\p{C}]+$/u.test(only) && !leadElsewhere) return { fetch: only, push: only };
  return { fetch: await addressOf(git, remote, 'fetch'), push: await addressOf(git, remote, 'push') };
}

/** The one address of a remote. Git pushes to all of them, so a second one would get an unwanted copy. */
async function addressOf(git: Git, remote: string, way: keyof Addresses): Promise<string> {
  const said = await git.text(['remote', 'get-url', '--all', ...(way === 'push' ? ['--push'] : []), '--', remote]);
  const [address = '', ...others] = said.split('\n');
  if (others.length === 0 && address !== '') return address;
  const verb = way === 'push' ? 'pushes to' : 'fetches from';
  throw unusable(
    `The store’s remote has ${others.length + 1} addresses it ${verb}: ${said.split('\n').map(shownAddress).join(', ')}. ` +
      `Sync uses one. See them with git remote -v in the store’s folder, take the others away with git remote set-url --delete, then sync.`,
  );
}

/** An address without the login before its host or the token after its path, neither of which may be shown. */
export function shownAddress(address: string): string {
  const open = address
    .replace(/^(https?:\/\/)[^/]*@/i, '$1')
    .replace(/^(\w+:\/\/[^/:@]*):[^/@]*@/, '$1@')
    .replace(/^(https?:[^?#]*)[?#].*$/is, '$1');
  return truncate(visible(maskSecrets(open), 'line'), 200).toString();
}

/** Every value of each setting: the last one counts, except where a setting is a list. */
type GitSettings = ReadonlyMap<string, readonly string[]>;

async function settingsOf(git: Git): Promise<GitSettings> {
  const { out } = await git.run(['config', '--null', '--list']);
  const settings = new Map<string, string[]>();
  for (const line of out.toString('utf8').split('\0')) {
    const end = line.indexOf('\n');
    const [key, value] = end === -1 ? [line, ''] : [line.slice(0, end), line.slice(end + 1)];
    if (key !== '') settings.set(key, [...(settings.get(key) ?? []), value]);
  }
  return settings;
}

interface RemoteBranches {
  /** Full names. */
  readonly names: readonly string[];
  /** The one a clone would check out. */
  readonly first: string | undefined;
}

/** The remote's branches; none where it cannot be asked, because the fetch that follows says why. */
export async function branchesOf(git: Git, { remote, addresses }: Upstream): Promise<RemoteBranches> {
  const how = ifLocal(addresses.fetch, 'upload-pack');
  const args = ['ls-remote', '--symref', ...how, '--', remote, 'HEAD', 'refs/heads/*'];
  const { out } = await git.run(args, { timeout: NETWORK_MS, answers: [128] });
  const lines = out.toString('utf8').split('\n');
  const names = lines.flatMap((line) => /\t(refs\/heads\/.+)$/.exec(line)?.[1] ?? []);
  const first = lines.flatMap((line) => /^ref: (.+)\tHEAD$/.exec(line)?.[1] ?? [])[0];
  return { names, first };
}

/** Fetches the remote's branch; undefined where the remote does not have it yet. Files on the disk stay unchanged. */
export async function fetchFrom(
  git: Git,
  { remote, theirs, tracked, addresses }: Upstream,
): Promise<string | undefined> {
  const quiet = ['--quiet', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head', '--no-auto-maintenance'];
  const how = ifLocal(addresses.fetch, 'upload-pack');
  try {
    await git.run(['fetch', ...quiet, ...how, '--', remote, `+${theirs}:${tracked}`], { timeout: NETWORK_MS });
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    if (/^fatal: couldn't find remote ref /m.test(error.said)) return undefined;
    const address = shownAddress(addresses.fetch);
    throw new GitFailure(
      `the remote ${address} could not be reached or read; what is here is kept, and the next surety sync sends it`,
      error.said,
    );
  }
  return git.text(['rev-parse', '--verify', `${tracked}^{commit}`]);
}

/** 'rejected' when the remote has moved on meanwhile. */
export async function pushTo(
  git: Git,
  { remote, theirs, tracked, addresses }: Upstream,
  commit: string,
): Promise<'done' | 'rejected'> {
  const how = ifLocal(addresses.push, 'receive-pack');
  const args = ['push', '--porcelain', '--no-verify', '--no-follow-tags', ...how, '--', remote, `${commit}:${theirs}`];
  const { code, out, said } = await git.run(args, { timeout: NETWORK_MS, answers: [1] }).catch((error: unknown) => {
    throw error instanceof GitFailure && NO_ROOM.test(error.said) ? remoteIsFull(addresses.push) : error;
  });
  // Git matches every remote name that ends in the branch's name, even if a full name is given.
  if (/^error: dst refspec .* matches more than one$/m.test(said)) {
    throw unusable(
      `The remote has another branch or tag whose name ends in ${truncate(visible(theirs, 'line'), 80)}, so git refuses to push: it cannot tell them apart. ` +
        `Find it with git ls-remote ${remote} in the store’s folder, take it away with git push --delete ${remote} and its whole name, then sync.`,
    );
  }
  if (code === 0) {
    await git.run(['update-ref', tracked, commit]);
    return 'done';
  }
  if (
    /^!.*\[(?:rejected|remote rejected)\].*(?:fetch first|non-fast-forward|cannot lock ref|failed to update ref|stale info)/m.test(
      out.toString('utf8'),
    )
  )
    return 'rejected';
  if (NO_ROOM.test(said)) throw remoteIsFull(addresses.push);
  throw new GitFailure(
    `the remote ${shownAddress(addresses.push)} refused what was pushed`,
    `${said}\n${out.toString('utf8')}`,
  );
}

/** A push writes nothing here, so it is the other disk that has no room. */
function remoteIsFull(address: string): Refusal {
  return unusable(
    `The disk of the remote ${shownAddress(address)} is full, so it took nothing. What is here is committed. Make room there, then run surety sync again.`,
  );
}

/** The newest common commit; undefined where the histories share none. */
export async function commonBase(git: Git, ours: string, theirs: string): Promise<string | undefined> {
  if (ours === theirs) return ours;
  const { out } = await git.run(['merge-base', ours, theirs], { answers: [1] });
  return out.toString('utf8').trim().split('\n')[0] || undefined;
}

/**
 * For a remote in a local folder, git also runs the other side here, with that folder's hooks. This turns them off; a
 * server's hooks are its own.
 */
function ifLocal(address: string, program: string): string[] {
  if (!isFolder(address)) return [];
  const durable = Object.entries(DURABLE).map(([key, value]) => `-c ${key}=${value}`);
  const harmless = `-c core.hooksPath=/dev/null -c core.alternateRefsCommand=true -c gc.auto=0 ${durable.join(' ')}`;
  return [`--${program}=git ${harmless} ${program}`];
}

/** Git's own rule for telling a folder from an address. */
export function isFolder(url: string): boolean {
  if (url.startsWith('file://')) return true;
  const [colon, slash] = [url.indexOf(':'), url.indexOf('/')];
  return colon === -1 || (slash !== -1 && slash < colon) || /^[A-Za-z]:[\\/]/.test(url);
}
