/** What `work` makes of each, in their order, with at most so many under way. */
export async function several<T, R>(atOnce: number, some: readonly T[], work: (each: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const left = some.entries();
  const worker = async () => {
    for (const [at, each] of left) results[at] = await work(each);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, some.length) }, worker));
  return results;
}

/** A pool: whatever is asked of it waits until fewer than so many are under way. */
export function turns(atOnce: number): <R>(work: () => Promise<R>) => Promise<R> {
  const waiting: (() => void)[] = [];
  let underWay = 0;
  return async (work) => {
    if (underWay >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else underWay += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) underWay -= 1;
      else next();
    }
  };
}
