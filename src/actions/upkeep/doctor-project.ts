import { Disk } from '../../store/disk/disk.ts';
import type { FolderProject } from '../../store/places/project.ts';
import { KnownProjects } from '../../store/records/known-projects.ts';
import { memoriesByProject, notLoaded, projectHere } from '../project-here.ts';
import type { ReadSession } from '../session.ts';
import type { Problem } from './problem.ts';

/** Projects whose memories are not loaded in the folder that doctor runs in, though they may belong to it. */
export function projectProblems({ vault }: Pick<ReadSession, 'vault'>): Problem[] {
  const here = projectHere(vault.places);
  const { folder } = here;
  if (folder === undefined) return [];
  const known = new KnownProjects(vault.places.state, new Disk());
  return notLoaded(here, memoriesByProject(vault)).map(({ project, why, sentence }) => {
    const row = why === 'unconfirmed' ? unconfirmed(known, folder) : former(known, folder, project);
    const { repair, ...words } = row;
    const repairs = [{ ...repair, refused: () => known.settle(folder, project) }];
    return { ...words, severity: 'note', about: [folder.repository], what: sentence, repairs };
  });
}

function unconfirmed(known: KnownProjects, folder: FolderProject) {
  return {
    code: 'project-unconfirmed',
    means:
      'A repository can call itself anything, so the memories of a project are loaded in another folder only after you said that both are one project.',
    advice: 'If it is the same project, cloned again or moved, answer yes here. If you do not know it, answer no.',
    repair: {
      name: 'confirm-project',
      question: `Is this folder the project ${folder.name}, too?`,
      done: `Memories of ${folder.name} are loaded here from the next session on.`,
      apply: () => known.confirm(folder),
    },
  };
}

function former(known: KnownProjects, folder: FolderProject, project: string) {
  return {
    code: 'project-renamed',
    means:
      'A folder’s project is named after its remote, or after the folder while there is none; one of them changed.',
    advice: 'If those memories are about this folder, answer yes here. They keep their project’s name.',
    repair: {
      name: 'keep-project',
      question: `Load the memories of ${project} in this folder, too?`,
      done: `Memories of ${project} are loaded here from the next session on.`,
      apply: () => known.keep(folder, project),
    },
  };
}
