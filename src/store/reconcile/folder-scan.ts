import {
  isHalfReworded,
  isLiftedElsewhere,
  isSurelyAlive,
  type Place,
  REASONS,
  standingOf,
} from '../../core/ledger/standing.ts';
import { raises } from '../../core/ledger/statement.ts';
import { idOfStem, type MemoryId, parseId } from '../../core/memory/ids.ts';
import type { Stamp } from '../disk/disk.ts';
import { sameStamp, WHY_REFUSED } from '../disk/reading-disk.ts';
import { interpretAll } from '../format/interpret.ts';
import type { SealedFacts } from '../index/rows.ts';
import { isMemoryFile } from '../places/places.ts';
import { rowOf, whyBlocked } from '../vault/index-row.ts';
import { type Inside, insideOf } from '../vault/inside-of-vault.ts';
import { onRecordUnvouched } from '../vault/ledger-entries.ts';
import type { FilePlace, Loaded } from '../vault/loaded-memory.ts';
import type { AtHand, FileContent } from '../vault/memory-files.ts';
import type { ScanForMissing } from '../vault/missing.ts';
import type { Vault } from '../vault/vault.ts';
import type { InterpreterThread } from './interpreter-thread.ts';
import { folderStamps, keepNames, takeUpNames } from './names-record.ts';
import { inOrder, type Notice, noticeOf } from './notices.ts';
import { passedOtherRules } from './passed-other-rules.ts';
import { PausesForCalls } from './pauses-for-calls.ts';
import { type RowsWritten, ScannedRows } from './scanned-rows.ts';
import { startedThread } from './start-thread.ts';

/** What a scan keeps of a file. The text is not kept, because a store may have 100,000 files. */
export type ScannedFile = Pick<Loaded, 'place' | 'stem' | 'stamp' | 'id' | 'digest' | 'saying'>;
export interface Suspect extends FilePlace {
  readonly stamp: Stamp;
  readonly why: string;
}

/** At most 64 files are read before other work gets a turn, so that a large folder is never held in memory whole. */
const PORTION = 64;
/** At most 16 while calls are answered, because a call may wait for them. */
const PORTION_BETWEEN_CALLS = 16;
/** At most 1,024 names are compared before other work gets a turn, because comparing them takes a millisecond. */
const NAMES_AT_ONCE = 1_024;
/** At least 256 rows at once while the index is incomplete: fewer take several times as long, and searching has to wait anyway. */
const PUT_AT_ONCE = 256;
/** Node's own clock for this is loaded with a dozen modules. */
const PROGRESS_SECONDS = 5;
/** A second thread starts after 1,000 files, and at once where more must be read: it saves a fifth at 1,400 and nothing at 1,000. */
const WORTH_A_THREAD = 1_000;

/** At most 250 memories are scanned in full, because that adds no more than a tenth to a session's start. */
const MOST_SCANNED_IN_FULL = 250;

/** Whether the store is so large that comparing names saves much time, and the index is complete enough for it. */
export function mayScanNamesOnly(vault: Vault): boolean {
  return isLarge(insideOf(vault));
}

function isLarge({ index }: Inside): boolean {
  return index.isComplete && index.hasMore('memories', MOST_SCANNED_IN_FULL);
}

/** A file that has to be interpreted, with what the index knows about it. */
interface UnreadFile extends FilePlace, FileContent {
  readonly before: SealedFacts | undefined;
  readonly isOurs: boolean;
}

export interface ScanOptions {
  /** The caller acts on the result, so files that are not yet recorded in a ledger are read again. */
  readonly acts: boolean;
  /** In a large store only names are compared, and no file that the index knows is read. */
  readonly namesOnly?: boolean;
}

/**
 * One scan of the store's files. It writes changed files into the index, and collects what the caller must record or
 * move. An unchanged file is judged by its row in the index (`#isJudgedByIndex`). Any other is read, interpreted by this
 * thread or a second one, and judged by what it says (`#judge`).
 */
export class FolderScan {
  readonly notices: Notice[] = [];
  /** Files in `memories/`. */
  files = 0;
  /** Texts that no ledger names yet. */
  readonly unseen: ScannedFile[] = [];
  readonly failing: Suspect[] = [];
  /** What still has the words before a rewording that is on record. */
  readonly halfReworded: (FilePlace & { readonly stamp: Stamp })[] = [];
  /** Files in quarantine that no ledger's decision put there. */
  readonly unrecorded: Suspect[] = [];
  written: RowsWritten = 'all';
  readonly #inside: Inside;
  readonly #options: ScanOptions;
  readonly #missing: ScanForMissing;
  readonly #pauses = new PausesForCalls();
  /** Whether first sights can be recorded: not while this machine's ledger is in trouble. */
  #recordsFirstSights = false;
  readonly #rows: ScannedRows;
  #interpreted = 0;
  /** Undefined before it is worth it, null where the system allows no thread. */
  #thread: InterpreterThread<UnreadFile> | null | undefined;
  #isSurelyLong = false;
  /** New rows of the folder being scanned. */
  #newRows = 0;
  /** Names of both folders that are no memory's, or of what is not read. */
  #withoutRow = 0;
  #reportedAt = process.uptime();

