import { relative } from 'node:path';
import { workTreesAround } from '../places/work-trees.ts';
import { Git, GitFailure } from './git.ts';

/** The repository around a store, and how far a memory's files were part of it. */
export interface History {
  readonly top: string;
  /** The store's path from the top, '' for the top itself. */
  readonly prefix: string;
  /** How many commits, on any branch or in a reflog, touch the files; undefined where git could not say. */
  readonly commits: number | undefined;
  /** The branch that is checked out, and whether there is a remote to push it to. */
  readonly branch: string;
  readonly hasRemote: boolean;
}

/** At most 20 quarantined files per id, because no id ever had more. */
const MOST_SUFFIXES = 20;

/** Looks for a memory in the history around its store. Reads only the log. */
export async function gitHistoryOf(root: string, id: string): Promise<History | undefined> {
  const top = workTreesAround(root)[0]?.top;
  if (top === undefined) return undefined;
  const prefix = relative(top, root);
  const from = prefix === '' ? '' : `${prefix}/`;
  const suffixes = Array.from({ length: MOST_SUFFIXES }, (_, i) => (i === 0 ? '' : `~${i + 1}`));
  const paths = [`${from}memories/${id}.md`, ...suffixes.map((suffix) => `${from}quarantine/${id}${suffix}.md`)];
  const asked = ['log', '--all', '--reflog', '--full-history', '--format=%H', '--', ...paths];
  const git = new Git(top);
  const lineOf = (args: string[]) =>
    git.text(args).then(
      (line) => line.trim(),
      () => '',
    );
  // A person copies it into a shell, and git allows names there that a shell would run.
  const branch = /^[\w./-]+$/.exec(await lineOf(['symbolic-ref', '--short', 'HEAD']))?.[0] ?? 'main';
  const about = { top, prefix, branch, hasRemote: (await lineOf(['config', '--get', 'remote.origin.url'])) !== '' };
  try {
    // Objects that a partial clone lacks are not worth a connection.
    const hashes = await git.text(asked, { env: { GIT_NO_LAZY_FETCH: '1' } });
    return { ...about, commits: hashes.split('\n').filter(Boolean).length };
  } catch (error) {
    if (error instanceof GitFailure) return { ...about, commits: undefined };
    throw error;
  }
}
