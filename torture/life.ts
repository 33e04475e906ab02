import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client as Client2, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport as Transport1 } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Ground } from './ground.ts';
import type { Pending } from './journal.ts';
import { type Asked, answer, type Mood, type Person, rivalIn, visit } from './person.ts';

/** What a tool said; `gone` when the server died first. */
type Reply =
  | { readonly kind: 'said'; readonly said: Record<string, unknown> }
  | { readonly kind: 'refused'; readonly code: string }
  | { readonly kind: 'gone' };

const CAPABILITIES = { capabilities: { elicitation: { form: {}, url: {} } } };
const STARTS_WITHIN_MS = 30_000;
const IDENTITY = { name: 'torture', version: '1' };
const CLOCK = join(import.meta.dirname, 'clock.ts');
const TAKEN_OVER = join(import.meta.dirname, 'injected.ts');

/** What a server is started in, and who hears of it. */
export interface Surroundings extends Person {
  readonly main: string;
  readonly home: string;
  readonly env: Record<string, string>;
  readonly ground: Pick<Ground, 'means'>;
  readonly ownClock: boolean;
  /** What goes wrong at the moment. */
  readonly during: string;
  hear(line: string): void;
}

/** What is loaded before the program: a clock of its own, and failures where nothing can be mounted. */
export function preloads(lane: Surroundings): string[] {
  const files = [...(lane.ownClock ? [CLOCK] : []), ...(lane.ground.means === 'injected' ? [TAKEN_OVER] : [])];
  return files.flatMap((file) => ['--import', file]);
}

/** A client can wait for ever for a server that was killed while they were agreeing on how to speak. */
async function tooLong(): Promise<never> {
  await sleep(STARTS_WITHIN_MS, undefined, { ref: false });
  throw new Error('nothing was heard of it');
}

/** One server process with a real client on its pipes, until it is killed or told to leave. */
export class Life {
  readonly #transport: StdioClientTransport;
  readonly #client: Client1 | Client2;
  readonly #lane: Surroundings;
  /** Memories that this process was given as proposals. */
  readonly proposed = new Set<string>();
  readonly #pending = new Map<string, Asked>();
  #log = '';
  #listens = false;
  #over = false;
  /** Whether it was killed or told to leave. */
  #ending = false;
  readonly gone: Promise<void>;

  private constructor(lane: Surroundings, modern: boolean) {
    this.#lane = lane;
    this.#transport = new StdioClientTransport({
      command: process.execPath,
      args: [...preloads(lane), lane.main],
      cwd: lane.home,
      env: lane.env,
      stderr: 'pipe',
    });
    this.#transport.stderr?.on('data', (chunk: Buffer) => {
      this.#log = (this.#log + String(chunk)).slice(-2_000);
      lane.hear(String(chunk));
    });
    this.#client = modern
      ? new Client2(IDENTITY, { ...CAPABILITIES, versionNegotiation: { mode: { pin: '2026-07-28' } } })
      : new Client1(IDENTITY, CAPABILITIES);
    if (this.#client instanceof Client2)
      this.#client.setRequestHandler('elicitation/create', ({ params }) => this.#ask(params));
    else this.#client.setRequestHandler(ElicitRequestSchema, ({ params }) => this.#ask(params));
    this.gone = new Promise((resolve) => {
      this.#client.onclose = () => {
        this.#over = true;
        if (!this.#ending)
          lane.journal.wrong.push({
            kind: 'bug',
            what: `a server left by itself (${lane.during}): ${this.#log.slice(-300)}`,
          });
        resolve();
      };
    });
  }

  /** `killAfter`: milliseconds after the process began, also while it is still starting. */
  static async start(lane: Surroundings, modern: boolean, killAfter?: number): Promise<Life> {
    const life = new Life(lane, modern);
    if (killAfter !== undefined) setTimeout(() => life.kill(), killAfter);
    const connected =
      life.#client instanceof Client2
        ? life.#client.connect(life.#transport as Transport)
        : life.#client.connect(life.#transport as unknown as Transport1);
    try {
      await Promise.race([connected, life.gone, tooLong()]);
    } catch (error) {
      life.#over = true;
      if (!life.#ending) lane.journal.wrong.push({ kind: 'bug', what: `no server could be started: ${String(error)}` });
    }
    return life;
  }

  get isOver(): boolean {
    return this.#over;
  }

  async call(name: string, input: Record<string, unknown>): Promise<Reply> {
    if (this.#over) return { kind: 'gone' };
    try {
      const result = await this.#client.callTool({ name, arguments: input });
      this.#listens = true;
      const said = (result.structuredContent ?? {}) as Record<string, unknown>;
      if (result.isError !== true) return { kind: 'said', said };
      const { code = 'unknown', sentence = '' } = (said.error ?? {}) as { code?: string; sentence?: string };
      this.#lane.journal.turnedDown(code);
      if (code === 'ledger-trouble') this.#lane.journal.note('*', sentence);
      return { kind: 'refused', code };
    } catch (error) {
      if (this.#over || /closed|not connected/i.test(String(error))) return { kind: 'gone' };
      this.#lane.journal.wrong.push({ kind: 'bug', what: `${name} was answered with ${String(error).slice(0, 200)}` });
      return { kind: 'refused', code: 'protocol' };
    }
  }

  /** A decision, with a person behind the client who answers in this mood. */
  async decide(asked: Pending, mood: Mood): Promise<Reply> {
    this.#pending.set(asked.id, { asked, mood });
    try {
      return await this.call(asked.verb, { id: asked.id });
    } finally {
      this.#pending.delete(asked.id);
    }
  }

  /** Has it look at the clock; before its first answer it would die of the signal. */
  lookAtClock(): void {
    if (this.#listens) this.#signal('SIGUSR2');
  }

  #signal(name: NodeJS.Signals): void {
    const { pid } = this.#transport;
    if (this.#over || pid === null) return;
    try {
      process.kill(pid, name);
    } catch {
      // It left by itself a moment ago.
    }
  }

  kill(): void {
    this.#ending = true;
    this.#signal('SIGKILL');
  }

  async leave(): Promise<void> {
    this.#ending = true;
    await this.#client.close().catch(() => undefined);
  }

  /** Every text has a word that stands nowhere else. */
  #isShown(id: string, message: string): boolean {
    const mark = /\bmark[a-z]?\d+x[0-9a-f]+\b/.exec(this.#lane.journal.acknowledged.get(id)?.body ?? '')?.[0];
    return mark !== undefined && new RegExp(`\\b${mark}\\b`).test(message);
  }

  async #ask(params: object) {
    const { message = '', mode, url = '' } = params as { message?: string; mode?: string; url?: string };
    // The question begins with its memory's id, or shows its text; nothing else on its line is made of these characters alone.
    const ids = message.split('\n')[0]?.match(/\b(?:user|reference)_\w+/g) ?? [];
    const said = [...this.#pending.values()].find(({ asked }) => this.#isShown(asked.id, message));
    const pending = ids.map((id) => this.#pending.get(id)).find((each) => each !== undefined) ?? said;
    if (pending !== undefined) return answer(params, pending.asked, pending.mood, this.#lane);
    if (mode !== 'url') return { action: 'cancel' as const };
    void visit(url, (sheet) => this.#shownOn(sheet), this.#lane).catch(() => undefined);
    return { action: 'accept' as const };
  }

  /** The decision that a sheet of the page asks for: its memory, and not the one that it contradicts. */
  #shownOn(sheet: string): Asked | undefined {
    const rival = rivalIn(sheet);
    return [...this.#pending.values()].find(({ asked: { id } }) => id !== rival && this.#isShown(id, sheet));
  }
}
