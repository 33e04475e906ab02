import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Disk } from '../disk/disk.ts';
import { codeOf } from '../disk/disk-errors.ts';
import { type Git, GitFailure, identity } from './git.ts';
import type { TreeEntry } from './trees.ts';

/** A file as it is to stand in a tree: a blob that is there already, or its bytes. */
export type Content = Buffer | TreeEntry;

const LARGE = 1 << 16;

/** How a repository names its objects. */
export type Algorithm = 'sha1' | 'sha256';

/** The name git gives to these bytes as a file. */
export function blobName(algorithm: Algorithm, bytes: Buffer): string {
  return createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

/** Writes into the store's repository. Only objects and, as the last step, one ref that is swapped if it is what was seen. */
export class GitWriter {
  readonly #git: Git;
  readonly #disk: Disk;
  readonly #algorithm: Algorithm;

  constructor(git: Git, disk: Disk, algorithm: Algorithm) {
    this.#git = git;
    this.#disk = disk;
    this.#algorithm = algorithm;
  }

  /**
   * The tree that holds exactly these files: nothing of another tree comes along unnamed. Folder by folder, as git keeps
   * them, because its tools that take whole paths look for each among all others.
   */
  async tree(files: ReadonlyMap<string, Content>): Promise<string> {
    await this.#writeBlobs([...files.values()].filter((content) => Buffer.isBuffer(content)));
    const top: string[] = [];
    const folders = new Map<string, string[]>();
    for (const [path, content] of files) {
      if (/[\n"\0]|\/.*\//.test(path)) throw new Error('a path that git could misread');
      const [folder, name] = path.includes('/') ? path.split('/', 2) : [undefined, path];
      const entries = folder === undefined ? top : (folders.get(folder) ?? []);
      if (folder !== undefined) folders.set(folder, entries);
      entries.push(this.#entry(name ?? '', content));
    }
    const made = await this.#makeTrees([...folders.values()]);
    const below = [...folders.keys()].map((name, i) => `040000 tree ${made[i]}\t${name}\0`);
    const [tree] = await this.#makeTrees([[...top, ...below]]);
    return tree ?? '';
  }

  /** Through fast-import, which takes the bytes as they are: no file is opened by git, no filter or attribute looked at. */
  async #writeBlobs(contents: readonly Buffer[]): Promise<void> {
    const blobs = await this.#withoutKnown(contents);
    if (blobs.length === 0) return;
    const parts = blobs.flatMap((blob) => [Buffer.from(`blob\ndata ${blob.length}\n`), blob, Buffer.from('\n')]);
    const input = Buffer.concat([...parts, Buffer.from('done\n')]);
    await this.#git.run(['fast-import', '--quiet', '--done'], { input });
  }

  /** A ledger that came in whole is here already, and takes longer to store than all else. */
  async #withoutKnown(contents: readonly Buffer[]): Promise<readonly Buffer[]> {
    const large = contents.filter(({ length }) => length > LARGE).map((bytes) => blobName(this.#algorithm, bytes));
    if (large.length === 0) return contents;
    const { out } = await this.#git.run(['cat-file', '--batch-check'], { input: `${large.join('\n')}\n` });
    const answers = out.toString('utf8').split('\n');
    const known = new Set(large.filter((oid) => answers.some((answer) => answer.startsWith(`${oid} blob `))));
    return contents.filter((bytes) => bytes.length <= LARGE || !known.has(blobName(this.#algorithm, bytes)));
  }

  #entry(name: string, content: Content): string {
    const { mode, oid } = Buffer.isBuffer(content)
      ? { mode: '100644', oid: blobName(this.#algorithm, content) }
      : content;
    return `${mode} ${mode === '040000' ? 'tree' : 'blob'} ${oid}\t${name}\0`;
  }

  /** Git looks whether everything a tree names is there. */
  async #makeTrees(trees: readonly (readonly string[])[]): Promise<string[]> {
    const input = trees.map((entries) => entries.join('')).join('\0');
    const made = (await this.#git.text(['mktree', '-z', '--batch'], { input })).split('\n');
    // Of all commands used here this is the one that does not read whether it is to wait for the disk.
    for (const oid of made) {
      const path = join(this.#git.folder, 'objects', oid.slice(0, 2), oid.slice(2));
      if (this.#disk.exists(path)) this.#disk.makeDurable(path);
    }
    return made;
  }

  /** A commit, signed where the operator's git signs. */
  async commit(tree: string, parents: readonly string[], message: string, who: Who): Promise<string> {
    const sign = who.signs ? ['-S'] : [];
    const from = parents.flatMap((parent) => ['-p', parent]);
    const env = identity(who.name, who.email);
    try {
      return await this.#git.text(['commit-tree', ...sign, tree, ...from, '-F', '-'], { input: message, env });
    } catch (error) {
      if (!(error instanceof GitFailure) || !who.signs) throw error;
      throw new GitFailure('the commit could not be signed, as your git is set to do', error.said);
    }
  }

  /** Moves the branch from what was seen to a new commit; false when somebody else has moved it meanwhile. */
  async moveBranch(branch: string, to: string, from: string | undefined): Promise<boolean> {
    const before = from ?? '0'.repeat(to.length);
    const { code } = await this.#git.run(['update-ref', '-m', 'surety sync', branch, to, before], {
      answers: [1, 128],
    });
    if (code === 0) return true;
    const now = await this.#git.run(['rev-parse', '--verify', '--quiet', branch], { answers: [1] });
    const at = now.out.toString('utf8').trim();
    if (at === to) return true;
    if (at !== (from ?? '')) return false;
    throw new GitFailure('the branch could not be moved; is a lock file left in .git/refs by a git that died?', '');
  }

  /**
   * Makes the index say what the commit says, so that nothing shows as changed. Written beside it and put in its place:
   * a lock that a dead git left there is in nobody's way. Files that stay on this machine, or are not kept in its folder, are marked.
   */
  async settleIndex(tree: string, aside: readonly string[]): Promise<void> {
    const index = join(this.#git.folder, 'surety-index');
    for (const left of [index, `${index}.lock`]) this.#disk.discard(left);
    await this.#git.run(['read-tree', tree], { index });
    if (aside.length > 0) {
      const input = aside.map((path) => `${path}\0`).join('');
      await this.#git.run(['update-index', '-z', '--skip-worktree', '--stdin'], { index, input });
    }
    this.#disk.putInPlace(index, join(this.#git.folder, 'index'));
  }

  /** Files that must not leave are also kept from anybody's own `git add`. */
  exclude(paths: readonly string[]): void {
    const path = join(this.#git.folder, 'info', 'exclude');
    const found = this.#disk.read(path, 1 << 20);
    const before = found.kind === 'file' ? found.bytes.toString('utf8') : '';
    const rest = before.replace(BLOCK, '');
    const block = paths.length === 0 ? '' : `${BEGIN}\n${paths.map((each) => `/${each}\n`).join('')}${END}\n`;
    if (rest + block === before) return;
    try {
      this.#disk.makeFolder(join(this.#git.folder, 'info'));
      this.#disk.replace(path, rest + block);
    } catch (error) {
      if (codeOf(error) === '') throw error;
      throw new GitFailure('the list of files that stay here could not be written', '');
    }
  }
}

const BEGIN = '# surety: these stay on this machine';
const END = '# surety: end';
const BLOCK = /^# surety: these stay on this machine\n(?:\/.*\n)*# surety: end\n/gm;

/** Who a commit is by. */
export interface Who {
  readonly name: string;
  readonly email: string;
  readonly signs: boolean;
}
