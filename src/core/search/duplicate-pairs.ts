import { mixed } from './minhash.ts';
import { likeness, NEAR_DUPLICATE } from './rank.ts';
import { TEXT_FIELDS, type TermVector, VECTOR_FIELDS } from './term-vector.ts';

export interface DuplicatePair {
  readonly ids: readonly [string, string];
  readonly likeness: number;
}

/** Two texts that share half of their words agree in one of the bands 99 times in 100. */
const BANDS = 16;
const ROWS = 2;
/** Each text is compared with at most 4 earlier ones of a bucket, so that 100 copies do not make thousands of pairs. */
const NEIGHBOURS = 4;
const MOST_PAIRS = 3;

/**
 * Finds texts that share most of their words, without comparing each with each: only texts whose MinHash signatures agree in
 * a band are compared.
 */
export function duplicatePairs(texts: Iterable<{ readonly id: string; readonly vector: TermVector }>): DuplicatePair[] {
  const bands = Array.from({ length: BANDS }, () => new Map<number, { id: string; vector: TermVector }[]>());
  const pairs: DuplicatePair[] = [];
  for (const text of texts) {
    const signature = signatureOf(text.vector);
    const near = new Map<string, TermVector>();
    for (const [band, buckets] of bands.entries()) {
      const key = signature.subarray(band * ROWS, (band + 1) * ROWS).reduce((sum, each) => mixed(sum ^ each), band);
      const bucket = buckets.get(key) ?? [];
      for (const { id, vector } of bucket) near.set(id, vector);
      bucket.push(text);
      buckets.set(key, bucket.slice(-NEIGHBOURS));
    }
    near.delete(text.id);
    const alike = [...near]
      .map(([id, vector]) => ({ id, likeness: likeness(text.vector, vector) }))
      .filter((other) => other.likeness >= NEAR_DUPLICATE)
      .sort((a, b) => b.likeness - a.likeness);
    for (const other of alike.slice(0, MOST_PAIRS)) {
      pairs.push({ ids: [text.id, other.id].sort() as [string, string], likeness: other.likeness });
    }
  }
  return pairs.sort((a, b) => b.likeness - a.likeness);
}

function signatureOf(vector: TermVector): Uint32Array {
  const least = new Uint32Array(BANDS * ROWS).fill(0xffffffff);
  const end = vector.slice(0, TEXT_FIELDS).reduce((sum, size) => sum + size, VECTOR_FIELDS);
  for (const word of vector.subarray(VECTOR_FIELDS, end)) {
    for (let at = 0; at < least.length; at++) {
      const number = mixed(word ^ Math.imul(at + 1, 0x9e3779b1)) >>> 0;
      if (number < (least[at] ?? 0)) least[at] = number;
    }
  }
  return least;
}
