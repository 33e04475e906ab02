import { columnsOf } from '../../core/text/display-width.ts';
import { joinText, type SafeText, sanitize, text, truncate } from '../../core/text/safe-text.ts';
import type { Style, TerminalLine } from './line.ts';
import { windowSize } from './print.ts';
import { quote, wrapped } from './quote.ts';

const GAP = 2;
const INDENT = text`  `;

/** Cells with Surety's own words, then stored text, such as a memory's name. */
interface TerminalRow {
  readonly cells: readonly { readonly words: string; readonly width: number; readonly style?: Style | undefined }[];
  readonly stored?: SafeText | undefined;
}

/**
 * Lays out a table row. Every cell and the stored text begin in a column of their own: what is wider than its cell goes on
 * below it. In a window that is too narrow for the columns a line has as many cells as fit. Stored text that does not fit beside
 * the cells goes on the next line; it is cut to the window and never wraps. A row to a pipe is one line, because programs read lines.
 */
export function linesOfRow({ cells, stored }: TerminalRow): TerminalLine[] {
  const { width } = windowSize();
  if (!process.stdout.isTTY) return [oneLine(cells, stored, width)];
  const starts = cells.map((_, i) => cells.slice(0, i).reduce((sum, cell) => sum + cell.width + GAP, 0));
  const name = cells.reduce((sum, cell) => sum + cell.width + GAP, 0);
  const isBelow = stored !== undefined && !fitsIn(stored, width - name);
  const below: TerminalLine[] = isBelow ? [[INDENT, fitted(stored, width - GAP)]] : [];
  if (name > width) return [...stacked(cells, width), ...below];

  const last = cells.length - 1;
  const tail = columnsOf(cells[last]?.words ?? '');
  const isPutBelow = (starts[last] ?? 0) + tail > width;
  const columns = cells.map(({ words, width: wide }, i) =>
    i < last ? wrapped(sanitize(words, 'line'), wide) : isPutBelow ? [] : [sanitize(words, 'line')],
  );
  const isOver = !isPutBelow && tail > (cells[last]?.width ?? 0);
  const beside = stored === undefined || isBelow ? undefined : fitted(stored, width - name);
  const height = Math.max(...columns.map((rows) => rows.length), beside !== undefined && isOver ? 2 : 1);
  const lines = Array.from({ length: height }, (_, row): TerminalLine => {
    const pieces = columns.map((rows, i) => ({ start: starts[i] ?? 0, words: rows[row], style: cells[i]?.style }));
    const named = row === (isOver ? 1 : 0) ? beside : undefined;
    return spread([...pieces, { start: name, words: named, style: undefined }]);
  });
  const put = isPutBelow ? wrapped(sanitize(cells[last]?.words ?? '', 'line'), width - GAP) : [];
  return [...lines, ...put.map((row): TerminalLine => [INDENT, row]), ...below];
}

/** Puts each text into its column. */
function spread(
  texts: readonly { start: number; words: SafeText | undefined; style: Style | undefined }[],
): TerminalLine {
  let at = 0;
  return texts.flatMap(({ start, words, style }) => {
    if (words === undefined || words.length === 0) return [];
    const room = sanitize(' '.repeat(Math.max(0, start - at)), 'body');
    at = start + columnsOf(words.toString());
    return [room, style === undefined ? words : ([style, words] as const)];
  });
}

function oneLine(cells: TerminalRow['cells'], stored: SafeText | undefined, width: number): TerminalLine {
  const line: TerminalLine = cells.map(({ words, width: wide, style }, i) => {
    const room = i === cells.length - 1 && stored === undefined ? 0 : Math.max(0, wide - columnsOf(words)) + GAP;
    const padded = sanitize(words + ' '.repeat(room), 'body');
    return style === undefined ? padded : ([style, padded] as const);
  });
  return stored === undefined ? line : [...line, fitted(stored, width)];
}

/** As many cells in a line as fit. */
function stacked(cells: TerminalRow['cells'], width: number): TerminalLine[] {
  const lines: string[] = [];
  for (const words of cells.map((cell) => cell.words).filter((each) => each !== '')) {
    const longer = `${lines.at(-1)}  ${words}`;
    if (lines.length > 0 && columnsOf(longer) <= width - GAP) lines[lines.length - 1] = longer;
    else lines.push(words);
  }
  const rows = lines.flatMap((line) => wrapped(sanitize(line, 'body'), width - GAP));
  return rows.map((row, i) => (i === 0 ? [['strong', row]] : [INDENT, row]));
}

/** The first row of quoted text with its prefix; text that is cut ends in an ellipsis. */
function fitted(stored: SafeText, width: number): SafeText {
  let cut = stored;
  for (let most = width; !fitsIn(cut, width); most -= 1) cut = truncate(stored, most);
  return joinText(quote(cut, width), text``);
}

/** Asks the quoting itself, because some characters take more room when they are quoted. */
function fitsIn(stored: SafeText, width: number): boolean {
  return quote(stored, width).length === 1;
}
