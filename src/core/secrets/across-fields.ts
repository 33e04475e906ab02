import { isHexKey, isPassword, looksGenerated } from './rules/labels.ts';

/** A text that may label another text, or be labelled by it. */
export interface Labelled {
  readonly field: string;
  readonly text: string;
  /** The key in the file, if it is not one of ours. */
  readonly label?: string | undefined;
}

/** A stretch of one of the texts, by its index. */
interface AcrossSpan {
  readonly index: number;
  readonly start: number;
  readonly end: number;
}

const LABEL =
  /(?:passwords?|passwd|passphrase|passcode|pwd|(?:api|access|secret|signing|encryption)[ _-]?keys?|secrets?|tokens?|credentials?|logins?)(?:[ _-](?:for|of|on|at|to|in|from|is)\b|[ _-]?[:=(]|["'`*\s.]{0,3}$)/i;
/** A text about secrets in general labels none. */
const ABOUT =
  /\b(?:how|where|why|when|which|who|rotat|expir|polic|rules?\b|stored?\b|kept\b|lives?\b|limits?\b|never|reset|forgot)/i;
const PASSWORD_ENDS = /(?:passwords?|passwd|passphrase|passcode|pwd)["'`*\s]{0,3}(?:is|[:=])?\s{0,3}$/i;
const FIRST_WORD = /^\s{0,4}(?:(?:is|was)\s|[:=]\s?)?["'`*]{0,3}([^\s"'`,;<>()|*]{6,200})/i;
/** A line with one word, in any list or quotation marks. */
const ALONE = /^[\s>*+-]{0,8}(?:[0-9]{1,2}[.)] )?["'`*(]{0,3}([^\s"'`*()]{6,200})["'`*).,;]{0,3}[ \t]{0,4}$/gm;

const LABELS = new Set(['name', 'description', 'tags']);
/** The fields that may hold a value. The server writes the others: dates, machines, types and projects. */
const VALUES = new Set(['description', 'tags', 'body', 'frontmatter']);

/**
 * Values whose label is in another field: the name says “staging password” and the description is only the password. A value
 * must stand alone or right after its label.
 */
export function secretsAcross(texts: readonly Labelled[]): readonly AcrossSpan[] {
  const spans: AcrossSpan[] = [];
  for (const [index, { field, text, label }] of texts.entries()) {
    const labels = labelsFor(texts, index, field, label);
    if (labels.length === 0) continue;
    const first = labels.some((each) => PASSWORD_ENDS.test(each)) ? FIRST_WORD.exec(text) : null;
    if (first?.[1] !== undefined && isPassword(first[1])) {
      const end = first[0].length;
      spans.push({ index, start: end - first[1].length, end });
    }
    for (const match of text.matchAll(ALONE)) {
      const [line, value = ''] = match;
      const start = match.index + line.indexOf(value);
      if (
        (isPassword(value) || looksGenerated(value) || isHexKey(value)) &&
        !spans.some((s) => s.index === index && s.start === start)
      )
        spans.push({ index, start, end: start + value.length });
    }
  }
  return spans;
}

/** Possible labels of a text: its own key, or a short field of the memory that names a secret. */
function labelsFor(
  texts: readonly Labelled[],
  index: number,
  field: string,
  label: string | undefined,
): readonly string[] {
  if (!VALUES.has(field)) return [];
  const own = label === undefined ? [] : [label];
  const others = label !== undefined ? [] : texts.filter((other, i) => i !== index && LABELS.has(other.field));
  return [...own, ...others.map(({ text }) => text)].filter((each) => LABEL.test(each) && !ABOUT.test(each));
}
