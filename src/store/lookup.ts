import { SEGMENTS } from '../core/imprint.ts';
import type { Question, Unit } from '../core/query.ts';
import { LEAST_COVERAGE, Ranker, rarity, type Score, type Totals, type Weighed } from '../core/rank.ts';
import { alikeOf, type Vocabulary } from './alike.ts';
import type { Sqlite } from './sqlite.ts';

/** A memory that may answer a question: a row of the index and how well it does. */
export interface Candidate extends Score {
  readonly rowid: number;
  readonly type: string;
  readonly project: string | null;
}

/** A term in more memories than this is common: it is looked for in candidates, never to find them while a rarer one does. */
const COMMON = 1_000;
/** Once so many are found by the rarest terms, no further term is needed to find more. */
const ENOUGH = 600;
/** As many as are weighed by every word they have; the others share too little with the question. */
const MOST_WEIGHED = 128;
/** A word in more than this is known well enough as it is; words that it begins would only add noise. */
const WELL_KNOWN = 50;
/** A text is compared by so many of its terms at most, and by the rarest of those. */
const MOST_COMPARED = 64;
const RAREST_COMPARED = 12;
const MOST_REMEMBERED = 5_000;
const MOST_LOOKED_AT = 4_000;

export type Wants = (facts: Pick<Candidate, 'type' | 'project'>) => boolean;

type Imprinted = readonly [type: string, project: string | null, imprint: Buffer];

/** Finds what may answer a question, at a cost that follows its rarest terms and not the size of the store. */
export class Lookup {
  readonly #on: ReturnType<typeof prepare>;
  readonly #commons = new Map<string, { readonly df: number; readonly memories: number }>();

  constructor(db: Sqlite) {
    this.#on = prepare(db);
  }

  totals(): Totals {
    return this.#on.totals.get() ?? { memories: 0, words: 0 };
  }

