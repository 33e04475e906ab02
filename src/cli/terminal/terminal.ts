import { createInterface, type Interface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { sanitize } from '../../core/text/safe-text.ts';
import { Interrupted } from '../command.ts';
import { windowSize } from './print.ts';
import { wrapped } from './quote.ts';

/** Milliseconds without input before a question is asked. */
const QUIET_MS = 150;
/** A key that is held down comes again after half a second or so, as the system is set, and then many times a second. */
const HELD_MS = 750;
const [CTRL_C, CTRL_D, CTRL_Z] = ['\x03', '\x04', '\x1a'];
/** Windows stops no program, so Ctrl+Z is a key like any other there. */
const canBeStopped = process.platform !== 'win32';
/** The question has to be asked again: the program was stopped and goes on, or something was printed below it. */
const AGAIN = Symbol('again');
type Heard = string | typeof AGAIN | undefined;

interface KeyOptions {
  readonly within?: number | undefined;
  readonly again?: (() => void) | undefined;
}

/**
 * Asks at the person's terminal. Uses Node's readline and no prompt library: nothing shown is redrawn, and no other code
 * sits between the keys and the yes. An answer is a word and Enter, or one key where `key` is used.
 */
export class Terminal {
  readonly #lines: string[] = [];
  /** Open while lines are read; single keys and other programs need it closed. */
  #editor: Interface | undefined;
  #waiting: ((what: Heard | Interrupted) => void) | undefined;
  #over: { readonly by: Interrupted | undefined } | undefined;
  #typed = false;
  #readsKeys = false;
  /** The letter that answered last, and when. */
  #letter = { key: '', at: 0 };
  #pressedAt = 0;

  constructor() {
    this.#editor = this.#open();
    process.on('SIGINT', this.#interrupt);
    process.on('SIGCONT', this.#goOn);
    process.stdin.on('keypress', this.#note);
  }

  /** Whether a key can be read without Enter: not in a window that shows only lines, such as an editor's shell. */
  get takesKeys(): boolean {
    return typeof process.stdin.setRawMode === 'function' && process.env.TERM !== 'dumb';
  }

  /** Ends the waiting for an answer when the window is closed or the program is asked to end, so that work can be finished. */
  endOnSignals(): void {
    process.on('SIGTERM', this.#terminate);
    process.on('SIGHUP', this.#terminate);
  }

  /** Reads a line; undefined when input has ended (Ctrl+D, or the window was closed). */
  async line(prompt: string): Promise<string | undefined> {
    return untilHeard(() => this.#readLine(prompt));
  }

  /**
   * Reads the answer to what is on the screen. Earlier input, such as the rest of a pasted text, is dropped: it cannot
   * answer a question that was not shown yet. `again` shows the question once more after the program was stopped.
   */
  async answer(prompt: string, again?: () => void): Promise<string | undefined> {
    return untilHeard(async () => {
      this.#readLines();
      await this.#untilQuiet();
      this.#lines.length = 0;
      // A half-typed line is dropped with its editor, because no key clears a line when TERM=dumb.
      if (this.#over === undefined && this.#editor?.line !== '') {
        await this.lend(async () => void process.stdout.write('\n'));
      }
      return this.#readLine(prompt);
    }, again);
  }

  /**
   * Reads one key without Enter, as `answer` does. What comes in one piece is one answer, so a pasted text is none of the
   * keys. A letter that is held down answers one question, because the next text is on the screen before the key is up. Empty
   * after `within` milliseconds without a key.
   */
  async key(prompt: string, { within, again }: KeyOptions = {}): Promise<string | undefined> {
    const until = within === undefined ? undefined : performance.now() + within;
    return untilHeard(() => this.#readKey(prompt, until), again);
  }

  /** Prints above the question that is waiting, if there is one: the question is asked again, and stays the last line. */
  interject(print: () => void): void {
    if (this.#waiting !== undefined) process.stdout.write('\n');
    print();
    this.#askAgain();
  }

  /** Throws if Ctrl+C was pressed during work that asks nothing. */
  throwIfInterrupted(): void {
    if (this.#over?.by !== undefined) throw this.#over.by;
  }

  /**
   * Lends the terminal to another program. Nothing is read here meanwhile, because that program gets every key,
   * including Ctrl+C.
   */
  async lend<T>(work: () => Promise<T>): Promise<T> {
    this.#stopKeys();
    this.#closeEditor();
    try {
      // The stream stops reading a moment after `pause`; until then it would swallow the first key.
      await new Promise((stopped) => setImmediate(stopped));
      return await work();
    } finally {
      this.#lines.length = 0;
      this.#editor = this.#open();
    }
  }

  close(): void {
    this.#over ??= { by: undefined };
    process.off('SIGINT', this.#interrupt);
    process.off('SIGCONT', this.#goOn);
    process.off('SIGTERM', this.#terminate);
    process.off('SIGHUP', this.#terminate);
    process.stdin.off('keypress', this.#note);
    this.#stopKeys();
    this.#closeEditor();
  }

  async #readLine(prompt: string): Promise<Heard> {
    this.#readLines();
    if (this.#over === undefined && this.#lines.length > 0) return this.#lines.shift();
    this.#editor?.setPrompt(fitPrompt(prompt));
    // True keeps the cursor where it is in a line that was begun before the program was stopped.
    return this.#heard(() => this.#editor?.prompt(true));
  }

  async #readKey(prompt: string, until: number | undefined): Promise<Heard> {
    this.#readKeys();
    await this.#untilQuiet();
    const timer = until === undefined ? undefined : setTimeout(() => this.#hear(''), until - performance.now());
    try {
      const typed = await this.#heard(() => process.stdout.write(fitPrompt(prompt)));
      if (typeof typed === 'string') process.stdout.write(`${/^[a-z]$/.test(typed) ? typed : ''}\n`);
      return typed;
    } finally {
      clearTimeout(timer);
    }
  }

  /** What the person enters after `ask` has asked. */
  async #heard(ask: () => void): Promise<Heard> {
    if (this.#over === undefined) {
      const heard = new Promise<Heard | Interrupted>((resolve) => {
        this.#waiting = resolve;
      });
      ask();
      const what = await heard;
      if (!(what instanceof Interrupted)) return what;
    }
    if (this.#over?.by !== undefined) throw this.#over.by;
    return undefined;
  }

  async #untilQuiet(): Promise<void> {
    do {
      this.#typed = false;
      await sleep(QUIET_MS);
    } while (this.#typed && this.#over === undefined);
  }

  #open(): Interface {
    // No history, because an arrow key must not bring back an earlier yes.
    const editor = createInterface({ input: process.stdin, output: process.stdout, terminal: true, historySize: 0 });
    editor.on('line', (line) => this.#hear(line));
    editor.on('SIGINT', this.#interrupt);
    // Without this, readline would stop reading when the program goes on.
    editor.on('SIGTSTP', this.#stop);
    editor.on('error', this.#finish);
    editor.on('close', () => {
      if (this.#editor === editor) this.#end(undefined, process.stdin.readableEnded ? '' : '\n');
    });
    return editor;
  }

  #closeEditor(): void {
    const editor = this.#editor;
    this.#editor = undefined;
    editor?.close();
  }

  #readLines(): void {
    if (this.#over !== undefined || this.#editor !== undefined) return;
    this.#stopKeys();
    this.#editor = this.#open();
  }

  /** The line editor would show keys and gather them, so it is closed meanwhile. */
  #readKeys(): void {
    if (this.#over !== undefined || this.#readsKeys) return;
    this.#closeEditor();
    this.#readsKeys = true;
    process.stdin.setRawMode(true);
    process.stdin.on('data', this.#press);
    process.stdin.on('end', this.#finish);
    process.stdin.on('error', this.#finish);
    process.stdin.resume();
  }

  #stopKeys(): void {
    if (!this.#readsKeys) return;
    this.#readsKeys = false;
    this.#letter = { key: '', at: 0 };
    // Of a window that is gone it reports an error, which would end the program where nobody listens.
    process.stdin.setRawMode(false);
    process.stdin.off('data', this.#press);
    process.stdin.off('end', this.#finish);
    process.stdin.off('error', this.#finish);
    process.stdin.pause();
  }

  readonly #press = (piece: Buffer | string) => {
    this.#typed = true;
    const typed = piece.toString();
    const key = typed.replace(/[\r\n]+$/, '');
    const isHeld = this.#isHeld(key);
    if (typed.includes(CTRL_C)) this.#interrupt();
    else if (typed.includes(CTRL_D)) this.#end(undefined, '\n');
    else if (typed.includes(CTRL_Z) && canBeStopped) this.#stop();
    // A key before the question is on the screen answers nothing.
    else if (this.#waiting !== undefined && !isHeld) {
      this.#letter = { key, at: this.#pressedAt };
      this.#hear(key);
    }
  };

  #isHeld(key: string): boolean {
    const [before, now] = [this.#pressedAt, performance.now()];
    this.#pressedAt = now;
    // Over a slow line several repeats come in one piece.
    const isSame = /^([a-z])\1*$/i.test(key) && key[0] === this.#letter.key;
    return isSame && (now - this.#letter.at < HELD_MS || now - before < QUIET_MS);
  }

  readonly #note = () => {
    this.#typed = true;
  };

  readonly #interrupt = () => {
    // Another program has the terminal, and with it Ctrl+C.
    if (this.#editor === undefined && !this.#readsKeys) return;
    this.#end(new Interrupted('interrupted'), '\n');
  };

  /** Ctrl+Z. It stops the whole job, as the terminal itself does, because a program that started this one waits in it. */
  readonly #stop = () => {
    process.stdin.setRawMode(false);
    process.kill(0, 'SIGTSTP');
    // Here the program goes on. SIGCONT is heard too late: what was typed meanwhile may be read before it.
    this.#goOn();
  };

  /** Goes on after the program was stopped: by Ctrl+Z, or by another program. */
  readonly #goOn = () => {
    // Another program has the terminal, and its mode.
    if (this.#over !== undefined || (this.#editor === undefined && !this.#readsKeys)) return;
    // The shell has changed the mode, and a mode that Node believes to be set would not be set again.
    process.stdin.setRawMode(false);
    process.stdin.setRawMode(true);
    this.#askAgain();
  };

  #askAgain(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.(AGAIN);
  }

  readonly #terminate = () => this.#end(new Interrupted('interrupted'), '');
  readonly #finish = () => this.#end(undefined, '');

  #hear(line: string): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) this.#lines.push(line);
    else waiting(line);
  }

  /** `lineEnd` ends the line that still shows the prompt. A window that is gone takes no output: writing would end the program. */
  #end(by: Interrupted | undefined, lineEnd: '\n' | ''): void {
    if (this.#over !== undefined) return;
    this.#over = { by };
    if (lineEnd !== '') process.stdout.write(lineEnd);
    this.#waiting?.(by);
    this.#waiting = undefined;
  }
}

/** Asks until something other than `AGAIN` is heard; `again` runs before each further question. */
async function untilHeard(ask: () => Promise<Heard>, again?: () => void): Promise<string | undefined> {
  for (;;) {
    const heard = await ask();
    if (heard !== AGAIN) return heard;
    again?.();
  }
}

/** The prompt in rows of the window; the terminal would break it inside a word. */
function fitPrompt(prompt: string): string {
  return `${wrapped(sanitize(prompt, 'line'), windowSize().width).join('\n')} `;
}