  constructor(vault: Vault, options: ScanOptions) {
    this.#inside = insideOf(vault);
    this.#options = options;
    this.#missing = this.#inside.missing.scan();
    this.#rows = new ScannedRows(this.#inside.index);
  }

  async begin(): Promise<void> {
    try {
      await this.#scan();
    } finally {
      await this.#thread?.end();
    }
  }

  async #scan(): Promise<void> {
    const { ledgers, index, disk, places } = this.#inside;
    ledgers.refresh();
    const { opening } = index;
    const reports = ledgers.reports();
    if (reports.some(({ entries }) => entries > 0)) index.tellIfMissing();
    this.#recordsFirstSights = this.#options.acts && reports.every(({ own, trouble }) => !own || trouble === undefined);
    this.#isSurelyLong = !index.isComplete && disk.hasMoreNames(places.memories, WORTH_A_THREAD);
    const isByNames = this.#options.namesOnly === true && isLarge(this.#inside);
    const stamps = folderStamps(this.#inside);
    const files = isByNames ? takeUpNames(this.#inside, stamps) : undefined;
    if (files !== undefined) {
      this.files = files;
      index.completed(opening);
      return;
    }
    for (const place of ['memories', 'quarantine'] as const) {
      if (!disk.isFolder(places[place])) {
        this.notice(
          'refused',
          { place, stem: '' },
          `the folder ${place}/ is missing or a link, so it is not read; put it back`,
        );
        continue;
      }
      await (isByNames ? this.#scanNames(place) : this.#scanFiles(place));
    }
    this.#rows.write();
    while (index.tidy()) await this.#letOthersRun(this.files, 1);
    // Folders are listed in no order, and notices about several files are easier to read when sorted.
    this.notices.sort(inOrder);
    this.written = this.#rows.end();
    if (this.written === 'all') index.completed(opening);
    const unmet = this.#missing.end();
    if (this.written === 'all' && stamps !== undefined && this.#withoutRow === 0 && isLarge(this.#inside))
      keepNames(this.#inside, stamps, this.files, unmet);
  }

  async #scanFiles(place: Place): Promise<void> {
    const { index } = this.#inside;
    const [whole, isAnswering] = [index.isComplete, isLarge(this.#inside)];
    this.#newRows = 0;
    let [done, here] = [0, 0];
    for (const stems of this.#stems(place, isAnswering ? PORTION_BETWEEN_CALLS : PORTION)) {
      const known = index.some(place, stems);
      await this.#interpret(stems.flatMap((stem) => this.#unread({ place, stem }, known.get(stem)) ?? []));
      done += stems.length;
      here += known.size;
      await this.#letOthersRun(done, whole ? 1 : PUT_AT_ONCE);
      // A search is answered meanwhile only in a large store. In any other its answer waits for this scan.
      if (isAnswering) await this.#pauses.letCallsGoFirst();
    }
    await this.#takeLast();
    this.#rows.write();
    this.#withoutRow += done - here - this.#newRows;
    // If the index has as many rows as files were found, then no known file is gone.
    if (index.count(place) === here + this.#newRows) return;
    let passed = 0;
    for (const { stem } of index.each(place)) {
      this.#dropIfGone({ place, stem });
      if (++passed % PORTION === 0) await this.#letOthersRun(done, 1);
    }
  }

  async #scanNames(place: Place): Promise<void> {
    const known = this.#inside.index.stems(place);
    this.#newRows = 0;
    let [passed, here] = [0, 0];
    for (const stems of this.#stems(place, NAMES_AT_ONCE)) {
      const unknown = stems.filter((stem) => !known.has(stem));
      passed += stems.length;
      here += stems.length - unknown.length;
      for (let next = 0; next < unknown.length; next += PORTION) {
        const some = unknown.slice(next, next + PORTION);
        await this.#interpret(some.flatMap((stem) => this.#unread({ place, stem }, undefined) ?? []));
        await this.#letOthersRun(passed, 1);
      }
      await this.#letOthersRun(passed, 1);
    }
    await this.#takeLast();
    this.#withoutRow += passed - here - this.#newRows;
    if (here < known.size) for (const stem of known) this.#dropIfGone({ place, stem });
  }

  *#stems(place: Place, atOnce: number): Generator<string[]> {
    const { disk, places } = this.#inside;
    for (const names of disk.namesInPortions(places[place], atOnce)) {
      const stems = names.filter(isMemoryFile).map((name) => name.slice(0, -'.md'.length));
      for (const stem of stems) this.#missing.met(stem);
      if (place === 'memories') this.files += stems.length;
      yield stems;
    }
  }

  /** The file, if what the index knows about it is not enough. */
  #unread(spot: FilePlace, before: SealedFacts | undefined): UnreadFile | undefined {
    const id = spot.place === 'memories' ? parseId(spot.stem) : idOfStem(spot.stem);
    if (id === undefined) {
      this.notice('not-an-id', spot, 'its name is not an id, so it is not served; rename it to type_words.md');
      return undefined;
    }
    const { disk, files, parseCache, rules } = this.#inside;
    const stamp = disk.stamp(files.path(spot));
    const isOurs = before !== undefined && parseCache.isOurs(before);
    if (isOurs && before.rules === rules && sameStamp(before.stamp, stamp) && this.#isJudgedByIndex(before, id))
      return undefined;
    const found = files.read(spot);
    if (found === undefined) this.#reportRefused(spot);
    return found && { ...spot, ...found, before, isOurs };
  }

  /** Interprets the files here, or has the second thread do it while this one goes on. */
  async #interpret(files: readonly UnreadFile[]): Promise<void> {
    this.#interpreted += files.length;
    const { interpreter } = this.#inside;
    const isWorthIt = this.#isSurelyLong || this.#interpreted > WORTH_A_THREAD;
    if (this.#thread === undefined && interpreter !== undefined && isWorthIt)
      this.#thread = await startedThread(interpreter);
    if (this.#thread?.takes(files) !== true) this.#judgeHere(files);
    this.#takeInterpreted();
  }

  /** New files are interpreted at once. Of a file that the index knows, it may have a reading. */
  #judgeHere(files: readonly UnreadFile[]): void {
    const fresh = files.filter(({ before }) => before === undefined);
    // Asking for the checks loads them.
    const readings = fresh.length === 0 ? undefined : interpretAll(fresh, this.#inside.checks());
    for (const file of files) {
      const reading = readings?.get(file);
      this.#judge(file, reading ? { read: { ...reading, bytes: file.bytes } } : {});
    }
  }

  #takeInterpreted(): void {
    for (const { file, sealed } of this.#thread?.done() ?? []) this.#judge(file, { sealed });
  }

  /** Waits for what the second thread has not returned yet. */
  async #takeLast(): Promise<void> {
    while (await this.#thread?.hasMore()) this.#takeInterpreted();
  }

  #judge(file: UnreadFile, atHand: Pick<AtHand, 'read' | 'sealed'>): void {
    const { before, isOurs, ...found } = file;
    const seen = this.#inside.files.load(found, { found, ...atHand });
    if (seen === undefined) return;
    if (file.place === 'memories') this.#judgeInMemories(seen, isOurs ? before : undefined);
    else if (this.isUnrecorded(seen)) this.unrecorded.push(suspect(seen, REASONS[seen.standing.reason]));
    if (before === undefined) this.#newRows += 1;
    // Without rules it is read again in the next scan. By then the word that lifts the quarantine may count here, and the row of
    // a quarantined file has no text to be found by.
    this.#rows.add(rowOf(seen, this.isLeftInPlace(seen) ? '' : this.#inside.rules, this.#inside.parseCache));
  }

  /** Whether the file is quarantined and stays in `memories/` all the same. */
  isLeftInPlace({ id, place, subject, digest, saying, standing, withheld }: Loaded): boolean {
    if (place !== 'memories' || withheld || standing.tier !== 'quarantined') return false;
    return isLiftedElsewhere({ id, place, claim: subject.claims.tier, digest, saying }, this.#inside.ledgers.evidence);
  }

  /**
   * Whether the index's facts about an unchanged file were enough to judge it. A failing file is reported in every
   * scan, from these facts, because reading thousands of failing files each time would stop all other work.
   */
  #isJudgedByIndex(known: SealedFacts, id: MemoryId): boolean {
    const { place, blocked, claim, digest, saying } = known;
    const { evidence } = this.#inside.ledgers;
    const isQuarantined = place === 'quarantine';
    if (!isQuarantined && blocked !== null) {
      // No hash of a secret is kept, and a ledger that knows the id may have accepted the text under other rules.
      if (digest === null && evidence.knows(id)) return false;
      this.#reportBlocked({ ...known, id }, blocked, known);
      return true;
    }
    // A scan that only reads records nothing about files in quarantine.
    if (isQuarantined && !this.#options.acts) return true;
    if (digest === null) return isQuarantined && evidence.heads(id).some((head) => head.to === 'quarantined');
    const facts = { id, place, claim, digest, saying };
    const isNoted = () => !this.#recordsFirstSights || evidence.firstSeen(id, digest) !== undefined;
    // Of nearly every file of a store, where each receipt may need its assertion verified.
    if (isSurelyAlive(facts, evidence)) return isNoted();
    const standing = standingOf(facts, evidence);
    // One that only its folder makes quarantined may still have to be recorded.
    if (isQuarantined) return standing.reason === 'decided' && isNoted();
    if (standing.tier === 'quarantined') {
      if (!isLiftedElsewhere(facts, evidence)) this.failing.push(suspect(known, REASONS[standing.reason]));
      return true;
    }
    if (isHalfReworded(standing, digest)) this.halfReworded.push(known);
    return isNoted();
  }

  #reportBlocked(
    seen: ScannedFile,
    why: string,
    before: SealedFacts | undefined,
    { crashed }: Pick<Loaded['inspection'], 'crashed'> = { crashed: [] },
  ): void {
    if (seen.digest === null && this.#missing.damaged(seen.id))
      this.notice('held-back', seen, `${why}; the text a person vouched for can be put back with surety doctor`);
    else if (crashed.length === 0 && !passedOtherRules(seen, before, this.#inside.ledgers.evidence, this.#inside.rules))
      this.failing.push(suspect(seen, why));
    else {
      const accepted = 'this machine accepted it under other rules, so it is not moved and not served';
      this.notice('held-back', seen, `${why}; ${accepted}`);
    }
  }

  #judgeInMemories(seen: Loaded, before: SealedFacts | undefined): void {
    const { inspection, standing, place, stem, stamp, id } = seen;
    const blocked = whyBlocked(inspection);
    if (blocked !== null) {
      this.#reportBlocked(seen, blocked, before, inspection);
      return;
    }
    if (standing.tier === 'quarantined') {
      if (!this.isLeftInPlace(seen)) this.failing.push(suspect(seen, REASONS[standing.reason]));
      return;
    }
    if (inspection.crashed.length > 0)
      this.notice('held-back', seen, 'a check could not finish on it; it is not auto-loaded');
    if (seen.firstSeen === undefined)
      this.unseen.push({ place, stem, stamp, id, ...onRecordUnvouched(this.#inside, seen) });
    if (isHalfReworded(standing, seen.digest)) this.halfReworded.push({ place, stem, stamp });
    if (before === undefined) this.notice('added', seen, REASONS[standing.reason]);
    else if (before.digest !== seen.digest) this.notice('changed', seen, REASONS[standing.reason]);
  }

  /**
   * Whether no ledger records why the file is in quarantine. It was moved there by hand, or while the ledger could not
   * be written.
   */
  isUnrecorded({ id, stem, digest, standing }: Loaded): boolean {
    const { disk, files, ledgers, missing } = this.#inside;
    if (standing.reason === 'decided' || disk.exists(files.path({ place: 'memories', stem: id }))) return false;
    // A sync that puts a text into quarantine beside another one decides nothing about the memory.
    const about = ledgers.evidence.of(id).filter((s) => s.digest === digest && s.authentic && raises(s));
    // A further file of the id (`~2`) with another text was not moved here when the memory's file went.
    return !about.some(({ action }) => action === 'parked') && (stem === id || !missing.hasOtherText(id, digest));
  }

  #dropIfGone(spot: FilePlace): void {
    if (this.#inside.disk.exists(this.#inside.files.path(spot))) return;
    this.notice('removed', spot, 'the file is gone; what ledgers say of it stays');
    this.#rows.drop(spot);
  }

  #reportRefused(spot: FilePlace): void {
    const found = this.#inside.disk.read(this.#inside.files.path(spot), 0);
    if (found.kind === 'absent') return;
    const why = found.kind === 'refused' && found.why !== 'too-large' ? found.why : 'unreadable';
    this.notice('refused', spot, `${WHY_REFUSED[why]}, so it is neither read nor written`);
  }

  /** Lets other work run, because a large store takes minutes to read, and reports progress to the operator. */
  async #letOthersRun(done: number, least: number): Promise<void> {
    this.#rows.write(least);
    const now = process.uptime();
    if (now - this.#reportedAt > PROGRESS_SECONDS) {
      this.#reportedAt = now;
      this.#inside.complain(`surety: reading the memories: ${done} so far`);
    }
    await new Promise((done) => setImmediate(done));
  }

  notice(kind: Notice['kind'], spot: FilePlace, what: string): void {
    this.notices.push(noticeOf(kind, spot, what));
  }
}

function suspect({ place, stem, stamp }: Omit<Suspect, 'why'>, why: string): Suspect {
  return { place, stem, stamp, why };
}
