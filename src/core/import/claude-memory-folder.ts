import { type Document, listOf, textOf } from '../memory/document.ts';
import { LIMITS, type MemoryType, TYPES } from '../memory/limits.ts';
import { lengthOf } from '../memory/memory.ts';
import { type ImportedText, importedText, named, shortened } from './imported-text.ts';
import { unixText } from './unix-text.ts';

/** What the index of a Claude Code memory folder says about one file. */
interface IndexLink {
  readonly title: string;
  readonly hook: string;
}

/** The index in two parts: lines that only link to a file of the folder, and everything else. */
export interface Index {
  readonly hooks: ReadonlyMap<string, IndexLink>;
  readonly rest: string;
}

const ENTRY = /^\s*(?:(?:[-*+]|\d+[.)])\s+)?\[([^\]]*)\]\((?:\.\/)?([^()\s]+\.md)\)\s*(?:[-–—:]+\s*)?(.*)$/;

/** `isHere` says whether the folder has a file of this name. A line that links to no file is ordinary text. */
export function readIndex(text: string, isHere: (name: string) => boolean): Index {
  const hooks = new Map<string, IndexLink>();
  const rest: string[] = [];
  for (const line of unixText(text).split('\n')) {
    const [, title = '', file = '', hook = ''] = ENTRY.exec(line) ?? [];
    if (file !== '' && isHere(file)) hooks.set(file, { title, hook });
    else rest.push(line);
  }
  return { hooks, rest: rest.join('\n') };
}

/** A section under 200 characters is joined with the next, because a memory should say more than a heading. */
const SHORT = 200;

/**
 * The text of the index itself, where older versions wrote: one memory for each `##` section. Comments and empty sections
 * are ignored.
 */
export function importIndex(label: string, rest: string): ImportedText[] {
  const sections = rest.split(/^(?=#{1,2} )/m).filter((section) => prose(section) !== '');
  const joined: string[] = [];
  for (const section of sections) {
    const before = joined.at(-1);
    if (before !== undefined && lengthOf(prose(before)) < SHORT && lengthOf(before + section) <= LIMITS.body.max)
      joined[joined.length - 1] = before + section;
    else joined.push(section);
  }
  return joined.map((section) => {
    const headings = [...section.matchAll(/^#{1,6} +(.+)$/gm)].map(([, heading = '']) => heading.trim());
    const name = headings[0] ?? 'Notes';
    const about = shortened(`${headings.length > 1 ? headings.join(', ') : prose(section)}`, LIMITS.description.max);
    return importedText(label, 'project', named(name, 'Notes'), about, section.trim());
  });
}

/** A file of the folder that is not a valid memory: it has no frontmatter, or its fields do not fit. */
export function importTopic(
  label: string,
  stem: string,
  content: Document | string,
  hook: IndexLink | undefined,
): ImportedText {
  const field = (key: string) => (typeof content === 'string' ? undefined : textOf(content.fields.get(key))?.trim());
  const body = unixText(typeof content === 'string' ? content : content.body);
  const heading = /^#{1,2} +(.+)$/m.exec(body)?.[1]?.trim();
  const name = field('name') || hook?.title || heading || stem.replaceAll(/[_-]+/g, ' ');
  const description = field('description') || hook?.hook || shortened(prose(body), LIMITS.description.max) || name;
  const hints = typeof content === 'string' ? [] : fittingHints(content);
  const text = importedText(label, typeFrom(field('type'), stem), named(name, stem), description, body);
  return hints.length === 0 ? text : { ...text, askedAs: hints };
}

/** Hints that are too many or too long would keep the text itself out. */
function fittingHints({ fields }: Document): readonly string[] {
  const { count, min, max } = LIMITS.askedAs;
  const hints = (listOf(fields.get('asked-as')) ?? []).map((hint) => hint.trim());
  return hints.filter((hint) => lengthOf(hint) >= min && lengthOf(hint) <= max).slice(0, count);
}

function typeFrom(written: string | undefined, stem: string): MemoryType {
  const words = [written?.toLowerCase(), stem.split(/[_-]/)[0]?.toLowerCase()];
  // The folder belongs to one project, so its memories do too, unless they say otherwise.
  return TYPES.find((type) => words.includes(type)) ?? 'project';
}

/** The text without headings and comments, on one line. */
function prose(section: string): string {
  return section
    .replace(/<!--[\s\S]*?(?:-->|$)/g, ' ')
    .replace(/^#{1,6} .*$/gm, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/**
 * Newer files keep their type one level down, under `metadata:`. Returns the file with flat frontmatter: `type` beside the
 * other keys, the rest prefixed with `metadata-`. Undefined if there is no such block, or it holds more than plain keys.
 */
export function flattened(text: string): string | undefined {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => /^metadata:[ \t\r]*$/.test(line));
  const close = lines.findIndex((line, i) => i > 0 && /^---[ \t\r]*$/.test(line));
  if (at === -1 || close < at) return undefined;
  const length = lines.slice(at + 1, close).findIndex((line) => !/^[ \t]+\S/.test(line));
  const end = length === -1 ? close : at + 1 + length;
  const inner = lines.slice(at + 1, end).map((line) => /^[ \t]+([A-Za-z][\w-]*):(.*)$/s.exec(line));
  if (inner.length === 0 || inner.includes(null)) return undefined;
  const flat = inner.map((match) => `${match?.[1] === 'type' ? '' : 'metadata-'}${match?.[1]}:${match?.[2]}`);
  return [...lines.slice(0, at), ...flat, ...lines.slice(end)].join('\n');
}
