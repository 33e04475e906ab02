import { eachOnce } from '../../core/once.ts';
import { minHashesOf } from '../../core/search/minhash.ts';
import { likenessTo } from '../../core/search/rank.ts';
import { type TermVector, termHash, VECTOR_FIELDS } from '../../core/search/term-vector.ts';
import type { Sqlite } from '../disk/sqlite.ts';
import { best, numbersIn, quoted } from './candidates.ts';

/** A near duplicate of a text, by its words as a whole or by its name's words. */
export interface NearDuplicate {
  readonly rowid: number;
  readonly likeness: number;
}

/** Look up at most 4 rare words, because near duplicates almost always share one. */
const TELLING = 4;
/** At most 12 index lookups per text, because a text of new words finds none. */
const MOST_LOOKS = 12;
/** A word in more memories than this is not rare. */
const FEW = 16;
const MOST_REMEMBERED = 5_000;
/**
 * At most 64 memories with a word are looked through for verified ones, because every proposal waits for it, and at most 2,000 for a
 * person who is asked: 24 such words take about 8 ms. They come in the order in which they were stored.
 */
const MOST_OF_A_WORD = 64;
const MOST_IF_ASKED = 2_000;
/** At most 32 memories per trait, newest first, because many near duplicates can share every trait. */
const MOST_OF_A_TRAIT = 32;
const MOST_COMPARED = 12;
/** A memory that shares 3 traits hardly does so by chance. */
const SURE = 3;
/** The search stops at 3 near duplicates, because no more are shown. */
const ENOUGH = 3;

export interface RareWordOptions {
  /** A person waits for the answer, and so more memories of each word are looked through for verified ones. */
  readonly isAsked: boolean;
  /** Whether any memory was ever verified. */
  readonly hasVerified: boolean;
}

/**
 * Finds near duplicates of a text by shared traits and by its rarest words. Every proposal runs it, so its cost depends
 * on the text and not on the size of the store.
 */
export class NearDuplicateFinder {
  readonly #on: ReturnType<typeof prepare>;
  /** Words once found in too many memories to be rare. */
  readonly #common = new Set<string>();
  readonly #commonInVerified = new Set<string>();

  constructor(db: Sqlite) {
    this.#on = prepare(db);
  }

