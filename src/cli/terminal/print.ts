import { styleText } from 'node:util';
import { SafeText } from '../../core/text/safe-text.ts';
import type { Line, Style } from './line.ts';
import { wrapped } from './quote.ts';

const LOOKS = {
  label: 'dim',
  strong: 'bold',
  good: 'green',
  warning: 'yellow',
  danger: 'red',
} as const satisfies Record<Style, Parameters<typeof styleText>[0]>;

/**
 * Writes one line to the person. Only SafeText gets here, so no escape sequence can but the ones styleText adds, and it
 * adds none where NO_COLOR is set or the stream has no colours.
 */
export function say(...line: Line): void {
  const words = line.map((piece) => {
    if (piece instanceof SafeText) return piece.toString();
    const [style, text] = piece;
    return styleText(LOOKS[style], text.toString(), { stream: process.stdout });
  });
  process.stdout.write(`${words.join('')}\n`);
}

/** A sentence of ours, wrapped to the window. */
export function tell(sentence: SafeText, style?: Style): void {
  for (const row of wrapped(sentence, windowSize().width)) say(style === undefined ? row : [style, row]);
}

/** One sentence of ours to stderr. */
export function complain(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
}

/** In a pipe nothing has to be broken: a program reads lines. */
const UNBROKEN = 100_000;

/** In a smaller window the terminal breaks our lines itself, and stored text could begin where ours does. */
export const SMALLEST = { columns: 20, rows: 8 } as const;

/** Whether the window is smaller than that; one that does not know its size is taken for an ordinary one. */
export function isCramped(): boolean {
  const { columns, rows } = process.stdout;
  return (columns || SMALLEST.columns) < SMALLEST.columns || (rows || SMALLEST.rows) < SMALLEST.rows;
}

/** Room for text in the window; the last column stays free, since some terminals break the line there. */
export function windowSize(): { readonly width: number; readonly height: number } {
  const { columns, rows, isTTY } = process.stdout;
  if (!isTTY) return { width: UNBROKEN, height: UNBROKEN };
  return {
    width: Math.max(SMALLEST.columns, Math.min(columns || 80, 100)) - 1,
    height: Math.max(SMALLEST.rows, rows || 24),
  };
}

/** One line for a program: exact, and harmless in a terminal, since what is stored may hold any character. */
export function printJson(value: unknown): void {
  const ascii = JSON.stringify(value).replaceAll(
    /[^\x20-\x7e]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  process.stdout.write(`${ascii}\n`);
}
