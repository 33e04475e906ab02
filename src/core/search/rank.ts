import type { Unit } from './query.ts';
import { OWN_FIELDS, TEXT_FIELDS, type TermVector, termHash, VECTOR_FIELDS } from './term-vector.ts';

/** A unit with its statistics from the store. */
export interface WeightedUnit {
  readonly unit: Unit;
  /** At least how many memories contain it. */
  readonly df: number;
  /** Other terms that count for it in part: words that begin with it. */
  readonly alike: readonly string[];
}

export interface Totals {
  readonly memories: number;
  readonly words: number;
}

/** Weights of the name, the description, the body, joined identifiers, and hints. */
const FIELD = [4, 2, 1, 1, 1] as const;
const K1 = 1.2;
const B = 0.1;
const ALIKE = 0.35;
const PART = 0.3;
const NEAR = 0.15;
const NEAR_WORDS = 3;

/** Rare words count more. Always above zero, because SQLite's own formula gives zero for common words and then orders small stores arbitrarily. */
export function rarity(df: number, memories: number): number {
  return Math.log(1 + (Math.max(memories, df) - df + 0.5) / (df + 0.5));
}

/** A memory with less of the query is a chance hit. It is a share, so the best hit does not affect the others. */
export const LEAST_COVERAGE = 0.1;

export interface Score {
  readonly score: number;
  /** The share of the query that the memory contains, weighted by rarity: 0 to 1. */
  readonly coverage: number;
  /** The score of the memory's own text without its hints; 0 where the text alone would be a chance hit. */
  readonly own: number;
  /**
   * How well it matches in any store: its score beside what one word is worth that only one memory has. 0 where fewer than
   * two words of the query are in it, because one word is there by chance.
   */
  readonly match: number;
  /** `match` by the memory's own text, without its hints. */
  readonly ownMatch: number;
}

/** An identifier says as much as two words. */
const FEWEST_WORDS = 2;

/** Made once for a query, used for each candidate. */
export class Ranker {
  readonly #units: readonly WeightedUnit[];
  readonly #rarities: readonly number[];
  readonly #most: number;
  readonly #average: number;
  readonly #single: number;
  /** Reused for each memory, because allocating them costs as much as the counting. */
  readonly #found: Float64Array;
  readonly #parts: Float64Array;
  readonly #last: Int32Array;
  /** Whether a wanted term's hash ends in this byte. It rules out most words at once. */
  readonly #ends = new Uint8Array(256);
  /** Term → where it counts: the unit, the part of it, and how much. */
  readonly #wanted = new Map<number, { unit: number; part: number; worth: number }[]>();

  constructor(units: readonly WeightedUnit[], { memories, words }: Totals) {
    this.#units = units;
    this.#found = new Float64Array(units.length);
    this.#parts = new Float64Array(units.length);
    this.#last = new Int32Array(units.length);
    this.#rarities = units.map(({ unit, df }) => unit.weight * rarity(df, memories));
    this.#most = this.#rarities.reduce((sum, each) => sum + each, 0);
    this.#single = rarity(1, memories);
    this.#average = memories === 0 ? 1 : Math.max(1, words / memories);
    units.forEach(({ unit, alike }, at) => {
      unit.terms.forEach((term, part) => {
        this.#want(term, { unit: at, part, worth: 1 });
      });
      if (unit.whole !== null) this.#want(unit.whole, { unit: at, part: -1, worth: 1 });
      for (const term of alike) this.#want(term, { unit: at, part: -1, worth: ALIKE });
    });
  }