  /**
   * Memories with at least this likeness, most similar first; then those whose names share most of the name's words.
   */
  find(vector: TermVector, terms: readonly string[], named: readonly string[], least: number): NearDuplicate[] {
    const likenessOf = likenessTo(vector, least);
    const name = new Set(named.map(termHash));
    const compared = (rowids: readonly number[]) =>
      this.#on.termVectors.all(JSON.stringify(rowids)).flatMap(([rowid, bytes]) => {
        const other = numbersIn(bytes);
        const likeness = likenessOf(other);
        return likeness >= least || sharesName(name, other) ? [{ rowid, likeness }] : [];
      });
    const first = this.#withTraits(minHashesOf(vector));
    const found = compared(first);
    if (found.filter(({ likeness }) => likeness >= least).length < ENOUGH) {
      found.push(...compared(this.#withTerms(terms).filter((rowid) => !first.includes(rowid))));
    }
    const rank = ({ likeness }: NearDuplicate) => (likeness >= least ? 1 + likeness : 0);
    return found.sort((a, b) => rank(b) - rank(a) || b.rowid - a.rowid);
  }

  /**
   * Memories that share the rarest words of these parts of a text; at most 24 a part, because each is read from its file. Those whose
   * files say that they are verified come first and are looked for by themselves: an agent could propose so many with the same
   * words that none of these is among the others. In a store where nothing was ever verified, looking for them would take half of
   * the time and find none.
   */
  withRareWords(parts: readonly (readonly string[])[], { hasVerified, isAsked }: RareWordOptions): number[] {
    const looked = isAsked ? MOST_IF_ASKED : MOST_OF_A_WORD;
    const verified = lookedUpOnce((term) => this.#on.rowsOfVerified.all(term, looked, FEW + 1));
    const others = lookedUpOnce((term) => this.#on.rows.all(term, FEW + 1));
    const found = [
      ...(hasVerified ? parts.flatMap((terms) => this.#withTerms(terms, verified, this.#commonInVerified)) : []),
      ...parts.flatMap((terms) => this.#withTerms(terms, others)),
    ];
    return [...new Set(found)];
  }

  /** The memories that share most of these traits. */
  #withTraits(traits: readonly number[]): number[] {
    const shared = new Map<number, number>();
    let sure = 0;
    for (const trait of traits) {
      // Enough memories share several traits; further traits would only find these again.
      if (sure >= ENOUGH) break;
      for (const rowid of this.#on.having.all(trait, MOST_OF_A_TRAIT)) {
        const many = (shared.get(rowid) ?? 0) + 1;
        shared.set(rowid, many);
        if (many === SURE) sure += 1;
      }
    }
    return best(shared, MOST_COMPARED);
  }

  /** The memories that share most rare words. Long words first, because they are rarer. */
  #withTerms(
    terms: readonly string[],
    found: LookUp = (term) => this.#on.rows.all(term, FEW + 1),
    common = this.#common,
  ): number[] {
    const shared = new Map<number, number>();
    let [telling, looks] = [0, 0];
    for (const term of [...terms].sort((a, b) => b.length - a.length)) {
      if (common.has(term)) continue;
      const rows = found(quoted(term));
      if (rows.length > FEW) remember(common, term);
      else if (rows.length > 0) {
        telling += 1;
        for (const rowid of rows) shared.set(rowid, (shared.get(rowid) ?? 0) + 1 / rows.length);
      }
      if (telling === TELLING || ++looks === MOST_LOOKS) break;
    }
    return best(shared, MOST_COMPARED);
  }
}

/** The first memories with a word. */
type LookUp = (term: string) => readonly number[];

/** The words of a title are in the whole text too. */
function lookedUpOnce(lookUp: LookUp): LookUp {
  const found = new Map<string, readonly number[]>();
  return (term) => {
    const rows = found.get(term) ?? lookUp(term);
    found.set(term, rows);
    return rows;
  };
}

function remember(common: Set<string>, term: string): void {
  if (common.size >= MOST_REMEMBERED) common.clear();
  common.add(term);
}

/** Whether a memory's name has most of these words; the caller checks the name's other words in the file. */
function sharesName(name: ReadonlySet<number>, other: TermVector): boolean {
  let shared = 0;
  const theirs = new Set(other.subarray(VECTOR_FIELDS, VECTOR_FIELDS + (other[0] ?? 0)));
  for (const word of name) if (theirs.has(word)) shared += 1;
  return shared * 2 > name.size;
}

function prepare(db: Sqlite) {
  return eachOnce({
    // In stored order: another order would read each term's whole list first.
    rows: () => db.prepare<[string, number], number>('SELECT rowid FROM texts WHERE texts MATCH ? LIMIT ?').pluck(),
    rowsOfVerified: () =>
      db
        .prepare<[string, number, number], number>(
          `SELECT files.rowid FROM (SELECT rowid FROM texts WHERE texts MATCH ? LIMIT ?) AS found
           CROSS JOIN files ON files.rowid = found.rowid WHERE files.claim = 'verified' LIMIT ?`,
        )
        .pluck(),
    having: () =>
      db
        .prepare<[number, number], number>('SELECT memory FROM traits WHERE trait = ? ORDER BY memory DESC LIMIT ?')
        .pluck(),
    termVectors: () =>
      db
        .prepare<[string], [number, Buffer]>(
          'SELECT rowid, vector FROM term_vectors WHERE rowid IN (SELECT value FROM json_each(?))',
        )
        .raw(),
  });
}
