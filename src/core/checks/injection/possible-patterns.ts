import { neededWords } from './needed-words.ts';

/** V8 makes machine code of a pattern at once if its first text is long. Bytecode, its first choice, takes ten times as long. */
const LONG_TEXT = ' '.repeat(1_000);
const WORD = /\w+/g;

/**
 * Finds the few of hundreds of patterns that may match some texts, by a word that each of them needs. Trying every pattern
 * takes ten times as long. The texts are in lower case.
 */
export function possiblePatterns(
  patterns: readonly RegExp[],
  needed = wordsOfEach(patterns),
): (texts: readonly string[]) => ReadonlySet<RegExp> {
  const byWord = new Map<string, RegExp[]>();
  for (const [i, pattern] of patterns.entries()) {
    for (const word of needed[i] ?? []) byWord.set(word, [...(byWord.get(word) ?? []), pattern]);
  }
  const wordless = patterns.filter((_, i) => !needed[i]);
  const anyWordless = [...Map.groupBy(wordless, ({ flags }) => flags.replace('g', ''))].map(([flags, some]) => {
    const any = new RegExp(some.map(({ source }) => `(?:${source})`).join('|'), flags);
    any.test(LONG_TEXT);
    return { any, some };
  });
  const compiled = new Set<RegExp>();
  return (texts) => {
    const found = new Set<RegExp>();
    for (const text of texts) {
      for (const word of text.match(WORD) ?? []) for (const pattern of byWord.get(word) ?? []) found.add(pattern);
      for (const { any, some } of anyWordless) if (any.test(text)) for (const pattern of some) found.add(pattern);
    }
    for (const pattern of found.difference(compiled)) {
      LONG_TEXT.search(pattern);
      compiled.add(pattern);
    }
    return found;
  };
}

export function wordsOfEach(patterns: readonly RegExp[]): readonly (readonly string[] | null)[] {
  return patterns.map((pattern) => neededWords(pattern) ?? null);
}
