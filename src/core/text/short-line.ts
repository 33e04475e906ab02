import { examine } from './sanitize.ts';

/** One clean line of at most so many characters. */
export function shortLine(text: string, most: number): string {
  return [...examine(text, 'line').text].slice(0, most).join('').trim();
}
