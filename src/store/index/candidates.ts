import type { ParsedQuery, Unit } from '../../core/search/query.ts';
import { LEAST_COVERAGE, Ranker, rarity, type Score, type Totals, type WeightedUnit } from '../../core/search/rank.ts';
import { SEGMENTS } from '../../core/search/term-vector.ts';
import type { Sqlite } from '../disk/sqlite.ts';
import { similarWords, type Vocabulary } from './term-expansion.ts';

/** A memory that may answer a query: a row of the index and its score. */
export interface Candidate extends Score {
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
/** How many candidates to score in full; the others share too little with the query. */
const weighedFor = (wanted: number): number => Math.max(16, 6 + 4 * wanted);
/** At most 2 commoner words rank memories with equal rare words, because each costs more in a larger store. */
const MOST_COMMONER = 2;
/** A word in more memories than this is not expanded: longer words that it begins would only add noise. */
const WELL_KNOWN = 50;
const MOST_REMEMBERED = 5_000;
const MOST_LOOKED_AT = 4_000;

export type CandidateFilter = (facts: Pick<Candidate, 'rowid' | 'type' | 'project'>) => boolean;

/** A term with the memories that hold it or an expansion of it; null where there are too many. */
interface Sought extends WeightedUnit {
  readonly rows: readonly number[] | null;
}

type VectorRow = readonly [rowid: number, type: string, project: string | null, vector: Buffer];

/** Finds candidates at a cost that depends on the query's rarest terms, not on the size of the store. */
export class CandidateFinder {
  readonly #on: ReturnType<typeof prepare>;
  readonly #commons = new Map<string, { readonly df: number; readonly memories: number }>();

  constructor(db: Sqlite) {
    this.#on = prepare(db);
  }

  totals(): Totals {
    return this.#on.totals.get() ?? { memories: 0, words: 0 };
  }

  /** Best first, and more than `wanted` where there are more. What `wants` rejects takes no place. */
  find({ units }: ParsedQuery, wanted: number, wants?: CandidateFilter): Candidate[] {
    const totals = this.totals();
    if (totals.memories === 0) return [];
    const sought = units.map((unit) => this.#weigh(unit, totals.memories));
    const ranker = new Ranker(sought, totals);
    const found: Candidate[] = [];
    const most = weighedFor(wanted);
    const rowids = this.#gather(sought, totals.memories, wants ? MOST_LOOKED_AT : most);
    let left = most;
    for (let from = 0; from < rowids.length && left > 0; from += most) {
      for (const [rowid, type, project, vector] of this.#vectorRows(rowids.slice(from, from + most))) {
        if (wants?.({ rowid, type, project }) === false) continue;
        const { score, coverage } = ranker.score(numbersIn(vector));
        if (coverage >= LEAST_COVERAGE) found.push({ rowid, type, project, score, coverage });
        left -= 1;
      }
    }
    return found.sort((a, b) => b.score - a.score || b.rowid - a.rowid);
  }

  /** Fetched together, which takes half the time of fetching each. */
  #vectorRows(rowids: readonly number[]): VectorRow[] {
    return this.#on.some.all(JSON.stringify(rowids));
  }

  termVectors(): { readonly id: string; readonly vector: Uint32Array }[] {
    return this.#on.termVectors.all().map(([id, bytes]) => ({ id, vector: numbersIn(bytes) }));
  }

  #weigh(unit: Unit, memories: number): Sought {
    const own = this.#look(queryOf(unit, []), memories);
    if (own.df > WELL_KNOWN) return { unit, alike: [], ...own };
    const { unit: as, alike } = similarWords(unit, own.df, this.#vocabulary);
    if (alike.length === 0 && as === unit) return { unit, alike, ...own };
    const together = this.#look(queryOf(as, alike), memories);
    return { unit: as, alike, ...together, df: own.df > 0 ? own.df : together.df };
  }

