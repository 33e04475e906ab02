import { join } from 'node:path';
import { type Entry, hashOf } from '../../core/ledger/entry.ts';
import { parseEntry } from '../../core/ledger/parse-entry.ts';
import type { Disk } from '../disk/disk.ts';
import type { Places } from '../places/places.ts';
import { bytesAt, pathsByLedger } from './ledger-bytes.ts';
import { LedgerLines } from './ledger-lines.ts';
import type { LedgerReport } from './report.ts';

/** One entry as it was written. A ledger can come from another machine, so every text in it is untrusted. */
export interface ReadableEntry {
  readonly fingerprint: string;
  readonly entry: Entry;
  readonly hash: string;
  /** Whether the entry is no longer in the ledger itself, and comes from the copies that this machine keeps. */
  readonly kept: boolean;
}

/** Splits an entry about many memories into one entry for each memory. */
function entriesIn({ texts = [], ...entry }: Entry): Entry[] {
  return texts.map(([id, digest, saying]) => ({ ...entry, id, digest, saying }));
}

/**
 * Every readable entry, ledger by ledger. Entries from this machine's kept copies follow those in the ledger itself.
 */
export function readableEntries(
  { ledger, state }: Places,
  disk: Disk,
  reports: readonly LedgerReport[],
  wanted: (entry: Entry) => boolean,
): ReadableEntry[] {
  const folder = join(state, 'ledgers');
  const keptNames = disk.names(folder);
  const files = pathsByLedger(disk, ledger);
  const found: ReadableEntry[] = [];
  for (const { fingerprint, trouble } of reports) {
    const seen = new Set<string>();
    const add = (paths: readonly string[], kept: boolean) => {
      for (const line of new LedgerLines(bytesAt(disk, paths))) {
        const entry = parseEntry(line);
        if (entry === undefined) continue;
        const hash = hashOf(line);
        if (seen.has(hash)) continue;
        seen.add(hash);
        if (wanted(entry)) found.push({ fingerprint, entry, hash, kept });
        else for (const one of entriesIn(entry)) if (wanted(one)) found.push({ fingerprint, entry: one, hash, kept });
      }
    };
    add(files.get(fingerprint) ?? [], false);
    // The copy of a whole ledger adds nothing.
    const isCopy = (name: string) => name === `${fingerprint}.jsonl`;
    const kept = keptNames.filter((name) => name.startsWith(`${fingerprint}.`) && name.endsWith('.jsonl'));
    for (const name of kept) if (trouble !== undefined || !isCopy(name)) add([join(folder, name)], true);
  }
  return found;
}
