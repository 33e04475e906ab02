import { eastAsianWidth } from 'get-east-asian-width';

const NARROW = /^[ -~]*$/;
/** Takes no column: marks on the letter before, and the joiners and tags of an emoji. */
const NONE = /^[\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}]$/u;
/** U+FE0F turns a narrow sign into a wide emoji; some terminals give a keycap's frame its own column. */
const WIDENING = /^[\uFE0F\u20E3]$/u;
/** Unassigned in this Node's Unicode. A newer terminal may know it as wide. */
const UNKNOWN = /^\p{Cn}$/u;
/** Wide in some terminals, whatever Unicode's table says. */
const WIDE =
  /^[\p{Extended_Pictographic}\p{Regional_Indicator}\u1100-\u115F\u2E80-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{16FE0}-\u{18DFF}\u{1AFF0}-\u{1B2FF}\u{20000}-\u{3FFFD}\u{1F100}-\u{1F2FF}]$/u;

/**
 * The most columns any common terminal gives a text. Counted high on purpose: a terminal cuts or wraps a line that is wider
 * than expected, and then part of it was not shown.
 */
export function columnsOf(text: string): number {
  if (NARROW.test(text)) return text.length;
  let count = 0;
  for (const char of text) count += columnsOfPoint(char);
  return count;
}

/** The larger of Unicode's table and our own. A mark that Unicode's table calls wide never has width 0. */
function columnsOfPoint(char: string): number {
  if (eastAsianWidth(char.codePointAt(0) ?? 0) === 2 || UNKNOWN.test(char)) return 2;
  if (WIDENING.test(char)) return 1;
  if (NONE.test(char)) return 0;
  return WIDE.test(char) ? 2 : 1;
}

/**
 * Breaks a text at its single spaces into lines of at most `width` columns. Undefined if a word is longer than a line,
 * because a break inside a word would look like a space.
 */
export function wrap(text: string, width: number): string[] | undefined {
  const lines: string[] = [];
  let line: string | undefined;
  for (const word of text.split(' ')) {
    if (columnsOf(word) > width) return undefined;
    const longer: string = line === undefined ? word : `${line} ${word}`;
    if (line !== undefined && columnsOf(longer) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  if (line !== undefined) lines.push(line);
  return lines;
}

/** A notice for a stream: broken between words where that is a terminal. */
export function noticeFor(stream: { readonly isTTY?: boolean; readonly columns?: number }, notice: string): string {
  const rows = stream.isTTY ? wrap(notice, (stream.columns || 80) - 1) : undefined;
  return rows?.join('\n') ?? notice;
}
