import { Refusal } from '../../core/refusal.ts';
import { isHarmlessBeside, isHarmlessName, SHARED_FOLDERS, sharedAt } from '../../core/sync/shared-paths.ts';
import { type Git, GitFailure } from './git.ts';

export interface TreeEntry {
  readonly mode: string;
  readonly oid: string;
}

/** A commit's content as the store sees it. Nothing of it has touched the disk. */
export interface CommitTree {
  /** Shared files by path, each with its blob. */
  readonly shared: ReadonlyMap<string, string>;
  /** Other people's entries that a commit can keep: files and folders at the top, strays beside shared files. */
  readonly others: ReadonlyMap<string, TreeEntry>;
  /** What no store holds and no commit of ours keeps: links, submodules, names with a special meaning. */
  readonly refused: readonly string[];
}

const NO_TREE: CommitTree = { shared: new Map(), others: new Map(), refused: [] };

const FILE = /^100(?:644|755|664)$/;
export const FOLDER = '040000';
const MOST_LISTED = 64 << 20;
const MOST_OTHERS = 1 << 20;

/** Reads trees and blobs of the store's repository; caches them by object name. */
export class GitTrees {
  readonly #git: Git;
  readonly #listed = new Map<string, Promise<readonly (TreeEntry & { readonly name: string })[]>>();
  readonly #trees = new Map<string, Promise<CommitTree>>();
  readonly #sizes = new Map<string, number>();

  constructor(git: Git) {
    this.#git = git;
  }

  of(commit: string | undefined): Promise<CommitTree> {
    if (commit === undefined) return Promise.resolve(NO_TREE);
    const known = this.#trees.get(commit) ?? this.#read(commit);
    this.#trees.set(commit, known);
    return known;
  }

  /** Those of these blobs that are at most so large, with their sizes. Git is asked once for each. */
  async fitting(oids: Iterable<string>, atMost: number): Promise<Map<string, number>> {
    const asked = [...new Set(oids)];
    const wanted = asked.filter((oid) => !this.#sizes.has(oid));
    for (let from = 0; from < wanted.length; from += PORTION) {
      const some = wanted.slice(from, from + PORTION);
      const { out } = await this.#git.run(['cat-file', '--batch-check'], { input: `${some.join('\n')}\n` });
      for (const [i, line] of out.toString('utf8').trimEnd().split('\n').entries()) {
        const [, kind, size] = line.split(' ');
        if (kind === 'missing') throw new GitFailure('the repository lacks an object it names', '');
        this.#sizes.set(some[i] ?? '', kind === 'blob' ? Number(size) : Number.POSITIVE_INFINITY);
      }
    }
    const sizes = asked.map((oid) => [oid, this.#sizes.get(oid) ?? Number.POSITIVE_INFINITY] as const);
    return new Map(sizes.filter(([, size]) => size <= atMost));
  }

  /** The blobs' bytes; one larger than `atMost` is neither read nor returned. */
  async blobs(oids: Iterable<string>, atMost: number): Promise<Map<string, Buffer>> {
    const fitting = [...(await this.fitting(oids, atMost)).keys()];
    const found = new Map<string, Buffer>();
    for (let from = 0; from < fitting.length; from += PORTION) {
      const some = fitting.slice(from, from + PORTION);
      const { out } = await this.#git.run(['cat-file', '--batch'], { input: `${some.join('\n')}\n` });
      let at = 0;
      for (const oid of some) {
        const end = out.indexOf(0x0a, at);
        const size = Number(out.toString('latin1', at, end).split(' ')[2]);
        found.set(oid, Buffer.from(out.subarray(end + 1, end + 1 + size)));
        at = end + size + 2;
      }
    }
    return found;
  }

  async #read(commit: string): Promise<CommitTree> {
    const shared = new Map<string, string>();
    const others = new Map<string, TreeEntry>();
    const refused: string[] = [];
    const top = await this.#list(`${commit}^{tree}`);
    await Promise.all(
      top.map(async ({ name, ...entry }) => {
        if (!SHARED_FOLDERS.some((folder) => folder === name)) return sort(name, entry, others, refused);
        if (entry.mode !== FOLDER) return void refused.push(name);
        for (const { name: inner, ...file } of await this.#list(entry.oid)) {
          const path = `${name}/${inner}`;
          if (FILE.test(file.mode) && sharedAt(path) !== undefined) shared.set(path, file.oid);
          else if (FILE.test(file.mode) && isHarmlessBeside(name, inner)) others.set(path, file);
          else refused.push(path);
        }
      }),
    );
    return { shared, others, refused: refused.sort() };
  }

  /** Those of these entries that a tree rightly calls a file: git takes and sends trees that call a folder one. */
  async files(entries: Iterable<TreeEntry>): Promise<ReadonlySet<string>> {
    const oids = [...entries].filter(({ mode }) => mode !== FOLDER).map(({ oid }) => oid);
    return new Set((await this.fitting(oids, Number.MAX_SAFE_INTEGER)).keys());
  }

  /** Every file in a kept folder, or undefined if something in it is no plain file. */
  async filesBelow(entry: TreeEntry): Promise<readonly string[] | undefined> {
    if (entry.mode !== FOLDER) return [];
    try {
      const { out } = await this.#git.run(['ls-tree', '-r', '-z', entry.oid], { atMost: MOST_OTHERS, timeout: 10_000 });
      const files = entriesIn(out);
      const plain = files.every(
        ({ name, mode }) => FILE.test(mode) && name.split('/').every(isHarmlessName) && name.length < 1000,
      );
      return plain ? files.map(({ name }) => name) : undefined;
    } catch (error) {
      if (!(error instanceof GitFailure)) throw error;
      throw new Refusal(
        'repository-unusable',
        'The repository holds thousands of files besides the store’s. Is it the right one? Sync does not go on with it.',
      );
    }
  }

  #list(tree: string): Promise<readonly (TreeEntry & { readonly name: string })[]> {
    const known =
      this.#listed.get(tree) ??
      this.#git.run(['ls-tree', '-z', tree], { atMost: MOST_LISTED }).then(({ out }) => entriesIn(out));
    this.#listed.set(tree, known);
    return known;
  }
}

const PORTION = 2_000;

function sort(name: string, entry: TreeEntry, others: Map<string, TreeEntry>, refused: string[]): void {
  const isFile = FILE.test(entry.mode);
  const atTop = (isFile || entry.mode === FOLDER) && isHarmlessName(name);
  if (atTop || (name === '.gitattributes' && isFile)) others.set(name, entry);
  else refused.push(name);
}

/** A name that is not UTF-8 gets a replacement character, and such names are refused. */
function entriesIn(out: Buffer): (TreeEntry & { readonly name: string })[] {
  return out
    .toString('utf8')
    .split('\0')
    .filter((line) => line !== '')
    .map((line) => {
      const tab = line.indexOf('\t');
      const [mode = '', , oid = ''] = line.slice(0, tab).split(' ');
      return { mode, oid, name: line.slice(tab + 1) };
    });
}
