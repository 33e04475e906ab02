import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Disk } from '../disk/disk.ts';
import { codeOf } from '../disk/disk-errors.ts';
import { type Git, GitFailure, identity } from './git.ts';
import type { TreeEntry } from './trees.ts';

/** A file for a tree: an existing blob, or its bytes. */
export type BlobContent = Buffer | TreeEntry;

/** A file that a commit has, by its blob. */
export function committedFile(oid: string): TreeEntry {
  return { mode: '100644', oid };
}

const LARGE = 1 << 16;

/** How a repository names its objects. */
export type Algorithm = 'sha1' | 'sha256';

/** Git's object name for these bytes as a file. */
export function blobName(algorithm: Algorithm, bytes: Buffer): string {
  return createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

/** Writes into the store's repository: only objects and, as the last step, one ref, if it has not changed. */
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
   * The tree of exactly these files. Built folder by folder, because git's tools for whole paths search all paths for
   * each one.
   */
  async tree(files: ReadonlyMap<string, BlobContent>): Promise<string> {
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

  /** Uses fast-import, which takes the bytes unchanged: git opens no file and applies no filter or attribute. */
  async #writeBlobs(contents: readonly Buffer[]): Promise<void> {
    const blobs = await this.#withoutKnown(contents);
    if (blobs.length === 0) return;
    const parts = blobs.flatMap((blob) => [Buffer.from(`blob\ndata ${blob.length}\n`), blob, Buffer.from('\n')]);
    const input = Buffer.concat([...parts, Buffer.from('done\n')]);
    await this.#git.run(['fast-import', '--quiet', '--done'], { input });
  }

  /** Skips large blobs that exist: a ledger that was fetched whole takes longest to store. */
  async #withoutKnown(contents: readonly Buffer[]): Promise<readonly Buffer[]> {
    const large = contents.filter(({ length }) => length > LARGE).map((bytes) => blobName(this.#algorithm, bytes));
    if (large.length === 0) return contents;
    const { out } = await this.#git.run(['cat-file', '--batch-check'], { input: `${large.join('\n')}\n` });
    const answers = out.toString('utf8').split('\n');
    const known = new Set(large.filter((oid) => answers.some((answer) => answer.startsWith(`${oid} blob `))));
    return contents.filter((bytes) => bytes.length <= LARGE || !known.has(blobName(this.#algorithm, bytes)));
  }

  #entry(name: string, content: BlobContent): string {
    const isNew = Buffer.isBuffer(content);
    const { mode, oid } = isNew ? committedFile(blobName(this.#algorithm, content)) : content;
    return `${mode} ${mode === '040000' ? 'tree' : 'blob'} ${oid}\t${name}\0`;
  }

  /** Git checks that everything a tree names exists. */
  async #makeTrees(trees: readonly (readonly string[])[]): Promise<string[]> {
    const input = trees.map((entries) => entries.join('')).join('\0');
    const made = (await this.#git.text(['mktree', '-z', '--batch'], { input })).split('\n');
    // Synced here, because this is the only command that ignores git's fsync settings.
    for (const oid of made) {
      const path = join(this.#git.folder, 'objects', oid.slice(0, 2), oid.slice(2));
      if (this.#disk.exists(path)) this.#disk.makeDurable(path);
    }
    return made;
  }

  /** A commit, signed where the operator's git signs. */
  async commit(tree: string, parents: readonly string[], message: string, who: CommitAuthor): Promise<string> {
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

  /** Moves the branch to a new commit; false when somebody else has moved it. */
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
   * Makes the index match the commit, so that nothing shows as changed. Written to another file and renamed, so that a
   * dead git's lock does not block it. Files that stay on this machine, or are not in its folder, are marked.
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

  /** Keeps files that must not leave out of a person's own `git add` too. */
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

export interface CommitAuthor {
  readonly name: string;
  readonly email: string;
  readonly signs: boolean;
}
