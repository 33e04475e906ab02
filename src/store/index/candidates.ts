import { eachOnce } from '../../core/once.ts';
import type { ParsedQuery, Unit } from '../../core/search/query.ts';
import { LEAST_COVERAGE, Ranker, rarity, type Score, type Totals, type WeightedUnit } from '../../core/search/rank.ts';
import { VECTOR_FIELDS } from '../../core/search/term-vector.ts';
import { combinedScore } from '../../core/search/wordings.ts';
import type { Tier } from '../../core/trust/tiers.ts';
import type { Sqlite } from '../disk/sqlite.ts';
import { similarWords, type Vocabulary } from './term-expansion.ts';

/** A memory that may answer a query: a row of the index and its score. */
export interface SearchCandidate extends Score {
  readonly rowid: number;
  readonly type: string;
  readonly project: string | null;
}

/** A term in more memories than this is common: it scores candidates, and finds them only where no rarer term does. */
const COMMON = 1_000;
/** A term in more than a quarter of memories is common too, except in small stores. */
const EVERYWHERE = 0.25;
const FEW = 100;
/** Once the rarest terms have found this many memories, no further term is looked up. */
const ENOUGH = 600;
/**
 * How many candidates to score in full; the others share too little with the query. Of several wordings each finds half
 * as many, because together they find more.
 */
const weighedFor = (wanted: number, wordings: number): number =>
  wordings === 1 ? Math.max(16, 6 + 4 * wanted) : Math.max(8, 3 + 2 * wanted);
/** At most 2 commoner words rank memories with equal rare words, because each costs more in a larger store. */
const MOST_RANKING = 2;
/** A word in more memories than this is not expanded: longer words that it begins would only add noise. */
const WELL_KNOWN = 50;
const MOST_REMEMBERED = 5_000;
const MOST_LOOKED_AT = 4_000;

/** By what candidates are filtered, before their term vectors are read. */
export interface CandidateFacts extends Pick<SearchCandidate, 'rowid' | 'type' | 'project'> {
  readonly stem: string;
  readonly claim: Tier | null;
}

export type CandidateFilter = (facts: CandidateFacts) => boolean;

/** A field with an FTS table of its own. */
type Field = 'texts' | 'hints';

/** A term with the memories that hold it or an expansion of it in one field; null where there are too many. */
interface Sought extends WeightedUnit {
  readonly rows: readonly number[] | null;
}

/** What one wording looks for: its terms in each field, and how a memory scores for it. */
interface Search {
  readonly sought: ReadonlyMap<Field, readonly Sought[]>;
  readonly ranker: Ranker;
}

/** How much the index holds, and how many of the memories have hints. */
type IndexTotals = Totals & { readonly hinted: number };

type VectorRow = readonly [rowid: number, type: string, project: string | null, vector: Buffer];

/**
 * Finds candidates at a cost that depends on the query's rarest terms, not on the size of the store. The rows of the rarest
 * terms are gathered until there are enough. Where that is more than can be scored, at most two commoner terms rank them.
 * Only of the best are the term vectors read and scored in full.
 */
export class CandidateFinder {
  readonly #on: ReturnType<typeof prepare>;
  readonly #knownCommon = new Map<string, { readonly df: number; readonly memories: number }>();

  constructor(db: Sqlite) {
    this.#on = prepare(db);
  }

  totals(): IndexTotals {
    return this.#on.totals.get() ?? { memories: 0, words: 0, hinted: 0 };
  }

