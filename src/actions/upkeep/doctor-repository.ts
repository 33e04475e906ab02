import { join } from 'node:path';
import { Refusal } from '../../core/refusal.ts';
import { Disk } from '../../store/disk/disk.ts';
import { damagedObjects } from '../../store/git/damage.ts';
import { GitFailure, isGitMissing } from '../../store/git/git.ts';
import { isHeadDetached } from '../../store/git/remote.ts';
import type { Places } from '../../store/places/places.ts';
import { remakeRepository } from '../../store/sync/remake-repository.ts';
import { about, inVault, type Problem, type ProblemRow, problemsOf, when } from './problem.ts';

interface ExaminedRepository {
  readonly places: Places;
  readonly damaged: readonly string[];
  readonly isGitMissing?: boolean;
  readonly isDetached?: boolean;
}

export const REPOSITORY_PROBLEMS: readonly ProblemRow<ExaminedRepository>[] = [
  {
    code: 'git-missing',
    severity: 'problem',
    find: ({ places, isGitMissing = false }) => when(isGitMissing, { about: [places.root] }),
    what: 'The store is a git repository, and there is no git here: it is not installed, or not on the PATH.',
    means: 'surety sync fails, and nobody can tell whether the repository is whole. No memory is harmed.',
    advice: 'Install git, or put its folder on the PATH, then run surety doctor again.',
  },
  {
    code: 'repository-damaged',
    severity: 'problem',
    find: ({ damaged }) => about(damaged),
    what: 'Objects or refs of the store’s git repository are damaged or missing, as after a power cut.',
    means: 'Sync fails. No memory is harmed: the store’s files and ledgers lie beside the repository, not in it.',
    advice:
      'Have a fresh repository made from the files. The old one is moved aside and kept; the remote, the branch and your settings stay. Memories that were removed here and not synced yet come back from the remote.',
    repair: {
      name: 'remake-repository',
      question: 'Move the damaged .git aside and make a fresh one from the files?',
      done: 'The store has a fresh repository; the old one lies beside it under a name that begins with .git-damaged. Run surety sync.',
      apply: ({ places }) => inVault(places, remakeRepository),
    },
  },
  {
    code: 'repository-detached',
    severity: 'problem',
    find: ({ places, isDetached = false }) => when(isDetached, { about: [places.root] }),
    what: 'No branch is checked out in the store’s git repository: its HEAD is detached.',
    means: 'surety sync fails. No memory is harmed.',
    advice: 'Check a branch out with git, then run surety sync.',
  },
];

/** Whether the store's own repository is intact. A repository that is not Surety's is left alone; sync says why. */
export async function repositoryProblems(places: Places): Promise<Problem[]> {
  if (!new Disk().isFolder(join(places.root, '.git'))) return [];
  try {
    const damaged = await damagedObjects(places);
    // Of a damaged HEAD git cannot say where it is.
    const isDetached = damaged.length === 0 && (await isHeadDetached(places));
    return problemsOf(REPOSITORY_PROBLEMS, { places, damaged, isDetached });
  } catch (error) {
    if (error instanceof GitFailure && isGitMissing(error))
      return problemsOf(REPOSITORY_PROBLEMS, { places, damaged: [], isGitMissing: true });
    if (error instanceof Refusal || error instanceof GitFailure) return [];
    throw error;
  }
}
