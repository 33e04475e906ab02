/** One line of a difference: in both, only in the old text, or only in the new one. */
export interface Compared {
  readonly side: 'both' | 'old' | 'new';
  readonly line: string;
}

/** Above this many comparisons the middle is shown as taken out and put in whole; it stays true and takes no time. */
const MOST_CELLS = 4_000_000;

/** What became of a text, line by line. */
export function compare(old: readonly string[], now: readonly string[]): Compared[] {
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const both = (line: string): Compared => ({ side: 'both', line });
  return [
    ...now.slice(0, start).map(both),
    ...middle(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...now.slice(now.length - end).map(both),
  ];
}

/** The longest common subsequence, by the book. */
function middle(old: readonly string[], now: readonly string[]): Compared[] {
  const width = now.length + 1;
  if ((old.length + 1) * width > MOST_CELLS) return [...all('old', old), ...all('new', now)];
  const common = new Uint32Array((old.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      common[i * width + j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const found: Compared[] = [];
  let [i, j] = [0, 0];
  while (i < old.length && j < now.length) {
    if (old[i] === now[j]) {
      found.push({ side: 'both', line: now[j++] ?? '' });
      i++;
    } else if (at(i + 1, j) >= at(i, j + 1)) found.push({ side: 'old', line: old[i++] ?? '' });
    else found.push({ side: 'new', line: now[j++] ?? '' });
  }
  return [...found, ...all('old', old.slice(i)), ...all('new', now.slice(j))];
}

function all(side: Compared['side'], lines: readonly string[]): Compared[] {
  return lines.map((line) => ({ side, line }));
}

/** Only what differs, with `around` lines of both on each side; undefined stands for what was left out. */
export function folded(compared: readonly Compared[], around = 2): (Compared | undefined)[] {
  const near = compared.map((_, i) => compared.slice(Math.max(0, i - around), i + around + 1).some(differs));
  return compared.flatMap((line, i) => {
    if (near[i]) return [line];
    return i === 0 || near[i - 1] ? [undefined] : [];
  });
}

export function differs({ side }: Compared): boolean {
  return side !== 'both';
}
