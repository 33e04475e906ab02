/** The one known word that a mistyped one is close to: one slip away, or two where it is longer than four letters. */
export function nearestWord(typed: string, known: readonly string[]): string | undefined {
  // Nothing that long is a slip, and comparing takes time.
  if (typed.length > 30) return undefined;
  const most = typed.length > 4 ? 2 : 1;
  const near = known.map((word) => ({ word, slips: slipsBetween(typed, word) })).filter(({ slips }) => slips <= most);
  const fewest = Math.min(...near.map(({ slips }) => slips));
  const nearest = near.filter(({ slips }) => slips === fewest);
  return nearest.length === 1 ? nearest[0]?.word : undefined;
}

/** How many letters were left out, added, exchanged or swapped with their neighbour. */
function slipsBetween(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const at = (i: number, j: number) => rows[i]?.[j] ?? 0;
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j += 1) {
      const exchanged = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, exchanged, swapped ? at(i - 2, j - 2) + 1 : exchanged));
    }
  }
  return at(a.length, b.length);
}
