import { Refusal } from '../../core/refusal.ts';
import { truncate, visible } from '../../core/text/safe-text.ts';
import { type Git, GitFailure, NETWORK_MS } from './git.ts';
import type { Algorithm, Who } from './writer.ts';

/** What the repository syncs with, and how it commits. */
export interface Upstream {
  readonly branch: string;
  readonly remote: string;
  /** The branch over there. */
  readonly theirs: string;
  /** Where this repository remembers the branch over there. */
  readonly tracked: string;
  readonly algorithm: Algorithm;
  readonly who: Who;
}

const NAME = /^[A-Za-z0-9_][\w./-]{0,100}$/;

/** Reads what to sync with from the repository and the operator's settings. */
export async function upstreamOf(git: Git, machine: string): Promise<Upstream> {
  const head = await git.run(['symbolic-ref', '--quiet', 'HEAD'], { answers: [1] });
  const branch = head.out.toString('utf8').trim();
  if (!branch.startsWith('refs/heads/')) {
    throw unusable('No branch is checked out in the store (its HEAD is detached); check one out with git, then sync.');
  }
  const settings = await settingsOf(git);
  const short = branch.slice('refs/heads/'.length);
  const remote = settings.get(`branch.${short}.remote`) ?? 'origin';
  const theirs = settings.get(`branch.${short}.merge`) ?? branch;
  if (!settings.has(`remote.${remote}.url`)) {
    throw unusable('The store’s repository has no remote to sync with. Run surety init --remote URL once, then sync.');
  }
  if (!NAME.test(remote) || !/^refs\/heads\/[^\s~^:?*[\\-][^\s~^:?*[\\]*$/.test(theirs)) {
    throw unusable('The remote or its branch has a name that sync does not use; rename it with git.');
  }
  const isKnown = settings.has('user.name') && settings.has('user.email');
  const signs = /^(?:true|yes|on|1|)$/i.test(settings.get('commit.gpgsign') ?? 'false');
  const algorithm = settings.get('extensions.objectformat') === 'sha256' ? 'sha256' : 'sha1';
  const tracked = `refs/remotes/${remote}/${short}`;
  return { branch, remote, theirs, tracked, algorithm, who: { machine, isKnown, signs } };
}

async function settingsOf(git: Git): Promise<ReadonlyMap<string, string>> {
  const { out } = await git.run(['config', '--null', '--list']);
  const settings = new Map<string, string>();
  for (const line of out.toString('utf8').split('\0')) {
    const end = line.indexOf('\n');
    if (line !== '') settings.set(end === -1 ? line : line.slice(0, end), end === -1 ? '' : line.slice(end + 1));
  }
  return settings;
}

/** Brings the branch over there here; undefined where the remote does not have it yet. The disk's files stay as they are. */
export async function fetchFrom(git: Git, { remote, theirs, tracked }: Upstream): Promise<string | undefined> {
  const quiet = ['--quiet', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head', '--no-auto-maintenance'];
  const how = await ifLocal(git, remote, 'upload-pack', []);
  try {
    await git.run(['fetch', ...quiet, ...how, '--', remote, `+${theirs}:${tracked}`], { timeout: NETWORK_MS });
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    if (/^fatal: couldn't find remote ref /m.test(error.said)) return undefined;
    throw new GitFailure('the remote could not be reached or read', error.said);
  }
  return git.text(['rev-parse', '--verify', `${tracked}^{commit}`]);
}

/** 'rejected' when the remote has moved on meanwhile. */
export async function pushTo(
  git: Git,
  { remote, theirs, tracked }: Upstream,
  commit: string,
): Promise<'done' | 'rejected'> {
  const how = await ifLocal(git, remote, 'receive-pack', ['--push']);
  const args = ['push', '--porcelain', '--no-verify', '--no-follow-tags', ...how, '--', remote, `${commit}:${theirs}`];
  const { code, out, said } = await git.run(args, { timeout: NETWORK_MS, answers: [1] });
  // Git takes any name over there that ends in the branch's for it, also where it was given whole.
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
  throw new GitFailure('the remote refused what was pushed', `${said}\n${out.toString('utf8')}`);
}

/** The newest commit both have; undefined where their histories have nothing in common. */
export async function commonBase(git: Git, ours: string, theirs: string): Promise<string | undefined> {
  if (ours === theirs) return ours;
  const { out } = await git.run(['merge-base', ours, theirs], { answers: [1] });
  return out.toString('utf8').trim().split('\n')[0] || undefined;
}

/**
 * With a remote that is a folder of this computer, git runs the other side here too, and that side would run the hooks
 * that lie there. It is told not to; a server's own are its own.
 */
async function ifLocal(git: Git, remote: string, program: string, which: readonly string[]): Promise<string[]> {
  const url = await git.text(['remote', 'get-url', ...which, '--', remote]);
  if (!isFolder(url)) return [];
  return [`--${program}=git -c core.hooksPath=/dev/null -c core.alternateRefsCommand=true -c gc.auto=0 ${program}`];
}

/** As git itself tells a folder from an address. */
export function isFolder(url: string): boolean {
  if (url.startsWith('file://')) return true;
  const [colon, slash] = [url.indexOf(':'), url.indexOf('/')];
  return colon === -1 || (slash !== -1 && slash < colon) || /^[A-Za-z]:[\\/]/.test(url);
}

function unusable(sentence: string): Refusal {
  return new Refusal('repository-unusable', sentence);
}
