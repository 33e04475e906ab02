import { join } from 'node:path';
import type { Disk } from './disk.ts';
import { codeOf } from './failures.ts';
import { type Git, GitFailure } from './git.ts';
import type { TreeEntry } from './git-tree.ts';

/** A file as it is to stand in a tree: a blob that is there already, or its bytes. */
export type Content = Buffer | TreeEntry;

/** Where a tree is put together; nothing but this program looks at it. */
export const WORKSHOP = 'refs/surety/work';

/** Writes into the store's repository. Only objects and, as the last step, one ref that is swapped if it is what was seen. */
export class GitWriter {
  readonly #git: Git;
  readonly #disk: Disk;

  constructor(git: Git, disk: Disk) {
    this.#git = git;
    this.#disk = disk;
  }

  /**
   * The tree that holds exactly these files. Through fast-import, which takes the bytes as they are: no file is opened by
   * git, no filter or attribute is looked at, and nothing of another tree comes along unnamed.
   */
  async tree(files: ReadonlyMap<string, Content>): Promise<string> {
    const parts: Buffer[] = [Buffer.from(`commit ${WORKSHOP}\ncommitter surety <surety> 0 +0000\ndata 0\n\n`)];
    for (const [path, content] of files) {
      if (/[\n"\0]/.test(path)) throw new Error('a path that git could misread');
      if (Buffer.isBuffer(content)) {
        parts.push(Buffer.from(`M 100644 inline ${path}\ndata ${content.length}\n`), content, Buffer.from('\n'));
      } else parts.push(Buffer.from(`M ${content.mode} ${content.oid} ${path}\n`));
    }
    parts.push(Buffer.from('\ndone\n'));
    await this.#git.run(['fast-import', '--quiet', '--force', '--done', '--date-format=raw'], {
      input: Buffer.concat(parts),
    });
    return this.#git.text(['rev-parse', '--verify', `${WORKSHOP}^{tree}`]);
  }

  /** A commit, signed where the operator's git signs. */
  async commit(tree: string, parents: readonly string[], message: string, who: Who): Promise<string> {
    const sign = who.signs ? ['-S'] : [];
    const from = parents.flatMap((parent) => ['-p', parent]);
    const env: Record<string, string> = {};
    if (!who.isKnown) {
      for (const role of ['AUTHOR', 'COMMITTER']) {
        env[`GIT_${role}_NAME`] = who.machine;
        env[`GIT_${role}_EMAIL`] = 'surety@localhost';
      }
    }
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
  readonly machine: string;
  /** Whether the operator's git knows their name and address. */
  readonly isKnown: boolean;
  readonly signs: boolean;
}
