/** A piece or stretch of a compared text: in both texts, only in the old one, or only in the new one. */
interface Stretch {
  readonly side: 'both' | 'old' | 'new';
  readonly text: string;
}

/**
 * At most 6 million cells, because more take too long. Beyond that, the whole middle counts as replaced, which is true too.
 */
const MOST_CELLS = 6_000_000;

/** Compares two texts piece by piece (a line, a word). `weight` says how much an unchanged piece matters. */
export function compare(
  old: readonly string[],
  now: readonly string[],
  weight: (piece: string) => number = () => 1,
): Stretch[] {
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  return [
    ...all('both', now.slice(0, start)),
    ...middle(old.slice(start, old.length - end), now.slice(start, now.length - end), weight),
    ...all('both', now.slice(now.length - end)),
  ];
}

/** The longest common subsequence, textbook version. */
function middle(old: readonly string[], now: readonly string[], weight: (piece: string) => number): Stretch[] {
  const width = now.length + 1;
  if ((old.length + 1) * width > MOST_CELLS) return [...all('old', old), ...all('new', now)];
  const common = new Uint32Array((old.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      const same = old[i] === now[j];
      common[i * width + j] = same ? at(i + 1, j + 1) + weight(now[j] ?? '') : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const found: Stretch[] = [];
  let [i, j] = [0, 0];
  while (i < old.length && j < now.length) {
    if (old[i] === now[j]) {
      found.push({ side: 'both', text: now[j++] ?? '' });
      i++;
    } else if (at(i + 1, j) >= at(i, j + 1)) found.push({ side: 'old', text: old[i++] ?? '' });
    else found.push({ side: 'new', text: now[j++] ?? '' });
  }
  return [...found, ...all('old', old.slice(i)), ...all('new', now.slice(j))];
}

function all(side: Stretch['side'], pieces: readonly string[]): Stretch[] {
  return pieces.map((text) => ({ side, text }));
}

export function differs({ side }: Stretch): boolean {
  return side !== 'both';
}

/** Only the differences, with `around` unchanged pieces on each side; undefined stands for omitted pieces. */
export function onlyChanges(compared: readonly Stretch[], around = 2): (Stretch | undefined)[] {
  const near = compared.map((_, i) => compared.slice(Math.max(0, i - around), i + around + 1).some(differs));
  return compared.flatMap((piece, i) => {
    if (near[i]) return [piece];
    return i === 0 || near[i - 1] ? [undefined] : [];
  });
}

/** Compares two texts word by word. Spaces, punctuation and markers of hidden characters are words too. */
export function compareWords(old: string, now: string): Stretch[] {
  return merged(compare(wordsIn(old), wordsIn(now), weightOf));
}

function wordsIn(text: string): string[] {
  return text.match(/⟨[^⟩]*⟩|[\p{L}\p{N}\p{M}_]+|\n|[^\S\n]+|[^\p{L}\p{N}\p{M}_\s]/gu) ?? [];
}

/** An unchanged word matters more than an unchanged space or sign. */
function weightOf(piece: string): number {
  return /^[\p{L}\p{N}⟨]/u.test(piece) ? 4 : 1;
}

/** Joins neighbours of one side. A gap without words between two changes becomes part of both, which reads better. */
function merged(stretches: readonly Stretch[]): Stretch[] {
  const out: Stretch[] = [];
  let [old, now] = ['', ''];
  const flush = () => {
    if (old !== '') out.push({ side: 'old', text: old });
    if (now !== '') out.push({ side: 'new', text: now });
    [old, now] = ['', ''];
  };
  for (const [i, { side, text }] of stretches.entries()) {
    if (side === 'old') old += text;
    else if (side === 'new') now += text;
    else if ((old !== '' || now !== '') && isGap(stretches, i)) {
      old += text;
      now += text;
    } else {
      flush();
      const last = out.at(-1);
      if (last?.side === 'both') out[out.length - 1] = { side, text: last.text + text };
      else out.push({ side, text });
    }
  }
  flush();
  return out;
}

/** Whether only spaces and signs on one line are unchanged until the next change. */
function isGap(stretches: readonly Stretch[], from: number): boolean {
  for (const { side, text } of stretches.slice(from, from + 4)) {
    if (side !== 'both') return true;
    if (/[\p{L}\p{N}\n⟨]/u.test(text)) return false;
  }
  return false;
}
