/** Chance that is the same every time. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** One of the choices. Of none it is undefined, which the type leaves out: most lists are never empty. */
export function pick<T>(choices: readonly T[], chance: () => number): T {
  return choices[Math.floor(chance() * choices.length)] as T;
}
