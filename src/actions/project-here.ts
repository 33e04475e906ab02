import { sanitize } from '../core/text/safe-text.ts';
import { Disk } from '../store/disk/disk.ts';
import type { Places } from '../store/places/places.ts';
import { type FolderProject, projectOfReadable } from '../store/places/project.ts';
import { workingFolder } from '../store/places/working-folder.ts';
import { KnownProjects, type ProjectHere } from '../store/records/known-projects.ts';
import type { SurveyedInProject, Vault } from '../store/vault/vault.ts';

/** The project of a folder, as far as this machine believes the folder. */
export interface SessionProject extends ProjectHere {
  readonly folder: FolderProject | undefined;
  /** Call it when memories of the project are loaded or stored here: the first folder in which they are is believed. */
  use(): void;
}

export function projectOf({ state }: Places, folder: FolderProject | undefined): SessionProject {
  const known = new KnownProjects(state, new Disk());
  return {
    ...known.at(folder),
    folder,
    use: () => {
      try {
        known.use(folder);
      } catch {
        // A disk that takes no writes must not keep memories from being served; the next use remembers the folder.
      }
    },
  };
}

export function projectHere(places: Places, folder: string = workingFolder()): SessionProject {
  return projectOf(places, projectOfReadable(folder));
}

/** A project whose memories are not loaded in this folder though they may belong to it. */
export interface NotLoaded {
  readonly project: string;
  readonly count: number;
  readonly why: 'unconfirmed' | 'former';
  /** A person said no to it already. */
  readonly isSettled: boolean;
  readonly sentence: string;
}

/** What the person should know about the project of this folder; nothing about projects without memories. */
export function notLoaded(here: SessionProject, counts: ReadonlyMap<string, number>): NotLoaded[] {
  const { folder, unconfirmed, former, quiet } = here;
  if (folder === undefined) return [];
  const about = (project: string, why: NotLoaded['why']): NotLoaded[] => {
    const count = counts.get(project) ?? 0;
    if (count === 0) return [];
    const [name, now] = [project, folder.name].map((each) => sanitize(each, 'line'));
    const memories = count === 1 ? '1 memory' : `${count} memories`;
    const left = `${count === 1 ? 'is' : 'are'} not loaded here.`;
    const sentence =
      why === 'unconfirmed'
        ? `This folder calls itself the project ${name}, which this machine knows from another folder. The ${memories} of that project ${left}`
        : `This folder is the project ${now} now and may have been ${name} before. The ${memories} of ${name} ${left}`;
    return [{ project, count, why, isSettled: quiet.includes(project), sentence }];
  };
  return [
    ...(unconfirmed === undefined ? [] : about(unconfirmed, 'unconfirmed')),
    ...former.filter((name) => name !== unconfirmed).flatMap((name) => about(name, 'former')),
  ];
}

/** How many memories outside quarantine each project has, by the index. */
export function memoriesByProject(vault: Vault): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  vault.surveyScoped((known) => countProject(counts, known));
  return counts;
}

export function countProject(counts: Map<string, number>, { project, standing }: SurveyedInProject, times = 1): void {
  if (project !== null && standing.tier !== 'quarantined') counts.set(project, (counts.get(project) ?? 0) + times);
}
