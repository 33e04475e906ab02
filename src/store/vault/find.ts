import { type Standing, standingOf } from '../../core/ledger/standing.ts';
import type { MemoryType } from '../../core/memory/limits.ts';
import type { ParsedQuery } from '../../core/search/query.ts';
import type { Fields } from '../../core/search/term-vector.ts';
import { isStale } from '../../core/trust/clocks.ts';
import type { Candidate, CandidateFilter } from '../index/candidates.ts';
import type { SearchEntry } from '../index/rows.ts';
import type { Inside } from './inside.ts';
import type { Loaded } from './loaded-memory.ts';

/** What a search wants besides its words. */
export interface SearchFilter {
  readonly limit: number;
  readonly type?: MemoryType | undefined;
  readonly project?: string | undefined;
  readonly tier?: 'verified' | 'inferred' | undefined;
  /** The project at work: its memories go before others that match alike. */
  readonly here?: string | undefined;
}

/** Enough to decide between what matches alike, too little to lift what matches less. */
const TRUSTED = 0.03;
const HERE = 0.03;
const FRESH = 0.01;
const FRESH_DAYS = 90;
const DAY_MS = 86_400_000;
/** More than are wanted are fetched at once, since what is worth more than it matches goes before others. */
const SPARE = 3;
/** A store where most of what is found is turned away by its file must not make a search read all of it. */
const MOST_READ = 200;

/** Memories that answer a question and may be served, best first. The index finds them; each is read from its file. */
export function find(inside: Inside, question: ParsedQuery, wanted: SearchFilter): Loaded[] {
  const { index, files } = inside;
  const { type, project, tier, limit } = wanted;
  const narrow = type !== undefined || project !== undefined || tier !== undefined;
  const wants: CandidateFilter = (facts) =>
    (type === undefined || facts.type === type) &&
    (project === undefined || facts.project === project) &&
    (tier === undefined || standingAt(inside, facts.rowid)?.tier === tier);
  const candidates = index.find(question, limit, narrow ? wants : undefined);
  const found: Loaded[] = [];
  let reads = 0;
  for (const entry of inOrder(inside, candidates, wanted)) {
    if (found.length >= limit || reads >= MOST_READ) break;
    reads += 1;
    const loaded = files.load(entry, { sealed: index.readingAt(entry.rowid) });
    if (loaded !== undefined && fits(loaded, wanted)) found.push(loaded);
  }
  return found;
}

interface Worthy {
  readonly entry: SearchEntry;
  readonly worth: number;
}

/** The best by their words, with a person's word, this project and newer text before what matches alike. */
function* inOrder(inside: Inside, candidates: readonly Candidate[], wanted: SearchFilter): Generator<SearchEntry> {
  /** The best last. */
  const waiting: Worthy[] = [];
  /** What a person said no to comes after all that nobody did. */
  const declined: SearchEntry[] = [];
  for (const [candidate, entry] of entered(inside, candidates, wanted.limit)) {
    // Nothing that follows can be worth more than this, so it need not be looked at before these have had their turn.
    const most = candidate.score * (1 + TRUSTED + HERE + FRESH);
    for (let best = waiting.at(-1); best !== undefined && best.worth >= most; best = waiting.at(-1)) {
      waiting.pop();
      yield best.entry;
    }
    if (isDeclined(inside, entry)) {
      declined.push(entry);
      continue;
    }
    const worth = worthOf(inside, candidate, entry, wanted);
    waiting.splice(waiting.findLastIndex((other) => other.worth < worth) + 1, 0, { entry, worth });
  }
  for (const { entry } of waiting.reverse()) yield entry;
  yield* declined;
}

/** Fetched as many at once as will probably do. */
function* entered(
  { index }: Inside,
  candidates: readonly Candidate[],
  limit: number,
): Generator<[Candidate, SearchEntry]> {
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

function worthOf(inside: Inside, { score, project }: Candidate, entry: SearchEntry, { here }: SearchFilter): number {
  const near = here !== undefined && project === here ? HERE : 0;
  const age = (inside.now() - entry.modified) / DAY_MS;
  const fresh = FRESH / (1 + Math.max(0, age) / FRESH_DAYS);
  return score * (1 + (isTrusted(inside, entry) ? TRUSTED : 0) + near + fresh);
}

/** Of a file that does not even say so the ledgers need not be asked. */
function isTrusted(inside: Inside, { claim, rowid }: SearchEntry): boolean {
  const standing = claim === 'verified' ? standingAt(inside, rowid) : undefined;
  return standing?.tier === 'verified' && !isStale(standing.receipt.at, inside.now(), inside.settings().staleDays);
}

/** By what the index knows; most ids were never said no to, which is known without it. */
function isDeclined(inside: Inside, { stem, rowid }: SearchEntry): boolean {
  const { index, ledgers } = inside;
  if (!ledgers.evidence.mayBeDeclined(stem)) return false;
  const digest = index.at(rowid)?.digest ?? '';
  return ledgers.evidence.declinedAt(stem, digest) !== undefined && standingAt(inside, rowid)?.tier !== 'verified';
}

/** The standing that what the index knows of a memory and the ledgers give it. */
function standingAt({ index, ledgers }: Inside, rowid: number): Standing | undefined {
  const known = index.at(rowid);
  if (known === undefined || known.id === null) return undefined;
  return standingOf({ ...known, id: known.id, claim: known.claim ?? undefined }, ledgers.evidence);
}

function fits({ memory, standing, withheld, subject }: Loaded, { type, project, tier }: SearchFilter): boolean {
  if (memory === undefined || withheld || standing.tier === 'quarantined') return false;
  if (tier !== undefined && standing.tier !== tier) return false;
  if (type !== undefined && memory.type !== type) return false;
  return project === undefined || subject.document?.fields.get('project') === project;
}

/** A text that others are compared with. */
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

/** How many are fetched at once: mostly the first few will do. */
const FETCHED = 3;

/** Memories that share words with a text, most alike first, each read from its file. At most `most` are. */
export function* alike(
  { index, files }: Inside,
  text: ComparedText,
  least: number,
  most: number,
): Generator<SimilarMemory> {
  const found = index.alike(text.fields, text.named, least).slice(0, most);
  for (let from = 0; from < found.length; from += FETCHED) {
    const portion = found.slice(from, from + FETCHED);
    const entries = index.entries(portion.map(({ rowid }) => rowid));
    for (const { rowid, likeness } of portion) {
      const entry = entries.get(rowid);
      if (entry === undefined || entry.stem === text.id) continue;
      const loaded = files.load(entry, { sealed: index.readingAt(rowid) });
      if (loaded !== undefined && loaded.id !== text.id) yield { loaded, likeness };
    }
  }
}
