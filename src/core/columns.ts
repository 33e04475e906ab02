/** How many columns a terminal gives a text: marks none, East Asian wide letters and emoji two. */
const NONE = /^[\p{M}\p{Cf}]$/u;
const WIDE =
  /^[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]$|^\p{Emoji_Presentation}$|^[\u{20000}-\u{3FFFD}]$/u;

export function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += NONE.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return columns;
}

/** Breaks a text into lines of at most `width` columns, at spaces where it can. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const paragraph of text.split('\n')) {
    let line = '';
    for (const word of paragraph.split(/(?<= )/)) {
      let rest = word;
      if (columnsOf(line + rest.trimEnd()) > width && line !== '') {
        lines.push(line.trimEnd());
        line = '';
      }
      while (columnsOf(rest.trimEnd()) > width) {
        const head = firstColumns(rest, width);
        lines.push(head);
        rest = rest.slice(head.length);
      }
      line += rest;
    }
    lines.push(line.trimEnd());
  }
  return lines;
}

function firstColumns(text: string, width: number): string {
  let taken = '';
  for (const character of text) {
    if (columnsOf(taken + character) > width) break;
    taken += character;
  }
  // A character wider than the line would otherwise never be taken.
  return taken === '' ? [...text].slice(0, 1).join('') : taken;
}
