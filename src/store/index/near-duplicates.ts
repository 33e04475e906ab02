import { minHashesOf } from '../../core/search/minhash.ts';
import { likenessTo } from '../../core/search/rank.ts';
import { hashOf, SEGMENTS, type TermVector } from '../../core/search/term-vector.ts';
import type { Sqlite } from '../disk/sqlite.ts';
import { best, numbersIn, quoted } from './candidates.ts';

/** A memory that is about the same as a text, by its words as a whole or by those of its name. */
export interface Alike {
  readonly rowid: number;
  readonly likeness: number;
}

/** So many words that are in few memories are looked for: half of the words the same, and none of these, is seldom. */
const TELLING = 4;
/** As many are asked of the index at most; of a text of new words none is there. */
const MOST_LOOKS = 12;
/** A word in more memories than this tells little. */
const FEW = 16;
const MOST_REMEMBERED = 5_000;
/** As many memories with the same trait are taken, newest first: a crowd of the same has all of them. */
const MOST_OF_A_TRAIT = 32;
const MOST_COMPARED = 12;
/** Who has so many has hardly got them by chance. */
const SURE = 3;
/** Near duplicates beyond these are named to nobody. */
const ENOUGH = 3;

/**
 * Finds memories that resemble a text, by the traits they share and by its rarest words. Every proposal asks for it, so its
 * cost follows the text and not the size of the store.
 */
export class Resemblance {
  readonly #on: ReturnType<typeof prepare>;
  /** Words that were in more than a few memories once. */
  readonly #common = new Set<string>();

  constructor(db: Sqlite) {
    this.#on = prepare(db);
  }

  /** Those with a likeness of at least this, most alike first; then those with most of the name’s words in theirs. */
  find(vector: TermVector, terms: readonly string[], named: readonly string[], least: number): Alike[] {
    // One reading for all its questions: by itself each would lock the file and unlock it.
    this.#on.begin.run();
    try {
      return this.#find(vector, terms, named, least);
    } finally {
      this.#on.commit.run();
    }
  }

  #find(vector: TermVector, terms: readonly string[], named: readonly string[], least: number): Alike[] {
    const likenessOf = likenessTo(vector, least);
    const name = new Set(named.map(hashOf));
    const compared = (rowids: readonly number[]) =>
      this.#on.imprints.all(JSON.stringify(rowids)).flatMap(([rowid, bytes]) => {
        const other = numbersIn(bytes);
        const likeness = likenessOf(other);
        return likeness >= least || sharesName(name, other) ? [{ rowid, likeness }] : [];
      });
    const first = this.#withTraits(minHashesOf(vector));
    const found = compared(first);
    if (found.filter(({ likeness }) => likeness >= least).length < ENOUGH) {
      found.push(...compared(this.#withTerms(terms).filter((rowid) => !first.includes(rowid))));
    }
    const rank = ({ likeness }: Alike) => (likeness >= least ? 1 + likeness : 0);
    return found.sort((a, b) => rank(b) - rank(a) || b.rowid - a.rowid);
  }

  /** The memories with most of these traits. */
  #withTraits(traits: readonly number[]): number[] {
    const shared = new Map<number, number>();
    let sure = 0;
    for (const trait of traits) {
      // Of a crowd of the same each has most of them, and more would only say it again.
      if (sure >= ENOUGH) break;
      for (const rowid of this.#on.having.all(trait, MOST_OF_A_TRAIT)) {
        const many = (shared.get(rowid) ?? 0) + 1;
        shared.set(rowid, many);
        if (many === SURE) sure += 1;
      }
    }
    return best(shared, MOST_COMPARED);
  }

  /** The memories with most of the words that are in few; long words are in fewer than short ones. */
  #withTerms(terms: readonly string[]): number[] {
    const shared = new Map<number, number>();
    let [telling, looks] = [0, 0];
    for (const term of [...terms].sort((a, b) => b.length - a.length)) {
      if (this.#common.has(term)) continue;
      const rows = this.#on.rows.all(quoted(term), FEW + 1);
      if (rows.length > FEW) this.#remember(term);
      else if (rows.length > 0) {
        telling += 1;
        for (const rowid of rows) shared.set(rowid, (shared.get(rowid) ?? 0) + 1 / rows.length);
      }
      if (telling === TELLING || ++looks === MOST_LOOKS) break;
    }
    return best(shared, MOST_COMPARED);
  }

  #remember(common: string): void {
    if (this.#common.size >= MOST_REMEMBERED) this.#common.clear();
    this.#common.add(common);
  }
}

/** Whether a memory's name has most of these words; its own other words are looked at in its file. */
function sharesName(name: ReadonlySet<number>, other: TermVector): boolean {
  let shared = 0;
  const theirs = new Set(other.subarray(SEGMENTS, SEGMENTS + (other[0] ?? 0)));
  for (const word of name) if (theirs.has(word)) shared += 1;
  return shared * 2 > name.size;
}

function prepare(db: Sqlite) {
  return {
    begin: db.prepare('BEGIN'),
    commit: db.prepare('COMMIT'),
    // In the order they are kept: the other way round every list of a term would be gone through to its end first.
    rows: db.prepare<[string, number], number>('SELECT rowid FROM texts WHERE texts MATCH ? LIMIT ?').pluck(),
    having: db
      .prepare<[number, number], number>('SELECT memory FROM traits WHERE trait = ? ORDER BY memory DESC LIMIT ?')
      .pluck(),
    imprints: db
      .prepare<[string], [number, Buffer]>(
        'SELECT rowid, imprint FROM imprints WHERE rowid IN (SELECT value FROM json_each(?))',
      )
      .raw(),
  };
}
