import { type Highlight, pieces } from '../../core/present/highlights.ts';
import { columnsOf } from '../../core/text/display-width.ts';
import { joinText, type SafeText, sanitize, text } from '../../core/text/safe-text.ts';
import type { Line, Style } from './line.ts';

/** Begins every line of stored text, and every further row of one that is too long for the window. */
const LINE = text`│ `;
const ROW = text`┆ `;
/** How many columns the two above take. */
export const PREFIX = 2;

/** A tab would jump by an unknown width; this shows that it is one. The text's own arrow is shown as what it is. */
const TAB = '⇥   ';

function withTabs(line: string): string {
  return line.replaceAll('⇥', '⟨U+21E5⟩').replaceAll('\t', TAB);
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * Stored text as it is shown: each of its lines behind a prefix and wrapped here, so that no line of it can begin where
 * ours begin. Had the terminal to wrap, the rest of a line would start in the first column and could pose as a question.
 */
export function quote(stored: SafeText, width: number): SafeText[] {
  const lines = withTabs(stored.toString()).split('\n');
  return lines.flatMap((line) =>
    rows(line, width - PREFIX).map((row, i) => joinText([i === 0 ? LINE : ROW, sanitize(row, 'body')], text``)),
  );
}

/** The same, with the pieces in a style of their own that findings are about. */
export function quoteMarked(
  stored: SafeText,
  width: number,
  highlights: readonly Highlight[],
  look: (highlight: Highlight) => Style,
): Line[] {
  let offset = 0;
  return stored
    .toString()
    .split('\n')
    .flatMap((line) => {
      let at = 0;
      const first = offset;
      offset += line.length + 1;
      return rows(withTabs(line), width - PREFIX).map((row, i): Line => {
        // Where a tab was widened nothing is marked: the row stands nowhere in the line as it is stored.
        const place = line.indexOf(row, at);
        if (place !== -1) at = place + row.length;
        const cut = place === -1 ? [{ text: row }] : pieces(row, highlights, first + place);
        return [
          i === 0 ? LINE : ROW,
          ...cut.map(({ text: words, highlight }) => {
            const safe = sanitize(words, 'body');
            return highlight === undefined ? safe : ([look(highlight), safe] as const);
          }),
        ];
      });
    });
}

/** Our own sentence, wrapped. */
export function wrapped(sentence: SafeText, width: number): SafeText[] {
  return sentence
    .toString()
    .split('\n')
    .flatMap((line) => rows(line, width).map((row) => sanitize(row, 'body')));
}

/** Breaks after a space where there is one, else between whole characters. */
function rows(line: string, width: number): string[] {
  const done: string[] = [];
  let row = '';
  let used = 0;
  const end = () => {
    done.push(row.trimEnd());
    row = '';
    used = 0;
  };
  for (const word of line.split(/(?<= )(?! )/)) {
    const wide = columnsOf(word.trimEnd());
    if (used > 0 && used + wide > width) end();
    if (wide <= width) {
      row += word;
      used += columnsOf(word);
      continue;
    }
    for (const piece of charactersOf(word, width)) {
      const room = columnsOf(piece);
      if (used > 0 && used + room > width) end();
      row += piece;
      used += room;
    }
  }
  if (row.trimEnd() !== '' || done.length === 0) end();
  return done;
}

/**
 * Whole characters, as people see them. One that is wider than a row comes in code points: emoji can be joined without an
 * end, and a terminal that does not join them draws each.
 */
function* charactersOf(word: string, width: number): Generator<string> {
  for (const { segment } of graphemes.segment(word)) {
    if (columnsOf(segment) > width) yield* segment;
    else yield segment;
  }
}
