import { createInterface, type Interface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

/** The person pressed Ctrl+C. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** How long nothing may come in before a question is put. */
const QUIET_MS = 150;

/**
 * The window a person sits at. Node's own line editing and not a prompt library: an answer is a word and Enter, nothing
 * is redrawn over what was shown, and there is no other code between the person's keys and the yes.
 */
export class Terminal {
  readonly #lines: string[] = [];
  #editor: Interface;
  #waiting: ((what: string | Interrupted | undefined) => void) | undefined;
  #over: { readonly by: Interrupted | undefined } | undefined;
  #typed = false;
  #lent = false;

  constructor() {
    this.#editor = this.#open();
    process.on('SIGINT', this.#interrupt);
    process.stdin.on('keypress', this.#note);
  }

  /** The next line; undefined when there will be none (Ctrl+D, or the window is gone). */
  async line(prompt: string): Promise<string | undefined> {
    if (this.#over === undefined && this.#lines.length > 0) return this.#lines.shift();
    if (this.#over === undefined) {
      const heard = new Promise<string | Interrupted | undefined>((resolve) => {
        this.#waiting = resolve;
      });
      this.#editor.setPrompt(prompt);
      this.#editor.prompt();
      const what = await heard;
      if (!(what instanceof Interrupted)) return what;
    }
    if (this.#over?.by !== undefined) throw this.#over.by;
    return undefined;
  }

  /**
   * The answer to what has just been shown. What was typed or pasted before it, such as the rest of a pasted text after
   * its last line, is thrown away: nobody can have answered a question that was not there yet.
   */
  async answer(prompt: string): Promise<string | undefined> {
    do {
      this.#typed = false;
      await sleep(QUIET_MS);
    } while (this.#typed && this.#over === undefined);
    this.#lines.length = 0;
    // What stands in the line already goes with the editor: in a plain window (TERM=dumb) no key clears a line.
    if (this.#over === undefined && this.#editor.line !== '') {
      await this.lend(async () => void process.stdout.write('\n'));
    }
    return this.line(prompt);
  }

  /** Ends long work where Ctrl+C was pressed although nothing was being asked. */
  heed(): void {
    if (this.#over?.by !== undefined) throw this.#over.by;
  }

  /**
   * Hands the window to another program and takes it back. Nothing here listens meanwhile: the keys, Ctrl+C among them,
   * are that program's.
   */
  async lend<T>(work: () => Promise<T>): Promise<T> {
    this.#lent = true;
    this.#editor.close();
    try {
      // The stream stops reading only a moment after it was paused; until then it would take the first key away.
      await new Promise((stopped) => setImmediate(stopped));
      return await work();
    } finally {
      this.#lines.length = 0;
      this.#lent = false;
      this.#editor = this.#open();
    }
  }

  #open(): Interface {
    // Without history: an arrow key must not bring an earlier yes back.
    const editor = createInterface({ input: process.stdin, output: process.stdout, terminal: true, historySize: 0 });
    editor.on('line', (line) => this.#hear(line));
    editor.on('SIGINT', this.#interrupt);
    editor.on('close', () => this.#lent || this.#end(undefined));
    return editor;
  }

  close(): void {
    this.#over ??= { by: undefined };
    process.off('SIGINT', this.#interrupt);
    process.stdin.off('keypress', this.#note);
    this.#editor.close();
  }

  readonly #note = () => {
    this.#typed = true;
  };

  readonly #interrupt = () => {
    if (this.#lent) return;
    this.#end(new Interrupted('interrupted'));
  };

  #hear(line: string): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) this.#lines.push(line);
    else waiting(line);
  }

  #end(by: Interrupted | undefined): void {
    if (this.#over !== undefined) return;
    this.#over = { by };
    // The prompt is still open on its line.
    process.stdout.write('\n');
    this.#waiting?.(by);
    this.#waiting = undefined;
  }
}
