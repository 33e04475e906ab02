import { LIMITS, type MemoryType } from '../memory/limits.ts';
import { lengthOf } from '../memory/memory.ts';

/** Another program's text as a memory. */
export interface ImportedText {
  /** The name it has in the source. */
  readonly label: string;
  readonly type: MemoryType;
  readonly name: string;
  readonly description: string;
  readonly body: string;
  /** What it is filed under, where the source says it. */
  readonly tags?: readonly string[];
  /** The project it belongs to, where the source says it. */
  readonly project?: string;
  /** Ways to ask for it, where the source has some. */
  readonly askedAs?: readonly string[];
  /** When it was written, in milliseconds, where the source says it. */
  readonly made?: number;
}

/** An item of a source: a memory, or why there is no memory in it. */
export type ImportedItem = ImportedText | { readonly label: string; readonly why: string };

/** Makes a memory whose name and description fit. Nothing is lost: what was shortened stands whole before the body. */
export function importedText(
  label: string,
  type: MemoryType,
  name: string,
  description: string,
  body: string,
): ImportedText {
  const cut = [
    [name, LIMITS.name.max],
    [description, LIMITS.description.max],
  ] as const;
  const whole = cut.flatMap(([text, most]) => (lengthOf(oneLine(text)) > most ? [text.trim()] : []));
  // A body that is too short for a memory gets the description before it.
  if (lengthOf(body.trim()) < LIMITS.body.min && whole.length === 0) whole.push(description.trim());
  return {
    label,
    type,
    name: shortened(name, LIMITS.name.max),
    description: shortened(description, LIMITS.description.max),
    body: [...whole, body].filter((text) => text.trim() !== '').join('\n\n'),
  };
}

/** Tags that are too many or too long would keep the text itself out. */
export function fittingTags(tags: readonly string[]): readonly string[] {
  const { count, max } = LIMITS.tags;
  const clean = [...new Set(tags.map((tag) => oneLine(tag).replace(/^#/, '')))];
  return clean.filter((tag) => tag !== '' && lengthOf(tag) <= max).slice(0, count);
}

/** A name that is long enough, with a second name before it where it is not. */
export function named(name: string, otherwise: string): string {
  return lengthOf(name.trim()) >= LIMITS.name.min ? name : `${otherwise} ${name}`.trim();
}

/** Puts a text on one line of at most `most` characters. */
export function shortened(text: string, most: number): string {
  const line = oneLine(text);
  return lengthOf(line) <= most
    ? line
    : `${[...line.normalize('NFC')]
        .slice(0, most - 1)
        .join('')
        .trimEnd()}…`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
