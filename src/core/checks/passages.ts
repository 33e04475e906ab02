import type { Finding } from '../finding.ts';
import { KNOWN_KEYS, listOf } from '../memory/document.ts';
import type { Subject } from '../memory/inspected-file.ts';
import { hiddenText } from '../text/hidden-message.ts';
import { type Folded, fold, unmask } from '../text/normalize.ts';

/** One piece of a memory's text and where it stands. */
export interface Passage {
  /** A key we know, `body` or `file`. An unknown key is `frontmatter`: its name is text from outside, not ours to repeat. */
  readonly field: string;
  /** The file's line on which `raw` begins. */
  readonly line: number;
  readonly raw: string;
  /** The unknown key under which it stands. */
  readonly label?: string | undefined;
  /** Spelled by characters that do not show: it stands nowhere in the field. */
  readonly spelled?: true;
}

/**
 * Everything a file says: its own name, every frontmatter value, unknown key and comment, and the body; all of a file that
 * could not be taken apart.
 */
export function passagesOf(subject: Subject): readonly Passage[] {
  const { document, stem, raw } = subject;
  const passages: Passage[] = [{ field: 'file', line: 1, raw: stem }];
  if (document === undefined) return raw === undefined ? [] : [...passages, { field: 'file', line: 1, raw }];
  for (const [key, value] of document.fields) {
    const line = document.lines.get(key) ?? 1;
    const known = KNOWN_KEYS.some((name) => name === key);
    if (!known) passages.push({ field: 'frontmatter', line, raw: key });
    for (const raw of listOf(value) ?? [])
      passages.push(known ? { field: key, line, raw } : { field: 'frontmatter', line, raw, label: key });
  }
  for (const { line, text } of document.remarks) passages.push({ field: 'frontmatter', line, raw: text });
  passages.push({ field: 'body', line: document.bodyLine, raw: document.body });
  return passages;
}

/** A passage, made plain. */
export interface PlainPassage extends Passage {
  readonly folded: Folded;
}

const PLAIN = new WeakMap<Subject, readonly PlainPassage[]>();

/** The same, made plain, with what invisible characters spell as passages of their own. Made once for all checks. */
export function plainPassagesOf(subject: Subject): readonly PlainPassage[] {
  const known = PLAIN.get(subject);
  if (known !== undefined) return known;
  const passages = passagesOf(subject).flatMap((passage) => {
    const hidden = hiddenText(passage.raw);
    const both = hidden === '' ? [passage] : [passage, { ...passage, raw: hidden, spelled: true as const }];
    return both.map((each) => ({ ...each, folded: fold(each.raw) }));
  });
  PLAIN.set(subject, passages);
  return passages;
}

/** Fields that are one text, in which a stretch can be named by its offsets. */
const SINGLE = new Set(['name', 'description', 'project', 'body']);

/** The stretch of a field that a finding is about, from offsets of a passage's raw text. */
export function spanOf({ field, spelled }: Passage, start: number, end: number): Pick<Finding, 'span'> {
  return SINGLE.has(field) && spelled === undefined && start < end ? { span: [start, end] } : {};
}

/** The line of the file on which an offset of a passage's raw text stands. Only a body and a whole file have lines of their own. */
export function lineAt(passage: Passage, rawOffset: number): number {
  if (passage.field !== 'body' && passage.field !== 'file') return passage.line;
  const breaks = breaksOf(passage);
  let [from, to] = [0, breaks.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((breaks[middle] ?? 0) < rawOffset) from = middle + 1;
    else to = middle;
  }
  return passage.line + from;
}

const lineEnds = new WeakMap<Passage, readonly number[]>();

/** Where a passage's lines end, found once: counting anew for each of ten thousand matches takes seconds. */
function breaksOf(passage: Passage): readonly number[] {
  const known = lineEnds.get(passage);
  if (known !== undefined) return known;
  const found: number[] = [];
  for (let at = passage.raw.indexOf('\n'); at !== -1; at = passage.raw.indexOf('\n', at + 1)) found.push(at);
  lineEnds.set(passage, found);
  return found;
}

/** A passage as words: folded, lower case, look-alikes undone, white space single, emphasis marks and blank lines out. */
export interface Words {
  readonly text: string;
  /** The file's line of an offset in `text`. */
  lineOf(offset: number): number;
  /** The offset in the raw text of the character at an offset in `text`. */
  rawOf(offset: number): number;
}

export function wordsOf(passage: PlainPassage): Words {
  const { folded } = passage;
  const lines: string[] = [];
  const starts: { readonly offset: number; readonly at: number; readonly line: string }[] = [];
  let offset = 0;
  let at = 0;
  for (const line of folded.text.split('\n')) {
    const words = line === '' ? '' : plainWords(line);
    if (words !== '') {
      starts.push({ offset, at, line });
      lines.push(words);
      offset += words.length + 1;
    }
    at += line.length + 1;
  }
  return {
    text: lines.join('\n'),
    lineOf: (wanted) => lineAt(passage, folded.from(starts.findLast((start) => start.offset <= wanted)?.at ?? 0)),
    rawOf: (wanted) => {
      const start = starts.findLast(({ offset: first }) => first <= wanted);
      return start === undefined ? 0 : folded.from(start.at + placeOf(start.line, wanted - start.offset));
    },
  };
}

/** Where in a line the character stands that is the `index`th of its words. Slow, and asked of what was found alone. */
function placeOf(line: string, index: number): number {
  let [low, high] = [0, line.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    // With a letter after it no white space is trimmed.
    if (plainWords(`${line.slice(0, middle + 1)}x`).length - 1 > index) high = middle;
    else low = middle + 1;
  }
  return low;
}

function plainWords(line: string): string {
  return unmask(line.toLowerCase())
    .replace(/[*`\u00b4]/g, '')
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/\s+/g, ' ')
    .trim();
}
