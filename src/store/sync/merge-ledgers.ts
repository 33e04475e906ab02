import { cutText, joinTexts } from '../../core/ledger/segments.ts';
import { type LedgerFault, mergeLedgers } from '../../core/sync/merge-ledger.ts';
import { pathOfLedger, sharedAt } from '../../core/sync/shared-paths.ts';
import type { GitTrees } from '../git/trees.ts';
import type { BlobContent } from '../git/writer.ts';
import { SEGMENTS } from '../ledger/ledger-bytes.ts';
import { hasLedgerLines, LEDGER_LIMITS } from '../ledger/ledger-lines.ts';
import { insideOf } from '../vault/inside-of-vault.ts';
import type { Vault } from '../vault/vault.ts';
import type { MergeCircumstances, MergeSides } from './merge-sides.ts';

/** What a merge found wrong with a ledger. */
export interface LedgerFinding {
  readonly fingerprint: string;
  readonly fault: LedgerFault | 'too-many';
  /**
   * Signed lines that do not fit into the merged ledger. They are kept on this machine, where they can lower a memory.
   */
  readonly left: readonly string[];
}

/** At most 1,000 ledgers, because anyone who can push could add more, and no person or team has that many machines. */
const MOST_LEDGERS = 1_000;
/** At most 2,000 files of 32 KiB are read at once, because they take 64 MB. Each further read starts a git process. */
const AT_ONCE = { files: 2_000, bytes: 32_768 } as const;

/** The blobs of one ledger's files, by the number of each file's first entry, in order. */
type Blobs = ReadonlyMap<number, string>;
const NONE: Blobs = new Map();

/** Picks the ledger files from shared files and groups them by ledger. */
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
interface LedgerVersion {
  /** The text of all its files, joined; undefined if it has none. */
  readonly text: string | undefined;
  /** The text of each file, by the number of its first entry. */
  readonly files: ReadonlyMap<number, string>;
}

export function ledgerVersion(files: ReadonlyMap<number, string>): LedgerVersion {
  return { text: files.size === 0 ? undefined : joinTexts([...files.values()]), files };
}

/** Reads one side's version of a ledger. A version that is too large, or in too many files, counts as empty. */
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
  return ledgerVersion(
    new Map([...blobs].map(([first, oid]) => [first, wholeLines(known.get(oid) ?? bytes.get(oid))])),
  );
}

/**
 * The steps that turn one side's files into the other's, in an order that keeps the ledger whole after each step. New
 * and longer files come first, then files that lose lines to another file, then removed files.
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

/** Merges every ledger into `files` and returns what was wrong with those that came in. */
export async function mergeLedgerFiles(
  sides: MergeSides,
  { trees, fingerprint: own }: MergeCircumstances,
  files: Map<string, BlobContent>,
): Promise<LedgerFinding[]> {
  const news: LedgerFinding[] = [];
  const [base, ours, theirs] = [
    byLedger(sides.base.shared),
    byLedger(sides.ours.shared),
    byLedger(sides.theirs.shared),
  ];
  const cut = await cutLedgers(sides, trees);
  let room = MOST_LEDGERS - ours.size;
  const differing = [...new Set([...ours.keys(), ...theirs.keys()])].flatMap((fingerprint) => {
    const blobsIn = (side: ReadonlyMap<string, Blobs>) => side.get(fingerprint) ?? NONE;
    const [b, o, t] = [blobsIn(base), blobsIn(ours), blobsIn(theirs)];
    return sameBlobs(o, t) || (sameBlobs(t, b) && !cut.has(fingerprint)) ? [] : [{ fingerprint, b, o, t }];
  });
  const all = differing.flatMap(({ b, o, t }) => [b, o, t].flatMap((blobs) => [...blobs.values()]));
  const sizes = await trees.fitting(all, LEDGER_LIMITS.bytes);
  const small = all.filter((oid) => (sizes.get(oid) ?? Number.POSITIVE_INFINITY) <= AT_ONCE.bytes);
  const known = await trees.blobs(small.slice(0, AT_ONCE.files), AT_ONCE.bytes);
  for (const { fingerprint, b, o, t } of differing) {
    if (o.size === 0 && room <= 0) {
      news.push({ fingerprint, fault: 'too-many', left: [] });
      continue;
    }
    const versionIn = (side: Blobs) => committedVersion(trees, side, known);
    const [before, mine, other] = await Promise.all([versionIn(b), versionIn(o), versionIn(t)]);
    const versions = { fingerprint, base: before.text, ours: mine.text, theirs: other.text };
    const { text, left, fault } = mergeLedgers({ ...versions, own: fingerprint === own });
    if (fault !== undefined) news.push({ fingerprint, fault, left });
    if (text === undefined) continue;
    // Only a ledger's own machine joins its files. Other machines take the files as that machine made them.
    const asHere = text === mine.text && (text !== other.text || fingerprint === own || !sameBlobs(o, b));
    if (asHere) continue;
    if (o.size === 0) room -= 1;
    const after = cutText(text, (text === other.text ? other : mine).files.keys());
    for (const [first, part] of stepsBetween(mine.files, after)) {
      const path = pathOfLedger(fingerprint, first);
      // Deleted first, so that the path moves to the end: steps are carried out in the order of this map.
      files.delete(path);
      if (part !== undefined) files.set(path, Buffer.from(part));
    }
  }
  return news;
}

