import { escapeMarkup, SafeText, sanitize } from '../core/text/safe-text.ts';

const MADE = Symbol('made by html');

/** Markup of ours. Only `html` makes it, from literals in this program and text that was escaped on its way in. */
export class Markup {
  readonly #source: string;

  constructor(proof: typeof MADE, source: string) {
    if (proof !== MADE) throw new TypeError('Markup is made by the html tag.');
    this.#source = source;
  }

  toString(): string {
    return this.#source;
  }
}

export type Part = Markup | SafeText | number | undefined | readonly Part[];

/** Literals are markup, values are text. A plain string is not taken: nothing that was stored can be one of ours. */
export function html(literals: TemplateStringsArray, ...values: readonly Part[]): Markup {
  return new Markup(
    MADE,
    literals.map((literal, i) => literal + (i < values.length ? source(values[i]) : '')).join(''),
  );
}

/** A sentence or a name of ours, as text. */
export function ours(words: string): SafeText {
  return sanitize(words, 'line');
}

/** Words of ours that begin a line: page and terminal share them, and the terminal writes them in lower case. */
export function capitalized(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What is only said where something holds. */
export function when(holds: boolean, then: () => Part): Part {
  return holds ? then() : undefined;
}

function source(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Markup || typeof part === 'number') return part.toString();
  if (part instanceof SafeText) return escapeMarkup(part).toString();
  if (Array.isArray(part)) return part.map(source).join('');
  throw new TypeError('Only markup, safe text and numbers go into html.');
}
