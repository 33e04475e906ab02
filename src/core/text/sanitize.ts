import { once } from '../once.ts';
import {
  contextual,
  kindOf,
  LINE_BREAK,
  type Point,
  REPLACEMENT,
  type Removed,
  removal,
  type Shape,
} from './code-points.ts';
import { capMarks, capUnsorted, composeMarks } from './combining-marks.ts';
import { dropAllContextual, dropStrays } from './joiners.ts';

export type { Removed, RemovedKind, Shape } from './code-points.ts';

type SanitizedText = { readonly text: string; readonly removed: readonly Removed[] };
type ExaminedPoints = { readonly points: readonly Point[]; readonly removed: readonly Removed[] };

/** At most 4 passes: honest text needs one or two, and a text built to need more gets the strict pass. */
const MOST_PASSES = 4;

/** These characters are never judged or normalized next to any other. Most text takes this fast path. */
const PLAIN = /^[\t\n -~\u00A1-\u00AC\u00AE-\u024F\u2010-\u2027\u2030-\u203B]*$/;
/** Text in normal form without any of these has nothing to judge. */
const notable = once(() => /[[\p{C}\p{M}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\uFFFC]--[\t\n]]/v);
const LOOSE_SPACE = /^ | $| {2}|[\t\n]/;

/** The only algorithm that decides which characters stay; cleaning, showing and checking use it. It is idempotent. */
export function examine(raw: string, shape: Shape): SanitizedText {
  if (isOrdinary(raw, shape)) return { text: raw, removed: [] };
  const { points, removed } = examinePoints(raw, shape);
  return { text: points.map((point) => point.char).join(''), removed };
}

/** Whether a text stays as it is, by a look at its characters. False leaves it open. */
export function isOrdinary(raw: string, shape: Shape): boolean {
  if (shape === 'line' && LOOSE_SPACE.test(raw)) return false;
  return isPlain(raw) || (!notable().test(raw) && raw.normalize('NFC') === raw);
}

export function isPlain(raw: string): boolean {
  return PLAIN.test(raw);
}

/** `examine` before the characters are joined: each still has its raw position. Tests vary `passes`. */
export function examinePoints(raw: string, shape: Shape, passes = MOST_PASSES): ExaminedPoints {
  const removed: Removed[] = [];
  const points = settle(admit(raw, shape, removed), removed, passes);
  // A later pass may remove a character at an earlier position.
  removed.sort((a, b) => a.at - b.at);
  return { points: shape === 'line' ? collapseSpaces(points) : points, removed };
}

/** What can be judged without neighbours: breaks become LF (or a space in a line), forbidden characters are removed. */
function admit(raw: string, shape: Shape, removed: Removed[]): Point[] {
  const admitted: Point[] = [];
  let at = -1;
  let previous = '';
  for (const char of raw) {
    at++;
    const crlf = char === '\n' && previous === '\r';
    previous = char;
    if (crlf) continue;
    const point = { char, at };
    if (LINE_BREAK.test(char)) {
      if (shape === 'line') removed.push(removal('line-break', point));
      admitted.push({ char: shape === 'line' ? ' ' : '\n', at });
      continue;
    }
    if (char === '\t') {
      admitted.push({ char: shape === 'line' ? ' ' : char, at });
      continue;
    }
    const kind = kindOf(char);
    if (kind === undefined || contextual().test(char)) {
      admitted.push(point);
      continue;
    }
    removed.push(removal(kind, point));
    if (kind === 'surrogate' || kind === 'private-use') admitted.push({ char: REPLACEMENT, at });
  }
  return admitted;
}

/** Repeats until stable: dropping a character can make its neighbour a stray or let two others compose. */
function settle(points: readonly Point[], removed: Removed[], passes: number): readonly Point[] {
  let current = points;
  for (let pass = 0; pass < passes; pass++) {
    const count = removed.length;
    const tidy = capUnsorted(dropStrays(current, removed), removed);
    const composed = composeMarks(tidy);
    current = capMarks(composed, removed);
    if (composed === tidy && removed.length === count) return current;
  }
  // Without contextual characters, composing and capping cannot undo each other, so one pass is enough.
  return capMarks(composeMarks(capUnsorted(dropAllContextual(current, removed), removed)), removed);
}

function collapseSpaces(points: readonly Point[]): Point[] {
  const kept = points.filter((point, i) => point.char !== ' ' || (i > 0 && points[i - 1]?.char !== ' '));
  if (kept.at(-1)?.char === ' ') kept.pop();
  return kept;
}
