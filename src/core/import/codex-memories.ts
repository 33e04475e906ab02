import { LIMITS, type MemoryType } from '../memory/limits.ts';
import { type ImportedText, shortened } from './imported-text.ts';
import { importParts, type MarkdownPart, markdownParts } from './markdown-parts.ts';
import { unixText } from './unix-text.ts';

/** Sections that only lead Codex to other places of its folder. */
const LEADS = /^(?:rollout_summary_files|keywords|what['’]s in memory)$/i;
/** The head of a block as older versions of Codex wrote it. */
const OLD_HEAD = /^---\nrollout_summary_files:[\s\S]*?\n---$/gm;
const SCOPE = /^(?:scope|applies_to):/;

/** Why a file of Codex's memory folder is left out; undefined if it is one of the two that hold what it keeps. */
export function whyNotOfCodex(within: string): string | undefined {
  if (within === 'MEMORY.md' || within === 'memory_summary.md') return undefined;
  return within.startsWith('skills/')
    ? 'it is a skill of Codex, not a memory'
    : 'Codex works from it; what it keeps is in MEMORY.md';
}

/** `MEMORY.md` or `memory_summary.md`: a memory for each bullet and paragraph, with the folder that its block is for. */
export function importCodexMemories(label: string, text: string): ImportedText[] {
  const lines = unixText(text).replace(OLD_HEAD, (head) => head.replace(/[^\n]+/g, ''));
  const parts = markdownParts(lines);
  const scopes = new Map<string, string>();
  for (const { headings, text: words } of parts) {
    const applies = /^applies_to:[ \t]*(.+)$/m.exec(words)?.[1];
    if (applies !== undefined && SCOPE.test(words))
      scopes.set(headings[0] ?? '', shortened(applies, LIMITS.description.max));
  }
  const kept = parts.filter(
    ({ headings, text: words }) => !LEADS.test(headings.at(-1) ?? '') && !SCOPE.test(words) && words !== 'v1',
  );
  return kept.flatMap((part) =>
    importParts(label, typeOf(part), [withScope(part, scopes.get(part.headings[0] ?? ''))]),
  );
}

function withScope(part: MarkdownPart, scope: string | undefined): MarkdownPart {
  return scope === undefined ? part : { ...part, text: `${part.text}\n\nApplies to: ${scope}` };
}

function typeOf({ headings }: MarkdownPart): MemoryType {
  const heading = headings.at(-1)?.toLowerCase();
  if (heading === 'user profile') return 'user';
  return heading === 'user preferences' ? 'feedback' : 'reference';
}
