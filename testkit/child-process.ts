import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { inject } from 'vitest';

/** child.ts as it was built for this run of the tests (build.ts): its sources take three times as long to start. */
const CHILD = inject('child');
const running = new Set<Child>();

/** child.ts in a process of its own: it prints a JSON value a line, and goes on when it is told to go on. */
export class Child {
  readonly process: ChildProcess;
  readonly said: unknown[] = [];
  /** How it ended: an exit code or the name of a signal. */
  readonly ended: Promise<number | string>;
  stderr = '';
  #notify: () => void = () => undefined;

  constructor(order: object) {
    this.process = spawn(process.execPath, [CHILD, JSON.stringify(order)], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    running.add(this);
    const { stdout, stderr, stdin } = this.process;
    if (stdout === null || stderr === null || stdin === null) throw new Error('the child has no pipes');
    stdin.on('error', () => undefined);
    stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    const lines = createInterface({ input: stdout });
    lines.on('line', (line) => {
      this.said.push(JSON.parse(line));
      this.#notify();
    });
    const closed = new Promise<void>((resolve) => lines.on('close', resolve));
    this.ended = new Promise((resolve) => {
      this.process.on('close', (code, signal) => {
        void closed.then(() => {
          running.delete(this);
          resolve(code ?? signal ?? 'unknown');
          this.#notify();
        });
      });
    });
  }

  /** The n-th thing it said (from 0), waited for; an error when it ends without saying it. */
  async word<T>(n: number): Promise<T> {
    while (this.said.length <= n) {
      if (!running.has(this)) throw new Error(`the child ended after ${this.said.length} words: ${this.stderr}`);
      await new Promise<void>((resolve) => {
        this.#notify = resolve;
      });
    }
    return this.said[n] as T;
  }

  go(): void {
    this.process.stdin?.write('go\n');
  }

  stop(): void {
    this.process.stdin?.end();
  }

  kill(): void {
    this.process.kill('SIGKILL');
  }

  /** Everything it said, once it has ended well. */
  async all<T>(): Promise<T[]> {
    const code = await this.ended;
    if (code !== 0) throw new Error(`the child ended with ${code}: ${this.stderr}`);
    return this.said as T[];
  }
}

/** The same, waited for without giving way: for what happens in the middle of a synchronous step. */
export function orderAtOnce(order: object): void {
  execFileSync(process.execPath, [CHILD, JSON.stringify(order)], {
    input: 'go\n',
    stdio: ['pipe', 'ignore', 'inherit'],
  });
}

/** Ends what a test left running, each by its own id. */
export async function endChildren(): Promise<void> {
  for (const child of running) child.kill();
  await Promise.all([...running].map((child) => child.ended));
}

/** Runs `work` over all items, a few at a time. */
export async function inTurns<T>(items: readonly T[], width: number, work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: width }, worker));
}
