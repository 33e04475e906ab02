import { hashOf, type Imprint, SEGMENTS } from './term-vector.ts';
import { chunksOf } from './tokenize.ts';
import { STOP_WORDS } from './word-forms.ts';

/** Texts with two thirds of their words in common share one of so many traits in 19 cases of 20, unlike ones hardly ever. */
const OF_TEXT = 12;
const DRAWN = 3;
/** So many words of a name are paired. */
const OF_NAME = 4;

/**
 * A few numbers that texts of mostly the same words have in common, whichever of their words are rare: for each, the words
 * are shuffled in another way and the first three taken. Pairs of the name's words are traits too.
 */
export function traitsOf(imprint: Imprint): number[] {
  const [inName = 0, about = 0, inBody = 0] = imprint;
  const words = imprint.subarray(SEGMENTS, SEGMENTS + inName + about + inBody);
  const telling = Int32Array.from(new Set(words.filter(isTelling)));
  const drawn = telling.length === 0 ? [] : Array.from({ length: OF_TEXT }, (_, at) => drawnFrom(telling, at));
  return [...new Set([...drawn, ...pairsIn(words.subarray(0, inName))])];
}

/** MinHash: what comes first in a shuffled order is the same word in two texts as often as words are the same in them. */
function drawnFrom(words: Int32Array, at: number): number {
  let trait = at;
  for (let n = 0; n < DRAWN; n++) {
    const shuffle = mixed(at * DRAWN + n + 1);
    let first = 0x7fffffff;
    for (let word = 0; word < words.length; word++) {
      const place = mixed((words[word] ?? 0) ^ shuffle);
      if (place < first) first = place;
    }
    trait = mixed(trait ^ first);
  }
  return trait;
}

/** Two names that share more than half of their words share a pair, or have but one word. */
function pairsIn(name: Imprint): number[] {
  const words = [...new Set(name)]
    .filter(isTelling)
    .sort((a, b) => a - b)
    .slice(0, OF_NAME);
  const [only] = words;
  if (words.length === 1 && only !== undefined) return [mixed(only)];
  return words.flatMap((word, at) => words.slice(at + 1).map((other) => mixed(mixed(word) ^ other)));
}

/** The last steps of MurmurHash3: numbers that differ in one bit come out unlike. Signed, as V8 is quickest with. */
function mixed(number: number): number {
  let hash = Math.imul(number ^ (number >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

let stopWords: ReadonlySet<number> | undefined;

/** An imprint has the stop words too, and they would be drawn more often than any other. */
function isTelling(word: number): boolean {
  stopWords ??= new Set([...STOP_WORDS].flatMap((stop) => chunksOf(stop).flatMap(({ terms }) => terms.map(hashOf))));
  return !stopWords.has(word);
}
