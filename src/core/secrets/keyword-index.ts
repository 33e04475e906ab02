/** A power of two, because a remainder takes longer than the rest of a look. */
const BUCKETS = 8_192;
const GRAM = 3;
const EAST_ASIAN = /[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/;

function bucket(text: string, at: number): number {
  return (text.charCodeAt(at) * 961 + text.charCodeAt(at + 1) * 31 + text.charCodeAt(at + 2)) & (BUCKETS - 1);
}

interface Keyword {
  readonly rule: number;
  readonly keyword: string;
}

/**
 * Finds the few of hundreds of rules that could match a text, by their keywords. The text is scanned once, and compared only
 * with keywords whose first three letters it has in this place.
 */
export class KeywordIndex<Rule extends { readonly keywords: readonly string[] }> {
  readonly #rules: readonly Rule[];
  readonly #short: Keyword[] = [];
  /** Two signs make a word there. */
  readonly #eastAsian: Keyword[] = [];
  readonly #byStart: (Keyword[] | undefined)[] = new Array(BUCKETS).fill(undefined);

  constructor(rules: readonly Rule[]) {
    this.#rules = rules;
    for (const [rule, { keywords }] of rules.entries()) {
      for (const keyword of keywords) {
        const start = bucket(keyword, 0);
        if (keyword.length < GRAM) (EAST_ASIAN.test(keyword) ? this.#eastAsian : this.#short).push({ rule, keyword });
        else this.#byStart[start] = [...(this.#byStart[start] ?? []), { rule, keyword }];
      }
    }
  }

  /** The rules with a keyword in the text, in their order. */
  in(text: string): readonly Rule[] {
    const lower = text.toLowerCase();
    const found = new Set<number>();
    const look = ({ rule, keyword }: Keyword) => {
      if (!found.has(rule) && lower.includes(keyword)) found.add(rule);
    };
    this.#short.forEach(look);
    if (EAST_ASIAN.test(lower)) this.#eastAsian.forEach(look);
    for (let at = 0; at + GRAM <= lower.length; at++) {
      const some = this.#byStart[bucket(lower, at)];
      if (some === undefined) continue;
      for (const { rule, keyword } of some) if (lower.startsWith(keyword, at)) found.add(rule);
    }
    return [...found].sort((a, b) => a - b).flatMap((rule) => this.#rules[rule] ?? []);
  }
}
