import { type Standing, standingOf } from '../../core/ledger/standing.ts';
import type { MemoryType } from '../../core/memory/limits.ts';
import { projectIn, projectSlug } from '../../core/memory/project.ts';
import { inHintOrder, withHints } from '../../core/search/hint-order.ts';
import type { ParsedQuery } from '../../core/search/query.ts';
import { likeness, NEAR_DUPLICATE } from '../../core/search/rank.ts';
import { type Fields, fieldsOf, type TermVector, termVectorOf } from '../../core/search/term-vector.ts';
import { type RankedMemory, verifiedAboveCopies } from '../../core/search/verified-above-copies.ts';
import { DAY_MS, isStale } from '../../core/trust/clocks.ts';
import type { CandidateFilter, SearchCandidate } from '../index/candidates.ts';
import type { SearchEntry } from '../index/rows.ts';
import type { Inside } from './inside-of-vault.ts';
import type { Loaded } from './loaded-memory.ts';

/** What a search asks for besides its words. */
export interface SearchFilter {
  readonly limit: number;
  readonly type?: MemoryType | undefined;
  readonly project?: string | undefined;
  readonly tier?: 'verified' | 'inferred' | undefined;
  /** The current projects. Their memories come before others that match equally. */
  readonly here?: readonly string[];
  /** Only memories of these projects and of none. */
  readonly within?: readonly string[];
}

/** Weights that decide between equal matches and are too small to lift a weaker match. */
const TRUSTED = 0.03;
const HERE = 0.03;
const FRESH = 0.01;
const FRESH_DAYS = 90;
/** 3 more than wanted are looked at, because a verified memory a little further down may have to come first. */
const SPARE = 3;
/** At most 200 files are read in a search, because in some stores the files of most matches may not be served. */
const MOST_READ = 200;

/** A memory that answers a question. */
export interface FoundMemory {
  readonly loaded: Loaded;
  /** The share of the question, or of one of its other wordings, that the memory and its hints hold: 0 to 1. */
  readonly coverage: number;
  /** How well it matches (`Score.match`): with its hints where a person vouched for it, else by its own text alone. */
  readonly match: number;
}

/** The best memories that answer a question, and how many of those weighed match besides. */
export interface FoundMemories {
  readonly found: readonly FoundMemory[];
  readonly more: number;
}

/**
 * Memories that answer a question, given in one or several wordings, and may be served; best first. The index finds them,
 * by their texts and their hints; each is read from its file.
 */
export function find(inside: Inside, wordings: readonly ParsedQuery[], wanted: SearchFilter): FoundMemories {
  return inside.conflicts.atOnce(() => bestOf(inside, wordings, wanted));
}

/**
 * The index gives candidates, best first. They are put in order, and read from their files until there are enough that may be
 * served. Then verified memories are brought in that something found would hide: by correcting them, by repeating them, or by
 * contradicting them.
 */
function bestOf(inside: Inside, wordings: readonly ParsedQuery[], wanted: SearchFilter): FoundMemories {
  const { index, files } = inside;
  const { type, tier, limit, within } = wanted;
  const project = wanted.project === undefined ? undefined : projectSlug(wanted.project);
  const narrow = [type, project, tier, within].some((each) => each !== undefined);
  const wants: CandidateFilter = (facts) =>
    (type === undefined || facts.type === type) &&
    (project === undefined || facts.project === project) &&
    (within === undefined || facts.project === null || within.includes(facts.project)) &&
    (tier !== 'verified' || facts.claim === 'verified') &&
    (tier === undefined || standingAt(inside, facts.rowid)?.tier === tier);
  const candidates = index.find(wordings, limit, narrow ? wants : undefined);
  const order = candidates.some(({ score, own }) => score > own) ? inOrderOfHints : inOrder;
  const found: FoundMemory[] = [];
  let [reads, spare] = [0, SPARE];
  for (const { entry, candidate, sealed } of withReadings(inside, order(inside, candidates, wanted), limit + SPARE)) {
    const isSpare = found.length >= limit;
    if (isSpare) spare -= 1;
    if (!isSpare || mayComeFirst(inside, entry)) {
      reads += 1;
      const loaded = files.load(entry, { sealed });
      if (loaded !== undefined && fits(loaded, wanted))
        found.push({ loaded, coverage: candidate.coverage, match: matchOf(loaded, candidate) });
    }
    if (spare === 0 || reads >= MOST_READ) break;
  }
  const more = candidates.length - reads + Math.max(0, found.length - limit);
  const mayBeServed = (loaded: Loaded) => fits(loaded, wanted);
  const given = conflictingLast(inside, withCorrected(inside, found, mayBeServed), limit, mayBeServed);
  return { found: given, more };
}

