import type { KeyObject } from 'node:crypto';
import { type Draft, hashOf, isAuthentic, parseEntry } from '../../core/ledger/entry.ts';
import type { Evidence } from '../../core/ledger/evidence.ts';

/** Where they are recorded, and when. */
interface Recorder {
  readonly ledgers: { readonly evidence: Evidence; append(drafts: readonly Draft[], now: number): void };
  readonly now: number;
}

/** Records lowerings that were set aside: only what this machine itself signed, and only what nobody has decided on since. */
export function recordLowerings(lines: Iterable<string>, key: KeyObject, { ledgers, now }: Recorder): void {
  const known = new Map<string, readonly string[]>();
  for (const line of lines) {
    const entry = parseEntry(line);
    // Signed anew below: so only what this machine itself wrote, and only what lowers.
    if (entry?.to !== 'quarantined' || !isAuthentic(line, key)) continue;
    // The line itself is no evidence any more once it is recorded, so what it came after is named again.
    const before = [...(known.get(entry.id) ?? []), ...entry.after];
    known.set(entry.id, before);
    const heads = ledgers.evidence.heads(entry.id).map(({ hash }) => hash);
    // What a person has decided since is later than this, and stays.
    if (heads.includes(hashOf(line))) ledgers.append([{ ...entry, after: [...new Set([...before, ...heads])] }], now);
  }
}
