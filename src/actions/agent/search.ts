import type { Facts } from '../../core/present/model-frame.ts';
import { type ParsedQuery, parseQuery, snippetAround } from '../../core/search/query.ts';
import { defuse } from '../../core/text/defuse.ts';
import { type SafeText, sanitize } from '../../core/text/safe-text.ts';
import type { Loaded, SearchFilter, Vault } from '../../store/vault/vault.ts';
import { factsOf } from '../read-memory.ts';

export interface SearchRequest extends SearchFilter {
  readonly query: string;
}

/** A search result: short, with enough to choose by. */
export interface Hit {
  readonly facts: Facts;
  readonly name: SafeText;
  readonly description: SafeText;
  readonly snippet: SafeText;
}

export interface SearchResult {
  readonly hits: readonly Hit[];
  /** Why nothing was found; null if something was. */
  readonly nothing: string | null;
}

const SNIPPET = 240;

/**
 * Searches the index and reads each hit's file, so text and tier are current. During the first scan (`soFar`) only
 * files read so far are found.
 */
export async function search(vault: Vault, asked: SearchRequest, soFar = false): Promise<SearchResult> {
  const question = parseQuery(asked.query);
  if (question.units.length === 0) return { hits: [], nothing: noWords(asked.query) };
  const found = await vault.find(question, asked, soFar);
  const hits = found.flatMap((loaded) => hitOf(vault, loaded, question));
  return { hits, nothing: hits.length === 0 ? nothingFound(asked) : null };
}

function noWords(query: string): string {
  return /[\p{L}\p{N}]/u.test(query)
    ? 'The query has only words that are in every text; add one that would stand in the memory, such as a name or a topic.'
    : 'The query has no word to look for; use words that would stand in the memory, such as a name or a topic.';
}

function nothingFound({ type, project, tier }: SearchRequest): string {
  const filters = Object.entries({ type, project, tier }).flatMap(([name, value]) => (value === undefined ? [] : name));
  if (filters.length === 0) return 'No memory matches; try other or fewer words.';
  return `No memory matches with this ${filters.join(', ')}; try without, or other words.`;
}

function hitOf(vault: Vault, loaded: Loaded, question: ParsedQuery): Hit[] {
  const facts = factsOf(vault, loaded);
  const { shown: memory } = loaded;
  if (memory === undefined || facts === undefined) return [];
  const body = sanitize(memory.body, 'body').toString();
  return [
    {
      facts,
      name: defuse(memory.name, 'line'),
      description: defuse(memory.description, 'line'),
      snippet: defuse(snippetAround(body, question, SNIPPET), 'line'),
    },
  ];
}
