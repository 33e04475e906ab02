import { join } from 'node:path';
import { isObject } from '../../core/is-object.ts';
import { parsedObject } from '../../core/parsed-json.ts';
import type { Disk } from '../disk/disk.ts';
import type { FolderProject } from '../places/project.ts';

/** What this machine knows of one repository. */
interface KnownFolder {
  /** Projects that this repository is believed to be, by first use or by a person's yes. */
  readonly is: readonly string[];
  /** Projects whose memories a person wants loaded here, whatever the repository calls itself. */
  readonly keeps: readonly string[];
  /** Projects about which a person said no; nothing is said about them at session start. */
  readonly quiet: readonly string[];
  /** What each repository that lay here was believed to be, by the mark by which it is known again after it was moved. */
  readonly marks: Readonly<Record<string, readonly string[]>>;
}

/** Which projects' memories belong to a folder. */
export interface ProjectHere {
  /** The project that a new memory gets; undefined without one, and while it is not confirmed. */
  readonly name: string | undefined;
  /** Projects whose memories are loaded here. */
  readonly names: readonly string[];
  /** What the folder calls itself while this machine knows that project from other folders only. */
  readonly unconfirmed: string | undefined;
  /** Names that the folder had before, here or where it lay before it was moved, and that are not among `names`. */
  readonly former: readonly string[];
  readonly quiet: readonly string[];
}

const NO_PROJECT: ProjectHere = { name: undefined, names: [], unconfirmed: undefined, former: [], quiet: [] };

/** Some thousands of folders. */
const LARGEST_FILE = 1024 * 1024;
const NOTHING: KnownFolder = { is: [], keeps: [], quiet: [], marks: {} };

/**
 * From which folders this machine knows a project. The first folder in which a project's memories are used is believed;
 * another one that calls itself the same gets none of them until a person confirmed it, because a repository can call
 * itself anything. Written without a lock: a line that two processes lose is written again at the next use.
 */
export class KnownProjects {
  readonly #file: string;
  readonly #disk: Disk;

  constructor(state: string, disk: Disk) {
    this.#file = join(state, 'projects.json');
    this.#disk = disk;
  }

  at(folder: FolderProject | undefined): ProjectHere {
    if (folder === undefined) return NO_PROJECT;
    const known = this.#read();
    const { is, keeps, quiet } = known[folder.repository] ?? NOTHING;
    const isFree = (name: string) =>
      is.includes(name) || !Object.values(known).some((other) => other.is.includes(name));
    const name = isFree(folder.name) ? folder.name : undefined;
    // A repository that gets an origin keeps what it had under its folder's name.
    const own = is.includes(folder.ownName) ? [folder.ownName] : [];
    const names = [...new Set([...(name === undefined ? [] : [name]), ...own, ...keeps])];
    const moved = Object.values(known).flatMap(({ marks }) => namesOf(marks, folder.mark));
    const had = [...is, ...(isFree(folder.ownName) ? [folder.ownName] : []), ...moved];
    return {
      name,
      names,
      unconfirmed: name === undefined ? folder.name : undefined,
      former: [...new Set(had)].filter((each) => !names.includes(each)),
      quiet,
    };
  }

  /** Remembers that the project's memories are used in this folder, unless another folder is believed to be it. */
  use(folder: FolderProject | undefined): void {
    if (folder === undefined || this.at(folder).name === undefined) return;
    this.#add(folder, 'is', folder.name);
  }

  /** A person said that this folder is what it calls itself. */
  confirm(folder: FolderProject): void {
    this.#add(folder, 'is', folder.name);
  }

  /** A person said that memories of a name that the folder had before are still its own. */
  keep(folder: FolderProject, name: string): void {
    this.#add(folder, 'keeps', name);
  }

  /** A person said no to either. */
  settle(folder: FolderProject, name: string): void {
    this.#add(folder, 'quiet', name);
  }

  #add({ repository, mark }: FolderProject, list: 'is' | 'keeps' | 'quiet', name: string): void {
    const known = this.#read();
    const before = known[repository] ?? NOTHING;
    const marked = namesOf(before.marks, mark);
    const isMarked = mark === undefined || list === 'quiet' || marked.includes(name);
    if (before[list].includes(name) && isMarked) return;
    const marks = isMarked ? before.marks : { ...before.marks, [mark]: [...marked, name] };
    const names = [...new Set([...before[list], name])];
    const after = { ...known, [repository]: { ...before, [list]: names, marks } };
    this.#disk.replace(this.#file, `${JSON.stringify({ folders: after }, null, 2)}\n`);
  }

  /** A file that is missing or damaged knows nothing: the next folder is believed, as the first one was. */
  #read(): Readonly<Record<string, KnownFolder>> {
    const entry = this.#disk.read(this.#file, LARGEST_FILE);
    const { folders } = entry.kind === 'file' ? parsedObject(entry.bytes.toString('utf8')) : {};
    if (!isObject(folders)) return {};
    return Object.fromEntries(Object.entries(folders).map(([path, each]) => [path, folderIn(each)]));
  }
}

function folderIn(each: unknown): KnownFolder {
  const lists = (each ?? {}) as Readonly<Record<string, unknown>>;
  const names = (list: unknown) =>
    Array.isArray(list) ? list.filter((name): name is string => typeof name === 'string') : [];
  const marks = Object.entries(isObject(lists.marks) ? lists.marks : {}).map(([mark, had]) => [mark, names(had)]);
  return {
    is: names(lists.is),
    keeps: names(lists.keeps),
    quiet: names(lists.quiet),
    marks: Object.fromEntries(marks),
  };
}

function namesOf(marks: KnownFolder['marks'], mark: string | undefined): readonly string[] {
  return mark !== undefined && Object.hasOwn(marks, mark) ? (marks[mark] ?? []) : [];
}
