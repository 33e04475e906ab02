import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** Where a program shows this text, a person presses these keys, in the names that tmux has for them. */
export interface Habit {
  readonly sees: RegExp;
  readonly presses: readonly string[];
}

/** Each screen has a tmux of its own, because one whose last session was closed ends, and refuses the next while it does. */
let begun = 0;

/** A program at a terminal of 100 columns and 45 rows, which tmux keeps. */
export class Screen {
  /** Every screen on which keys were pressed, with the keys. */
  readonly seen: string[] = [];
  readonly #name: string;
  readonly #socket = `surety-try-${process.pid}-${++begun}`;

  constructor(name: string, cwd: string, env: Readonly<Record<string, string>>, command: readonly string[]) {
    this.#name = name;
    const settings = Object.entries(env).map(([key, value]) => `${key}=${value}`);
    this.#tmux(
      'new-session',
      '-d',
      '-s',
      name,
      '-x',
      '100',
      '-y',
      '45',
      '-c',
      cwd,
      'env',
      '-i',
      ...settings,
      ...command,
    );
    this.#tmux('set-option', '-t', name, 'remain-on-exit', 'on');
  }

  /** What the screen shows now. */
  text(): string {
    return this.#tmux('capture-pane', '-p', '-t', this.#name)
      .replaceAll(/[ \t]+$/gm, '')
      .replaceAll(/\n{3,}/g, '\n\n')
      .trim();
  }

  /** Waits until the screen shows this, pressing keys by habit meanwhile. */
  async until(what: RegExp, habits: readonly Habit[] = []): Promise<string> {
    for (const end = Date.now() + MOST_MS; Date.now() < end; await sleep(400)) {
      const text = this.text();
      const habit = habits.find(({ sees }) => sees.test(text));
      if (habit === undefined && !what.test(text)) continue;
      // A person waits until the screen is drawn.
      await sleep(1500);
      const drawn = this.text();
      if (habit === undefined) {
        if (what.test(drawn) && !habits.some(({ sees }) => sees.test(drawn))) return drawn;
      } else if (habit.sees.test(drawn)) {
        await this.press(...habit.presses);
        // Slow programs still show what was answered.
        for (let waited = 0; waited < 20 && habit.sees.test(this.text()); waited++) await sleep(400);
      }
    }
    throw new Error(`No ${what} on this screen:\n${this.text()}`);
  }

  async press(...keys: readonly string[]): Promise<void> {
    this.seen.push(`${this.text()}\n\n[keys: ${keys.join(' ')}]`);
    for (const key of keys) {
      this.#tmux('send-keys', '-t', this.#name, key);
      await sleep(400);
    }
  }

  /** Ends the program and what it started: Gemini CLI outlives its terminal. */
  close(): void {
    const [pid, isDead] = this.#tmux('display-message', '-p', '-t', this.#name, '#{pane_pid} #{pane_dead}').split(' ');
    this.#tmux('kill-session', '-t', this.#name);
    if (isDead?.trim() === '1') return;
    try {
      process.kill(-Number(pid), 'SIGTERM');
    } catch {}
  }

  #tmux(...args: readonly string[]): string {
    return execFileSync('tmux', ['-L', this.#socket, '-f', '/dev/null', ...args], { encoding: 'utf8' });
  }
}

/** Programs start slowly on a busy machine. */
const MOST_MS = 180_000;