  /**
   * Best first, and more than `wanted` where there are more. What `wants` rejects takes no place. Each field and each
   * wording finds its own candidates, so that many hints keep no text from being found; each candidate is scored for
   * every wording.
   */
  find(wordings: readonly ParsedQuery[], wanted: number, wants?: CandidateFilter): SearchCandidate[] {
    const totals = this.totals();
    if (totals.memories === 0) return [];
    const searches = wordings.map(({ units }) => this.#searchFor(units, totals));
    const candidates = new Map<number, VectorRow>();
    for (const { sought } of searches)
      for (const [field, terms] of sought)
        this.#collect(candidates, field, terms, totals.memories, weighedFor(wanted, wordings.length), wants);
    const rankers = searches.map(({ ranker }) => ranker);
    const found: SearchCandidate[] = [];
    for (const [rowid, type, project, bytes] of candidates.values()) {
      const vector = numbersIn(bytes);
      const scored = combinedScore(rankers.map((ranker) => ranker.score(vector)));
      if (scored.coverage >= LEAST_COVERAGE) found.push({ rowid, type, project, ...scored });
    }
    return found.sort((a, b) => b.score - a.score || b.rowid - a.rowid);
  }

  #searchFor(units: readonly Unit[], totals: IndexTotals): Search {
    const fields: readonly Field[] = totals.hinted === 0 ? ['texts'] : ['texts', 'hints'];
    const weighed = units.map((unit) => this.#weigh(unit, totals.memories, fields));
    const sought = fields.map((field, at) => {
      const terms = weighed.map(({ rows, ...unit }) => ({ ...unit, rows: rows[at] ?? null }));
      return [field, terms] as const;
    });
    return { sought: new Map(sought), ranker: new Ranker(weighed, totals) };
  }

  /** Adds at most `most` candidates that hold the terms in this field. */
  #collect(
    candidates: Map<number, VectorRow>,
    field: Field,
    sought: readonly Sought[],
    memories: number,
    most: number,
    wants: CandidateFilter | undefined,
  ): void {
    const rowids = this.#rowidsOf(field, sought, memories, wants ? MOST_LOOKED_AT : most);
    let left = most;
    for (let from = 0; from < rowids.length && left > 0; from += most) {
      const portion = rowids.slice(from, from + most);
      const others = portion.filter((rowid) => !candidates.has(rowid));
      left -= portion.length - others.length;
      for (const row of this.#vectorRows(wants ? this.#wanted(others, wants) : others)) {
        candidates.set(row[0], row);
        left -= 1;
      }
    }
  }

