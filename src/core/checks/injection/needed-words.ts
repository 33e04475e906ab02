/**
 * Words of which a text must have at least one, or the pattern cannot match it. A word is a run of `\w`, in lower case.
 * Undefined where no such words follow from the pattern.
 */
export function neededWords({ source }: RegExp): readonly string[] | undefined {
  return best(new PatternReader(source).alternatives());
}

/** Here a word ends or begins: a `\b`, or any character that is not `\w`. */
const EDGE = '|';
/** Any text, or none. */
const ANYTHING = '*';
/** At most 80 spellings of one part are compared, because alternatives multiply. */
const MOST_SPELLINGS = 80;

/** What follows from a part of a pattern. */
interface PatternPart {
  /** Every way to spell it, with `EDGE` and `ANYTHING`. */
  readonly spellings: readonly string[];
  /** Sets of words. A text that matches has at least one word of each set. */
  readonly needed: readonly (readonly string[])[];
}

const NOTHING: PatternPart = { spellings: [''], needed: [] };
const UNKNOWN: PatternPart = { spellings: [ANYTHING], needed: [] };
const BOUNDARY: PatternPart = { spellings: [EDGE], needed: [] };

/** Reads the syntax of regular expressions as far as words follow from it. Anything else counts as any text. */
class PatternReader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  alternatives(): PatternPart {
    const parts = [this.#sequence()];
    while (this.#takes('|')) parts.push(this.#sequence());
    if (parts.length === 1) return parts[0] ?? NOTHING;
    if (parts.every(({ needed }) => needed.length === 0)) return small(parts.flatMap(({ spellings }) => spellings));
    const each = parts.map(best);
    return { ...UNKNOWN, needed: each.every((words) => words !== undefined) ? [each.flat()] : [] };
  }

  #sequence(): PatternPart {
    let whole = NOTHING;
    while (this.#at < this.#source.length && !'|)'.includes(this.#source.charAt(this.#at)))
      whole = joined(whole, this.#repeated(this.#one()));
    return whole;
  }

  #one(): PatternPart {
    const char = this.#source.charAt(this.#at++);
    if (char === '(') return this.#group();
    if (char === '[') return this.#class();
    if (char === '\\') return this.#escape();
    if (char === '.') return UNKNOWN;
    if (char === '^' || char === '$') return BOUNDARY;
    return literal(char);
  }

  #group(): PatternPart {
    const [opening = ''] = /^(?:\?(?:[a-z-]*:|<?[=!]|<\w+>))?/.exec(this.#source.slice(this.#at)) ?? [];
    this.#at += opening.length;
    const inner = this.alternatives();
    this.#at++;
    // What stands before and after a look around is side by side in the text.
    return /[=!]$/.test(opening) ? NOTHING : inner;
  }

  #class(): PatternPart {
    const [inner = ''] = /^\^?\]?(?:\\.|[^\]\\])*/.exec(this.#source.slice(this.#at)) ?? [];
    this.#at += inner.length + 1;
    if (/^(?:\\s|\\[.\]\\[/()*+?|^$-]|[^\w\\^])+$/u.test(inner) && !isRange(inner)) return BOUNDARY;
    return /^[a-z]{1,8}$/.test(inner) ? { spellings: [...inner], needed: [] } : UNKNOWN;
  }

  #escape(): PatternPart {
    const char = this.#source.charAt(this.#at++);
    if (char === 'b' || char === 's' || char === 'n' || char === 'W') return BOUNDARY;
    if (/\w/.test(char)) {
      const [rest = ''] = /^(?:\{[^}]*\}|[0-9a-fA-F]*)/.exec(this.#source.slice(this.#at)) ?? [];
      if ('uxpPk'.includes(char)) this.#at += rest.length;
      return UNKNOWN;
    }
    return literal(char);
  }

  #repeated(part: PatternPart): PatternPart {
    const [times = '', least, most] = /^(?:[*+?]|\{(\d+)(,\d*)?\})\??/.exec(this.#source.slice(this.#at)) ?? [];
    this.#at += times.length;
    if (times === '') return part;
    if (times.startsWith('?')) return { spellings: ['', ...part.spellings], needed: [] };
    if (times.startsWith('*') || Number(least) === 0) return UNKNOWN;
    if (Number(least) === 1 && most === undefined) return part;
    const words = best(part);
    return { ...(part === BOUNDARY ? BOUNDARY : UNKNOWN), needed: words === undefined ? [] : [words] };
  }

  #takes(char: string): boolean {
    const isNext = this.#source.charAt(this.#at) === char;
    if (isNext) this.#at++;
    return isNext;
  }
}

/** Letters or signs from one to another, which may include letters. */
function isRange(inner: string): boolean {
  return /[^\\]-[^\]]/.test(inner);
}

function literal(char: string): PatternPart {
  return /\w/.test(char) ? { spellings: [char.toLowerCase()], needed: [] } : BOUNDARY;
}

function joined(before: PatternPart, after: PatternPart): PatternPart {
  const needed = [...before.needed, ...after.needed];
  if (before.spellings.length * after.spellings.length <= MOST_SPELLINGS)
    return { spellings: before.spellings.flatMap((a) => after.spellings.map((b) => a + b)), needed };
  const [first, second] = [small(before.spellings, 0), small(after.spellings, 0)];
  return { ...UNKNOWN, needed: [...needed, ...first.needed, ...second.needed] };
}

/** The spellings, or only the words they need if there are more than `most`. */
function small(spellings: readonly string[], most = MOST_SPELLINGS): PatternPart {
  if (spellings.length <= most) return { spellings, needed: [] };
  const words = wordsOf(spellings);
  return { ...UNKNOWN, needed: words === undefined ? [] : [words] };
}

/** The set whose most frequent word is the rarest. Long words are rare. */
function best({ spellings, needed }: PatternPart): readonly string[] | undefined {
  const words = wordsOf(spellings);
  const sets = words === undefined ? needed : [...needed, words];
  return sets.toSorted((a, b) => shortest(b) - shortest(a))[0];
}

function shortest(words: readonly string[]): number {
  return Math.min(...words.map((word) => word.length));
}

/** The longest whole word of each spelling; undefined if one spelling has none. */
function wordsOf(spellings: readonly string[]): readonly string[] | undefined {
  const words = new Set<string>();
  for (const spelling of spellings) {
    // What touches the ends, or any text, may go on there.
    const whole = spelling.match(/(?<=\|)\w+(?=\|)/g) ?? [];
    const [longest] = whole.toSorted((a, b) => b.length - a.length);
    if (longest === undefined) return undefined;
    words.add(longest);
  }
  return [...words];
}
