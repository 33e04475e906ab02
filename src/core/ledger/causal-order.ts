/** What the order of an entry depends on. */
export interface Dated {
  readonly hash: string;
  /** The hashes of the entries that it follows. */
  readonly after: readonly string[];
  /** The ledger that it stands in; undefined where its neighbours say nothing about the order. */
  readonly ledger: string | undefined;
  /** What the writer's clock said. */
  readonly clock: number;
}

/** An entry, and the one before it in its ledger. */
interface Placed<T> extends Dated {
  readonly entry: T;
  readonly before: Placed<T> | undefined;
}

/**
 * Entries in the order in which they happened: each after those it names and after those before it in its ledger; what is
 * left open goes by the clocks. A clock that was wrong once then puts nothing that followed before its cause. The
 * entries of one ledger are given in its order.
 */
export function inCausalOrder<T>(entries: readonly T[], dated: (entry: T) => Dated): T[] {
  const byHash = new Map<string, Placed<T>>();
  const lastOf = new Map<string | undefined, Placed<T>>();
  const all = entries.map((entry) => {
    const { hash, after, ledger, clock } = dated(entry);
    const placed = { entry, hash, after, ledger, clock, before: lastOf.get(ledger) };
    byHash.set(hash, placed);
    if (ledger !== undefined) lastOf.set(ledger, placed);
    return placed;
  });
  // A list instead of recursion: a ledger can have 100,000 entries that each follow the one before. The next one is its last.
  const todo = latestFirst(all);
  const begun = new Set<Placed<T>>();
  const done = new Set<Placed<T>>();
  for (let each = todo.at(-1); each !== undefined; each = todo.at(-1)) {
    if (begun.has(each)) {
      done.add(each);
      todo.pop();
      continue;
    }
    begun.add(each);
    const causes = [each.before, ...each.after.map((hash) => byHash.get(hash))].filter((cause) => cause !== undefined);
    for (const cause of latestFirst(causes)) if (!begun.has(cause)) todo.push(cause);
  }
  return Array.from(done, ({ entry }) => entry);
}

/** Of one time, those stand last that are given first. */
function latestFirst<T>(entries: readonly Placed<T>[]): Placed<T>[] {
  return entries.toSorted((a, b) => a.clock - b.clock).reverse();
}
