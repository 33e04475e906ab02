import { type Standing, standingOf } from '../../core/ledger/standing.ts';
import type { MemoryType } from '../../core/memory/limits.ts';
import type { Facts } from '../../core/present/model-frame.ts';
import { type Question, snippetAround, understand } from '../../core/search/query.ts';
import { inert } from '../../core/text/defuse.ts';
import { type SafeText, sanitize } from '../../core/text/safe-text.ts';
import type { Candidate, Wants } from '../../store/index/candidates.ts';
import type { Entry } from '../../store/index/rows.ts';
import { lookOver } from '../../store/reconcile/reconcile.ts';
import type { Loaded } from '../../store/vault/loaded-memory.ts';
import type { Vault } from '../../store/vault/vault.ts';
import { factsOf } from '../read-memory.ts';
import { isStaleNow } from '../survey.ts';

export interface Asked {
  readonly query: string;
  readonly limit: number;
  readonly type?: MemoryType | undefined;
  readonly project?: string | undefined;
  readonly tier?: 'verified' | 'inferred' | undefined;
  /** The project at work: its memories go before others that match alike. */
  readonly here?: string | undefined;
}

/** A memory as a search shows it: cheap in context, enough to choose by. */
export interface Hit {
  readonly facts: Facts;
  readonly name: SafeText;
  readonly description: SafeText;
  readonly snippet: SafeText;
}

export interface Found {
  readonly hits: readonly Hit[];
  /** Why there is nothing, in words; null when there is something. */
  readonly nothing: string | null;
}

const SNIPPET = 240;
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

/**
 * Finds by the index, answers by the files: text and tier of every hit are what they are now. While the files are still
 * being looked at for the first time (`soFar`) it finds what has been.
 */
export async function search(vault: Vault, asked: Asked, soFar = false): Promise<Found> {
  const question = understand(asked.query);
  if (question.units.length === 0) return { hits: [], nothing: noWords(asked.query) };
  const { index, ledgers } = vault.parts;
  ledgers.refresh();
  const found = index.atOnce(() => (soFar || index.isComplete ? answerTo(vault, asked, question) : undefined));
  if (found !== undefined) return found;
  // The index was lost or damaged since the last look at the files.
  await lookOver(vault);
  ledgers.refresh();
  return index.atOnce(() => answerTo(vault, asked, question));
}

function answerTo(vault: Vault, asked: Asked, question: Question): Found {
  const { type, project, tier } = asked;
  const narrow = type !== undefined || project !== undefined || tier !== undefined;
  const wants: Wants = (facts) =>
    (type === undefined || facts.type === type) &&
    (project === undefined || facts.project === project) &&
    (tier === undefined || standingAt(vault, facts.rowid)?.tier === tier);
  const found = vault.parts.index.find(question, asked.limit, narrow ? wants : undefined);
  const hits: Hit[] = [];
  let reads = 0;
  for (const entry of inOrder(vault, found, asked)) {
    if (hits.length >= asked.limit || reads >= MOST_READ) break;
    reads += 1;
    const loaded = vault.shelf.load(entry, { sealed: vault.parts.index.readingAt(entry.rowid) });
    if (loaded !== undefined && fits(loaded, asked)) hits.push(...hitOf(vault, loaded, question));
  }
  return { hits, nothing: hits.length === 0 ? nothingFound(asked) : null };
}

function noWords(query: string): string {
  return /[\p{L}\p{N}]/u.test(query)
    ? 'The query has only words that are in every text; add one that would stand in the memory, such as a name or a topic.'
    : 'The query has no word to look for; use words that would stand in the memory, such as a name or a topic.';
}

function nothingFound({ type, project, tier }: Asked): string {
  const filters = Object.entries({ type, project, tier }).flatMap(([name, value]) => (value === undefined ? [] : name));
  if (filters.length === 0) return 'No memory matches; try other or fewer words.';
  return `No memory matches with this ${filters.join(', ')}; try without, or other words.`;
}

interface Worthy {
  readonly entry: Entry;
  readonly worth: number;
}

/** The best by their words, with a person's word, this project and newer text before what matches alike. */
function* inOrder(vault: Vault, found: readonly Candidate[], asked: Asked): Generator<Entry> {
  /** The best last. */
  const waiting: Worthy[] = [];
  for (const [candidate, entry] of entered(vault, found, asked.limit)) {
    // Nothing that follows can be worth more than this, so it need not be looked at before these have had their turn.
    const most = candidate.score * (1 + TRUSTED + HERE + FRESH);
    for (let best = waiting.at(-1); best !== undefined && best.worth >= most; best = waiting.at(-1)) {
      waiting.pop();
      yield best.entry;
    }
    const worth = worthOf(vault, candidate, entry, asked);
    waiting.splice(waiting.findLastIndex((other) => other.worth < worth) + 1, 0, { entry, worth });
  }
  for (const { entry } of waiting.reverse()) yield entry;
}

/** Fetched as many at once as will probably do. */
function* entered(vault: Vault, found: readonly Candidate[], limit: number): Generator<[Candidate, Entry]> {
  const many = limit + SPARE;
  for (let from = 0; from < found.length; from += many) {
    const portion = found.slice(from, from + many);
    const entries = vault.parts.index.entries(portion.map(({ rowid }) => rowid));
    for (const candidate of portion) {
      const entry = entries.get(candidate.rowid);
      if (entry !== undefined) yield [candidate, entry];
    }
  }
}

function worthOf(vault: Vault, { score, project }: Candidate, entry: Entry, { here }: Asked): number {
  const near = here !== undefined && project === here ? HERE : 0;
  const age = (vault.parts.now() - entry.modified) / DAY_MS;
  const fresh = FRESH / (1 + Math.max(0, age) / FRESH_DAYS);
  return score * (1 + (isTrusted(vault, entry) ? TRUSTED : 0) + near + fresh);
}

/** Of a file that does not even say so the ledgers need not be asked. */
function isTrusted(vault: Vault, { claim, rowid }: Entry): boolean {
  const standing = claim === 'verified' ? standingAt(vault, rowid) : undefined;
  return standing?.tier === 'verified' && !isStaleNow(vault, standing);
}

/** The standing that what the index knows of a memory and the ledgers give it. */
function standingAt(vault: Vault, rowid: number): Standing | undefined {
  const known = vault.parts.index.at(rowid);
  if (known === undefined || known.id === null) return undefined;
  return standingOf({ ...known, id: known.id, claim: known.claim ?? undefined }, vault.evidence);
}

function fits({ memory, standing, withheld, subject }: Loaded, { type, project, tier }: Asked): boolean {
  if (memory === undefined || withheld || standing.tier === 'quarantined') return false;
  if (tier !== undefined && standing.tier !== tier) return false;
  if (type !== undefined && memory.type !== type) return false;
  return project === undefined || subject.document?.fields.get('project') === project;
}

function hitOf(vault: Vault, loaded: Loaded, question: Question): Hit[] {
  const facts = factsOf(vault, loaded);
  const { shown: memory } = loaded;
  if (memory === undefined || facts === undefined) return [];
  const body = sanitize(memory.body, 'body').toString();
  return [
    {
      facts,
      name: inert(memory.name, 'line'),
      description: inert(memory.description, 'line'),
      snippet: inert(snippetAround(body, question, SNIPPET), 'line'),
    },
  ];
}
