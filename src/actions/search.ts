import { inert } from '../core/inert.ts';
import type { MemoryType } from '../core/limits.ts';
import { type Question, snippetAround, understand } from '../core/query.ts';
import type { Facts } from '../core/render.ts';
import { type Standing, standingOf } from '../core/standing.ts';
import { type SafeText, sanitize } from '../core/text.ts';
import type { Known } from '../store/index-rows.ts';
import type { Loaded, Spot } from '../store/loaded.ts';
import type { Candidate, Wants } from '../store/lookup.ts';
import { lookOver } from '../store/reconcile.ts';
import type { Vault } from '../store/vault.ts';
import { factsOf } from './recall.ts';
import { isStaleNow } from './survey.ts';

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
/** A store where most of what is found is turned away by its file must not make a search read all of it. */
const MOST_READ = 200;

/**
 * Finds by the index, answers by the files: text and tier of every hit are what they are now. While the files are still
 * being looked at for the first time (`soFar`) it finds what has been.
 */
export async function search(vault: Vault, asked: Asked, soFar = false): Promise<Found> {
  const question = understand(asked.query);
  if (question.units.length === 0) return { hits: [], nothing: noWords(asked.query) };
  // The index was lost or damaged since the last look at the files.
  if (!soFar && !vault.parts.index.isComplete) await lookOver(vault);
  vault.parts.ledgers.refresh();
  return vault.parts.index.atOnce(() => answerTo(vault, asked, question));
}

function answerTo(vault: Vault, asked: Asked, question: Question): Found {
  const { type, project, tier } = asked;
  const narrow = type !== undefined || project !== undefined || tier !== undefined;
  const wants: Wants = (facts) =>
    (type === undefined || facts.type === type) &&
    (project === undefined || facts.project === project) &&
    (tier === undefined || rowAt(vault, facts.rowid)?.standing.tier === tier);
  const found = vault.parts.index.find(question, narrow ? wants : undefined);
  const hits: Hit[] = [];
  let reads = 0;
  for (const spot of inOrder(vault, found, asked)) {
    if (hits.length >= asked.limit || reads >= MOST_READ) break;
    reads += 1;
    const loaded = vault.shelf.load(spot);
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
  readonly spot: Spot;
  readonly worth: number;
}

/** The best by their words, with a person's word, this project and newer text before what matches alike. */
function* inOrder(vault: Vault, found: readonly Candidate[], asked: Asked): Generator<Spot> {
  /** The best last. */
  const waiting: Worthy[] = [];
  for (const candidate of found) {
    // Nothing that follows can be worth more than this, so it need not be looked at before these have had their turn.
    const most = candidate.score * (1 + TRUSTED + HERE + FRESH);
    for (let best = waiting.at(-1); best !== undefined && best.worth >= most; best = waiting.at(-1)) {
      waiting.pop();
      yield best.spot;
    }
    const one = weighed(vault, candidate, asked);
    if (one !== undefined) waiting.splice(waiting.findLastIndex(({ worth }) => worth < one.worth) + 1, 0, one);
  }
  for (const { spot } of waiting.reverse()) yield spot;
}

/** What the index knows of a memory, with the standing that this and the ledgers give it. */
function rowAt(vault: Vault, rowid: number): { known: Known; standing: Standing } | undefined {
  const known = vault.parts.index.at(rowid);
  if (known === undefined || known.id === null) return undefined;
  return { known, standing: standingOf({ ...known, id: known.id, claim: known.claim ?? undefined }, vault.evidence) };
}

function weighed(vault: Vault, { rowid, score, project }: Candidate, { here }: Asked): Worthy | undefined {
  const row = rowAt(vault, rowid);
  if (row === undefined) return undefined;
  const { known, standing } = row;
  const trusted = standing.tier === 'verified' && !isStaleNow(vault, standing) ? TRUSTED : 0;
  const near = here !== undefined && project === here ? HERE : 0;
  const age = (vault.parts.now() - Number(known.stamp.modified / 1_000_000n)) / DAY_MS;
  const fresh = FRESH / (1 + Math.max(0, age) / FRESH_DAYS);
  return { spot: known, worth: score * (1 + trusted + near + fresh) };
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
