import { escapeMarkup, SafeText, sanitize } from '../core/text/safe-text.ts';

const MADE = Symbol('made by html');

/** Trusted markup. Only `html` makes it, from literals in this program and from escaped values. */
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

export type MarkupPart = Markup | SafeText | number | undefined | readonly MarkupPart[];

/** Literals are markup, values are text. A plain string is refused, because it could be stored text. */
export function html(literals: TemplateStringsArray, ...values: readonly MarkupPart[]): Markup {
  return new Markup(
    MADE,
    literals.map((literal, i) => literal + (i < values.length ? source(values[i]) : '')).join(''),
  );
}

/** A sentence or name from this program, as text. */
export function ours(words: string): SafeText {
  return sanitize(words, 'line');
}

/** Capitalizes the shared words of page and terminal, which are lower case because the terminal prints them so. */
export function capitalized(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function when(holds: boolean, then: () => MarkupPart): MarkupPart {
  return holds ? then() : undefined;
}

function source(part: MarkupPart): string {
  if (part === undefined) return '';
  if (part instanceof Markup || typeof part === 'number') return part.toString();
  if (part instanceof SafeText) return escapeMarkup(part).toString();
  if (Array.isArray(part)) return part.map(source).join('');
  throw new TypeError('Only markup, safe text and numbers go into html.');
}
