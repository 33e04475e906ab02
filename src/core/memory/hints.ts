import type { Finding } from '../finding.ts';
import { sanitize } from '../text/safe-text.ts';
import { type Document, listOf } from './document.ts';

/** What became of the hints that came with a text. */
export interface HintsTaken {
  readonly added: number;
  /** Those that a check has something against. */
  readonly dropped: number;
}

/** The hints in a file, clean. They are part of no memory: no yes covers them, and no agent is served one. */
export function hintsIn(document: Document | undefined): readonly string[] {
  return (listOf(document?.fields.get('asked-as')) ?? []).map((hint) => sanitize(hint, 'line').toString());
}

/** Whether a check has something against the hints: then they are not searched, and an agent adds none. */
export function hasFindingsInHints(findings: readonly Finding[]): boolean {
  return findings.some(({ field }) => field === 'asked-as');
}

/** The hints without those that `known`, or an earlier one, has already; case does not tell two apart. */
export function newHints(hints: readonly string[], known: readonly string[] = []): readonly string[] {
  const seen = new Set(known.map((hint) => hint.toLowerCase()));
  return hints.filter((hint) => !seen.has(hint.toLowerCase()) && seen.add(hint.toLowerCase()));
}

/** The hints that no check has anything against. `findingsWith` inspects the file with these hints in it. */
export function passingHints(
  hints: readonly string[],
  findingsWith: (hints: readonly string[]) => readonly Finding[],
): readonly string[] {
  const passes = (some: readonly string[]) => !hasFindingsInHints(findingsWith(some));
  if (passes(hints)) return hints;
  const each = hints.filter((hint) => passes([hint]));
  return each.length === 0 || passes(each) ? each : [];
}
