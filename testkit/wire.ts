import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { PATIENCE_MS } from './patience.ts';

/** How a server is started. */
export interface Start {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export type Answer =
  | { readonly kind: 'said'; readonly result: Record<string, unknown>; readonly text: string }
  | { readonly kind: 'refused'; readonly text: string }
  | { readonly kind: 'gone' };

/** A client without a library: what is measured is the server. */
export class Wire {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #next = 0;
  #over = false;
  readonly gone: Promise<void>;

  private constructor({ command, args, cwd, env }: Start) {
    mkdirSync(cwd, { recursive: true });
    // A group of its own: some servers are a wrapper around another process, and both must go.
    this.#child = spawn(command, args, { cwd, env: { PATH: process.env.PATH ?? '', ...env }, detached: true });
    this.#child.stderr.resume();
    this.#child.stdin.on('error', () => undefined);
    // By hand: readline also ends a line at U+2028, which JSON does not escape.
    let rest = '';
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.#hear(line);
    });
    this.gone = new Promise((resolve) => {
      const end = () => {
        this.#over = true;
        for (const answer of this.#waiting.values()) answer({ kind: 'gone' });
        this.#waiting.clear();
        resolve();
      };
      this.#child.on('error', end);
      this.#child.on('close', end);
    });
  }

  /** Started, for a client of the era without a handshake: each request says which revision it speaks. */
  static openPlain(start: Start): Wire {
    return new Wire(start);
  }

  /** Started, and its handshake answered. */
  static async open(start: Start): Promise<Wire> {
    const wire = new Wire(start);
    const clientInfo = { name: 'bench', version: '1' };
    const answer = await wire.ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    if (answer.kind !== 'said') throw new Error(`the server did not start: ${answer.kind}`);
    wire.#send({ method: 'notifications/initialized' });
    return wire;
  }

  call(name: string, args: Readonly<Record<string, unknown>>, patience?: number): Promise<Answer> {
    return this.ask('tools/call', { name, arguments: args }, patience);
  }

  /** The same for what must not fail. */
  async mustCall(
    name: string,
    args: Readonly<Record<string, unknown>>,
    patience?: number,
  ): Promise<Record<string, unknown>> {
    const answer = await this.call(name, args, patience);
    if (answer.kind === 'said') return answer.result;
    throw new Error(`${name}: ${answer.kind === 'refused' ? answer.text.slice(0, 300) : 'the server is gone'}`);
  }

  /** A server that takes longer than this for one answer is ended, and so is gone. */
  ask(method: string, params: unknown, patience = PATIENCE_MS): Promise<Answer> {
    if (this.#over) return Promise.resolve({ kind: 'gone' });
    const id = ++this.#next;
    return new Promise((answer) => {
      const late = setTimeout(() => this.kill(), patience);
      this.#waiting.set(id, (its) => {
        clearTimeout(late);
        answer(its);
      });
      this.#send({ id, method, params });
    });
  }

  /** Anything, whether it is a message or not. */
  write(text: string): void {
    this.#child.stdin.write(text);
  }

  /** Of the process and of those it started. */
  residentMb(): number {
    const pages = processesOf(this.#child.pid ?? -1).map((pid) => readFileSync(`/proc/${pid}/status`, 'utf8'));
    return pages.reduce((sum, status) => sum + Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024, 0);
  }

  kill(): void {
    if (this.#over || this.#child.pid === undefined) return;
    try {
      process.kill(-this.#child.pid, 'SIGKILL');
    } catch {
      // It left a moment ago.
    }
  }

  /** Ends its input and waits; one that stays is killed. */
  async close(): Promise<void> {
    this.#child.stdin.end();
    const late = setTimeout(() => this.kill(), 10_000);
    await this.gone;
    clearTimeout(late);
  }

  #hear(line: string): void {
    let message: { id?: number; result?: Record<string, unknown>; error?: { message?: string } };
    try {
      message = JSON.parse(line);
    } catch {
      // Some servers print other things to stdout.
      return;
    }
    const answer = message.id === undefined ? undefined : this.#waiting.get(message.id);
    if (answer === undefined || message.id === undefined) return;
    this.#waiting.delete(message.id);
    const { result, error } = message;
    const content = (result?.content ?? []) as { text?: string }[];
    const text = error?.message ?? content.map((part) => part.text ?? '').join('\n');
    answer(error || result?.isError ? { kind: 'refused', text } : { kind: 'said', result: result ?? {}, text });
  }

  #send(message: object): void {
    this.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
}

function processesOf(pid: number): number[] {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`);
    const children = tasks.flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' '));
    return [pid, ...children.filter(Boolean).flatMap((child) => processesOf(Number(child)))];
  } catch {
    return [];
  }
}
