import { worstState } from '../../core/memory/anchors.ts';
import { anchorLine, type Facts } from '../../core/present/model-facts.ts';
import { type ParsedQuery, snippetAround } from '../../core/search/query.ts';
import { parseWordings } from '../../core/search/wordings.ts';
import { defuse } from '../../core/text/defuse.ts';
import { type SafeText, sanitize, truncate } from '../../core/text/safe-text.ts';
import type { Checkout } from '../../store/checkout/checkout.ts';
import type { Loaded, SearchFilter, Vault } from '../../store/vault/vault.ts';
import { ANCHOR_MS, type AnchorLook, anchorLook } from '../anchors.ts';
import { factsOf } from '../read-memory.ts';

export interface SearchRequest extends SearchFilter {
  readonly query: string;
  /** Other wordings of the query. Only an agent gives some; nothing is added to what a person types. */
  readonly also?: readonly string[] | undefined;
}

/** A search result: short, with enough to choose by. */
export interface Hit {
  readonly facts: Facts;
  readonly stored: {
    readonly name: SafeText;
    readonly description: SafeText;
    readonly snippet: SafeText;
    readonly project?: SafeText;
    /** What has become of the first anchor that is not as it was. */
    readonly anchor?: SafeText;
  };
}

interface SearchResult {
  readonly hits: readonly Hit[];
  /** How many more match, of those that were weighed. */
  readonly more: number;
  /** Why nothing was found; null if something was. */
  readonly nothing: string | null;
  /** Whether other wordings would probably find more: few hits, or none that holds much of the query. */
  readonly weak: boolean;
}

/** About 100 tokens a hit, with its facts: a model pays for every hit, and read_memory gives the rest. In bytes of UTF-8. */
const HIT = 160;
/** A description is cut where it would leave no room for the words that were found. */
const LONGEST_DESCRIPTION = 100;
const SHORTEST_SNIPPET = 60;
/** A best hit with less of the query is as often wrong as right. */
const WEAK = 0.4;
/** A single hit with less of the query may be there by chance. */
const WEAK_ALONE = 0.8;
/** Other words would find nothing either, so none are asked for. */
const EMPTY = 'The store has no memory to search yet.';

/**
 * Searches the index and reads each hit's file, so text and tier are current. During the first scan (`soFar`) only
 * files read so far are found.
 */
export async function search(
  vault: Vault,
  asked: SearchRequest,
  { soFar = false, checkout }: { readonly soFar?: boolean; readonly checkout?: Checkout | undefined } = {},
): Promise<SearchResult> {
  const wordings = parseWordings([asked.query, ...(asked.also ?? [])]);
  if (wordings.length === 0) return { hits: [], more: 0, nothing: noWords(asked.query), weak: false };
  const { found, more } = await vault.find(wordings, asked, soFar);
  if (found.length === 0 && !soFar && vault.count('memories') === 0)
    return { hits: [], more: 0, nothing: EMPTY, weak: false };
  const question = {
    units: wordings.flatMap(({ units }) => units),
    words: wordings.flatMap(({ words }) => words),
  };
  const look = anchorLook(checkout, ANCHOR_MS.search);
  const hits = vault.conflicts.atOnce(() => found.flatMap(({ loaded }) => hitOf(vault, loaded, question, look)));
  const best = Math.max(0, ...found.map(({ coverage }) => coverage));
  return {
    hits,
    more,
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

function hitOf(vault: Vault, loaded: Loaded, question: ParsedQuery, look: AnchorLook): Hit[] {
  const facts = factsOf(vault, loaded, look);
  const { shown: memory } = loaded;
  if (memory === undefined || facts === undefined) return [];
  const body = sanitize(memory.body, 'body').toString();
  const state = worstState(facts.anchors ?? []);
  const first = facts.anchors?.find((each) => each.state === state);
  const name = defuse(memory.name, 'line');
  const description = withinBytes(defuse(memory.description, 'line'), LONGEST_DESCRIPTION);
  const room = Math.max(SHORTEST_SNIPPET, HIT - bytesOf(name.toString()) - bytesOf(description.toString()));
  return [
    {
      facts,
      stored: {
        name,
        description,
        snippet: defuse(snippetAround(body, question, charactersIn(room, body)), 'line'),
        ...(memory.project !== null && { project: defuse(memory.project, 'line') }),
        ...(first !== undefined && { anchor: anchorLine(first) }),
      },
    },
  ];
}

function withinBytes(line: SafeText, most: number): SafeText {
  return truncate(line, charactersIn(most, line.toString()));
}

/** How many characters of this text have so many bytes, on average: tokens follow bytes closer than characters. */
function charactersIn(bytes: number, text: string): number {
  return Math.floor((bytes * text.length) / Math.max(1, bytesOf(text)));
}

function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}