  /** Best first. What `wants` turns away takes nobody's place. */
  find({ units }: Question, wants?: Wants): Candidate[] {
    const totals = this.totals();
    if (totals.memories === 0) return [];
    const weighed = units.map((unit) => this.#weigh(unit, totals.memories));
    const ranker = new Ranker(weighed, totals);
    const found: Candidate[] = [];
    let left = MOST_WEIGHED;
    for (const rowid of this.#gather(weighed, totals.memories, wants ? MOST_LOOKED_AT : MOST_WEIGHED)) {
      const row = this.#on.imprint.get(rowid);
      if (row === undefined) continue;
      const [type, project, imprint] = row;
      if (wants?.({ type, project }) === false) continue;
      const { score, coverage } = ranker.score(numbersIn(imprint));
      if (coverage >= LEAST_COVERAGE) found.push({ rowid, type, project, score, coverage });
      left -= 1;
      if (left === 0) break;
    }
    return found.sort((a, b) => b.score - a.score || b.rowid - a.rowid);
  }

  /** The words of one memory, to compare it with others. */
  imprint(rowid: number): Uint32Array | undefined {
    const row = this.#on.imprint.get(rowid);
    return row && numbersIn(row[2]);
  }

  imprints(): { readonly id: string; readonly imprint: Uint32Array }[] {
    return this.#on.imprints.all().map(([id, bytes]) => ({ id, imprint: numbersIn(bytes) }));
  }

  /** Memories that have the rarest of these terms, those with most of them first. */
  sharing(terms: readonly string[]): number[] {
    const { memories } = this.totals();
    const counted = terms.slice(0, MOST_COMPARED).map((term) => ({ term, df: this.#count(quoted(term), memories) }));
    const rarest = counted.filter(({ df }) => df > 0).sort((a, b) => a.df - b.df);
    const sums = new Map<number, number>();
    for (const { term, df } of rarest.slice(0, RAREST_COMPARED)) {
      for (const rowid of this.#on.rows.all(quoted(term), COMMON)) {
        sums.set(rowid, (sums.get(rowid) ?? 0) + rarity(df, memories));
      }
    }
    return best(sums, MOST_WEIGHED);
  }

  #weigh(unit: Unit, memories: number): Weighed {
    const df = this.#count(queryOf(unit, []), memories);
    if (df > WELL_KNOWN) return { unit, df, alike: [] };
    const { unit: as, alike } = alikeOf(unit, df, this.#vocabulary);
    if (alike.length === 0 && as === unit) return { unit, df, alike };
    const together = this.#count(queryOf(as, alike), memories);
    return { unit: as, df: df > 0 ? df : together, alike, reach: together };
  }

  /**
   * In how many memories; beyond the common it is judged by how far into the store the first of them go, and remembered
   * until the store has grown or shrunk by a tenth.
   */
  #count(query: string, memories: number): number {
    const known = this.#commons.get(query);
    if (known !== undefined && Math.abs(known.memories - memories) * 10 < memories) return known.df;
    const { found, last, end } = this.#on.count.get(query, COMMON + 1) ?? { found: 0, last: 0, end: 0 };
    if (found <= COMMON || last === null || end === null) return found;
    const df = Math.max(found, Math.min(memories, Math.round((found * end) / Math.max(1, last))));
    if (this.#commons.size >= MOST_REMEMBERED) this.#commons.clear();
    this.#commons.set(query, { df, memories });
    return df;
  }

  #gather(weighed: readonly Weighed[], memories: number, most: number): number[] {
    const found = weighed.filter(({ df }) => df > 0).sort((a, b) => reachOf(a) - reachOf(b));
    const rare = found.filter((each) => reachOf(each) <= COMMON);
    if (rare.length === 0) return this.#common(found, most);
    const sums = new Map<number, number>();
    for (const { unit, alike, df } of rare) {
      if (sums.size >= ENOUGH) break;
      const worth = unit.weight * rarity(df, memories);
      for (const rowid of this.#on.rows.all(queryOf(unit, alike), COMMON)) {
        sums.set(rowid, (sums.get(rowid) ?? 0) + worth);
      }
    }
    return best(sums, most);
  }

  /** Where every term is common: the newest with all of them, or else with all but the most common, and so on. */
  #common(found: readonly Weighed[], most: number): number[] {
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
    imprint: db.prepare<[number], Imprinted>('SELECT type, project, imprint FROM imprints WHERE rowid = ?').raw(),
    imprints: db
      .prepare<[], [string, Buffer]>(
        `SELECT files.id, imprint FROM imprints JOIN files USING (rowid) WHERE place = 'memories' ORDER BY stem`,
      )
      .raw(),
    count: db.prepare<[string, number], { found: number; last: number | null; end: number | null }>(
      `SELECT count(*) AS found, max(rowid) AS last, (SELECT max(rowid) FROM imprints) AS end
       FROM (SELECT rowid FROM texts WHERE texts MATCH ? LIMIT ?)`,
    ),
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

function reachOf({ reach, df }: Weighed): number {
  return reach ?? df;
}

/** Every term is quoted and holds only letters, digits and marks: nothing in it can be an operator. */
function queryOf({ kind, keys, whole }: Unit, alike: readonly string[]): string {
  const own = kind === 'hyphenated' ? keys.map(quoted) : [`(${keys.map(quoted).join(' AND ')})`];
  return [...own, ...(whole === null ? [] : [quoted(whole)]), ...alike.map(quoted)].join(' OR ');
}

function quoted(term: string): string {
  return `"${term.replaceAll('"', '')}"`;
}

/** The most promising, newer ones first among equals. */
function best(sums: ReadonlyMap<number, number>, most: number): number[] {
  const order = [...sums].sort(([a, x], [b, y]) => y - x || b - a);
  return order.slice(0, most).map(([rowid]) => rowid);
}

function numbersIn(bytes: Buffer): Uint32Array {
  const many = Math.floor(bytes.byteLength / 4);
  if (many < SEGMENTS) return new Uint32Array(SEGMENTS);
  // What comes from the database may begin at any byte; numbers may not.
  if (bytes.byteOffset % 4 === 0) return new Uint32Array(bytes.buffer, bytes.byteOffset, many);
  return new Uint32Array(new Uint8Array(bytes).buffer, 0, many);
}
