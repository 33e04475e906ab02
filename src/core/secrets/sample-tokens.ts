const LETTERS_AND_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
export const UPPER_AND_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
export const HEX = '0123456789abcdef';
export const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/**
 * A random-looking text that is always the same. Evidence is built from it, so that no source file contains a token that a
 * scanner would report.
 */
export function sampleToken(length: number, alphabet = LETTERS_AND_DIGITS, seed = 1): string {
  let state = seed * 7919 + length;
  let made = '';
  while (made.length < length) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    made += alphabet[(state >>> 8) % alphabet.length];
  }
  return made;
}
