import { type Highlight, pieces } from '../../core/present/highlights.ts';
import { columnsOf } from '../../core/text/display-width.ts';
import { joinText, type SafeText, sanitize, text } from '../../core/text/safe-text.ts';
import type { Style, TerminalLine } from './line.ts';

/** LINE starts each line of stored text; ROW starts each wrapped row of it. */
const LINE = text`│ `;
const ROW = text`┆ `;
/** Columns that LINE or ROW takes. */
export const PREFIX = 2;

/** Replaces a tab, whose width is unknown. An arrow in the text is shown as its code point. */
const TAB = '⇥   ';

function withTabs(line: string): string {
  return line.replaceAll('⇥', '⟨U+21E5⟩').replaceAll('\t', TAB);
}

/** Made when a word is first wider than a row: making one takes longer than most commands take for their work. */
let graphemes: Intl.Segmenter | undefined;

/**
 * Prefixes and wraps each line of stored text. If the terminal wrapped a line, its rest would start in the first column
 * and could look like a question.
 */
export function quote(stored: SafeText, width: number): SafeText[] {
  const lines = withTabs(stored.toString()).split('\n');
  return lines.flatMap((line) =>
    rows(line, width - PREFIX).map((row, i) => joinText([i === 0 ? LINE : ROW, sanitize(row, 'body')], text``)),
  );
}

/** Like `quote`, and highlights the parts that findings are about. */
export function quoteMarked(
  stored: SafeText,
  width: number,
  highlights: readonly Highlight[],
  look: (highlight: Highlight) => Style,
): TerminalLine[] {
  let offset = 0;
  return stored
    .toString()
    .split('\n')
    .flatMap((line) => {
      let at = 0;
      const first = offset;
      offset += line.length + 1;
      return rows(withTabs(line), width - PREFIX).map((row, i): TerminalLine => {
        // A row with a widened tab is not marked, because it does not occur in the stored line.
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

export function wrapped(sentence: SafeText, width: number): SafeText[] {
  return sentence
    .toString()
    .split('\n')
    .flatMap((line) => rows(line, width).map((row) => sanitize(row, 'body')));
}

/** Breaks after a space if there is one, otherwise between characters. */
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
 * Splits a word into graphemes. A grapheme wider than a row is split into code points, because joined emoji have no
 * maximum width.
 */
function* charactersOf(word: string, width: number): Generator<string> {
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  for (const { segment } of graphemes.segment(word)) {
    if (columnsOf(segment) > width) yield* segment;
    else yield segment;
  }
}
