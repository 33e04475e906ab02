import { examine } from '../text/sanitize.ts';
import { type Chunk, chunksOf, isStopWord } from './tokenize.ts';
import { WEAK_WORDS } from './word-forms.ts';

/** One thing to look for. Its terms must be adjacent, or one word, to count in full. */
export interface Unit {
  readonly terms: readonly string[];
  /** The terms by which texts are found: all but the stop words in a phrase. */
  readonly keys: readonly string[];
  readonly whole: string | null;
  readonly kind: 'word' | 'identifier' | 'hyphenated' | 'phrase';
  readonly plain: string;
  /** How much it counts beside the others. Pairs of one long run share a weight, because together they are one word. */
  readonly weight: number;
}

/** A parsed query: plain things to look for. Nothing in it is an operator. */
export interface ParsedQuery {
  readonly units: readonly Unit[];
  /** Words as a text would have them, to choose the snippet. */
  readonly words: readonly string[];
}

const MOST_UNITS = 32;
const WEAK = 0.6;
const QUOTED = /["“”„«»]([^"“”„«»]+)["“”„«»]/gu;

export function parseQuery(query: string): ParsedQuery {
  const clean = examine(query, 'line').text;
  const phrases = [...clean.matchAll(QUOTED)].flatMap(([, inner = '']) => phraseOf(chunksOf(inner)));
  const chunks = chunksOf(clean).filter((chunk) => !isStopWord(chunk));
  // A single letter or digit is in too many texts to help, unless it is the whole query.
  const telling = chunks.filter((chunk) => !/^[a-z0-9]$/.test(chunk.plain));
  const units = [...phrases, ...(telling.length > 0 ? telling : chunks).flatMap(unitsOf)];
  const distinct = [...new Map(units.map((unit) => [`${unit.kind} ${unit.terms.join(' ')}`, unit])).values()];
  const words = [...phrases.map((phrase) => phrase.plain), ...chunks.map((chunk) => chunk.plain)];
  return { units: distinct.slice(0, MOST_UNITS), words: [...new Set(words)].slice(0, MOST_UNITS) };
}

/** The query's words in the form in which they are compared. */
export function queryWords(query: string): string[] {
  return parseQuery(query).units.flatMap((unit) => (unit.kind === 'phrase' ? [] : unit.terms));
}

function phraseOf(chunks: readonly Chunk[]): Unit[] {
  const terms = chunks.flatMap((chunk) =>
    chunk.kind === 'unspaced' && chunk.terms.length > 1 ? chunk.terms.slice(0, -1) : chunk.terms,
  );
  const keys = chunks.filter((chunk) => !isStopWord(chunk)).flatMap((chunk) => chunk.terms.slice(0, 1));
  if (terms.length < 2 || keys.length === 0) return [];
  const plain = chunks.map((chunk) => chunk.plain).join(' ');
  return [{ terms, keys, whole: null, kind: 'phrase', plain, weight: 2 }];
}

function unitsOf({ terms, whole, kind, plain }: Chunk): Unit[] {
  if (kind !== 'unspaced') {
    return [{ terms, keys: terms, whole, kind, plain, weight: WEAK_WORDS.has(plain) ? WEAK : 1 }];
  }
  const pairs = terms.length > 1 ? terms.slice(0, -1) : terms;
  const weight = Math.min(1, 2 / pairs.length);
  return pairs.map((pair) => ({ terms: [pair], keys: [pair], whole: null, kind: 'word', plain: pair, weight }));
}

/** The part of a text around its first match; the beginning if nothing matches. */
export function snippetAround(text: string, query: ParsedQuery, length: number): string {
  // Single spaces are left alone: replacing them takes longer than everything after.
  const flat = text.replace(/\s{2,}|[^\S ]/g, ' ').trim();
  // A text without surrogates can be indexed by character.
  const points = /[\ud800-\udfff]/.test(flat) ? [...flat] : flat;
  if (points.length <= length) return flat;
  const found = placeIn(flat, query);
  const at = typeof points === 'string' ? found : [...flat.slice(0, found)].length;
  const start = Math.max(0, Math.min(at - Math.floor(length / 4), points.length - length));
  const part = points.slice(start, start + length);
  const shown = typeof part === 'string' ? part : part.join('');
  return `${start > 0 ? '…' : ''}${shown}${start + length < points.length ? '…' : ''}`;
}

const SPELLED = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;

/** The position of the first match: a word as typed, or else another form of it. */
function placeIn(text: string, { units, words }: ParsedQuery): number {
  const lower = text.toLowerCase();
  const typed = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0);
  if (typed.length > 0) return Math.min(...typed);
  const terms = new Set(units.flatMap((unit) => unit.terms));
  for (const { 0: word, index } of text.matchAll(SPELLED)) {
    if (chunksOf(word).some((chunk) => chunk.terms.some((term) => terms.has(term)))) return index;
  }
  return 0;
}
