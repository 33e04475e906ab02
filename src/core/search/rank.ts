import type { Unit } from './query.ts';
import { hashOf, type Imprint, SEGMENTS } from './term-vector.ts';

/** A unit with what the store knows about it. */
export interface Weighed {
  readonly unit: Unit;
  /** In how many memories it is, at least. */
  readonly df: number;
  /** Other terms that count for it in part: words it begins. */
  readonly alike: readonly string[];
}

export interface Totals {
  readonly memories: number;
  readonly words: number;
}

/** Name, what is said about it, body, identifiers as wholes. */
const FIELD = [4, 2, 1, 0] as const;
const K1 = 1.2;
const B = 0.1;
const ALIKE = 0.35;
const PART = 0.3;
const NEAR = 0.15;
const NEAR_WORDS = 3;

/** Rare words say more. Never zero or less, however small the store and common the word (X09). */
export function rarity(df: number, memories: number): number {
  return Math.log(1 + (Math.max(memories, df) - df + 0.5) / (df + 0.5));
}

/** Shares less of what was asked than this, and it is found by chance. A share, so the best hit does not decide on the others. */
export const LEAST_COVERAGE = 0.1;

export interface Score {
  readonly score: number;
  /** The share of what was asked that is in it, by rarity: 0 to 1. */
  readonly coverage: number;
}

/** Made once for a question, used for each memory that may answer it. */
export class Ranker {
  readonly #weighed: readonly Weighed[];
  readonly #rarities: readonly number[];
  readonly #most: number;
  readonly #average: number;
  /** Made once and used for each memory: making them costs as much as the counting. */
  readonly #found: Float64Array;
  readonly #parts: Float64Array;
  readonly #last: Int32Array;
  /** Whether a term whose hash ends in this byte is wanted: says of most words at once that they are not. */
  readonly #ends = new Uint8Array(256);
  /** Term → where it counts: in which unit, as which of its parts, for how much. */
  readonly #wanted = new Map<number, { unit: number; part: number; worth: number }[]>();

  constructor(weighed: readonly Weighed[], { memories, words }: Totals) {
    this.#weighed = weighed;
    this.#found = new Float64Array(weighed.length);
    this.#parts = new Float64Array(weighed.length);
    this.#last = new Int32Array(weighed.length);
    this.#rarities = weighed.map(({ unit, df }) => unit.weight * rarity(df, memories));
    this.#most = this.#rarities.reduce((sum, each) => sum + each, 0);
    this.#average = memories === 0 ? 1 : Math.max(1, words / memories);
    weighed.forEach(({ unit, alike }, at) => {
      unit.terms.forEach((term, part) => {
        this.#want(term, { unit: at, part, worth: 1 });
      });
      if (unit.whole !== null) this.#want(unit.whole, { unit: at, part: -1, worth: 1 });
      for (const term of alike) this.#want(term, { unit: at, part: -1, worth: ALIKE });
    });
  }

  #want(term: string, wanted: { unit: number; part: number; worth: number }): void {
    const hash = hashOf(term);
    this.#ends[hash & 0xff] = 1;
    const list = this.#wanted.get(hash);
    if (list === undefined) this.#wanted.set(hash, [wanted]);
    else list.push(wanted);
  }

  score(imprint: Imprint): Score {
    const [found, parts, last] = [this.#found, this.#parts, this.#last];
    found.fill(0);
    parts.fill(0);
    last.fill(-100);
    let near = 0;
    let at = SEGMENTS;
    let length = 0;
    for (let segment = 0; segment < SEGMENTS; segment++) {
      const size = imprint[segment] ?? 0;
      const end = at + size;
      // A whole stands for the identifier in its field, wherever that was.
      const worth = FIELD[segment] || 1;
      if (segment < SEGMENTS - 1) length += size;
      for (; at < end; at++) {
        const hash = imprint[at] ?? 0;
        if (this.#ends[hash & 0xff] === 0) continue;
        const wanted = this.#wanted.get(hash);
        if (wanted === undefined) continue;
        for (const { unit, part, worth: share } of wanted) {
          const terms = this.#weighed[unit]?.unit.terms ?? [];
          if (terms.length > 1 && part >= 0) {
            parts[unit] = (parts[unit] ?? 0) + 1 / terms.length;
            if (part !== 0 || !standsAt(imprint, at, end, terms)) continue;
          }
          found[unit] = (found[unit] ?? 0) + worth * share;
          if (segment < SEGMENTS - 1) {
            last[unit] = at;
            const before = unit > 0 ? at - (last[unit - 1] ?? -100) : 100;
            if (before > 0 && before <= NEAR_WORDS)
              near += Math.min(this.#rarities[unit] ?? 0, this.#rarities[unit - 1] ?? 0);
          }
        }
      }
      last.fill(-100);
    }
    return this.#sum(found, parts, length, near);
  }

  #sum(found: Float64Array, parts: Float64Array, length: number, near: number): Score {
    const norm = K1 * (1 - B + (B * length) / this.#average);
    let [score, covered] = [0, 0];
    this.#weighed.forEach(({ unit }, at) => {
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
    });
    const coverage = this.#most === 0 ? 0 : covered / this.#most;
    const close = Math.min(near, this.#most) * NEAR;
    return { score: (score + close) * coverage, coverage };
  }
}

function standsAt(imprint: Imprint, at: number, end: number, terms: readonly string[]): boolean {
  if (at + terms.length > end) return false;
  return terms.every((term, offset) => imprint[at + offset] === hashOf(term));
}

/** How much of the words two memories share, 0 to 1: rarely written ones and usual ones alike, each counted once. */
export function likeness(one: Imprint, other: Imprint): number {
  return likenessTo(one)(other);
}

/** The same for one memory beside many, and 0 for what is less alike than `least`: most are, and that is seen sooner. */
export function likenessTo(one: Imprint, least = 0): (other: Imprint) => number {
  const mine = new Set(wordsIn(one));
  return (other) => {
    const words = wordsIn(other);
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

/** In their order, each as often as it was written. */
function wordsIn(imprint: Imprint): Imprint {
  let words = 0;
  for (let segment = 0; segment < SEGMENTS - 1; segment++) words += imprint[segment] ?? 0;
  return imprint.subarray(SEGMENTS, SEGMENTS + words);
}
