import { LIMITS } from '../memory/limits.ts';
import { lengthOf } from '../memory/memory.ts';
import { type ImportedText, importedText, named, shortened } from './imported-text.ts';
import type { LooseFile } from './loose-frontmatter.ts';
import { importParts, markdownParts } from './markdown-parts.ts';

export function isCursorRules(fileName: string): boolean {
  return fileName.endsWith('.mdc') || fileName === '.cursorrules';
}

/** A rule of `.cursor/rules` as one memory where it fits; a longer one and `.cursorrules`, which is many rules, by its parts. */
export function importCursorRules(
  label: string,
  fileName: string,
  { fields, body, bodyLine }: LooseFile,
): ImportedText[] {
  const parts = markdownParts(body, bodyLine);
  const globs = (fields.get('globs') ?? []).join(', ');
  const whole = globs === '' ? body.trim() : `${body.trim()}\n\nFor files: ${globs}`;
  if (parts.length === 0 || fileName === '.cursorrules' || lengthOf(whole) > LIMITS.body.max)
    return importParts(label, 'project', parts);
  const stem = fileName.replace(/\.mdc$/, '').replaceAll(/[_-]+/g, ' ');
  const description = fields.get('description')?.join(', ') || shortened(parts[0]?.text ?? '', LIMITS.description.max);
  const name = shortened(fields.get('description')?.join(', ') || stem, LIMITS.name.max);
  return [importedText(label, 'project', named(name, 'Rule'), description, whole)];
}
