import type { KeyObject } from 'node:crypto';
import { type Entry, fingerprintOf, hashOf, isAuthentic, publicKeyOf } from '../ledger/entry.ts';
import { parseEntry } from '../ledger/parse-entry.ts';
import { PASSKEYS } from '../passkeys/change.ts';
import { parseTimestamp } from '../trust/clocks.ts';

/** What was wrong with the incoming version. */
export type LedgerFault = 'cut' | 'unsigned' | 'forked' | 'broken' | 'no-ledger';

interface LedgerVersions {
  readonly fingerprint: string;
  /** Whole lines, each ended by a line feed; undefined if the file does not exist. */
  readonly base: string | undefined;
  readonly ours: string | undefined;
  readonly theirs: string | undefined;
  /** This machine's own ledger, which nobody else writes. */
  readonly own: boolean;
}

interface MergedLedger {
  /** The merged ledger; undefined if neither version is a ledger. */
  readonly text: string | undefined;
  /**
   * Signed lines that have no place in the merged ledger. Each can still lower. Where one of them is about passkeys, the
   * entries before them come with them: a requirement names its place in its ledger, and counts only with that ledger.
   */
  readonly left: readonly string[];
  readonly fault: LedgerFault | undefined;
}

/**
 * Merges two versions of one machine's ledger. A ledger has one writer and only grows, so one version is the beginning of
 * the other. Anything else is damage, and the ledger is assembled from the lines its key signed. An unsigned line is dropped
 * if another version lacks it; a ledger that was cut is completed.
 */
export function mergeLedgers(versions: LedgerVersions): MergedLedger {
  const { fingerprint, base, ours = '', theirs = '' } = versions;
  if (ours !== '' && ours.startsWith(theirs) && (ours === theirs || goesOn(fingerprint, theirs, ours))) {
    const cut = base !== undefined && theirs.length < base.length;
    return { text: ours, left: [], fault: cut ? 'cut' : undefined };
  }
  if (theirs.startsWith(ours) && goesOn(fingerprint, ours, theirs)) return { text: theirs, left: [], fault: undefined };
  return assemble(versions, ours, theirs);
}

/** Whether `longer` continues `shorter` entry by entry and ends with a signed entry, which vouches for all before it. */
function goesOn(fingerprint: string, shorter: string, longer: string): boolean {
  const key = keyIn(linesOf(longer.slice(0, longer.indexOf('\n') + 1)), fingerprint);
  if (key === undefined) return false;
  const before = linesOf(shorter).at(-1);
  let link = before === undefined ? FIRST : linkAfter(before);
  const added = linesOf(longer.slice(shorter.length));
  for (const line of added) {
    link = link && follows(line, link);
    if (link === undefined) return false;
  }
  return isAuthentic(added.at(-1) ?? '', key);
}

/** What the next entry of a chain must continue. */
interface Link {
  readonly count: number;
  readonly hash: string | null;
  readonly at: number;
}
const FIRST: Link = { count: 0, hash: null, at: 0 };

function linkAfter(line: string): Link | undefined {
  const entry = parseEntry(line);
  return entry && { count: entry.seq + 1, hash: hashOf(line), at: parseTimestamp(entry.at) ?? 0 };
}

function follows(line: string, link: Link): Link | undefined {
  const entry = parseEntry(line);
  return entry !== undefined && continues(entry, link) ? linkAfter(line) : undefined;
}

function continues(entry: Entry, { count, hash, at }: Link): boolean {
  return entry.seq === count && entry.prev === hash && (parseTimestamp(entry.at) ?? 0) >= at;
}

function assemble({ fingerprint, base, own }: LedgerVersions, ours: string, theirs: string): MergedLedger {
  const [mine, others] = [linesOf(ours), linesOf(theirs)];
  const key = keyIn([...mine, ...others], fingerprint);
  // Without a key nobody knows whose lines these are: ours stay, and none come in.
  if (key === undefined) return { text: ours === '' ? undefined : ours, left: [], fault: 'no-ledger' };

  const isSigned = provenOnce(key);
  const preferOurs = own || ours !== (base ?? '');
  const first = chain(preferOurs ? [mine, others] : [others, mine], isSigned);
  const second = chain(preferOurs ? [others, mine] : [mine, others], isSigned);
  const chosen = isBeginning(first, second) ? second : first;
  const text = textOf(chosen);
  const placed = new Set(chosen);
  const left = [...new Set([...mine, ...others])].filter((line) => !placed.has(line));
  const signed = left.filter(isSigned);

  // Signed lines after a gap that no version fills: the version with most signed lines stays unchanged and is reported as
  // broken.
  const reachable = new Set([...first, ...second]);
  if (signed.some((line) => !reachable.has(line))) {
    const count = (lines: readonly string[]) => lines.filter(isSigned).length;
    const isTheirs = count(others) > count(mine);
    return { text: isTheirs ? theirs : ours, left: withPlaces(signed, isTheirs ? mine : others), fault: 'broken' };
  }
  if (signed.length > 0) return { text, left: withPlaces(signed, second), fault: 'forked' };
  const fault = others.some((line) => !placed.has(line)) ? 'unsigned' : text === theirs ? undefined : 'cut';
  return { text: text === '' ? undefined : text, left: [], fault: text === '' ? 'no-ledger' : fault };
}

/** Lines that are left, with the version that they stand in where one of them is about passkeys. */
function withPlaces(left: readonly string[], version: readonly string[]): readonly string[] {
  if (!left.some((line) => parseEntry(line)?.id === PASSKEYS)) return left;
  return [...new Set([...version, ...left])];
}

/**
 * Caches results: a broken ledger is read several times, verifying is slow, and an attacker can make a ledger of any length.
 */
function provenOnce(key: KeyObject): (line: string) => boolean {
  const proven = new Map<string, boolean>();
  return (line) => {
    const known = proven.get(line) ?? isAuthentic(line, key);
    proven.set(line, known);
    return known;
  };
}

/** The longest chain from the first entry to a signed line. At a fork, it follows the first version. */
function chain(versions: readonly (readonly string[])[], isSigned: (line: string) => boolean): string[] {
  const byPrev = new Map<string | null, { readonly line: string; readonly entry: Entry }>();
  for (const line of versions.flat()) {
    const entry = parseEntry(line);
    const known = entry && byPrev.get(entry.prev);
    if (entry === undefined || known?.line === line) continue;
    // An unsigned line keeps its place only if no signed line claims it.
    if (known === undefined || (!isSigned(known.line) && isSigned(line))) {
      byPrev.set(entry.prev, { line, entry });
    }
  }
  const found: string[] = [];
  let link = FIRST;
  for (let next = byPrev.get(null); next !== undefined; next = byPrev.get(link.hash)) {
    if (!continues(next.entry, link)) break;
    found.push(next.line);
    link = { count: link.count + 1, hash: hashOf(next.line), at: parseTimestamp(next.entry.at) ?? 0 };
  }
  while (found.length > 0 && !isSigned(found.at(-1) ?? '')) found.pop();
  return found;
}

function isBeginning(shorter: readonly string[], longer: readonly string[]): boolean {
  return shorter.length <= longer.length && shorter.every((line, i) => line === longer[i]);
}

function keyIn(lines: readonly string[], fingerprint: string): KeyObject | undefined {
  for (const line of lines) {
    const entry = parseEntry(line);
    if (entry?.seq === 0 && entry.key !== undefined && fingerprintOf(entry.key) === fingerprint)
      return publicKeyOf(entry.key);
  }
  return undefined;
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.slice(0, -1).split('\n');
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