/**
 * Ledgers that only this side has changed since the last common commit, and by something else than adding lines. No sync commits
 * that and says nothing: somebody committed by hand what was put back from before, and the other side's lines would be gone.
 */
export async function cutLedgers({ base, ours, theirs }: MergeSides, trees: GitTrees): Promise<ReadonlySet<string>> {
  const [before, here] = [byLedger(base.shared), byLedger(ours.shared)];
  const found = new Set<string>();
  for (const [fingerprint, there] of byLedger(theirs.shared)) {
    const isTheirNews = !sameBlobs(there, before.get(fingerprint) ?? NONE);
    if (!isTheirNews && !(await isContinued(trees, there, here.get(fingerprint) ?? NONE))) found.add(fingerprint);
  }
  return found;
}

async function isContinued(trees: GitTrees, before: Blobs, after: Blobs): Promise<boolean> {
  const changed = [...before].filter(([first, oid]) => after.get(first) !== oid);
  // Most often only the last file grew. Files are joined now and then.
  const [now, then] = changed.length > 1 ? [after, before] : [pick(after, changed), new Map(changed)];
  const [mine, other] = [await committedVersion(trees, now), await committedVersion(trees, then)];
  return (mine.text ?? '').startsWith(other.text ?? '');
}

/** The files of a ledger that begin with the same entries as these. */
function pick(blobs: Blobs, files: Iterable<readonly [first: number, oid: string]>): Blobs {
  return new Map([...files].flatMap(([first]) => (blobs.has(first) ? [[first, blobs.get(first) ?? '']] : [])));
}

function sameBlobs(a: Blobs, b: Blobs): boolean {
  return a.size === b.size && [...a].every(([first, oid]) => b.get(first) === oid);
}

/**
 * The whole lines of a ledger file. Bytes after the last line feed are a write that did not finish. A file that cannot
 * be a ledger has no lines.
 */
export function wholeLines(bytes: Buffer | undefined): string {
  return bytes === undefined || !hasLedgerLines(bytes) ? '' : bytes.toString('utf8', 0, bytes.lastIndexOf(0x0a) + 1);
}

/** Keeps signed lines that do not fit into a merged ledger, because they are still evidence that can lower a memory. */
export async function keepLeftLines(vault: Vault, news: readonly LedgerFinding[]): Promise<void> {
  const left = news.filter((each) => each.left.length > 0);
  if (left.length === 0) return;
  await vault.exclusively(() => {
    for (const { fingerprint, left: lines } of left) insideOf(vault).kept.setLinesAside(fingerprint, lines);
  });
}