  #wanted(rowids: readonly number[], wants: CandidateFilter): number[] {
    const facts = this.#on.facts.all(JSON.stringify(rowids));
    return facts.filter(wants).map(({ rowid }) => rowid);
  }

  /** Fetched together, which takes half the time of fetching each. */
  #vectorRows(rowids: readonly number[]): VectorRow[] {
    return this.#on.some.all(JSON.stringify(rowids));
  }

  termVectors(): { readonly id: string; readonly vector: Uint32Array }[] {
    return this.#on.termVectors.all().map(([id, bytes]) => ({ id, vector: numbersIn(bytes) }));
  }

  /**
   * A term with its rows in each field. Texts decide how rare it is and which words are like it, and hints only where no
   * text has it: otherwise somebody's hints could keep a text from being found.
   */
  #weigh(
    unit: Unit,
    memories: number,
    fields: readonly Field[],
  ): WeightedUnit & { readonly rows: readonly Sought['rows'][] } {
    const inEachField = (as: Unit, alike: readonly string[]) => {
      const [texts, ...others] = fields.map((field) => this.#rowsOf(field, queryOf(as, alike), memories));
      const inTexts = texts?.df ?? 0;
      const rows = [texts, ...others].map((each) => each?.rows ?? null);
      return { inTexts, df: inTexts > 0 ? inTexts : (others[0]?.df ?? 0), rows };
    };
    const { inTexts, ...own } = inEachField(unit, []);
    if (inTexts > WELL_KNOWN) return { unit, alike: [], ...own };
    const similar = similarWords(unit, inTexts, this.#vocabulary);
    const as = similar.unit;
    // Where a word is looked for in parts, a hint may still have it whole.
    const alike = as === unit || own.df === 0 ? similar.alike : [...similar.alike, ...unit.terms];
    if (alike.length === 0 && as === unit) return { unit, alike, ...own };
    const { df, rows } = inEachField(as, alike);
    return { unit: as, alike, rows, df: own.df > 0 ? own.df : df };
  }

  /**
   * How many memories hold the term, and which where they are few. For a common term the number is estimated from its
   * first rows, and cached until the store has grown or shrunk by a tenth.
   */
  #rowsOf(field: Field, query: string, memories: number): Pick<Sought, 'df' | 'rows'> {
    const key = `${field} ${query}`;
    const known = this.#knownCommon.get(key);
    if (known !== undefined && Math.abs(known.memories - memories) * 10 < memories) return { df: known.df, rows: null };
    const rows = this.#on[field].rows.all(query, COMMON + 1);
    if (rows.length <= COMMON && !isEverywhere(rows.length, memories)) return { df: rows.length, rows };
    const df = rows.length > COMMON ? Math.max(rows.length, Math.min(memories, this.#estimated(rows))) : rows.length;
    if (this.#knownCommon.size >= MOST_REMEMBERED) this.#knownCommon.clear();
    this.#knownCommon.set(key, { df, memories });
    return { df, rows: null };
  }

  /**
   * Extrapolates from the first rows. The store's lowest rowid can be any number, because rewriting a row raises its
   * rowid.
   */
  #estimated(rows: readonly number[]): number {
    const [first = 1, end = 1] = this.#on.ends.get() ?? [];
    return Math.round((rows.length * (end - first + 1)) / Math.max(1, (rows.at(-1) ?? 1) - first + 1));
  }

  /** At most `most` rows that hold the terms in this field, best first, by the weights of the terms that each holds. */
  #rowidsOf(field: Field, sought: readonly Sought[], memories: number, most: number): number[] {
    const rare = sought.filter(({ rows }) => rows !== null && rows.length > 0);
    if (rare.length === 0) return this.#withCommonTerms(field, sought, most);
    const sums = new Map<number, number>();
    const add = ({ unit, df }: Sought, rows: readonly number[]) => {
      const worth = unit.weight * rarity(df, memories);
      for (const rowid of rows) sums.set(rowid, (sums.get(rowid) ?? 0) + worth);
    };
    const gathered: Sought[] = [];
    for (const each of rare.sort((a, b) => (a.rows?.length ?? 0) - (b.rows?.length ?? 0))) {
      if (sums.size >= ENOUGH) break;
      add(each, each.rows ?? []);
      gathered.push(each);
    }
    if (sums.size > most) {
      for (const each of this.#rankingTerms(sought, gathered, memories)) {
        add(each, each.rows?.filter((rowid) => sums.has(rowid)) ?? this.#rowsWithBoth(field, gathered, each));
      }
    }
    return best(sums, most);
  }

  /** Words that rank the gathered memories, where not all can be scored. */
  #rankingTerms(sought: readonly Sought[], gathered: readonly Sought[], memories: number): Sought[] {
    const others = sought.filter((each) => each.df > 0 && !isEverywhere(each.df, memories) && !gathered.includes(each));
    return others.sort((a, b) => a.df - b.df).slice(0, MOST_RANKING);
  }

  /** Rows that hold a common term and one of those that were gathered by. */
  #rowsWithBoth(field: Field, gathered: readonly Sought[], { unit, alike }: Sought): number[] {
    const found = gathered.map((each) => `(${queryOf(each.unit, each.alike)})`).join(' OR ');
    return this.#on[field].rows.all(`(${found}) AND (${queryOf(unit, alike)})`, COMMON);
  }

  /** Where every term is common: the newest memories with all terms, then with all but the most common, and so on. */
  #withCommonTerms(field: Field, sought: readonly Sought[], most: number): number[] {
    const found = sought.filter(({ df }) => df > 0).sort((a, b) => a.df - b.df);
    const queries = found.map(({ unit }) => `(${queryOf(unit, [])})`);
    const rows = new Set<number>();
    for (let many = queries.length; many > 0 && rows.size < most / 2; many--) {
      for (const rowid of this.#on[field].newest.all(queries.slice(0, many).join(' AND '), most)) rows.add(rowid);
    }
    return [...rows].slice(0, most);
  }

  readonly #vocabulary: Vocabulary = {
    has: (term) => this.#on.term.get(term) !== undefined,
    from: (start, end, most) => this.#on.from.all(start, end, most),
    endingIn: (start, end, most) => this.#on.endingIn.all(start, end, most),
  };
}

