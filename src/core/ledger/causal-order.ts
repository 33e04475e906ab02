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

/**
 * Entries in the order in which they happened: each after those it names and after those before it in its ledger; what is
 * left open goes by the clocks. A clock that was wrong once then puts nothing that followed before its cause. The
 * entries of one ledger are given in its order.
 */
export function inCausalOrder<T>(entries: readonly T[], dated: (entry: T) => Dated): T[] {
  const all = entries.map((entry) => ({ entry, ...dated(entry), before: undefined as number | undefined }));
  const byHash = new Map<string, number>();
  const lastOf = new Map<string, number>();
  for (const [i, each] of all.entries()) {
    byHash.set(each.hash, i);
    if (each.ledger === undefined) continue;
    each.before = lastOf.get(each.ledger);
    lastOf.set(each.ledger, i);
  }
  const ordered: T[] = [];
  const begun = new Set<number>();
  const done = new Set<number>();
  // A list instead of recursion: a ledger can have 100,000 entries that each follow the one before.
  const todo = all.map((_, i) => i).sort((a, b) => (all[b]?.clock ?? 0) - (all[a]?.clock ?? 0) || b - a);
  for (let i = todo.at(-1); i !== undefined; i = todo.at(-1)) {
    const each = all[i];
    if (each === undefined || done.has(i) || begun.has(i)) {
      todo.pop();
      if (each !== undefined && !done.has(i)) ordered.push(each.entry);
      done.add(i);
      continue;
    }
    begun.add(i);
    const causes = [each.before, ...each.after.map((hash) => byHash.get(hash))];
    for (const cause of causes) if (cause !== undefined && !begun.has(cause)) todo.push(cause);
  }
  return ordered;
}
