import { type MatchPiece, matchedPieces } from '../../core/search/matches.ts';
import { parseQuery } from '../../core/search/query.ts';
import { type SearchRequest, search } from '../agent/search.ts';
import type { Session } from '../session.ts';

/** A memory that a person searched for, and why it was found. All text is safe. */
interface FoundWords {
  readonly id: string;
  /** Where the words are; empty if only other forms of them, or the ways to ask for it, match. */
  readonly fields: readonly ('name' | 'description' | 'text')[];
  /** The field to show, with its matches marked. */
  readonly excerpt: readonly MatchPiece[];
}

interface FoundAll {
  readonly found: readonly FoundWords[];
  /** Why nothing was found; null if something was. */
  readonly nothing: string | null;
}

/** The search that agents use, with what it found in which field. Looking here is no use of a memory. */
export async function foundWith(session: Session, asked: SearchRequest): Promise<FoundAll> {
  const { hits, nothing } = await search(session.vault, asked);
  const query = parseQuery(asked.query);
  const found = hits.map(({ facts, stored: { name, description, snippet } }): FoundWords => {
    const parts = (
      [
        ['name', name],
        ['description', description],
        ['text', snippet],
      ] as const
    ).map(([field, text]) => ({ field, pieces: matchedPieces(text.toString(), query) }));
    const matching = parts.filter(({ pieces }) => pieces.some(({ isMatch }) => isMatch));
    const shown = matching.findLast(({ field }) => field !== 'name') ?? parts[1];
    return {
      id: facts.id,
      fields: matching.map(({ field }) => field),
      excerpt: shown?.pieces ?? [],
    };
  });
  return { found, nothing };
}