/**
 * What contradicts a verified memory comes last of what is given, and that memory before it, even if it did not match. Half of
 * the places are for others: otherwise a text that nobody vouched for could push out the best answer by contradicting something.
 */
function conflictingLast(
  inside: Inside,
  found: readonly FoundMemory[],
  limit: number,
  mayBeServed: (loaded: Loaded) => boolean,
): FoundMemory[] {
  const first = found.slice(0, limit);
  const conflicting = first.filter(({ loaded }) => inside.conflicts.of(loaded) !== undefined);
  const rivals = new Set(conflicting.flatMap(({ loaded }) => inside.conflicts.of(loaded) ?? []));
  const brought = verifiedBesides(inside, first, rivals, mayBeServed);
  const room = Math.max(Math.ceil(limit / 2), limit - brought.length - conflicting.length);
  const others = first.filter((each) => !conflicting.includes(each)).slice(0, room);
  return [...others, ...brought, ...conflicting].slice(0, limit);
}

/** What is corrected comes before what corrects it, even if only that one matched: a correction must not hide it. */
function withCorrected(
  inside: Inside,
  found: readonly FoundMemory[],
  mayBeServed: (loaded: Loaded) => boolean,
): FoundMemory[] {
  const placed = found.map((each) => placedOf(inside, each));
  const corrected = new Set(placed.flatMap(({ corrects: id }) => id ?? []));
  const brought = verifiedBesides(inside, found, corrected, mayBeServed).map((each) => placedOf(inside, each));
  return verifiedAboveCopies([...placed, ...brought], saysNearlyTheSame).map(({ each }) => each);
}

/** Those of these memories that are verified and were not found. They are given although they did not match. */
function verifiedBesides(
  inside: Inside,
  found: readonly FoundMemory[],
  ids: ReadonlySet<string>,
  mayBeServed: (loaded: Loaded) => boolean,
): FoundMemory[] {
  const missing = [...ids].filter((id) => !found.some(({ loaded }) => loaded.id === id));
  return missing
    .flatMap((id) => inside.files.find(id) ?? [])
    .filter((loaded) => loaded.standing.tier === 'verified' && mayBeServed(loaded))
    .map((loaded) => ({ loaded, coverage: 0, match: 0 }));
}

interface PlacedMemory extends RankedMemory {
  readonly each: FoundMemory;
  /** Made once, and only where two memories are compared. */
  readonly vector: () => TermVector;
}

function placedOf(inside: Inside, each: FoundMemory): PlacedMemory {
  const { id, standing, memory } = each.loaded;
  const isVerified = standing.tier === 'verified';
  let made: TermVector | undefined;
  const vector = () => {
    made ??= termVectorOf(memory === undefined ? { name: '', about: '', body: '' } : fieldsOf(memory)).vector;
    return made;
  };
  return { each, id, isVerified, corrects: isVerified ? null : corrects(inside, id), vector };
}

function saysNearlyTheSame(one: PlacedMemory, other: PlacedMemory): boolean {
  return likeness(one.vector(), other.vector()) >= NEAR_DUPLICATE;
}

/** The memory that a proposal said it corrects. */
function corrects({ ledgers }: Inside, id: string): string | null {
  const born = ledgers.evidence.of(id).find(({ from, replaces }) => from === null && replaces !== null);
  return born?.replaces === id ? null : (born?.replaces ?? null);
}

function matchOf({ standing }: Loaded, { match, ownMatch }: SearchCandidate): number {
  return standing.tier === 'verified' ? match : ownMatch;
}

interface OrderedCandidate {
  readonly entry: SearchEntry;
  readonly candidate: SearchCandidate;
  readonly worth: number;
}

