/** Levels of surprise, a fifth of a bit apart, one letter each. */
export const BIGRAM_LEVELS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
export const STEP = 0.2;

/** The letters without their case, a digit, anything else. */
export const KINDS = 28;
const DIGIT = 26;
const OTHER = 27;
/** Which of the ten it is, is for every digit as surprising as for the next. */
const OF_TEN = Math.log2(10);

export function kindOf(code: number): number {
  const letter = (code | 32) - 97;
  if (letter >= 0 && letter < 26 && code >= 65) return letter;
  return code >= 48 && code <= 57 ? DIGIT : OTHER;
}

/**
 * How surprising each kind of character (the column) is after each (the row; the last is the start of a word) in ordinary
 * technical text. Made by bench/checks-bigrams.ts.
 */
const TABLE: readonly string[] = [
  'TztyWJwWyZJqyqZzZrslxEKUGTLI',
  'nMOMnRYXvDZoKZrQZwvNrZZZEZAs',
  'sZFWrZZqyZwsMZkGZsFqzZZZHZIB',
  'rJOBhLGZpXKBJVsKZEyVzNOVGZEs',
  'wOttFCHRKVXxwpRCFnovSCKyNZOv',
  'qQIQqxZZjZZwZZpZZsNyvZZZBZCy',
  'wZYZiOAxnZZBNvzWZrxMuUZZRZSt',
  'mUWZkZZZpZZHKKoRUxKquZZZLZZz',
  'DHtxwBzZWZNvyloBZAupZCZJZGYH',
  'pVPZhTZZJZZZZZwZZVhZtROZZZFL',
  'tXLEiALVoZQEZxDJZLnCEZKZNZQq',
  'pOHzlKZTmZTrPQqNZRyyyKQZvZNx',
  'nACBkZZZsWZHwYppZZDZBZZZNZWv',
  'vOtttCoSyQJERFwJZPplGFZZOZZx',
  'HFxxQLDZKIDvskyyZnAwuBzUSZZG',
  'oZOHoZSDAZZrMQqxZnutyZZZCZZz',
  'GYZYZZZYZZZsZZYZZZZZbUZZZYUF',
  'sVzDjKFZqZCLCCqMZCwxByVZwZZA',
  'BZxFlVZysZEMQSwwPLsmwVOZDZWr',
  'sZHQmRVpnZZANZuyZvuxAZQZxZZu',
  'AvzvsQCZwZWrxsMwZoqpZZZUZZZT',
  'nWZXeZLZnZZZZYCZZZSZGZZZVZvH',
  'pNOYrZZolZZERxoZZvwPZZzZVZTx',
  'rYxRrLWRrZYZJZRmUSRiWZIJIZSu',
  'FIDLyPWTFZTFustmZNrtTTEZJLSk',
  'iZJTgTTIuZZZTKxPZZZJxZZZCPTz',
  'CBCBBDZVZXZZROZZZZTXZZZZZZek',
  'yDsABEyDzEKBtFDxOzqwJCFWRZrm',
  'vyrwwxEyxKMAwCAtMuqsCExZOXEy',
];

/** The mean surprise of a word's characters, in bits: about 3.5 for words and paths, 5.4 and more for random text. */
export function surprise(word: string): number {
  let sum = 0;
  let before = KINDS;
  for (let i = 0; i < word.length; i++) {
    const kind = kindOf(word.charCodeAt(i));
    sum += BIGRAM_LEVELS.indexOf(TABLE[before]?.[kind] ?? 'Z') * STEP + (kind === DIGIT ? OF_TEN : 0);
    before = kind;
  }
  return word.length === 0 ? 0 : sum / word.length;
}

/** Between the longest words and paths of documentation (99 in 100 below 5.1 bits) and drawn text (99 in 100 above). */
const THRESHOLD = 5.6;
/** A shorter word says less about how it was made, so it must say it more clearly. */
const SHORT = 20;
const SHORT_THRESHOLD = 6.2;

/** Whether a word reads as if it were drawn, character by character. */
export function isRandom(word: string): boolean {
  return surprise(word) >= (word.length < SHORT ? SHORT_THRESHOLD : THRESHOLD);
}
