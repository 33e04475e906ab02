import { type ParsedQuery, parseQuery } from './query.ts';
import { LEAST_COVERAGE, type Score } from './rank.ts';

/** The wordings that have a word to look for, each once: a repeated one would count as a further one that finds. */
export function parseWordings(wordings: readonly string[]): ParsedQuery[] {
  const parsed = wordings.map(parseQuery).filter(({ units }) => units.length > 0);
  return [
    ...new Map(parsed.map((query) => [query.units.map(({ terms }) => terms.join(' ')).join('|'), query])).values(),
  ];
}

/** How much each further wording that finds a memory adds to its best score. */
const FURTHER = 0.5;

/**
 * One score from those for each wording of a question: the best, and half of each other. So a memory that answers one
 * wording well is found, and of two such memories the one that more wordings find goes first.
 */
export function combinedScore(scores: readonly Score[]): Score {
  const [first = NOTHING] = scores;
  if (scores.length === 1) return first;
  const found = scores.filter(({ coverage }) => coverage >= LEAST_COVERAGE);
  return {
    score: mixture(found.map(({ score }) => score)),
    coverage: Math.max(0, ...found.map(({ coverage }) => coverage)),
    own: mixture(found.map(({ own }) => own)),
    match: Math.max(0, ...found.map(({ match }) => match)),
    ownMatch: Math.max(0, ...found.map(({ ownMatch }) => ownMatch)),
  };
}

const NOTHING: Score = { score: 0, coverage: 0, own: 0, match: 0, ownMatch: 0 };

function mixture(scores: readonly number[]): number {
  const best = Math.max(0, ...scores);
  return best + FURTHER * (scores.reduce((sum, score) => sum + score, 0) - best);
}
