import { KNOWN_KEYS, listOf } from '../memory/document.ts';
import { hiddenText } from '../text/hidden-message.ts';
import { examine, survey } from '../text/sanitize.ts';
import type { Finding, Subject } from './findings.ts';

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

/** Everything a file says, in its order: every frontmatter value and unknown key, the body, and the file's own name. */
export function passagesOf(subject: Subject): readonly Passage[] {
  const { document, stem } = subject;
  if (document === undefined) return [];
  const passages: Passage[] = [{ field: 'file', line: 1, raw: stem }];
  for (const [key, value] of document.fields) {
    const line = document.lines.get(key) ?? 1;
    const known = KNOWN_KEYS.some((name) => name === key);
    if (!known) passages.push({ field: 'frontmatter', line, raw: key });
    for (const raw of listOf(value) ?? [])
      passages.push(known ? { field: key, line, raw } : { field: 'frontmatter', line, raw, label: key });
  }
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

/** Text made plain for matching, which still knows where each character came from. */
export interface Folded {
  readonly text: string;
  /** The offset in the raw text of the character at this offset of `text`. */
  from(offset: number): number;
}

/** U+FDFA becomes eighteen letters; no token or phrase is written with such a character. */
const LONGEST_EXPANSION = 4;

/** Neither cleaning nor folding touches any of these. */
const PLAINEST = /^[\t\n -~]*$/;

/** Sanitized and compatibility-folded (NFKC), so that an invisible or full-width letter hides nothing. */
export function fold(raw: string): Folded {
  if (PLAINEST.test(raw)) return { text: raw, from: (offset) => offset };
  const { cleaned, origins } = clean(raw);
  if (cleaned === raw && raw.normalize('NFKC') === raw) return { text: raw, from: (offset) => offset };
  const parts: string[] = [];
  const places: number[] = [];
  let at = 0;
  let index = 0;
  for (const char of cleaned) {
    const folded = char <= '~' ? char : compatible(char);
    const place = origins === undefined ? at : (origins[index] ?? raw.length);
    for (let i = 0; i < folded.length; i++) places.push(place);
    parts.push(folded);
    at += char.length;
    index++;
  }
  return { text: parts.join(''), from: (offset) => places[offset] ?? raw.length };
}

function compatible(char: string): string {
  const folded = char.normalize('NFKC');
  return folded.length > LONGEST_EXPANSION ? char : folded;
}

/** Text without any of these is most likely clean, and examine() says so quickly. */
const UNUSUAL = /[[\p{C}\p{M}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\uFFFC]--[\t\n]]/v;

/** The sanitized text and, unless it is the raw text, the offset at which each of its characters stood. */
function clean(raw: string): { readonly cleaned: string; readonly origins: readonly number[] | undefined } {
  if (!UNUSUAL.test(raw) && examine(raw, 'body').text === raw) return { cleaned: raw, origins: undefined };
  const offsets: number[] = [];
  let offset = 0;
  for (const char of raw) {
    offsets.push(offset);
    offset += char.length;
  }
  const { points } = survey(raw, 'body');
  return {
    cleaned: points.map(({ char }) => char).join(''),
    origins: points.map(({ at }) => offsets[at] ?? raw.length),
  };
}

/** Fields that are one text, in which a stretch can be named by its offsets. */
const SINGLE = new Set(['name', 'description', 'project', 'body']);

/** The stretch of a field that a finding is about, from offsets of a passage's raw text. */
export function spanOf({ field, spelled }: Passage, start: number, end: number): Pick<Finding, 'span'> {
  return SINGLE.has(field) && spelled === undefined && start < end ? { span: [start, end] } : {};
}

/** The line of the file on which an offset of a passage's raw text stands. Only a body has lines of its own. */
export function lineAt(passage: Passage, rawOffset: number): number {
  if (passage.field !== 'body') return passage.line;
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

/** Letters that pass for Latin ones by sight, lower case, and what they pass for: enough to undo a disguise. */
const LOOKALIKES = 'авсԁеёһіїјкӏмнорԛгѕтуѵԝхαβϲεηικνορςτυχıɡɑ';
const LATIN = 'abcdeehiijklmhopqrstyvwxabcenikvopstuxiga';
const LOOKALIKE = new RegExp(`[${LOOKALIKES}]`, 'giu');

/** One character for one, so that offsets stay what they were. */
export function unmask(text: string): string {
  return text.replace(LOOKALIKE, (char) => LATIN[LOOKALIKES.indexOf(char.toLowerCase())] ?? char);
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
