import { hashOf, type Imprint, SEGMENTS } from '../core/imprint.ts';
import { likenessTo, rarity } from '../core/rank.ts';
import { numbersIn, quoted } from './lookup.ts';
import type { Sqlite } from './sqlite.ts';

/** A memory that is about the same as a text, by its words as a whole or by those of its name. */
export interface Alike {
  readonly rowid: number;
  readonly likeness: number;
}

/** A text is compared by so many of its terms at most. */
const MOST_TERMS = 64;
/** A term in more memories than this tells little by itself; two such in one memory tell more. */
const FEW = 24;
/** As many of those are looked for in pairs. */
const PAIRED = 5;
const MOST_COMPARED = 48;

/**
 * Finds memories that resemble a text, by its rarest terms and by pairs of its commoner ones. Every proposal asks for it,
 * so its cost follows the text and not the size of the store.
 */
export class Resemblance {
  readonly #on: ReturnType<typeof prepare>;

  constructor(db: Sqlite) {
    this.#on = prepare(db);
  }

  /** Those with a likeness of at least this, most alike first; then those with at least half of the name's words in theirs. */
  find(imprint: Imprint, terms: readonly string[], named: readonly string[], least: number): Alike[] {
    const looked = new Map(terms.slice(0, MOST_TERMS).map((term) => [term, this.#look(term)]));
    const rowids = new Set([...this.#sharing(looked, terms), ...this.#sharing(looked, named)]);
    const likenessOf = likenessTo(imprint);
    const name = new Set(named.map(hashOf));
    const found = this.#on.imprints.all(JSON.stringify([...rowids])).flatMap(([rowid, bytes]) => {
      const other = numbersIn(bytes);
      const likeness = likenessOf(other);
      return likeness >= least || sharesName(name, other) ? [{ rowid, likeness }] : [];
    });
    const rank = ({ likeness }: Alike) => (likeness >= least ? 1 + likeness : 0);
    return found.sort((a, b) => rank(b) - rank(a) || b.rowid - a.rowid);
  }

  /** The memories a term is in, or the first of them; and in how many it is, judged by how far into the store those go. */
  #look(term: string): Looked {
    const rows = this.#on.rows.all(quoted(term), FEW + 1);
    if (rows.length <= FEW) return { rows, df: rows.length };
    return { rows: null, df: (rows.length * (this.#on.end.get() ?? 1)) / Math.max(1, rows.at(-1) ?? 1) };
  }

  #sharing(looked: ReadonlyMap<string, Looked>, terms: readonly string[]): number[] {
    const sums = new Map<number, number>();
    const add = (rowid: number, worth: number) => sums.set(rowid, (sums.get(rowid) ?? 0) + worth);
    const end = this.#on.end.get() ?? 1;
    const common: { term: string; df: number }[] = [];
    for (const term of terms) {
      const { rows, df } = looked.get(term) ?? { rows: [], df: 0 };
      if (rows === null) common.push({ term, df });
      else for (const rowid of rows) add(rowid, rarity(df, end));
    }
    const rarest = common.sort((a, b) => a.df - b.df).slice(0, PAIRED);
    const query = pairsOf(rarest.map(({ term }) => quoted(term)));
    const worth = rarity(rarest.at(-1)?.df ?? end, end);
    if (query !== '') for (const rowid of this.#on.newest.all(query, MOST_COMPARED)) add(rowid, worth);
    const order = [...sums].sort(([a, x], [b, y]) => y - x || b - a);
    return order.slice(0, MOST_COMPARED).map(([rowid]) => rowid);
  }
}

interface Looked {
  /** null where they are not few. */
  readonly rows: readonly number[] | null;
  readonly df: number;
}

/** Any two of them; the one there is, where it is alone. */
function pairsOf(quotedTerms: readonly string[]): string {
  if (quotedTerms.length < 2) return quotedTerms.join('');
  const pairs = quotedTerms.slice(0, -1).map((term, at) => `(${term} AND (${quotedTerms.slice(at + 1).join(' OR ')}))`);
  return pairs.join(' OR ');
}

/** Whether a memory's name has at least half of these words; its own other words are looked at in its file. */
function sharesName(name: ReadonlySet<number>, other: Imprint): boolean {
  let shared = 0;
  const theirs = new Set(other.subarray(SEGMENTS, SEGMENTS + (other[0] ?? 0)));
  for (const word of name) if (theirs.has(word)) shared += 1;
  return shared > 0 && shared * 2 >= name.size;
}

function prepare(db: Sqlite) {
  return {
    rows: db.prepare<[string, number], number>('SELECT rowid FROM texts WHERE texts MATCH ? LIMIT ?').pluck(),
    newest: db
      .prepare<[string, number], number>('SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rowid DESC LIMIT ?')
      .pluck(),
    end: db.prepare<[], number>('SELECT max(rowid) FROM imprints').pluck(),
    imprints: db
      .prepare<[string], [number, Buffer]>(
        'SELECT rowid, imprint FROM imprints WHERE rowid IN (SELECT value FROM json_each(?))',
      )
      .raw(),
  };
}
