import { columnsOf } from '../../core/text/display-width.ts';
import { joinText, type SafeText, sanitize, text, truncate } from '../../core/text/safe-text.ts';
import type { Line, Style } from './line.ts';
import { windowSize } from './print.ts';
import { quote, wrapped } from './quote.ts';

const GAP = 2;
const INDENT = text`  `;

/** Cells with Surety's own words, then stored text, such as a memory's name. */
export interface Row {
  readonly cells: readonly { readonly words: string; readonly width: number; readonly style?: Style | undefined }[];
  readonly stored?: SafeText | undefined;
}

/** Stored text needs at least 16 columns beside the cells; otherwise it goes on the next line. */
const LEAST = 16;

/** Lays out a table row; a narrow window stacks the cells. Stored text is cut to the window and never wraps. */
export function linesOfRow({ cells, stored }: Row): Line[] {
  const { width } = windowSize();
  const used = cells.reduce((sum, cell) => sum + Math.max(cell.width, columnsOf(cell.words)) + GAP, 0);
  const below: Line[] = stored === undefined ? [] : [[INDENT, fitted(stored, width - GAP)]];
  if (used > width) return [...stacked(cells, width), ...below];
  const line: Line = cells.map(({ words, width: wide, style }, i) => {
    const room = i === cells.length - 1 && stored === undefined ? 0 : Math.max(0, wide - columnsOf(words)) + GAP;
    const padded = sanitize(words + ' '.repeat(room), 'body');
    return style === undefined ? padded : ([style, padded] as const);
  });
  if (stored === undefined || used + LEAST > width) return [line, ...below];
  return [[...line, fitted(stored, width - used)]];
}

function stacked(cells: Row['cells'], width: number): Line[] {
  const words = cells.map((cell) => cell.words).filter((each) => each !== '');
  const rows = words.flatMap((each) => wrapped(sanitize(each, 'line'), width - GAP));
  return rows.map((row, i) => (i === 0 ? [['strong', row]] : [INDENT, row]));
}

/** The first row of quoted text with its prefix; text that is cut ends in an ellipsis. */
function fitted(stored: SafeText, width: number): SafeText {
  let cut = stored;
  for (let most = width; columnsOf(cut.toString()) > width - GAP; most -= 1) cut = truncate(stored, most);
  return joinText(quote(cut, width).slice(0, 1), text``);
}
