import { separable } from './code-points.ts';
import { examine, type Shape } from './sanitize.ts';
import { markRemovals } from './visible.ts';

const INSPECT = Symbol.for('nodejs.util.inspect.custom');
/** What takes two units of a string and is one code point. */
const IN_TWO_UNITS = /[\u{10000}-\u{10FFFF}]/gu;
const MAKER: unique symbol = Symbol('maker of SafeText');

let rawOf: (text: Untrusted) => string;
let safe: (value: string) => SafeText;

/** Text from outside. It cannot be printed, joined or serialized by accident; a branded string could be. */
export class Untrusted {
  readonly #raw: string;

  static {
    rawOf = (text) => text.#raw;
  }

  private constructor(raw: string) {
    this.#raw = raw;
  }

  static of(raw: string): Untrusted {
    return new Untrusted(raw);
  }

  toString(): never {
    throw new TypeError('Untrusted text has no string form; sanitize() it first.');
  }

  toJSON(): never {
    throw new TypeError('Untrusted text has no JSON form; sanitize() it first.');
  }

  [Symbol.toPrimitive](): never {
    throw new TypeError('Untrusted text cannot be converted; sanitize() it first.');
  }

  [INSPECT](): string {
    return '[untrusted text]';
  }
}

/** The only way to the raw string: to write it to disk, digest it or check it, never for output. */
export function reveal(text: Untrusted): string {
  return rawOf(text);
}

/** Text that examine() would not change. Only this file makes it. */
export class SafeText {
  readonly #value: string;

  static {
    safe = (value) => new SafeText(value, MAKER);
  }

  /** `private` does not exist at run time; the key does. */
  private constructor(value: string, key: typeof MAKER) {
    if (key !== MAKER) throw new TypeError('SafeText is made by sanitize() or the text tag.');
    this.#value = value;
  }

  /** In code points. */
  get length(): number {
    return this.#value.length - (this.#value.match(IN_TWO_UNITS)?.length ?? 0);
  }

  toString(): string {
    return this.#value;
  }

  toJSON(): string {
    return this.#value;
  }

  /** By code point. Test runners compare iterables by their items and ignore private fields. */
  [Symbol.iterator](): Iterator<string> {
    return this.#value[Symbol.iterator]();
  }
}

export function sanitize(raw: Untrusted | string, shape: Shape): SafeText {
  return safe(examine(stringOf(raw), shape).text);
}

/** What a confirmation shows: the sanitized text, with a marker such as ⟨U+202E⟩ wherever something was removed. */
export function visible(raw: Untrusted | string, shape: Shape): SafeText {
  return safe(markRemovals(stringOf(raw), shape));
}

/** Joins our own literals and safe text. */
export function text(literals: TemplateStringsArray, ...values: readonly (SafeText | number | boolean)[]): SafeText {
  const parts = literals.map((literal, i) => literal + (i < values.length ? partOf(values[i]) : ''));
  return joined(parts.join(''));
}

export function joinText(parts: readonly SafeText[], separator: SafeText): SafeText {
  return joined(parts.map(partOf).join(partOf(separator)));
}

/** Counts code points, the ellipsis included. Must run before escapeMarkup. */
export function truncate(text: SafeText, maxCodePoints: number): SafeText {
  if (text.length <= maxCodePoints) return text;
  const chars = [...text];
  const room = Math.max(0, Math.floor(maxCodePoints));
  const end = room > 0 ? '…' : '';
  return joined(chars.slice(0, wholeCharacters(chars, room - end.length)).join('') + end);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Always the last step: cutting or sanitizing the result could break an entity. */
export function escapeMarkup(text: SafeText): SafeText {
  return safe(partOf(text).replaceAll(/[&<>"']/g, (char) => ENTITIES[char] ?? ''));
}

/** Two safe texts side by side may not be safe: marks add up, and a joiner gets a new neighbour. */
function joined(value: string): SafeText {
  return safe(examine(value, 'body').text);
}

function stringOf(raw: Untrusted | string): string {
  return typeof raw === 'string' ? raw : reveal(raw);
}

/** The types forbid it too; this stops callers that bypass them. */
function partOf(value: unknown): string {
  if (value instanceof SafeText || typeof value === 'number' || typeof value === 'boolean') return value.toString();
  throw new TypeError('Only SafeText, numbers and booleans go into text; sanitize() the value first.');
}

/** At most 16 code points, more than any family emoji or flag has; beyond that the text is cut anyway. */
const FARTHEST_STEP_BACK = 16;

/** Moves a cut back so that no mark, skin tone or joined emoji loses its base. */
function wholeCharacters(chars: readonly string[], end: number): number {
  for (let cut = end; cut > 0 && cut > end - FARTHEST_STEP_BACK; cut--) {
    if (separable(chars[cut - 1] as string, chars[cut] as string)) return cut;
  }
  return end;
}
