import { sanitize } from '../../core/text/safe-text.ts';
import { windowSize } from './print.ts';
import { wrapped } from './quote.ts';

/** Help texts are written in lines of at most 124 columns. A line this long may go on in the next one. */
const FULL = 85;
/** Begins a line of its own, even below a full one. */
const BEGINS = /^(?:usage:|exit codes:|(?:--)?json:|\d+ )/;
/** An option or a word, and what it means beside it. */
const ENTRY = /^(?<head> +\S.*? {2,}|\d+ |(?:usage: surety [a-z-]+|json:|exit codes:) )(?<means>.*)$/;
/** The column in which a text goes on that has no room beside its option, or that stands beside none. */
const INDENT = 4;

/** One option or paragraph: what stands before its text, and in which column the text goes on. */
interface HelpEntry {
  readonly head: string;
  words: string;
  hang: number;
  /** Whether the last line of it may go on in the next. */
  full: boolean;
}

/** A help text for the window: as it is where it fits and in a pipe, else broken between words in its columns. */
export function fitHelp(help: string): string {
  const { columns, isTTY } = process.stdout;
  const lines = help.split('\n');
  if (!isTTY || lines.every((line) => line.length < columns)) return help;
  const { width } = windowSize();
  return entriesOf(lines)
    .flatMap((entry) => laidOut(entry, width))
    .join('\n');
}

function entriesOf(lines: readonly string[]): HelpEntry[] {
  const entries: HelpEntry[] = [];
  for (const line of lines) {
    const last = entries.at(-1);
    const indent = line.length - line.trimStart().length;
    if (last !== undefined && goesOn(last, line, indent)) {
      last.words += ` ${line.trim()}`;
      if (indent > 0) last.hang = indent;
      last.full = line.length >= FULL;
      continue;
    }
    const { head = ' '.repeat(indent), means = line.trim() } = ENTRY.exec(line)?.groups ?? {};
    const hang = /^[a-z]/.test(head) ? INDENT : head.length;
    entries.push({ head, words: means, hang, full: line.length >= FULL });
  }
  return entries;
}

function goesOn({ head, words, full }: HelpEntry, line: string, indent: number): boolean {
  if (words === '' || line.trim() === '' || BEGINS.test(line)) return false;
  const from = head.length - head.trimStart().length;
  if (indent > from) return from > 0 || full;
  return indent === 0 && from === 0 && full;
}

function laidOut({ head, words, hang }: HelpEntry, width: number): string[] {
  const isNarrow = hang > width / 2;
  const beside = isNarrow ? '' : head;
  const column = ' '.repeat(isNarrow ? INDENT : hang);
  const rows = wrapped(sanitize(words, 'line'), width - Math.max(beside.length, column.length));
  const placed = rows.map((row, i) => `${i === 0 && !isNarrow ? beside : column}${row}`.trimEnd());
  return isNarrow ? [head.trimEnd(), ...placed] : placed;
}
