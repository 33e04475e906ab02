import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The store as its owner's git repository. */
export class Repository {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  async begin(): Promise<void> {
    if (existsSync(join(this.#root, '.git'))) return;
    await this.#git('init', '-q', '-b', 'main');
    await this.commit();
    await this.commit();
  }

  async commit(): Promise<void> {
    await this.#git('add', '-A');
    await this.#git('commit', '-q', '--allow-empty', '-m', 'as it is');
  }

  /** Whether it could: only forward, as git refuses anything else by itself. */
  pull(): Promise<boolean> {
    return this.#git('pull', '-q', '--ff-only', 'origin', 'main');
  }

  lookBack(): Promise<boolean> {
    return this.#git('checkout', '-q', '--detach', 'HEAD~1');
  }

  /** Whether git had to be forced, which throws away what was written since. */
  async comeBack(): Promise<boolean> {
    if (await this.#git('checkout', '-q', 'main')) return false;
    await this.#git('checkout', '-qf', 'main');
    return true;
  }

  /** Every file that is as it is in the state which is checked out; none where git cannot tell. */
  async asCommitted(): Promise<string[]> {
    try {
      const others = new Set((await this.#run('diff', '--name-only', '-z', 'HEAD')).split('\0'));
      return (await this.#run('ls-files', '-z')).split('\0').filter((file) => !others.has(file));
    } catch {
      return [];
    }
  }

  async #git(...args: string[]): Promise<boolean> {
    try {
      await this.#run(...args);
      return true;
    } catch {
      return false;
    }
  }

  async #run(...args: string[]): Promise<string> {
    const person = ['-c', 'user.name=Torture', '-c', 'user.email=torture@example.com', '-c', 'gc.auto=0'];
    const { stdout } = await promisify(execFile)('git', [...person, ...args], {
      cwd: this.#root,
      env: { PATH: process.env.PATH ?? '', HOME: join(this.#root, '..') },
      maxBuffer: 16 * 1024 * 1024,
    });
    return stdout;
  }
}
