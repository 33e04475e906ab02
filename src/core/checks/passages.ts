import type { Finding } from '../finding.ts';
import { KNOWN_KEYS, listOf } from '../memory/document.ts';
import type { InspectedFile } from '../memory/inspected-file.ts';
import { hiddenText } from '../text/hidden-message.ts';
import { type Folded, fold, unmask } from '../text/normalize.ts';

/** One piece of a memory's text and its place. */
export interface Passage {
  /**
   * A known key, `body` or `file`. An unknown key is `frontmatter`, because its name is text from outside and must not be
   * repeated.
   */
  readonly field: string;
  /** The file's line on which `raw` begins. */
  readonly line: number;
  readonly raw: string;
  /** The unknown key that holds the text. */
  readonly label?: string | undefined;
  /** Spelled by invisible characters, so it has no place in the field. */
  readonly spelled?: true;
}

/**
 * Every text in a file: its name, every frontmatter value, unknown key and comment, and the body. For a file that cannot be
 * parsed, the whole file.
 */
export function passagesOf(subject: InspectedFile): readonly Passage[] {
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

/** A passage with its folded text. */
export interface PlainPassage extends Passage {
  readonly folded: Folded;
}

const PLAIN = new WeakMap<InspectedFile, readonly PlainPassage[]>();

/** All passages folded, including what invisible characters spell. Made once for all checks. */
export function plainPassagesOf(subject: InspectedFile): readonly PlainPassage[] {
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

/** Fields with one text each, in which offsets name a stretch. */
const SINGLE = new Set(['name', 'description', 'project', 'body']);

/** The stretch of a field that a finding is about, from offsets of the raw passage. */
export function spanOf({ field, spelled }: Passage, start: number, end: number): Pick<Finding, 'span'> {
  return SINGLE.has(field) && spelled === undefined && start < end ? { span: [start, end] } : {};
}

/** The file's line for an offset of the raw passage. Only a body and a whole file have several lines. */
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

/** Where a passage's lines end. Cached, because counting again for each of ten thousand matches takes seconds. */
function breaksOf(passage: Passage): readonly number[] {
  const known = lineEnds.get(passage);
  if (known !== undefined) return known;
  const found: number[] = [];
  for (let at = passage.raw.indexOf('\n'); at !== -1; at = passage.raw.indexOf('\n', at + 1)) found.push(at);
  lineEnds.set(passage, found);
  return found;
}

/** A passage as words: folded, lower case, unmasked, with single spaces and without emphasis marks and blank lines. */
export interface Words {
  readonly text: string;
  /** The file's line for an offset in `text`. */
  lineOf(offset: number): number;
  /** The raw offset of the character at an offset in `text`. */
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

/** The position in a line of the `index`th character of its words. Slow, so it is used for findings only. */
function placeOf(line: string, index: number): number {
  let [low, high] = [0, line.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    // The letter after it keeps trailing white space from being trimmed.
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
