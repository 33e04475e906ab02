import { createInterface, type Interface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

/** The person pressed Ctrl+C. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** Milliseconds without input before a question is asked. */
const QUIET_MS = 150;

/**
 * Asks at the person's terminal. Uses Node's readline and no prompt library: an answer is a word and Enter, nothing
 * shown is redrawn, and no other code sits between the keys and the yes.
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

  /** Reads a line; undefined when input has ended (Ctrl+D, or the window was closed). */
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
   * Reads the answer to what is on the screen. Earlier input, such as the rest of a pasted text, is dropped: it cannot
   * answer a question that was not shown yet.
   */
  async answer(prompt: string): Promise<string | undefined> {
    do {
      this.#typed = false;
      await sleep(QUIET_MS);
    } while (this.#typed && this.#over === undefined);
    this.#lines.length = 0;
    // A half-typed line is dropped with its editor, because no key clears a line when TERM=dumb.
    if (this.#over === undefined && this.#editor.line !== '') {
      await this.lend(async () => void process.stdout.write('\n'));
    }
    return this.line(prompt);
  }

  /** Throws if Ctrl+C was pressed during work that asks nothing. */
  heed(): void {
    if (this.#over?.by !== undefined) throw this.#over.by;
  }

  /**
   * Lends the terminal to another program. Nothing is read here meanwhile, because that program gets every key,
   * including Ctrl+C.
   */
  async lend<T>(work: () => Promise<T>): Promise<T> {
    this.#lent = true;
    this.#editor.close();
    try {
      // The stream stops reading a moment after `pause`; until then it would swallow the first key.
      await new Promise((stopped) => setImmediate(stopped));
      return await work();
    } finally {
      this.#lines.length = 0;
      this.#lent = false;
      this.#editor = this.#open();
    }
  }

  #open(): Interface {
    // No history, because an arrow key must not bring back an earlier yes.
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
    // Ends the line that still shows the prompt.
    process.stdout.write('\n');
    this.#waiting?.(by);
    this.#waiting = undefined;
  }
}
