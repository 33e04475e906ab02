import { TYPES } from '../memory/limits.ts';
import { importNote, isNote } from './basic-memory.ts';
import { importCursorRules, isCursorRules } from './cursor-rules.ts';
import type { ImportedText } from './imported-text.ts';
import { type LooseFile, looseFrontmatter } from './loose-frontmatter.ts';
import { importParts, markdownParts } from './markdown-parts.ts';

/** Files in which a project tells agents how to work. */
export function isInstructions(fileName: string): boolean {
  return /^(?:CLAUDE(?:\.local)?|AGENTS(?:\.override)?|GEMINI)\.md$/.test(fileName);
}

/** Whether a text was meant as a memory file, so that a fault in it is worth a refusal. */
export function isMemoryFile({ fields }: LooseFile): boolean {
  const type = fields.get('type')?.[0];
  return fields.has('trust-level') || (fields.has('name') && TYPES.some((each) => each === type));
}

/** A markdown file that is no memory: Cursor's rules and basic-memory's notes as what they are, anything else by its bullets and paragraphs. */
export function importForeign(label: string, fileName: string, text: string): ImportedText[] {
  const file = looseFrontmatter(text);
  if (isCursorRules(fileName)) return importCursorRules(label, fileName, file);
  if (isNote(file)) return importNote(label, fileName, file);
  const { body, bodyLine } = file;
  // A line such as @docs/rules.md has another file read in its place; by itself it says nothing.
  const parts = markdownParts(body, bodyLine).filter((part) => !/^@\S+$/.test(part.text));
  return importParts(label, isInstructions(fileName) ? 'project' : 'reference', parts);
}
