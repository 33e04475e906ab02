import { CHAT_MARK, EXACT_CHAT_MARK, TURN } from './chat-marks.ts';
import { type SafeText, sanitize, type Untrusted } from './safe-text.ts';

/** Every mark, turn and image contains one of these; most short text contains none. */
const OPENS = /[<[\]:]/;
const OPENING: Readonly<Record<string, string>> = { '<': '‹', '[': '⁅', ']': '⁆' };

/**
 * Stored text for a model. A chat mark loses its first character to a look-alike and a turn its colon. An image is escaped,
 * because clients that render markdown fetch it from any address.
 */
export function defuse(stored: Untrusted | string, shape: 'line' | 'body'): SafeText {
  const clean = sanitize(stored, shape);
  const written = clean.toString();
  if (!OPENS.test(written)) return clean;
  const opened = (first: string) => OPENING[first] ?? first;
  const quiet = written.replaceAll(CHAT_MARK, opened).replaceAll(EXACT_CHAT_MARK, opened).replaceAll(TURN, '$1꞉');
  // A backslash before the `!` would itself be escaped by one before it.
  return sanitize(quiet.replaceAll('![', '!\\['), shape);
}
