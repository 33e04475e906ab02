import type { Unit } from '../../core/search/query.ts';

/** The terms that are, or once were, in the store. */
export interface Vocabulary {
  has(term: string): boolean;
  /** Terms between two, both excluded, in order. */
  from(start: string, end: string, most: number): readonly string[];
  /** Long terms whose reversed letters lie between two. */
  endingIn(start: string, end: string, most: number): readonly string[];
}

const HIGHEST = '\u{10FFFF}';
const LOOKED_AT = 64;
const MOST_ALIKE = 8;
const SHORTEST_BEGINNING = 4;
const SHORTEST_PART = 4;
/** The letters German puts between the parts of a compound. */
const LINKS = ['', 's', 'es', 'n', 'en', 'er'];

/**
 * Expands a word to longer words that it begins. A word nobody wrote is also looked for at the end of long words and as
 * two words, so that compounds match their parts.
 */
export function similarWords(
  unit: Unit,
  df: number,
  vocabulary: Vocabulary,
): { readonly unit: Unit; readonly alike: readonly string[] } {
  const [term = ''] = unit.terms;
  if (unit.kind !== 'word' || /^\d+$/.test(term)) return { unit, alike: [] };
  const letters = [...unit.plain].length;
  if (df > 0 && letters < SHORTEST_BEGINNING) return { unit, alike: [] };
  const beginning = beginningWith(term, vocabulary);
  // An unfinished word has a wrong stem, which begins no word; then the typed letters are used.
  const alike = beginning.length > 0 || unit.plain === term ? beginning : beginningWith(unit.plain, vocabulary);
  if (df > 0 || alike.length > 0 || letters < SHORTEST_PART) return { unit, alike };
  const parts = splitOf(unit.plain, vocabulary);
  if (parts !== undefined) return { unit: { ...unit, terms: parts, keys: parts, kind: 'identifier' }, alike: [] };
  const reversed = [...unit.plain].reverse().join('');
  return { unit, alike: vocabulary.endingIn(reversed, reversed + HIGHEST, MOST_ALIKE) };
}

function beginningWith(start: string, { from }: Vocabulary): string[] {
  const found = [...from(start, start + HIGHEST, LOOKED_AT)];
  return found.sort((a, b) => a.length - b.length).slice(0, MOST_ALIKE);
}

function splitOf(word: string, { has }: Vocabulary): string[] | undefined {
  for (let at = word.length - SHORTEST_PART; at >= SHORTEST_PART; at--) {
    const end = word.slice(at);
    if (!has(end)) continue;
    const link = LINKS.find((each) => word.slice(0, at).endsWith(each) && has(word.slice(0, at - each.length)));
    if (link !== undefined && at - link.length >= SHORTEST_PART - 1) return [word.slice(0, at - link.length), end];
  }
  return undefined;
}