/** Every candidate is looked at: one that comes late by its score may have to go before one whose hints lifted it. */
function inOrderOfHints(
  inside: Inside,
  candidates: readonly SearchCandidate[],
  wanted: SearchFilter,
): readonly OrderedCandidate[] {
  const all = [...entered(inside, candidates, candidates.length)].map(([candidate, entry]) => {
    const trust = trustIn(inside, entry);
    const factor = factorOf(inside, candidate, entry, wanted, trust);
    const worth = withHints(candidate, trust.isVerified) * factor;
    return { entry, candidate, worth, own: candidate.own * factor, isVerified: trust.isVerified };
  });
  const isLast = comesLast(inside);
  const { last = [], others = [] } = Object.groupBy(all, ({ entry }) => (isLast(entry) ? 'last' : 'others'));
  return [...inHintOrder(others), ...inHintOrder(last)];
}

/** Best match first. Among equal matches, verified memories, those of this project and newer ones come first. */
function* inOrder(
  inside: Inside,
  candidates: readonly SearchCandidate[],
  wanted: SearchFilter,
): Generator<OrderedCandidate> {
  /** The best last. */
  const waiting: OrderedCandidate[] = [];
  const last: OrderedCandidate[] = [];
  const isLast = comesLast(inside);
  for (const [candidate, entry] of entered(inside, candidates, wanted.limit)) {
    // No later candidate can be worth more than this, so the better ones that wait can be returned first.
    const most = candidate.score * (1 + TRUSTED + HERE + FRESH);
    for (let best = waiting.at(-1); best !== undefined && best.worth >= most; best = waiting.at(-1)) {
      waiting.pop();
      yield best;
    }
    if (isLast(entry)) {
      last.push({ entry, candidate, worth: 0 });
      continue;
    }
    const worth = candidate.score * factorOf(inside, candidate, entry, wanted, trustIn(inside, entry));
    waiting.splice(waiting.findLastIndex((other) => other.worth < worth) + 1, 0, { entry, candidate, worth });
  }
  yield* waiting.reverse();
  yield* last;
}

/** Fetches the index entries in portions that are usually enough. */
function* entered(
  { index }: Inside,
  candidates: readonly SearchCandidate[],
  limit: number,
): Generator<[SearchCandidate, SearchEntry]> {
  const many = limit + SPARE;
  for (let from = 0; from < candidates.length; from += many) {
    const portion = candidates.slice(from, from + many);
    const entries = index.entries(portion.map(({ rowid }) => rowid));
    for (const candidate of portion) {
      const entry = entries.get(candidate.rowid);
      if (entry !== undefined) yield [candidate, entry];
    }
  }
}

/** The candidates with what was read in their files when their rows were written, fetched in portions that are usually enough. */
function* withReadings(
  { index }: Inside,
  ordered: Iterable<OrderedCandidate>,
  many: number,
): Generator<OrderedCandidate & { readonly sealed: Buffer | undefined }> {
  const waiting = ordered[Symbol.iterator]();
  for (let portion = take(waiting, many); portion.length > 0; portion = take(waiting, many)) {
    const readings = index.readingsAt(portion.map(({ entry }) => entry.rowid));
    for (const each of portion) yield { ...each, sealed: readings.get(each.entry.rowid) };
  }
}

function take<T>(from: Iterator<T>, many: number): T[] {
  const taken: T[] = [];
  for (let next = from.next(); !next.done; next = from.next()) if (taken.push(next.value) === many) break;
  return taken;
}

/** Whether reading a memory beyond those wanted can change which come first: a verified one, or one that corrects another. */
function mayComeFirst(inside: Inside, { claim, stem }: SearchEntry): boolean {
  return claim === 'verified' || corrects(inside, stem) !== null;
}

interface Trust {
  readonly isVerified: boolean;
  readonly isStale: boolean;
}

function factorOf(
  inside: Inside,
  { project }: SearchCandidate,
  entry: SearchEntry,
  { here }: SearchFilter,
  trust: Trust,
): number {
  const near = project !== null && here?.includes(project) ? HERE : 0;
  const age = (inside.now() - entry.modified) / DAY_MS;
  const fresh = FRESH / (1 + Math.max(0, age) / FRESH_DAYS);
  return 1 + (trust.isVerified && !trust.isStale ? TRUSTED : 0) + near + fresh;
}

