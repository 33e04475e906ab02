/**
 * A 32-bit key: FNV-1a, or the first eight digits of a SHA-256 in hex. Two texts can share a key, so the caller
 * compares the texts.
 */
export function keyOf(text: string): number {
  if (text.length === 64) {
    const start = Number.parseInt(text.slice(0, 8), 16);
    if (!Number.isNaN(start)) return start;
  }
  let key = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) key = Math.imul(key ^ text.charCodeAt(at), 0x01000193);
  return key >>> 0;
}

/** Numbers by key, several for each key, in four flat arrays, because a Map would take ten times the memory. */
export class HashIndex {
  /**
   * The first entry of each bucket, and the next entry of each entry; each is the entry's number plus 1, or 0 for none.
   */
  #buckets = new Uint32Array(64);
  #next = new Uint32Array(64);
  #keys = new Uint32Array(64);
  #numbers = new Uint32Array(64);
  #count = 0;

  add(key: number, number: number): void {
    if (this.#count === this.#keys.length) this.#grow(this.#count + 1);
    const entry = this.#count++;
    this.#keys[entry] = key;
    this.#numbers[entry] = number;
    this.#chain(entry);
  }

  /** Makes room for this many more at once, because growing step by step costs as much as adding them. */
  expect(more: number): void {
    if (this.#count + more > this.#keys.length) this.#grow(this.#count + more);
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  has(key: number): boolean {
    let entry = this.#buckets[key & (this.#buckets.length - 1)] ?? 0;
    while (entry !== 0 && this.#keys[entry - 1] !== key) entry = this.#next[entry - 1] ?? 0;
    return entry !== 0;
  }

  /** In the order they were added. */
  of(key: number): number[] {
    const found: number[] = [];
    for (let entry = this.#buckets[key & (this.#buckets.length - 1)] ?? 0; entry !== 0; ) {
      if (this.#keys[entry - 1] === key) found.push(this.#numbers[entry - 1] ?? 0);
      entry = this.#next[entry - 1] ?? 0;
    }
    return found.reverse();
  }

  #grow(atLeast: number): void {
    while (this.#keys.length < atLeast) [this.#keys, this.#numbers] = [grown(this.#keys), grown(this.#numbers)];
    this.#next = new Uint32Array(this.#keys.length);
    this.#buckets = new Uint32Array(this.#keys.length);
    for (let entry = 0; entry < this.#count; entry++) this.#chain(entry);
  }

  #chain(entry: number): void {
    const bucket = (this.#keys[entry] ?? 0) & (this.#buckets.length - 1);
    this.#next[entry] = this.#buckets[bucket] ?? 0;
    this.#buckets[bucket] = entry + 1;
  }
}

/** Keys in one flat array, because a Set of 100,000 takes 4 MB, and what it had while it grew stays until V8 collects it. */
export class KeySet {
  #keys = new Uint32Array(64);
  #count = 0;
  #isSorted = true;

  add(key: number): void {
    if (this.#count === this.#keys.length) this.#keys = grown(this.#keys);
    this.#keys[this.#count++] = key;
    this.#isSorted = false;
  }

  has(key: number): boolean {
    if (!this.#isSorted) this.#keys.subarray(0, this.#count).sort();
    this.#isSorted = true;
    let [from, to] = [0, this.#count];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#keys[middle] ?? 0) < key) from = middle + 1;
      else to = middle;
    }
    return from < this.#count && this.#keys[from] === key;
  }
}

export function grown(numbers: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(Math.max(1, numbers.length * 2));
  larger.set(numbers);
  return larger;
}
