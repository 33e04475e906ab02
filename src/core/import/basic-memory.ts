import { LIMITS } from '../memory/limits.ts';
import { lengthOf } from '../memory/memory.ts';
import { fittingTags, type ImportedText, importedText, named, shortened } from './imported-text.ts';
import type { LooseFile } from './loose-frontmatter.ts';
import { portions } from './portions.ts';

/** A line such as `- [decision] Use REST #api`; `[ ]` and `[x]` are tasks. */
const OBSERVATION = /^[ \t]*[-*+][ \t]+(\[[^\][]{2,}\][ \t]+\S.*)$/m;
const TAG = /(?<=\s)#([\p{L}\p{N}_/-]+)/gu;

/** basic-memory writes a permalink into every note. */
export function isNote({ fields }: LooseFile): boolean {
  return fields.has('permalink');
}

/** A note as one memory, or as several where it does not fit into one. Every line is in one of them. */
export function importNote(label: string, fileName: string, { fields, body }: LooseFile): ImportedText[] {
  const title = fields.get('title')?.join(', ') || fileName.replace(/\.md$/, '');
  const text = body.trim();
  if (text === '') return [];
  const words = text.replace(/^#{1,6}[ \t].*$/gm, '');
  const description = shortened(OBSERVATION.exec(text)?.[1] ?? words, LIMITS.description.max) || title;
  const inText = text.split('\n').flatMap((line) => (OBSERVATION.test(line) ? [...line.matchAll(TAG)] : []));
  const tags = fittingTags([...(fields.get('tags') ?? []), ...inText.map(([, tag = '']) => tag)]);
  // The first memory has a title that was shortened before its body.
  const most = LIMITS.body.max - lengthOf(title) - 2;
  return portions(text.split('\n'), most).map((lines, i) => {
    const name = i === 0 ? title : `${shortened(title, LIMITS.name.max - 10)} (${i + 1})`;
    return { ...importedText(label, 'reference', named(name, 'Note'), description, lines.join('\n').trim()), tags };
  });
}