function prepare(db: Sqlite) {
  return eachOnce({
    totals: () => db.prepare<[], IndexTotals>('SELECT memories, words, hinted FROM totals'),
    some: () =>
      db
        .prepare<[string], VectorRow>(
          'SELECT rowid, type, project, vector FROM term_vectors WHERE rowid IN (SELECT value FROM json_each(?))',
        )
        .raw(),
    facts: () =>
      db.prepare<[string], CandidateFacts>(
        `SELECT rowid, type, project, stem, claim FROM term_vectors JOIN files USING (rowid)
       WHERE rowid IN (SELECT value FROM json_each(?))`,
      ),
    termVectors: () =>
      db
        .prepare<[], [string, Buffer]>(
          `SELECT files.id, vector FROM term_vectors JOIN files USING (rowid) WHERE place = 'memories' ORDER BY stem`,
        )
        .raw(),
    ends: () =>
      db
        .prepare<[], [first: number, last: number]>(
          'SELECT (SELECT min(rowid) FROM term_vectors), (SELECT max(rowid) FROM term_vectors)',
        )
        .raw(),
    texts: () => prepareField(db, 'texts'),
    hints: () => prepareField(db, 'hints'),
    term: () => db.prepare<[string], number>('SELECT 1 FROM terms WHERE term = ?').pluck(),
    from: () =>
      db
        .prepare<[string, string, number], string>('SELECT term FROM terms WHERE term > ? AND term < ? LIMIT ?')
        .pluck(),
    endingIn: () =>
      db
        .prepare<[string, string, number], string>(
          'SELECT term FROM terms WHERE backwards > ? AND backwards < ? AND backwards IS NOT NULL LIMIT ?',
        )
        .pluck(),
  });
}

function prepareField(db: Sqlite, field: Field) {
  const matching = `SELECT rowid FROM ${field} WHERE ${field} MATCH ?`;
  return eachOnce({
    rows: () => db.prepare<[string, number], number>(`${matching} LIMIT ?`).pluck(),
    newest: () => db.prepare<[string, number], number>(`${matching} ORDER BY rowid DESC LIMIT ?`).pluck(),
  });
}

/** Every term is quoted and holds only letters, digits and marks, so no term can be an operator. */
function queryOf({ kind, keys, whole }: Unit, alike: readonly string[]): string {
  const own = kind === 'hyphenated' ? keys.map(quoted) : [`(${keys.map(quoted).join(' AND ')})`];
  return [...own, ...(whole === null ? [] : [quoted(whole)]), ...alike.map(quoted)].join(' OR ');
}

export function quoted(term: string): string {
  return `"${term.replaceAll('"', '')}"`;
}

function isEverywhere(df: number, memories: number): boolean {
  return df > Math.max(FEW, memories * EVERYWHERE);
}

/** The highest sums, newer rows first among equals. */
export function best(sums: ReadonlyMap<number, number>, most: number): number[] {
  const order = [...sums].sort(([a, x], [b, y]) => y - x || b - a);
  return order.slice(0, most).map(([rowid]) => rowid);
}

/** a term vector from the database's bytes. */
export function numbersIn(bytes: Buffer): Uint32Array {
  const many = Math.floor(bytes.byteLength / 4);
  if (many < VECTOR_FIELDS) return new Uint32Array(VECTOR_FIELDS);
  // A buffer from the database may begin at any byte; a Uint32Array may not.
  if (bytes.byteOffset % 4 === 0) return new Uint32Array(bytes.buffer, bytes.byteOffset, many);
  return new Uint32Array(new Uint8Array(bytes).buffer, 0, many);
}
