import { type TermVector, termHash, VECTOR_FIELDS } from './term-vector.ts';
import { chunksOf } from './tokenize.ts';
import { STOP_WORDS } from './word-forms.ts';

/** 12 hashes: texts that share two thirds of their words have one in common in 19 of 20 cases, unlike texts hardly ever. */
const HASHES = 12;
const WORDS_PER_HASH = 3;
/** At most 4 words of a name are paired. */
const NAME_WORDS = 4;

/**
 * A few hashes that similar texts have in common, also if they share no rare word. Each hashes the first three words of
 * another shuffled order (MinHash). Pairs of the name's words are hashed too.
 */
export function minHashesOf(vector: TermVector): number[] {
  const [inName = 0, about = 0, inBody = 0] = vector;
  const words = vector.subarray(VECTOR_FIELDS, VECTOR_FIELDS + inName + about + inBody);
  const distinct = Int32Array.from(new Set(words.filter(isNotStopWord)));
  const hashes = distinct.length === 0 ? [] : Array.from({ length: HASHES }, (_, at) => minHash(distinct, at));
  return [...new Set([...hashes, ...pairsIn(words.subarray(0, inName))])];
}

/** MinHash: in a shuffled order, two texts have the same first word as often as they share words. */
function minHash(words: Int32Array, at: number): number {
  let hash = at;
  for (let n = 0; n < WORDS_PER_HASH; n++) {
    const shuffle = mixed(at * WORDS_PER_HASH + n + 1);
    let first = 0x7fffffff;
    for (let word = 0; word < words.length; word++) {
      const place = mixed((words[word] ?? 0) ^ shuffle);
      if (place < first) first = place;
    }
    hash = mixed(hash ^ first);
  }
  return hash;
}

/** Two names that share more than half of their words share a pair, or have only one word. */
function pairsIn(name: TermVector): number[] {
  const words = [...new Set(name)]
    .filter(isNotStopWord)
    .sort((a, b) => a - b)
    .slice(0, NAME_WORDS);
  const [only] = words;
  if (words.length === 1 && only !== undefined) return [mixed(only)];
  return words.flatMap((word, at) => words.slice(at + 1).map((other) => mixed(mixed(word) ^ other)));
}

/** The finalizer of MurmurHash3: numbers that differ in one bit become unlike. Signed, which is fastest in V8. */
export function mixed(number: number): number {
  let hash = Math.imul(number ^ (number >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

let stopWords: ReadonlySet<number> | undefined;

/** A vector contains stop words too, and they would be chosen more often than any other. */
function isNotStopWord(word: number): boolean {
  stopWords ??= new Set([...STOP_WORDS].flatMap((stop) => chunksOf(stop).flatMap(({ terms }) => terms.map(termHash))));
  return !stopWords.has(word);
}
