import { type LedgerFault, mergeLedgers } from '../../core/sync/merge-ledger.ts';
import { sharedAt } from '../../core/sync/shared-paths.ts';
import type { Content } from '../git/writer.ts';
import { hasLedgerLines, LEDGER_LIMITS } from '../ledger/ledger-lines.ts';
import { insideOf } from '../vault/inside.ts';
import type { Vault } from '../vault/vault.ts';
import type { Circumstances, Sides } from './sides.ts';

/** Something about a ledger that came in. */
export interface LedgerNews {
  readonly fingerprint: string;
  readonly fault: LedgerFault;
  /** Lines it signed that have no place in the merged ledger; kept here, where they lower. */
  readonly left: readonly string[];
}

/** Strangers could plant any number; a store of so many machines is not one person's or one team's. */
const MOST_LEDGERS = 1_000;

/** Merges the ledgers, each by its own rule, into the merged files; says what was wrong with those that came in. */
export async function mergeLedgerFiles(
  { base, ours, theirs }: Sides,
  { trees, fingerprint: own }: Circumstances,
  files: Map<string, Content>,
): Promise<LedgerNews[]> {
  const news: LedgerNews[] = [];
  let room = MOST_LEDGERS - [...ours.shared.keys()].filter((path) => sharedAt(path)?.kind === 'ledger').length;
  for (const path of new Set([...ours.shared.keys(), ...theirs.shared.keys()])) {
    const what = sharedAt(path);
    const [b, o, t] = [base, ours, theirs].map((side) => side.shared.get(path));
    if (what?.kind !== 'ledger' || o === t || (t === b && o !== undefined)) continue;
    const oids = [b, o, t].filter((oid) => oid !== undefined);
    const blobs = await trees.blobs(oids, LEDGER_LIMITS.bytes);
    const text = (oid: string | undefined) => (oid === undefined ? undefined : wholeLines(blobs.get(oid)));
    const { fingerprint } = what;
    const versions = { fingerprint, base: text(b), ours: text(o), theirs: text(t), own: fingerprint === own };
    const merged = mergeLedgers(versions);
    const { left, fault } = o === undefined && room <= 0 ? { left: [], fault: 'no-ledger' as const } : merged;
    if (fault !== undefined) news.push({ fingerprint, fault, left });
    if (merged.text === undefined || merged.text === versions.ours || (o === undefined && room <= 0)) continue;
    if (o === undefined) room -= 1;
    files.set(path, Buffer.from(merged.text));
  }
  return news;
}

/** What follows the last line feed is a write that did not finish. What cannot be a ledger has no line of one. */
export function wholeLines(bytes: Buffer | undefined): string {
  return bytes === undefined || !hasLedgerLines(bytes) ? '' : bytes.toString('utf8', 0, bytes.lastIndexOf(0x0a) + 1);
}

/** Lines that were signed and found no place are evidence still; kept on this machine, they lower. */
export async function keepLeftLines(vault: Vault, news: readonly LedgerNews[]): Promise<void> {
  const left = news.filter((each) => each.left.length > 0);
  if (left.length === 0) return;
  await vault.exclusively(() => {
    for (const { fingerprint, left: lines } of left) insideOf(vault).kept.setLinesAside(fingerprint, lines);
  });
}
