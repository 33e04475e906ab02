import { TYPES } from '../memory/limits.ts';
import { importNote, isNote } from './basic-memory.ts';
import { importCursorRules, isCursorRules } from './cursor-rules.ts';
import type { ImportedItem } from './imported-text.ts';
import { type LooseFile, looseFrontmatter } from './loose-frontmatter.ts';
import { importParts, markdownParts } from './markdown-parts.ts';

/** Files in which a project tells agents how to work. */
export function isInstructions(fileName: string): boolean {
  return /^(?:CLAUDE(?:\.local)?|AGENTS(?:\.override)?|GEMINI)\.md$/.test(fileName);
}

/** Whether a text was meant as a memory file, so that a fault in it is worth a refusal. */
export function isMeantAsMemory({ fields }: LooseFile): boolean {
  const type = fields.get('type')?.[0];
  return fields.has('trust-level') || (fields.has('name') && TYPES.some((each) => each === type));
}

/** Lines such as @docs/rules.md: clients read that file in their place. */
const ONLY_FILES = /^@\S+(?:\s+@\S+)*$/;

/** A markdown file that is no memory: Cursor's rules and basic-memory's notes as what they are, anything else by its bullets and paragraphs. */
export function importForeign(label: string, fileName: string, text: string): ImportedItem[] {
  const file = looseFrontmatter(text);
  if (isCursorRules(fileName)) return importCursorRules(label, fileName, file);
  if (isNote(file)) return importNote(label, fileName, file);
  const { body, bodyLine } = file;
  const type = isInstructions(fileName) ? 'project' : 'reference';
  return markdownParts(body, bodyLine).flatMap((part): ImportedItem[] =>
    ONLY_FILES.test(part.text)
      ? [
          {
            label: `${label}:${part.line}`,
            why: 'it only names other files to be read here; import those by themselves',
          },
        ]
      : importParts(label, type, [part]),
  );
}
