import type { FieldValue } from '../../core/memory/document.ts';
import { once } from '../../core/once.ts';

/** One run of letters and digits, or several joined by one space or a sign that YAML gives no meaning anywhere. */
const PLAIN = /^\p{L}[\p{L}\p{N}]*(?:[ ._/-][\p{L}\p{N}]+)*$/u;
/** Days and times are text to us; unquoted, because every other tool writes them unquoted. */
const DATE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}Z)?$/;
/** Words that some YAML reader, ours or an older one, does not read as text. */
const RESERVED = /^(?:null|true|false|yes|no|on|off|y|n)$/i;
/**
 * Characters that are invisible or end a line somewhere. Joiners and variation selectors stay: scripts and emoji need
 * them.
 */
const INVISIBLE = /(?!\u200C|\u200D|\uFE0E|\uFE0F)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/u;
const escaped = once(() => new RegExp(`["\\\\]|${INVISIBLE.source}`, 'gu'));
const SHORT: Readonly<Record<string, string>> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * A text as one YAML scalar on one line, safe as a key, as a value and inside a flow list. Line breaks are escaped
 * inside double quotes, so that no text can begin a line and pose as another key.
 */
export function quote(value: string): string {
  if (value.includes('\0')) throw new Error('a NUL cannot be stored in frontmatter');
  if (DATE.test(value)) return value;
  if (PLAIN.test(value) && !RESERVED.test(value) && !INVISIBLE.test(value)) return value;
  return `"${value.replace(escaped(), escapeOf)}"`;
}

/** A value on one line: lists are flow lists, so that one key is always one line. */
export function inline(value: Written): string {
  return typeof value === 'string' ? quote(value) : `[${value.map(inline).join(', ')}]`;
}

/** What a key can be given: a text, a list of texts, or, for anchors, lists of texts. */
export type Written = NonNullable<FieldValue>;

export function fieldLine(key: string, value: Written): string {
  return `${quote(key)}: ${inline(value)}`;
}

/**
 * The body that `read` finds in a composed file: a line feed before, one at the end, and LF for CRLF and for a lone CR.
 * A lone CR would otherwise be a line end only when an LF follows it.
 */
export function composedBody(body: string): string {
  const text = `\n${body.replace(/\r\n?/g, '\n')}`;
  return text.endsWith('\n') ? text : `${text}\n`;
}

function escapeOf(character: string): string {
  const short = SHORT[character];
  if (short !== undefined) return short;
  const hex = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
  return hex.length > 4 ? `\\U${hex.padStart(8, '0')}` : `\\u${hex.padStart(4, '0')}`;
}
