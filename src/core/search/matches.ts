import type { ParsedQuery } from './query.ts';
import { chunksOf } from './tokenize.ts';

/** A piece of a text, and whether the query asked for it. */
export interface MatchPiece {
  readonly text: string;
  readonly isMatch: boolean;
}

const WRITTEN = /[^\s]+/gu;
/** A word of fewer characters begins too many others. */
const LEAST_PREFIX = 3;

/** A text in pieces, with the words marked that a query asked for, in any form in which the search compares them. */
export function matchedPieces(text: string, { units }: ParsedQuery): MatchPiece[] {
  const terms = new Set(units.flatMap((unit) => [...unit.terms, ...(unit.whole === null ? [] : [unit.whole])]));
  const starts = units.map(({ plain }) => plain).filter((plain) => plain.length >= LEAST_PREFIX);
  const isAsked = (word: string) =>
    chunksOf(word).some(
      ({ terms: own, whole, plain }) =>
        own.some((term) => terms.has(term)) ||
        (whole !== null && terms.has(whole)) ||
        starts.some((start) => plain.startsWith(start)),
    );
  const pieces: MatchPiece[] = [];
  let end = 0;
  for (const { 0: word, index } of text.matchAll(WRITTEN)) {
    if (!isAsked(word)) continue;
    if (index > end) pieces.push({ text: text.slice(end, index), isMatch: false });
    pieces.push({ text: word, isMatch: true });
    end = index + word.length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end), isMatch: false });
  return pieces;
}