  #want(term: string, wanted: { unit: number; part: number; worth: number }): void {
    const hash = termHash(term);
    this.#ends[hash & 0xff] = 1;
    const list = this.#wanted.get(hash);
    if (list === undefined) this.#wanted.set(hash, [wanted]);
    else list.push(wanted);
  }

  score(vector: TermVector): Score {
    this.#found.fill(0);
    this.#parts.fill(0);
    let [at, length, near] = [VECTOR_FIELDS, 0, 0];
    for (let field = 0; field < OWN_FIELDS; field++) {
      const end = at + (vector[field] ?? 0);
      if (field < TEXT_FIELDS) length += end - at;
      near += this.#count(vector, at, end, field);
      at = end;
    }
    const own = this.#sum(length, near);
    const hints = vector[OWN_FIELDS] ?? 0;
    const matched = own.coverage < LEAST_COVERAGE ? 0 : own.score;
    const ownMatch = own.match;
    if (hints === 0) return { ...own, own: matched, ownMatch };
    near += this.#count(vector, at, at + hints, OWN_FIELDS);
    return { ...this.#sum(length, near), own: matched, ownMatch };
  }

  /** Counts a field's words; returns what words of the query that stand near each other add. */
  #count(vector: TermVector, start: number, end: number, field: number): number {
    const [found, parts, last] = [this.#found, this.#parts, this.#last];
    const worth = FIELD[field] ?? 1;
    // Joined identifiers stand in no order.
    const isOrdered = field !== TEXT_FIELDS;
    last.fill(-100);
    let near = 0;
    for (let at = start; at < end; at++) {
      const hash = vector[at] ?? 0;
      if (this.#ends[hash & 0xff] === 0) continue;
      const wanted = this.#wanted.get(hash);
      if (wanted === undefined) continue;
      for (const { unit, part, worth: share } of wanted) {
        const terms = this.#units[unit]?.unit.terms ?? [];
        if (terms.length > 1 && part >= 0) {
          parts[unit] = (parts[unit] ?? 0) + 1 / terms.length;
          if (part !== 0 || !standsAt(vector, at, end, terms)) continue;
        }
        found[unit] = (found[unit] ?? 0) + worth * share;
        if (!isOrdered) continue;
        last[unit] = at;
        const before = unit > 0 ? at - (last[unit - 1] ?? -100) : 100;
        if (before > 0 && before <= NEAR_WORDS)
          near += Math.min(this.#rarities[unit] ?? 0, this.#rarities[unit - 1] ?? 0);
      }
    }
    return near;
  }

  #sum(length: number, near: number): Pick<Score, 'score' | 'coverage' | 'match'> {
    const [found, parts] = [this.#found, this.#parts];
    const norm = K1 * (1 - B + (B * length) / this.#average);
    let [score, covered, words] = [0, 0, 0];
    this.#units.forEach(({ unit }, at) => {
      let tf = found[at] ?? 0;
      let share = tf > 0 ? 1 : 0;
      if (tf === 0 && unit.kind === 'hyphenated') {
        share = PART * Math.min(1, parts[at] ?? 0);
        tf = share;
      }
      if (tf === 0) return;
      const rare = this.#rarities[at] ?? 0;
      score += (rare * tf * (1 + K1)) / (tf + norm);
      covered += rare * share;
      words += unit.kind === 'identifier' ? share * FEWEST_WORDS : share;
    });
    const coverage = this.#most === 0 ? 0 : covered / this.#most;
    const close = Math.min(near, this.#most) * NEAR;
    const total = (score + close) * coverage;
    return { score: total, coverage, match: words < FEWEST_WORDS ? 0 : total / this.#single };
  }
}

function standsAt(vector: TermVector, at: number, end: number, terms: readonly string[]): boolean {
  if (at + terms.length > end) return false;
  return terms.every((term, offset) => vector[at + offset] === termHash(term));
}

/** Memories that share at least half of their words are near duplicates. */
export const NEAR_DUPLICATE = 0.5;

/** The share of words that two memories have in common, 0 to 1. Each word counts once, rare or not. */
export function likeness(one: TermVector, other: TermVector): number {
  return likenessTo(one)(other);
}

/** `likeness` of one memory to many. It returns 0 below `least`, which most memories are and which is found out early. */
export function likenessTo(one: TermVector, least = 0): (other: TermVector) => number {
  const mine = new Set(textOf(one));
  return (other) => {
    const words = textOf(other);
    let shared = 0;
    for (const word of words) if (mine.has(word)) shared += 1;
    if (shared < mine.size * least) return 0;
    const theirs = new Set(words);
    shared = 0;
    for (const word of theirs) if (mine.has(word)) shared += 1;
    const all = mine.size + theirs.size - shared;
    return all === 0 || shared < all * least ? 0 : shared / all;
  };
}

/** In their order, with repetitions. */
function textOf(vector: TermVector): TermVector {
  let words = 0;
  for (let field = 0; field < TEXT_FIELDS; field++) words += vector[field] ?? 0;
  return vector.subarray(VECTOR_FIELDS, VECTOR_FIELDS + words);
}
