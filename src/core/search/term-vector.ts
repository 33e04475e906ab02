import type { Memory } from '../memory/memory.ts';
import { sanitize } from '../text/safe-text.ts';
import { type Chunk, chunksOf, isStopWord } from './tokenize.ts';

/** The searched fields of a memory, in the order of the vector. */
export interface Fields {
  readonly name: string;
  readonly about: string;
  readonly body: string;
  /** Ways somebody would ask for the memory. They help to find it and are no part of its text. */
  readonly hints?: readonly string[];
}

/** A memory's words, as the index compares them. */
export function fieldsOf({ name, description, body }: Memory): Fields {
  return {
    name: sanitize(name, 'line').toString(),
    about: sanitize(description, 'line').toString(),
    body: sanitize(body, 'body').toString(),
  };
}

export const VECTOR_FIELDS = 5;
/** Name, description and body: the first fields, and the only ones that say how alike two texts are. */
export const TEXT_FIELDS = 3;
/** The fields before the hints: the text, and the identifiers in it. */
export const OWN_FIELDS = 4;

/**
 * A memory's words as hashes, enough to rank it without its text: the word counts of name, description and body, the
 * count of joined identifiers and that of the hints' words; then the words in order, the joined identifiers, the hints.
 */
export type TermVector = Uint32Array;

/** FNV-1a. If two words collide, the order of results suffers and nothing else. */
export function termHash(term: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < term.length; at++) hash = Math.imul(hash ^ term.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** What the index stores of a memory. */
export interface Indexed {
  readonly vector: TermVector;
  /** Each term of the text once, without stop words. */
  readonly terms: readonly string[];
  /** Each term of the hints once, without stop words. */
  readonly hinted: readonly string[];
}

export function termVectorOf(fields: Fields): Indexed {
  const { name, about, body, hints = [] } = fields;
  const terms = new Set<string>();
  const wholes: string[] = [];
  const words: number[] = [];
  const sizes = [name, about, body].map((text) => {
    const before = words.length;
    for (const chunk of chunksOf(text)) collectTerms(chunk, terms, wholes, words);
    return words.length - before;
  });
  const hinted = new Set<string>();
  const asked = hints.flatMap((hint) => hintWords(hint, hinted));
  const vector = Uint32Array.from([...sizes, wholes.length, asked.length, ...words, ...wholes.map(termHash), ...asked]);
  return { vector, terms: [...terms], hinted: [...hinted] };
}

/** No word has this hash. It ends a hint, so that words of two hints are never adjacent. */
const END_OF_HINT = 0;

function hintWords(hint: string, terms: Set<string>): number[] {
  const wholes: string[] = [];
  const words: number[] = [];
  for (const chunk of chunksOf(hint)) collectTerms(chunk, terms, wholes, words);
  return [...words, END_OF_HINT, ...wholes.flatMap((whole) => [termHash(whole), END_OF_HINT])];
}

export function hasHints(vector: TermVector): boolean {
  return (vector[OWN_FIELDS] ?? 0) > 0;
}

/** How many words the memory's own text has, identifiers counted as they are joined too. Hints make no text longer. */
export function wordsIn(vector: TermVector): number {
  return vector.subarray(0, OWN_FIELDS).reduce((sum, size) => sum + size, 0);
}

function collectTerms(chunk: Chunk, terms: Set<string>, wholes: string[], words: number[]): void {
  const isSaid = !isStopWord(chunk);
  for (const term of chunk.terms) {
    if (isSaid) terms.add(term);
    words.push(termHash(term));
  }
  if (chunk.whole === null) return;
  terms.add(chunk.whole);
  wholes.push(chunk.whole);
}
