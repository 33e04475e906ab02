import { parsedJson } from '../parsed-json.ts';

/** At most 16 MiB, because parsed JSON takes up to fifteen times the memory of its text. */
const MOST_CHARACTERS = 16 * 1024 * 1024;
/** At most 32 levels, because each takes memory and no export has more than six. */
const DEEPEST = 32;

/** What an export can be. A million lines of anything else would throw a million errors, 50 microseconds each. */
const LIST_OR_OBJECT = /^\s*[[{]/;

/** Parses a list or an object that somebody else wrote; undefined where it is neither, invalid, too large or too deep. */
export function boundedJson(text: string): unknown {
  const isFitting = text.length <= MOST_CHARACTERS && LIST_OR_OBJECT.test(text) && !isTooDeep(text);
  return isFitting ? parsedJson(text) : undefined;
}

/** The lines that are not blank, with their numbers from 1, one at a time: a file may have millions. */
export function* numberedLines(text: string): Generator<readonly [number: number, line: string]> {
  let number = 1;
  for (let at = text.startsWith('\uFEFF') ? 1 : 0; at < text.length; number += 1) {
    const end = text.indexOf('\n', at);
    const line = text.slice(at, end === -1 ? text.length : end);
    if (line.trim() !== '') yield [number, line];
    at = end === -1 ? text.length : end + 1;
  }
}

function isTooDeep(text: string): boolean {
  let depth = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (quoted) {
      if (char === '\\') i += 1;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === '[' || char === '{') depth += 1;
    else if (char === ']' || char === '}') depth -= 1;
    if (depth > DEEPEST) return true;
  }
  return false;
}
