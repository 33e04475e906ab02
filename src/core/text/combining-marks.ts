import { MARK, type Point, type Removed, removal, ZWJ, ZWNJ } from './code-points.ts';

/** At most 4 marks stacked on one base: Burmese "secret", လျှို့ဝှက်, has four; Zalgo text has hundreds. */
export const MOST_STACKED = 4;
/**
 * At most 8 marks of any sort on one base. Spacing vowels stand beside the base, so words have more of them (လျှို့ဝှက် has
 * five).
 */
export const MOST_MARKS = 8;
/** At most 32 before normalizing, because normalizing sorts marks and takes quadratic time in a long run. */
const MOST_UNSORTED = 32;

const STACKED = /[\p{Mn}\p{Me}]/v;

/** Can merge with, or move before, the character to its left: marks, conjoining Hangul, Kirat Rai vowels. */
export const COMPOSES = /[\p{M}\u1160-\u11FF\uD7B0-\uD7FF\u{16D63}-\u{16D6A}]/v;

/**
 * Cuts runs that are too long for the normalizer. Joiners do not start a new run: alternating them would evade the limit.
 */
export function capUnsorted(points: readonly Point[], removed: Removed[]): Point[] {
  return capRuns(points, removed, MOST_UNSORTED, MOST_UNSORTED);
}

/** Cuts the end of a run, never its middle, so that the rest stays in normal form. */
export function capMarks(points: readonly Point[], removed: Removed[]): Point[] {
  return capRuns(points, removed, MOST_STACKED, MOST_MARKS);
}

function capRuns(points: readonly Point[], removed: Removed[], mostStacked: number, mostMarks: number): Point[] {
  const kept: Point[] = [];
  let stacked = 0;
  let marks = 0;
  for (const point of points) {
    if (MARK.test(point.char)) {
      marks++;
      if (STACKED.test(point.char)) stacked++;
      if (stacked > mostStacked || marks > mostMarks) {
        removed.push(removal('combining-flood', point));
        continue;
      }
    } else if (point.char !== ZWJ && point.char !== ZWNJ) {
      stacked = 0;
      marks = 0;
    }
    kept.push(point);
  }
  return kept;
}

/** NFC that keeps each character's position. Returns `points` itself if nothing changed. */
export function composeMarks(points: readonly Point[]): readonly Point[] {
  const text = points.map((point) => point.char).join('');
  if (text.normalize('NFC') === text) return points;
  const composed: Point[] = [];
  let start = 0;
  for (let end = 1; end <= points.length; end++) {
    const next = points[end];
    if (next && COMPOSES.test(next.char)) continue;
    for (const point of composeRun(points.slice(start, end))) composed.push(point);
    start = end;
  }
  return composed;
}

function composeRun(run: readonly Point[]): readonly Point[] {
  const text = run.map((point) => point.char).join('');
  const normal = text.normalize('NFC');
  if (normal === text) return run;
  const places = new Map<string, number[]>();
  for (const { char, at } of run) {
    const same = places.get(char);
    if (same) same.push(at);
    else places.set(char, [at]);
  }
  // From the end, because the first of several equal marks is the one that merged with the base.
  const base = (run[0] as Point).at;
  const backwards = [...normal].reverse().map((char) => ({ char, at: places.get(char)?.pop() ?? base }));
  return backwards.reverse();
}
