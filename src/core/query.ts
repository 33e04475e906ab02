import { examine } from './sanitize.ts';

/** Words that are in every text, so that asking for them asks for nothing. */
const STOP_WORDS = new Set(
  'a an and are as at be but by do does for from had has have how i if in is it its of on or that the their them they this to was we were what when where which who why will with you your'.split(
    ' ',
  ),
);
const MOST_WORDS = 32;

/** The words somebody looks for: letters, digits and marks of any script, nothing that means something to an engine. */
export function wordsOf(query: string): string[] {
  const clean = examine(query, 'line').text.normalize('NFKC').toLowerCase();
  const words = clean.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? [];
  return [...new Set(words)].filter((word) => !STOP_WORDS.has(word)).slice(0, MOST_WORDS);
}

/** The part of a text around its first word that was asked for; from the start when none is in it. */
export function snippetAround(text: string, words: readonly string[], length: number): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  const points = [...flat];
  if (points.length <= length) return flat;
  const lower = flat.toLowerCase();
  const found = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0);
  const at = found.length === 0 ? 0 : [...flat.slice(0, Math.min(...found))].length;
  const start = Math.max(0, Math.min(at - Math.floor(length / 4), points.length - length));
  const part = points.slice(start, start + length).join('');
  return `${start > 0 ? '…' : ''}${part}${start + length < points.length ? '…' : ''}`;
}
