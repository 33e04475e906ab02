import { CHAT_MARK, EXACT_CHAT_MARK, TURN } from './chat-marks.ts';
import { type SafeText, sanitize, type Untrusted } from './safe-text.ts';

/** Every mark, every turn and every picture has one of these; most short text has none. */
const OPENS = /[<[\]:]/;
const OPENING: Readonly<Record<string, string>> = { '<': '‹', '[': '⁅', ']': '⁆' };

/**
 * Stored text as a model is given it: a chat format's marks lose their first character to one that looks like it, a turn
 * its colon, and a picture its effect, because clients that render markdown fetch it from whatever address it names.
 */
export function inert(stored: Untrusted | string, shape: 'line' | 'body'): SafeText {
  const clean = sanitize(stored, shape);
  const written = clean.toString();
  if (!OPENS.test(written)) return clean;
  const opened = (mark: string) => `${OPENING[mark[0] ?? ''] ?? ''}${mark.slice(1)}`;
  const quiet = written.replaceAll(CHAT_MARK, opened).replaceAll(EXACT_CHAT_MARK, opened).replaceAll(TURN, '$1꞉');
  return sanitize(quiet.replaceAll('![', '\\!['), shape);
}
