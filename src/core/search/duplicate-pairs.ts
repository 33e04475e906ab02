import { likeness } from './rank.ts';
import { type Imprint, SEGMENTS } from './term-vector.ts';

export interface Pair {
  readonly ids: readonly [string, string];
  readonly likeness: number;
}

/** Two texts that share half of their words agree in one of the bands ninety-nine times in a hundred. */
const BANDS = 16;
const ROWS = 2;
/** A hundred copies of one text are told without ten thousand pairs: each is held against the last few before it. */
const NEIGHBOURS = 4;
const MOST_PAIRS = 3;

/**
 * Texts whose words are mostly the same, without holding each against each: what agrees in the smallest of its words'
 * numbers, under a few orders of them, is compared (MinHash).
 */
export function alikePairs(texts: Iterable<{ readonly id: string; readonly imprint: Imprint }>, least: number): Pair[] {
  const bands = Array.from({ length: BANDS }, () => new Map<number, { id: string; imprint: Imprint }[]>());
  const pairs: Pair[] = [];
  for (const text of texts) {
    const signature = signatureOf(text.imprint);
    const near = new Map<string, Imprint>();
    for (const [band, buckets] of bands.entries()) {
      const key = signature.subarray(band * ROWS, (band + 1) * ROWS).reduce((sum, each) => mixed(sum ^ each), band);
      const bucket = buckets.get(key) ?? [];
      for (const { id, imprint } of bucket) near.set(id, imprint);
      bucket.push(text);
      buckets.set(key, bucket.slice(-NEIGHBOURS));
    }
    near.delete(text.id);
    const alike = [...near]
      .map(([id, imprint]) => ({ id, likeness: likeness(text.imprint, imprint) }))
      .filter((other) => other.likeness >= least)
      .sort((a, b) => b.likeness - a.likeness);
    for (const other of alike.slice(0, MOST_PAIRS)) {
      pairs.push({ ids: [text.id, other.id].sort() as [string, string], likeness: other.likeness });
    }
  }
  return pairs.sort((a, b) => b.likeness - a.likeness);
}

function signatureOf(imprint: Imprint): Uint32Array {
  const least = new Uint32Array(BANDS * ROWS).fill(0xffffffff);
  const end = imprint.slice(0, SEGMENTS - 1).reduce((sum, size) => sum + size, SEGMENTS);
  for (const word of imprint.subarray(SEGMENTS, end)) {
    for (let at = 0; at < least.length; at++) {
      const number = mixed(word ^ Math.imul(at + 1, 0x9e3779b1));
      if (number < (least[at] ?? 0)) least[at] = number;
    }
  }
  return least;
}

/** Spreads a number over all others (the finalizer of MurmurHash 3). */
function mixed(number: number): number {
  let x = number;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}
