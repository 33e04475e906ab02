import { styleText } from 'node:util';
import { SafeText, sanitize } from '../../core/text/safe-text.ts';
import type { Style, TerminalLine } from './line.ts';
import { wrapped } from './quote.ts';

const LOOKS = {
  label: 'dim',
  strong: 'bold',
  good: 'green',
  warning: 'yellow',
  danger: 'red',
} as const satisfies Record<Style, Parameters<typeof styleText>[0]>;

/**
 * Writes one line to stdout. The type SafeText keeps escape sequences out, except those of styleText, which adds none
 * when NO_COLOR is set or the stream has no colours.
 */
export function say(...line: TerminalLine): void {
  const words = line.map((piece) => {
    if (piece instanceof SafeText) return piece.toString();
    const [style, text] = piece;
    return styleText(LOOKS[style], text.toString(), { stream: process.stdout });
  });
  process.stdout.write(`${words.join('')}\n`);
}

/** Prints a sentence of Surety's own, wrapped to the window. */
export function tell(sentence: SafeText, style?: Style): void {
  for (const row of wrapped(sentence, windowSize().width)) say(style === undefined ? row : [style, row]);
}

/** Prints a sentence of Surety's own to stderr, wrapped to the window where that is a terminal. */
export function complain(sentence: string): void {
  const { isTTY, columns } = process.stderr;
  const rows = isTTY ? wrapped(sanitize(sentence, 'line'), widthOf(columns)) : [sentence];
  process.stderr.write(`${rows.join('\n')}\n`);
}

/** Output to a pipe is not wrapped, because programs read whole lines. */
const UNBROKEN = 100_000;

/** In a smaller window the terminal would wrap our lines, and stored text could start in the first column. */
export const SMALLEST = { columns: 20, rows: 8 } as const;

/** Whether the window is smaller than SMALLEST. A window of unknown size counts as large enough. */
export function isCramped(): boolean {
  const { columns, rows } = process.stdout;
  return (columns || SMALLEST.columns) < SMALLEST.columns || (rows || SMALLEST.rows) < SMALLEST.rows;
}

/** Columns and rows for text. The last column stays free, because some terminals wrap there. */
export function windowSize(): { readonly width: number; readonly height: number } {
  const { columns, rows, isTTY } = process.stdout;
  if (!isTTY) return { width: UNBROKEN, height: UNBROKEN };
  return {
    width: widthOf(columns),
    height: Math.max(SMALLEST.rows, rows || 24),
  };
}

function widthOf(columns: number | undefined): number {
  return Math.max(SMALLEST.columns, Math.min(columns || 80, 100)) - 1;
}

/** Prints JSON in ASCII on one line, because stored text may hold characters that control a terminal. */
export function printJson(value: unknown): void {
  const ascii = JSON.stringify(value).replaceAll(
    /[^\x20-\x7e]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  process.stdout.write(`${ascii}\n`);
}
