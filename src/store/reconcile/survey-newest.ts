import { idsBeyond, takenEnds } from '../../core/ledger/taken-ends.ts';
import { hasFormOfId } from '../../core/memory/ids.ts';
import { DAY_MS, isStale, observationOver } from '../../core/trust/clocks.ts';
import { VERSION } from '../../version.ts';
import type { ScopedRow } from '../index/rows.ts';
import { APART, columnsIn, MOST_KINDS, type SurveyColumns, SurveyWriter } from '../index/survey-columns.ts';
import { type Inside, insideOf } from '../vault/inside-of-vault.ts';
import { asTheyAre, judgedUnproven } from '../vault/survey.ts';
import type { Surveyed, SurveyedInProject, Vault } from '../vault/vault.ts';
import { sealed, unsealed } from './sealed-text.ts';

/** From 500 memories on, because in a smaller store looking at each takes as long as reading what was kept. */
const WORTH_KEEPING = 500;
const NO_LIST = -1;
/** Raise the number with every change of what makes memories alike. */
const SEALED_AS = 'surety-survey-1';

/** A memory to load, by the index; its file and the ledgers say what it is then. */
export type Candidate = Pick<Surveyed, 'place' | 'stem' | 'id' | 'digest' | 'held'>;

/** What is asked of a survey. */
interface NewestWanted {
  /** How many lists there are, and how many memories each takes. */
  readonly lists: number;
  readonly most: number;
  /** Memories that are looked at by themselves, because the caller treats them unlike others of their kind. */
  readonly apart: Iterable<string>;
  /**
   * Gets a memory, when its text was first seen if it is not verified, and how many others count as it does, itself included.
   * Returns the number of the list that all of them go into, if any.
   */
  visit(memory: SurveyedInProject, seen: number | undefined, times: number): number | undefined;
}

/** What was kept of an earlier survey, and of which ledgers and settings. */
interface MadeFor {
  readonly by: string;
  readonly at: number;
  readonly ends: NonNullable<ReturnType<typeof takenEnds>>;
}

/**
 * The newest memories of each list, and every memory counted, as `surveyScoped` would meet them. A large
 * store keeps in the index which memories are of one kind. Then it looks only at one memory of each kind, and at each memory
 * that may have changed since that was kept. If those are many, it looks at all memories and replaces what was kept.
 */
export function surveyNewest(vault: Vault, wanted: NewestWanted): Candidate[][] {
  const known = insideOf(vault);
  known.ledgers.refresh();
  const lists = Array.from({ length: wanted.lists }, () => new Newest(wanted.most));
  asTheyAre(known, () => {
    if (!surveyedByKind(known, wanted, lists)) surveyAll(known, wanted, lists);
  });
  return lists.map((list) => list.first());
}

function surveyAll(known: Inside, { visit }: NewestWanted, lists: readonly Newest[]): void {
  const { index, now, ledgers } = known;
  const at = now();
  const ends = index.hasMore('memories', WORTH_KEEPING) ? takenEnds(ledgers.evidence, at) : undefined;
  const writer = ends && new SurveyWriter();
  for (const row of index.scoped('memories')) {
    const memory = judgedUnproven(known, row);
    if (memory === undefined) continue;
    const seen = firstSeen(known, memory);
    const time = timeOf(memory, seen);
    lists[visit(memory, seen, 1) ?? NO_LIST]?.add(memory, time);
    writer?.add(row.rowid, memory.id, kindOf(known, memory, seen), time);
  }
  const columns = writer?.packed();
  if (columns === undefined || ends === undefined) return;
  const madeFor: MadeFor = { by: madeBy(known), at, ends };
  index.keepSurvey(sealed(known, SEALED_AS, JSON.stringify(madeFor)), columns);
}

/** False, before anything was visited, where no survey was kept that fits. */
function surveyedByKind(known: Inside, wanted: NewestWanted, lists: readonly Newest[]): boolean {
  const kept = known.index.keptSurvey();
  const madeFor = kept && madeForIn(known, kept.madeFor);
  if (madeFor === undefined || madeFor.by !== madeBy(known) || madeFor.at > known.now()) return false;
  const apart = rowsApart(known, madeFor, wanted.apart);
  if (apart === undefined) return false;
  for (const row of kept?.changed ?? []) apart.add(row);
  const columns = columnsIn(kept?.columns ?? Buffer.alloc(0));
  const { times, rows } = columns;
  const { counts, examples } = counted(columns, apart);
  if (apart.size > rows.length / 4) return false;
  const found = new Map(rowsAt(known, [...apart, ...examples.values()]).map((row) => [row.rowid, row]));
  const judged = (rowid: number | undefined) => {
    const row = found.get(rowid ?? -1);
    return row && judgedUnproven(known, row);
  };
  const kindsFound = [...examples].map(([kind, row]) => ({ kind, memory: judged(row) }));
  if (kindsFound.some(({ memory }) => memory === undefined)) return false;

  const visit = (memory: SurveyedInProject, many: number) => wanted.visit(memory, firstSeen(known, memory), many);
  const listOf = new Int8Array(MOST_KINDS + 1).fill(NO_LIST);
  for (const { kind, memory } of kindsFound) listOf[kind] = (memory && visit(memory, counts[kind] ?? 0)) ?? NO_LIST;
  for (const row of found.keys()) {
    const memory = apart.has(row) ? judged(row) : undefined;
    if (memory !== undefined) addTo(known, lists[visit(memory, 1) ?? NO_LIST], memory);
  }
  for (const [number, list] of lists.entries()) {
    const chosen = firstOf(number, listOf, columns, wanted.most);
    const timeOfRow = new Map(chosen.map((at) => [rows[at] ?? 0, times[at] ?? 0]));
    for (const { rowid, ...row } of known.index.candidatesAt([...timeOfRow.keys()]))
      if (hasFormOfId(row.id)) list.add({ ...row, place: 'memories' }, timeOfRow.get(rowid) ?? 0);
  }
  return true;
}

