import { cutText, joinTexts } from '../../core/ledger/segments.ts';
import { type LedgerFault, mergeLedgers } from '../../core/sync/merge-ledger.ts';
import { pathOfLedger, sharedAt } from '../../core/sync/shared-paths.ts';
import type { GitTrees } from '../git/trees.ts';
import type { Content } from '../git/writer.ts';
import { SEGMENTS } from '../ledger/ledger-bytes.ts';
import { hasLedgerLines, LEDGER_LIMITS } from '../ledger/ledger-lines.ts';
import { insideOf } from '../vault/inside.ts';
import type { Vault } from '../vault/vault.ts';
import type { Circumstances, Sides } from './sides.ts';

/** Something about a ledger that came in. */
export interface LedgerFinding {
  readonly fingerprint: string;
  readonly fault: LedgerFault;
  /** Lines it signed that have no place in the merged ledger; kept here, where they lower. */
  readonly left: readonly string[];
}

/** Strangers could plant any number; a store of so many machines is not one person's or one team's. */
const MOST_LEDGERS = 1_000;
/** At most 2,000 files of 32 KiB are read at once, because they take 64 MB; each further read starts a git. */
const AT_ONCE = { files: 2_000, bytes: 32_768 } as const;

/** The files of one ledger, each by the number of its first entry, in order, with its blob. */
type Blobs = ReadonlyMap<number, string>;
const NONE: Blobs = new Map();

/** The files of every ledger among shared ones. */
export function byLedger(shared: Iterable<readonly [path: string, oid: string]>): Map<string, Blobs> {
  const found = new Map<string, [number, string][]>();
  for (const [path, oid] of shared) {
    const what = sharedAt(path);
    if (what?.kind !== 'ledger') continue;
    const files = found.get(what.fingerprint) ?? [];
    files.push([what.first, oid]);
    found.set(what.fingerprint, files);
  }
  return new Map([...found].map(([fingerprint, files]) => [fingerprint, new Map(files.sort(([a], [b]) => a - b))]));
}

/** One side's version of a ledger. */
export interface LedgerVersion {
  /** All its files as one; undefined where it has none. */
  readonly text: string | undefined;
  /** Its files as they lie there. */
  readonly files: ReadonlyMap<number, string>;
}

export function versionOf(files: ReadonlyMap<number, string>): LedgerVersion {
  return { text: files.size === 0 ? undefined : joinTexts([...files.values()]), files };
}

/** Reads one side's version; one that is larger than a ledger, or in more files, has no line of one. */
export async function committedVersion(
  trees: GitTrees,
  blobs: Blobs,
  known: ReadonlyMap<string, Buffer> = new Map(),
): Promise<LedgerVersion> {
  const sizes = await trees.fitting(blobs.values(), LEDGER_LIMITS.bytes);
  const total = [...blobs.values()].reduce((sum, oid) => sum + (sizes.get(oid) ?? Number.POSITIVE_INFINITY), 0);
  if (total > LEDGER_LIMITS.bytes || blobs.size > SEGMENTS.files) return { text: '', files: new Map() };
  const unknown = [...blobs.values()].filter((oid) => !known.has(oid));
  const bytes = await trees.blobs(unknown, LEDGER_LIMITS.bytes);
  return versionOf(new Map([...blobs].map(([first, oid]) => [first, wholeLines(known.get(oid) ?? bytes.get(oid))])));
}

/**
 * What happens to one side's files so that they are others: in an order in which the ledger is whole after each step. Files
 * that are new or longer come first, then those of which a part went into another file, then those that go.
 */
export function stepsBetween(
  before: ReadonlyMap<number, string>,
  after: ReadonlyMap<number, string>,
): (readonly [first: number, text: string | undefined])[] {
  const changed = [...after].filter(([first, text]) => before.get(first) !== text);
  const isShorter = ([first, text]: readonly [number, string]) => text.length < (before.get(first)?.length ?? 0);
  return [
    ...changed.filter((file) => !isShorter(file)),
    ...changed.filter(isShorter).reverse(),
    ...[...before.keys()].filter((first) => !after.has(first)).map((first) => [first, undefined] as const),
  ];
}