/** A file that does not claim to be verified is not, so the ledgers need not be asked about it. */
function trustIn(inside: Inside, { claim, rowid }: SearchEntry): Trust {
  const standing = claim === 'verified' ? standingAt(inside, rowid) : undefined;
  if (standing?.tier !== 'verified') return { isVerified: false, isStale: false };
  return { isVerified: true, isStale: isStale(standing.receipt.at, inside.now(), inside.settings().staleDays) };
}

/**
 * Tells of each candidate, best first, whether it comes after all others: a person said no to it, or it contradicts a verified
 * memory and is not the first that does. One such text is worth being seen; a flood of them is not. By what the index knows; of
 * most ids neither was ever said, which is known without it.
 */
function comesLast(inside: Inside): (entry: SearchEntry) => boolean {
  const { index, ledgers, conflicts } = inside;
  let hasConflicting = false;
  return ({ stem, rowid }) => {
    const mayBeDeclined = ledgers.evidence.mayBeDeclined(stem);
    if (!mayBeDeclined && !conflicts.knows(stem)) return false;
    const digest = index.at(rowid)?.digest ?? '';
    const standing = standingAt(inside, rowid);
    if (standing === undefined || standing.tier === 'verified') return false;
    if (mayBeDeclined && ledgers.evidence.declinedAt(stem, digest) !== undefined) return true;
    const isOneMore = hasConflicting;
    const isConflicting = conflicts.of({ id: stem, digest, standing }) !== undefined;
    hasConflicting ||= isConflicting;
    return isConflicting && isOneMore;
  };
}

/** The standing of a memory by its index row and the ledgers. */
function standingAt({ index, ledgers }: Inside, rowid: number): Standing | undefined {
  const known = index.at(rowid);
  if (known === undefined || known.id === null) return undefined;
  return standingOf({ ...known, id: known.id }, ledgers.evidence);
}

function fits({ memory, standing, withheld }: Loaded, { type, project, tier, within }: SearchFilter): boolean {
  if (memory === undefined || withheld || standing.tier === 'quarantined') return false;
  if (tier !== undefined && standing.tier !== tier) return false;
  if (type !== undefined && memory.type !== type) return false;
  const its = projectIn(memory);
  if (within !== undefined && its !== null && !within.includes(its)) return false;
  return project === undefined || its === projectSlug(project);
}

/** A text that is compared with other memories. */
export interface ComparedText {
  readonly id: string;
  readonly fields: Fields;
  /** The words of its name. */
  readonly named: readonly string[];
}

export interface SimilarMemory {
  readonly loaded: Loaded;
  readonly likeness: number;
}

/** Memories that share words with a text, most similar first, each read from its file. At most `most` are read. */
export function* nearDuplicates(
  inside: Inside,
  text: ComparedText,
  least: number,
  most: number,
): Generator<SimilarMemory> {
  const found = inside.index.nearDuplicates(text.fields, text.named, least).slice(0, most);
  const likenesses = new Map(found.map(({ rowid, likeness }) => [rowid, likeness]));
  for (const [rowid, loaded] of loadedAt(inside, [...likenesses.keys()], text.id))
    yield { loaded, likeness: likenesses.get(rowid) ?? 0 };
}

/** Memories that share a text's rarest words, those that share most first; each is read from its file. */
export function* withRareWords(inside: Inside, id: string, fields: Fields, isAsked: boolean): Generator<Loaded> {
  const hasVerified = inside.ledgers.evidence.namesVerified;
  for (const [, loaded] of loadedAt(inside, inside.index.withRareWords(fields, { isAsked, hasVerified }), id))
    yield loaded;
}

/** The memories of these rows, without the one with this id. */
function* loadedAt({ index, files }: Inside, rowids: readonly number[], id: string): Generator<[number, Loaded]> {
  const [entries, readings] = [index.entries(rowids), index.readingsAt(rowids)];
  for (const rowid of rowids) {
    const entry = entries.get(rowid);
    if (entry === undefined || entry.stem === id) continue;
    const loaded = files.load(entry, { sealed: readings.get(rowid) });
    if (loaded !== undefined && loaded.id !== id) yield [rowid, loaded];
  }
}