  /**
   * How many memories hold the term, and which where they are few. For a common term the number is estimated from its
   * first rows, and cached until the store has grown or shrunk by a tenth.
   */
  #look(query: string, memories: number): Pick<Sought, 'df' | 'rows'> {
    const known = this.#commons.get(query);
    if (known !== undefined && Math.abs(known.memories - memories) * 10 < memories) return { df: known.df, rows: null };
    const rows = this.#on.rows.all(query, COMMON + 1);
    if (rows.length <= COMMON && !isEverywhere(rows.length, memories)) return { df: rows.length, rows };
    const df = rows.length > COMMON ? Math.max(rows.length, Math.min(memories, this.#reach(rows))) : rows.length;
    if (this.#commons.size >= MOST_REMEMBERED) this.#commons.clear();
    this.#commons.set(query, { df, memories });
    return { df, rows: null };
  }

  /**
   * Extrapolates from the first rows. The store's lowest rowid can be any number, because rewriting a row raises its
   * rowid.
   */
  #reach(rows: readonly number[]): number {
    const [first = 1, end = 1] = this.#on.ends.get() ?? [];
    return Math.round((rows.length * (end - first + 1)) / Math.max(1, (rows.at(-1) ?? 1) - first + 1));
  }

  #gather(sought: readonly Sought[], memories: number, most: number): number[] {
    const rare = sought.filter(({ rows }) => rows !== null && rows.length > 0);
    if (rare.length === 0) return this.#common(sought, most);
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
      for (const each of this.#commoner(sought, gathered, memories)) {
        add(each, each.rows?.filter((rowid) => sums.has(rowid)) ?? this.#both(gathered, each));
      }
    }
    return best(sums, most);
  }

  /** Words that rank the gathered memories, where not all can be scored. */
  #commoner(sought: readonly Sought[], gathered: readonly Sought[], memories: number): Sought[] {
    const others = sought.filter((each) => each.df > 0 && !isEverywhere(each.df, memories) && !gathered.includes(each));
    return others.sort((a, b) => a.df - b.df).slice(0, MOST_COMMONER);
  }

  #both(gathered: readonly Sought[], { unit, alike }: Sought): number[] {
    const found = gathered.map((each) => `(${queryOf(each.unit, each.alike)})`).join(' OR ');
    return this.#on.rows.all(`(${found}) AND (${queryOf(unit, alike)})`, COMMON);
  }

  /** Where every term is common: the newest memories with all terms, then with all but the most common, and so on. */
  #common(sought: readonly Sought[], most: number): number[] {
    const found = sought.filter(({ df }) => df > 0).sort((a, b) => a.df - b.df);
    const queries = found.map(({ unit }) => `(${queryOf(unit, [])})`);
    const rows = new Set<number>();
    for (let many = queries.length; many > 0 && rows.size < most / 2; many--) {
      for (const rowid of this.#on.newest.all(queries.slice(0, many).join(' AND '), most)) rows.add(rowid);
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
  return {
    totals: db.prepare<[], Totals>('SELECT memories, words FROM totals'),
    some: db
      .prepare<[string], VectorRow>(
        'SELECT rowid, type, project, vector FROM term_vectors WHERE rowid IN (SELECT value FROM json_each(?))',
      )
      .raw(),
    termVectors: db
      .prepare<[], [string, Buffer]>(
        `SELECT files.id, vector FROM term_vectors JOIN files USING (rowid) WHERE place = 'memories' ORDER BY stem`,
      )
      .raw(),
    ends: db
      .prepare<[], [first: number, last: number]>(
        'SELECT (SELECT min(rowid) FROM term_vectors), (SELECT max(rowid) FROM term_vectors)',
      )
      .raw(),
    rows: db.prepare<[string, number], number>('SELECT rowid FROM texts WHERE texts MATCH ? LIMIT ?').pluck(),
    newest: db
      .prepare<[string, number], number>('SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rowid DESC LIMIT ?')
      .pluck(),
    term: db.prepare<[string], number>('SELECT 1 FROM terms WHERE term = ?').pluck(),
    from: db
      .prepare<[string, string, number], string>('SELECT term FROM terms WHERE term > ? AND term < ? LIMIT ?')
      .pluck(),
    endingIn: db
      .prepare<[string, string, number], string>(
        'SELECT term FROM terms WHERE backwards > ? AND backwards < ? AND backwards IS NOT NULL LIMIT ?',
      )
      .pluck(),
  };
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
  if (many < SEGMENTS) return new Uint32Array(SEGMENTS);
  // A buffer from the database may begin at any byte; a Uint32Array may not.
  if (bytes.byteOffset % 4 === 0) return new Uint32Array(bytes.buffer, bytes.byteOffset, many);
  return new Uint32Array(new Uint8Array(bytes).buffer, 0, many);
}