/** Merges the ledgers, each by its own rule, into the merged files; says what was wrong with those that came in. */
export async function mergeLedgerFiles(
  sides: Sides,
  { trees, fingerprint: own }: Circumstances,
  files: Map<string, Content>,
): Promise<LedgerFinding[]> {
  const news: LedgerFinding[] = [];
  const [base, ours, theirs] = [sides.base, sides.ours, sides.theirs].map((side) => byLedger(side.shared));
  if (base === undefined || ours === undefined || theirs === undefined) throw new Error('three sides');
  let room = MOST_LEDGERS - ours.size;
  const differing = [...new Set([...ours.keys(), ...theirs.keys()])].flatMap((fingerprint) => {
    const [b, o, t] = [base, ours, theirs].map((side) => side.get(fingerprint) ?? NONE) as [Blobs, Blobs, Blobs];
    return sameBlobs(o, t) || (sameBlobs(t, b) && o.size > 0) ? [] : [{ fingerprint, b, o, t }];
  });
  const all = differing.flatMap(({ b, o, t }) => [b, o, t].flatMap((blobs) => [...blobs.values()]));
  const sizes = await trees.fitting(all, LEDGER_LIMITS.bytes);
  const small = all.filter((oid) => (sizes.get(oid) ?? Number.POSITIVE_INFINITY) <= AT_ONCE.bytes);
  const known = await trees.blobs(small.slice(0, AT_ONCE.files), AT_ONCE.bytes);
  for (const { fingerprint, b, o, t } of differing) {
    if (o.size === 0 && room <= 0) {
      news.push({ fingerprint, fault: 'no-ledger', left: [] });
      continue;
    }
    const [before, mine, other] = await Promise.all([b, o, t].map((side) => committedVersion(trees, side, known)));
    if (mine === undefined || other === undefined) throw new Error('three sides');
    const versions = { fingerprint, base: before?.text, ours: mine.text, theirs: other.text };
    const { text, left, fault } = mergeLedgers({ ...versions, own: fingerprint === own });
    if (fault !== undefined) news.push({ fingerprint, fault, left });
    if (text === undefined) continue;
    // Its own machine alone joins files: everybody else has them as they came from there.
    const asHere = text === mine.text && (text !== other.text || fingerprint === own || !sameBlobs(o, b));
    if (asHere) continue;
    if (o.size === 0) room -= 1;
    const after = cutText(text, (text === other.text ? other : mine).files.keys());
    for (const [first, part] of stepsBetween(mine.files, after)) {
      const path = pathOfLedger(fingerprint, first);
      // Put in anew, because steps are taken in the order of this list.
      files.delete(path);
      if (part !== undefined) files.set(path, Buffer.from(part));
    }
  }
  return news;
}

function sameBlobs(a: Blobs, b: Blobs): boolean {
  return a.size === b.size && [...a].every(([first, oid]) => b.get(first) === oid);
}

/** What follows the last line feed is a write that did not finish. What cannot be a ledger has no line of one. */
export function wholeLines(bytes: Buffer | undefined): string {
  return bytes === undefined || !hasLedgerLines(bytes) ? '' : bytes.toString('utf8', 0, bytes.lastIndexOf(0x0a) + 1);
}

/** Lines that were signed and found no place are evidence still; kept on this machine, they lower. */
export async function keepLeftLines(vault: Vault, news: readonly LedgerFinding[]): Promise<void> {
  const left = news.filter((each) => each.left.length > 0);
  if (left.length === 0) return;
  await vault.exclusively(() => {
    for (const { fingerprint, left: lines } of left) insideOf(vault).kept.setLinesAside(fingerprint, lines);
  });
}
