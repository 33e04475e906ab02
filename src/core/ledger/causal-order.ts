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

/** An entry, and what it stands after. */
interface Placed<T> {
  readonly entry: T;
  readonly causes: Placed<T>[];
  /** When it happened, as far as anybody can tell. */
  time: number;
}

/**
 * Entries in the order in which they happened: each after those it names and after those before it in its ledger; what is
 * left open goes by the clocks. The entries of one ledger are given in its order.
 */
export function inCausalOrder<T>(entries: readonly T[], dated: (entry: T) => Dated): T[] {
  const all = placed(entries, dated);
  const ordered = causesFirst(all);
  // Nothing happened before its cause, whatever its writer's clock said.
  for (const each of ordered) each.time = each.causes.reduce((time, cause) => Math.max(time, cause.time), each.time);
  return ordered.toSorted((a, b) => a.time - b.time).map(({ entry }) => entry);
}

function placed<T>(entries: readonly T[], dated: (entry: T) => Dated): Placed<T>[] {
  const all = entries.map((entry) => {
    const { clock, ...rest } = dated(entry);
    return { ...rest, entry, causes: [] as Placed<T>[], time: clock };
  });
  const byHash = new Map(all.map((each) => [each.hash, each]));
  const nextOf = new Map<string, Placed<T>>();
  for (const each of all.toReversed()) {
    const named = new Set(each.after.flatMap((hash) => byHash.get(hash) ?? []));
    for (const cause of named) each.causes.push(cause);
    if (each.ledger === undefined) continue;
    const next = nextOf.get(each.ledger);
    next?.causes.push(each);
    // A clock that was ahead once is known by the entries behind it in its ledger. Another ledger's clock proves nothing.
    if (next !== undefined) each.time = Math.min(each.time, next.time);
    nextOf.set(each.ledger, each);
  }
  return all;
}

/** Each once, behind its causes, except where a forged list names in a circle. */
function causesFirst<T>(all: readonly Placed<T>[]): Placed<T>[] {
  // A list instead of recursion: a ledger can have 100,000 entries that each follow the one before. The next one is its last.
  const todo = all.toReversed();
  const begun = new Set<Placed<T>>();
  const done = new Set<Placed<T>>();
  for (let each = todo.at(-1); each !== undefined; each = todo.at(-1)) {
    if (begun.has(each)) {
      done.add(each);
      todo.pop();
      continue;
    }
    begun.add(each);
    for (const cause of each.causes) todo.push(cause);
  }
  return [...done];
}
