import { lengthOf } from '../../core/memory/memory.ts';
import { sanitize, text } from '../../core/text/safe-text.ts';
import { tell } from '../terminal/print.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** A line with only a full stop ends a typed text, because no terminal swallows a full stop. */
const END = '.';

/** Asks for each part of a memory until it is usable. Asks nothing more after the end of input. */
export class MemoryForm {
  /** The person ended the input instead of answering. */
  left = false;
  readonly #terminal: Terminal;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  async choice(label: string, among: readonly string[]): Promise<string | undefined> {
    const hint = among.join(', ');
    return this.#until(`${label} (${hint}): `, (line) => (among.includes(line) ? undefined : `One of ${hint}.`));
  }

  async required(label: string, { min, max }: { readonly min: number; readonly max: number }) {
    return this.#until(`${label}: `, (line) => {
      const length = lengthOf(line);
      return length >= min && length <= max ? undefined : `It needs ${min} to ${max} characters; this has ${length}.`;
    });
  }

  async optional(label: string, hint: string): Promise<string | undefined> {
    const line = await this.#until(`${label} (${hint}; Enter: none): `, () => undefined);
    return line === '' ? undefined : line;
  }

  async text(): Promise<string | undefined> {
    if (this.left) return undefined;
    tell(text`The text itself; a line that holds only a dot ends it:`, 'label');
    const lines: string[] = [];
    for (;;) {
      const line = await this.#line('> ');
      if (line === undefined) return undefined;
      if (line.trim() === END) return lines.join('\n');
      lines.push(line);
    }
  }

  async #until(prompt: string, wrong: (line: string) => string | undefined): Promise<string | undefined> {
    for (;;) {
      const line = (await this.#line(prompt))?.trim();
      const complaint = line === undefined ? undefined : wrong(line);
      if (complaint === undefined) return line;
      tell(sanitize(complaint, 'line'), 'warning');
    }
  }

  async #line(prompt: string): Promise<string | undefined> {
    const line = this.left ? undefined : await this.#terminal.line(prompt);
    if (line === undefined) this.left = true;
    return line;
  }
}