/** How many rows each kind has without those apart, and a row of each. Rows apart are made kinds of none. */
function counted({ rows, kinds }: SurveyColumns, apart: Set<number>) {
  const [counts, examples] = [new Uint32Array(MOST_KINDS + 1), new Map<number, number>()];
  for (let at = 0; at < rows.length; at++) {
    const [row, kind] = [rows[at] ?? 0, kinds[at] ?? APART];
    if (kind === APART) apart.add(row);
    else if (apart.has(row)) kinds[at] = APART;
    else {
      if (counts[kind] === 0) examples.set(kind, row);
      counts[kind] = (counts[kind] ?? 0) + 1;
    }
  }
  return { counts, examples };
}

/** Where the first rows of a list are in the columns. */
function firstOf(list: number, listOf: Int8Array, { kinds }: SurveyColumns, most: number): number[] {
  const found: number[] = [];
  for (let at = 0; at < kinds.length && found.length < most; at++)
    if (listOf[kinds[at] ?? APART] === list) found.push(at);
  return found;
}

/**
 * The rows of memories that may not be as they were: what ledgers have said about since then, what says the same as a text that
 * was quarantined or restored, and what is in conflict, because that depends on another memory. Undefined if that cannot be known.
 */
function rowsApart(known: Inside, { ends }: MadeFor, apart: Iterable<string>): Set<number> | undefined {
  const { evidence } = known.ledgers;
  const named = idsBeyond(evidence, ends);
  if (named === undefined) return undefined;
  const quarantined = [...named].flatMap((id) => evidence.of(id).filter(({ to }) => to === 'quarantined'));
  // The saying of a text without a digest is keyed, so no row is found by it.
  if (quarantined.some(({ digest, saying }) => digest === null && saying !== null)) return undefined;
  const sayings = quarantined.flatMap(({ saying }) => saying ?? []);
  return new Set(known.index.rowidsOf('memories', [...named, ...apart, ...known.conflicts.ids()], sayings));
}

/** What a survey depends on besides the ledgers and the rows. */
function madeBy(known: Inside): string {
  const { observationDays, staleDays } = known.settings();
  return JSON.stringify([VERSION, observationDays, staleDays]);
}

/** Undefined for what this machine has not written, so that its form is known. */
function madeForIn(known: Inside, text: string): MadeFor | undefined {
  const kept = unsealed(known, SEALED_AS, text);
  return kept === undefined ? undefined : (JSON.parse(kept) as MadeFor);
}

/** All that decides how a memory is counted, now and later; undefined for one that must be looked at each time. */
function kindOf(known: Inside, memory: SurveyedInProject, seen: number | undefined): string | undefined {
  const { standing, id, digest, blocked, anchored, held, project } = memory;
  // These depend on files, and on what lies in quarantine.
  if (blocked !== null || anchored === 1 || standing.reason === 'changed') return undefined;
  const { evidence } = known.ledgers;
  const { observationDays, staleDays } = known.settings();
  const [now, declined] = [known.now(), evidence.declinedAt(id, digest) !== undefined];
  // What is over or stale stays so; of the rest it is the day that decides when it will be.
  const observed = observationOver(seen, now, observationDays) ? 'over' : dayOf(seen);
  const vouched = standing.tier !== 'verified' ? '' : standing.receipt.at;
  const stale = vouched !== '' && isStale(vouched, now, staleDays) ? 'stale' : vouched === '' ? '' : dayOf(vouched);
  const settled = held === null ? [] : [...evidence.settled(id, digest)].sort();
  const rest = held === null && project === null ? '' : JSON.stringify([project, held, settled]);
  return `${standing.tier} ${standing.reason} ${declined} ${observed} ${stale} ${rest}`;
}

function dayOf(at: number | undefined): number | undefined {
  return at === undefined ? undefined : Math.floor(at / DAY_MS);
}

/** Of a verified memory nothing depends on it, so it is not looked up. */
function firstSeen({ ledgers }: Inside, { id, digest, standing }: Surveyed): number | undefined {
  return digest === null || standing.tier === 'verified' ? undefined : ledgers.evidence.firstSeen(id, digest);
}

function timeOf({ standing }: Surveyed, seen: number | undefined): number {
  return standing.tier === 'verified' ? standing.receipt.at : (seen ?? 0);
}

function addTo(known: Inside, list: Newest | undefined, memory: Surveyed): void {
  list?.add(memory, timeOf(memory, firstSeen(known, memory)));
}

function rowsAt(known: Inside, rows: readonly number[]): ScopedRow[] {
  return known.index.scopedAt('memories', rows);
}

/** Keeps the newest of many. */
class Newest {
  readonly #most: number;
  #kept: { readonly known: Candidate; readonly at: number }[] = [];
  /** Older ones are dropped at once. */
  #oldest = Number.NEGATIVE_INFINITY;

  constructor(most: number) {
    this.#most = most;
  }

  add(known: Candidate, at: number): void {
    if (at < this.#oldest) return;
    this.#kept.push({ known, at });
    if (this.#kept.length >= this.#most * 2) this.#cut();
  }

  first(): Candidate[] {
    this.#cut();
    return this.#kept.map(({ known }) => known);
  }

  #cut(): void {
    this.#kept.sort((a, b) => b.at - a.at || (a.known.id < b.known.id ? -1 : 1));
    if (this.#kept.length < this.#most) return;
    this.#kept.length = this.#most;
    this.#oldest = this.#kept.at(-1)?.at ?? this.#oldest;
  }
}
