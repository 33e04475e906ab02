import { join } from 'node:path';
import { type Entry, hashOf, parseEntry } from '../../core/ledger/entry.ts';
import type { Disk } from '../disk/disk.ts';
import type { Places } from '../places/places.ts';
import { bytesAt, pathsByLedger } from './ledger-bytes.ts';
import { LedgerLines } from './ledger-lines.ts';
import type { LedgerReport } from './report.ts';

/** One entry as it was written down. Whatever in it is text may be anybody's: a ledger can come from elsewhere. */
export interface LedgerLine {
  readonly fingerprint: string;
  readonly entry: Entry;
  readonly hash: string;
  /** It no longer stands in the ledger itself; this machine has kept it. */
  readonly kept: boolean;
}

/** What an entry about many memories says of each. */
function entriesIn({ texts = [], ...entry }: Entry): Entry[] {
  return texts.map(([id, digest, saying]) => ({ ...entry, id, digest, saying }));
}

/** Every entry that can be read, ledger by ledger; what this machine has kept of one comes after what stands in it. */
export function ledgerLines(
  { ledger, state }: Places,
  disk: Disk,
  reports: readonly LedgerReport[],
  wanted: (entry: Entry) => boolean = () => true,
): LedgerLine[] {
  const folder = join(state, 'ledgers');
  const keptNames = disk.names(folder);
  const files = pathsByLedger(disk, ledger);
  const found: LedgerLine[] = [];
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
    // A copy of a ledger that is whole says nothing else.
    const isCopy = (name: string) => name === `${fingerprint}.jsonl`;
    const kept = keptNames.filter((name) => name.startsWith(`${fingerprint}.`) && name.endsWith('.jsonl'));
    for (const name of kept) if (trouble !== undefined || !isCopy(name)) add([join(folder, name)], true);
  }
  return found;
}
