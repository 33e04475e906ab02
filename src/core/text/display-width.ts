const NARROW = /^[ -~]*$/;
const NONE = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const WIDE =
  /^[\p{Extended_Pictographic}\p{Regional_Indicator}\u1100-\u115F\u2E80-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{16FE0}-\u{18DFF}\u{1AFF0}-\u{1B2FF}\u{20000}-\u{3FFFD}\u{1F100}-\u{1F2FF}]$/u;

/**
 * The most columns any usual terminal gives a text. Counted high on purpose: a line that is wider than was thought is cut
 * off or wrapped by the terminal, and then something was not shown. Whatever an emoji selector follows may take one more.
 */
export function columnsOf(text: string): number {
  if (NARROW.test(text)) return text.length;
  let count = 0;
  for (const char of text)
    count += char === '\uFE0F' || char === '\u20E3' ? 1 : NONE.test(char) ? 0 : WIDE.test(char) ? 2 : 1;
  return count;
}

/**
 * Breaks a text at its single spaces into lines of at most `width` columns; undefined where a word is longer than a line,
 * because a break inside of it would look like a space.
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
