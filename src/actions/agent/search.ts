import type { Facts } from '../../core/present/model-frame.ts';
import { type ParsedQuery, snippetAround } from '../../core/search/query.ts';
import { parseWordings } from '../../core/search/wordings.ts';
import { defuse } from '../../core/text/defuse.ts';
import { type SafeText, sanitize } from '../../core/text/safe-text.ts';
import type { Loaded, SearchFilter, Vault } from '../../store/vault/vault.ts';
import { factsOf } from '../read-memory.ts';

export interface SearchRequest extends SearchFilter {
  readonly query: string;
  /** Other wordings of the query. Only an agent gives some; nothing is added to what a person types. */
  readonly also?: readonly string[] | undefined;
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
  /** Whether other wordings would probably find more: few hits, or none that holds much of the query. */
  readonly weak: boolean;
}

const SNIPPET = 240;
/** A best hit with less of the query is as often wrong as right. */
const WEAK = 0.4;
/** A single hit with less of the query may be there by chance. */
const WEAK_ALONE = 0.8;

/**
 * Searches the index and reads each hit's file, so text and tier are current. During the first scan (`soFar`) only
 * files read so far are found.
 */
export async function search(vault: Vault, asked: SearchRequest, soFar = false): Promise<SearchResult> {
  const wordings = parseWordings([asked.query, ...(asked.also ?? [])]);
  if (wordings.length === 0) return { hits: [], nothing: noWords(asked.query), weak: false };
  const found = await vault.find(wordings, asked, soFar);
  const question = {
    units: wordings.flatMap(({ units }) => units),
    words: wordings.flatMap(({ words }) => words),
  };
  const hits = found.flatMap(({ loaded }) => hitOf(vault, loaded, question));
  const best = Math.max(0, ...found.map(({ coverage }) => coverage));
  return {
    hits,
    nothing: hits.length === 0 ? nothingFound(asked) : null,
    weak: best < (hits.length < 2 ? WEAK_ALONE : WEAK),
  };
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
