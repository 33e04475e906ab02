import type { MemoryType } from '../core/memory.ts';
import { snippetAround, wordsOf } from '../core/query.ts';
import type { Facts } from '../core/render.ts';
import { type SafeText, sanitize } from '../core/text.ts';
import type { Loaded } from '../store/loaded.ts';
import type { Vault } from '../store/vault.ts';
import { factsOf } from './recall.ts';

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
/** Hits are dropped when their file says otherwise by now, so more are asked for than are shown. */
const CANDIDATES = 8;

/** Finds by the index, answers by the files: text and tier of every hit are what they are now. */
export function search(vault: Vault, asked: Asked): Found {
  const words = wordsOf(asked.query);
  if (words.length === 0) {
    return { hits: [], nothing: 'The query has no word to look for; use words that would stand in the memory.' };
  }
  vault.parts.ledgers.refresh();
  const hits = vault.parts.index
    .matching(words, asked.limit * CANDIDATES)
    .map((row) => vault.shelf.load(row))
    .filter((loaded) => loaded !== undefined && fits(loaded, asked))
    .map((loaded, rank) => ({ loaded: loaded as Loaded, rank }));
  // A person's word goes first among what matches alike; a later issue ranks by more than place.
  const order = ({ loaded, rank }: (typeof hits)[number]) => band(loaded, rank, asked.here);
  hits.sort((a, b) => order(a) - order(b) || a.rank - b.rank);
  const shown = hits.slice(0, asked.limit).flatMap(({ loaded }) => hitOf(vault, loaded, words));
  return { hits: shown, nothing: shown.length === 0 ? 'No memory matches; try other or fewer words.' : null };
}

function band({ standing, subject }: Loaded, rank: number, here: string | undefined): number {
  const elsewhere = here === undefined || subject.document?.fields.get('project') !== here ? 1 : 0;
  return Math.floor(rank / 3) * 4 + elsewhere * 2 + (standing.tier === 'verified' ? 0 : 1);
}

function fits({ memory, standing, withheld, subject }: Loaded, { type, project, tier }: Asked): boolean {
  if (memory === undefined || withheld || standing.tier === 'quarantined') return false;
  if (tier !== undefined && standing.tier !== tier) return false;
  if (type !== undefined && memory.type !== type) return false;
  return project === undefined || subject.document?.fields.get('project') === project;
}

function hitOf(vault: Vault, loaded: Loaded, words: readonly string[]): Hit[] {
  const facts = factsOf(vault, loaded);
  const { shown: memory } = loaded;
  if (memory === undefined || facts === undefined) return [];
  const body = sanitize(memory.body, 'body').toString();
  return [
    {
      facts,
      name: sanitize(memory.name, 'line'),
      description: sanitize(memory.description, 'line'),
      snippet: sanitize(snippetAround(body, words, SNIPPET), 'line'),
    },
  ];
}
