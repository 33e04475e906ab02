import type { KeyObject } from 'node:crypto';
import { type EntryDraft, hashOf, isAuthentic } from '../../core/ledger/entry.ts';
import type { Evidence } from '../../core/ledger/evidence.ts';
import { parseEntry } from '../../core/ledger/parse-entry.ts';

/** Where the lowerings are recorded. */
interface Recorder {
  readonly evidence: Evidence;
  append(drafts: readonly EntryDraft[]): void;
}

/** Records lowerings that were set aside, if this machine signed them and no decision has followed them. */
export function recordLowerings(lines: Iterable<string>, key: KeyObject, ledgers: Recorder): void {
  const known = new Map<string, readonly string[]>();
  for (const line of lines) {
    const entry = parseEntry(line);
    // The line is signed again below, so it must be this machine's own and must lower.
    if (entry?.to !== 'quarantined' || !isAuthentic(line, key)) continue;
    // Once recorded, the line itself is no longer evidence, so the new entry names the decisions that the line
    // followed.
    const before = [...(known.get(entry.id) ?? []), ...entry.after];
    known.set(entry.id, before);
    const heads = ledgers.evidence.heads(entry.id).map(({ hash }) => hash);
    // A later decision by a person stays in force.
    if (heads.includes(hashOf(line))) ledgers.append([{ ...entry, after: [...new Set([...before, ...heads])] }]);
  }
}
