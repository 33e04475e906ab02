import { type Chunk, chunksOf, isStopWord } from './tokenize.ts';

/** The fields of a memory that are looked through, in the order they are kept. */
export interface Fields {
  readonly name: string;
  readonly about: string;
  readonly body: string;
}

export const SEGMENTS = 4;

/**
 * A memory's words as numbers, enough to rank it without its text: how many stand in its name, in what is said about it
 * and in its body, then the words in their order, then its identifiers as wholes.
 */
export type Imprint = Uint32Array;

/** FNV-1a: two words of four billion meeting by chance costs a place in an order, nothing else. */
export function hashOf(term: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < term.length; at++) hash = Math.imul(hash ^ term.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** What the index keeps of a text: its imprint, and each telling term once. */
export function imprintOf({ name, about, body }: Fields): { readonly imprint: Imprint; readonly terms: string[] } {
  const terms = new Set<string>();
  const wholes: string[] = [];
  const segments = [name, about, body].map((text) => chunksOf(text).flatMap((chunk) => taken(chunk, terms, wholes)));
  const sizes = [...segments.map((segment) => segment.length), wholes.length];
  const imprint = Uint32Array.from([...sizes, ...segments.flat().map(hashOf), ...wholes.map(hashOf)]);
  return { imprint, terms: [...terms] };
}

function taken(chunk: Chunk, terms: Set<string>, wholes: string[]): readonly string[] {
  if (!isStopWord(chunk)) for (const term of chunk.terms) terms.add(term);
  if (chunk.whole !== null) {
    terms.add(chunk.whole);
    wholes.push(chunk.whole);
  }
  return chunk.terms;
}
