import { hashOf, type Imprint, SEGMENTS } from '../core/imprint.ts';
import { likenessTo, rarity } from '../core/rank.ts';
import { best, numbersIn, quoted } from './lookup.ts';
import type { Sqlite } from './sqlite.ts';

/** A memory that is about the same as a text, by its words as a whole or by those of its name. */
export interface Alike {
  readonly rowid: number;
  readonly likeness: number;
}

/** A text is compared by so many of its terms at most. */
const MOST_TERMS = 64;
/** A term in more memories than this tells little by itself; two such in one memory tell more. */
const FEW = 16;
/** So many terms that are in few memories are enough: half of the words the same, and none of these, is next to impossible. */
const TELLING = 8;
/** As many of the commoner ones are looked for together, and as many memories taken that have all of them, or two. */
const PAIRED = 4;
const MOST_PAIRS = 16;
const MOST_COMPARED = 16;
const MOST_REMEMBERED = 5_000;

/**
 * Finds memories that resemble a text, by its rarest terms and by pairs of its commoner ones. Every proposal asks for it,
 * so its cost follows the text and not the size of the store.
 */
export class Resemblance {
  readonly #on: ReturnType<typeof prepare>;
  /** Terms that were in more than a few memories once, and in how many. */
  readonly #common = new Map<string, number>();

  constructor(db: Sqlite) {
    this.#on = prepare(db);
  }

  /** Those with a likeness of at least this, most alike first; then those with most of the name’s words in theirs. */
  find(imprint: Imprint, terms: readonly string[], named: readonly string[], least: number): Alike[] {
    // One reading for all its questions: by itself each would lock the file and unlock it.
    this.#on.begin.run();
    try {
      return this.#find(imprint, terms, named, least);
    } finally {
      this.#on.commit.run();
    }
  }

  #find(imprint: Imprint, terms: readonly string[], named: readonly string[], least: number): Alike[] {
    const likenessOf = likenessTo(imprint, least);
    const name = new Set(named.map(hashOf));
    const found = this.#on.imprints.all(JSON.stringify(this.#sharing(terms, named))).flatMap(([rowid, bytes]) => {
      const other = numbersIn(bytes);
      const likeness = likenessOf(other);
      return likeness >= least || sharesName(name, other) ? [{ rowid, likeness }] : [];
    });
    const rank = ({ likeness }: Alike) => (likeness >= least ? 1 + likeness : 0);
    return found.sort((a, b) => rank(b) - rank(a) || b.rowid - a.rowid);
  }

  #sharing(terms: readonly string[], named: readonly string[]): number[] {
    const sums = new Map<number, number>();
    const end = this.#on.end.get() ?? 1;
    const add = (rowids: readonly number[], df: number) => {
      for (const rowid of rowids) sums.set(rowid, (sums.get(rowid) ?? 0) + rarity(df, end));
    };
    const common: Common[] = [];
    let telling = 0;
    for (const term of mostTelling(terms, named)) {
      const { rows, df } = this.#look(term, end);
      if (rows === null) common.push({ term, df });
      else add(rows, df);
      if (df > 0 && rows !== null && ++telling === TELLING) break;
    }
    const ofName = common.filter(({ term }) => named.includes(term));
    const sought = telling < TELLING ? [common] : [];
    if (ofName.length > 1 && (sought.length === 0 || ofName.length < common.length)) sought.push(ofName);
    for (const some of sought) {
      const rarest = some.sort((a, b) => a.df - b.df).slice(0, PAIRED);
      if (rarest.length === 0) continue;
      const df = rarest.at(-1)?.df ?? end;
      // Those with all of them by themselves: among the first that have two there may be none.
      for (const query of [allOf(rarest), pairsOf(rarest)]) add(this.#on.rows.all(query, MOST_PAIRS), df);
    }
    return best(sums, MOST_COMPARED);
  }

  /** The memories a term is in where they are few; else in how many it is, judged by how far into the store the first go. */
  #look(term: string, end: number): Looked {
    const known = this.#common.get(term);
    if (known !== undefined) return { rows: null, df: known };
    const rows = this.#on.rows.all(quoted(term), FEW + 1);
    if (rows.length <= FEW) return { rows, df: rows.length };
    const df = (rows.length * end) / Math.max(1, rows.at(-1) ?? 1);
    if (this.#common.size >= MOST_REMEMBERED) this.#common.clear();
    this.#common.set(term, df);
    return { rows: null, df };
  }
}

/** Those of the name, which has few, then the longest, which are in fewer memories than short ones. */
function mostTelling(terms: readonly string[], named: readonly string[]): string[] {
  const isOfName = (term: string) => Number(named.includes(term));
  return [...terms].sort((a, b) => isOfName(b) - isOfName(a) || b.length - a.length).slice(0, MOST_TERMS);
}

interface Common {
  readonly term: string;
  readonly df: number;
}

interface Looked {
  /** null where they are not few. */
  readonly rows: readonly number[] | null;
  readonly df: number;
}

function allOf(terms: readonly Common[]): string {
  return terms.map(({ term }) => quoted(term)).join(' AND ');
}

/** Any two of them; the one there is, where it is alone. */
function pairsOf(terms: readonly Common[]): string {
  const [first = '', ...others] = terms.map(({ term }) => quoted(term));
  if (others.length === 0) return first;
  const pairs = [first, ...others.slice(0, -1)].map((term, at) => `(${term} AND (${others.slice(at).join(' OR ')}))`);
  return pairs.join(' OR ');
}

/** Whether a memory's name has most of these words; its own other words are looked at in its file. */
function sharesName(name: ReadonlySet<number>, other: Imprint): boolean {
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
    end: db.prepare<[], number>('SELECT max(rowid) FROM imprints').pluck(),
    imprints: db
      .prepare<[string], [number, Buffer]>(
        'SELECT rowid, imprint FROM imprints WHERE rowid IN (SELECT value FROM json_each(?))',
      )
      .raw(),
  };
}
