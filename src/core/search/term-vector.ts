import { type Chunk, chunksOf, isStopWord } from './tokenize.ts';

/** The searched fields of a memory, in the order of the vector. */
export interface Fields {
  readonly name: string;
  readonly about: string;
  readonly body: string;
}

export const SEGMENTS = 4;

/**
 * A memory's words as hashes, enough to rank it without its text: the word counts of name, description and body and the
 * count of joined identifiers, then the words in order, then the joined identifiers.
 */
export type TermVector = Uint32Array;

/** FNV-1a. If two words collide, the order of results suffers and nothing else. */
export function hashOf(term: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < term.length; at++) hash = Math.imul(hash ^ term.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** What the index stores of a text: its vector, and each term once, without stop words. */
export function termVectorOf({ name, about, body }: Fields): { readonly vector: TermVector; readonly terms: string[] } {
  const terms = new Set<string>();
  const wholes: string[] = [];
  const segments = [name, about, body].map((text) =>
    chunksOf(text).flatMap((chunk) => collectTerms(chunk, terms, wholes)),
  );
  const sizes = [...segments.map((segment) => segment.length), wholes.length];
  const vector = Uint32Array.from([...sizes, ...segments.flat().map(hashOf), ...wholes.map(hashOf)]);
  return { vector, terms: [...terms] };
}

function collectTerms(chunk: Chunk, terms: Set<string>, wholes: string[]): readonly string[] {
  if (!isStopWord(chunk)) for (const term of chunk.terms) terms.add(term);
  if (chunk.whole !== null) {
    terms.add(chunk.whole);
    wholes.push(chunk.whole);
  }
  return chunk.terms;
}
