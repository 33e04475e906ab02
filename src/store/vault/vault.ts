import { refuseBlocked } from '../../core/checks/enforce.ts';
import type { Entry, RecordKind } from '../../core/ledger/entry.ts';
import type { Evidence } from '../../core/ledger/evidence.ts';
import type { Place } from '../../core/ledger/standing.ts';
import { issueId, type MemoryId } from '../../core/memory/ids.ts';
import { subjectOf } from '../../core/memory/inspected-file.ts';
import type { MemoryType } from '../../core/memory/limits.ts';
import type { Memory } from '../../core/memory/memory.ts';
import { Refusal } from '../../core/refusal.ts';
import type { ParsedQuery } from '../../core/search/query.ts';
import { UserConsent, type UserNo } from '../../core/trust/consent.ts';
import type { Verb } from '../../core/trust/tiers.ts';
import { asDiskRefusal } from '../disk/disk-errors.ts';
import { read } from '../format/format.ts';
import type { UsageDays } from '../index/usage.ts';
import { type LedgerLine, ledgerLines } from '../ledger/history.ts';
import type { KnownMachine, LedgerReport } from '../ledger/report.ts';
import type { Places } from '../places/places.ts';
import type { Settings } from '../places/settings.ts';
import { CreateQueue } from './create-queue.ts';
import { type Decided, type Decision, Decisions } from './decisions.ts';
import { displaced, isDisplaced } from './displaced.ts';
import { alike, type ComparedText, type FoundMemory, find, type SearchFilter, type SimilarMemory } from './find.ts';
import { INSIDE, type Inside } from './inside.ts';
import { recordDraft, type SeenOnce, seenDrafts, type Writer } from './ledger-entries.ts';
import type { FilePlace, Loaded } from './loaded-memory.ts';
import { MemoryFiles } from './memory-files.ts';
import { MissingMemories } from './missing.ts';
import { type Creation, cleaned, type Drafted, makeFile, type NewMemory } from './new-memory.ts';
import type { Parts } from './parts.ts';
import { putBackVouched, vouchedText } from './put-back-vouched.ts';
import { reworded } from './reworded.ts';
import {
  newestVerified,
  type Scoped,
  type Surveyed,
  survey,
  surveyScoped,
  type Verified,
  verifiedAmong,
} from './survey.ts';

export type { LedgerLine } from '../ledger/history.ts';
export type { KnownMachine, LedgerReport } from '../ledger/report.ts';
export type { Decided, Decision } from './decisions.ts';
export type { FoundMemory, SearchFilter } from './find.ts';
export { onRecord, reasonLine } from './ledger-entries.ts';
export type { FilePlace, Loaded } from './loaded-memory.ts';
export type { Missing } from './missing.ts';
export { type Creation, cleaned, type Drafted, type NewMemory } from './new-memory.ts';
export type { Surveyed, Verified } from './survey.ts';

/** How often a proposal waits for an index that somebody keeps deleting. */
const MOST_LOOKS = 3;

/** Looking through the folders. It works through the vault itself, so whoever opens one hands it in. */
export interface Scans {
  /** Takes in what happened to the files, and acts upon it. */
  reconcile(vault: Vault): Promise<unknown>;
  /** Takes it into the index and changes nothing else. */
  lookOver(vault: Vault): Promise<unknown>;
}

/**
 * The only door to the store's memories, for everything outside `store/`. Everything read comes with the standing it has
 * earned; every change is judged by the table, made under the lock, only to the file the caller saw, and written down.
 * What the ledgers say by now is taken in by each method that needs it.
 *
 * Order of writes: the ledger first for a transition, the file first for a newMemory. A kill in between leaves a memory with
 * the standing it had or the one that was asked for, because a standing is the least of what file and ledger say.
 */
export class Vault {
  readonly [INSIDE]: Inside;
  readonly #queue: CreateQueue;
  readonly #decisions: Decisions;
  readonly #scans: Scans;
  #looking: Promise<unknown> | undefined;
  #uses: Promise<UsageDays> | undefined;

  constructor(parts: Parts, scans: Scans) {
    const files = new MemoryFiles(parts);
    this[INSIDE] = { ...parts, files, missing: new MissingMemories(parts, files) };
    this.#scans = scans;
    const exclusively = <T>(work: () => T, wait?: number) => this.exclusively(work, wait);
    this.#queue = new CreateQueue(this[INSIDE], exclusively);
    this.#decisions = new Decisions(this[INSIDE], exclusively);
  }

  get places(): Places {
    return this[INSIDE].places;
  }

  get settings(): Settings {
    return this[INSIDE].settings();
  }

  /** Names the checks in force. */
  get rules(): string {
    return this[INSIDE].rules;
  }

  /** This machine: its key's fingerprint and its name. */
  get self(): { readonly fingerprint: string; readonly machine: string } {
    const { fingerprint, machine } = this[INSIDE].key;
    return { fingerprint, machine };
  }

  /** Why this machine's key cannot be used: everything is inferred, and nothing is written. */
  get keyTrouble(): Refusal | undefined {
    return this[INSIDE].key.trouble;
  }

  /** Milliseconds since 1970, by the clock this vault was opened with. */
  now(): number {
    return this[INSIDE].now();
  }

  /** Says something to the operator, not to an agent. */
  complain(line: string): void {
    this[INSIDE].complain(line);
  }

  /** What the ledgers state, as far as they were taken in. */
  get evidence(): Evidence {
    return this[INSIDE].ledgers.evidence;
  }

  /** A memory by id, with what it has earned by now; undefined when there is no readable file. */
  load(id: string): Loaded | undefined {
    return this.#refreshed().files.find(id);
  }

  loadSpot(spot: FilePlace): Loaded | undefined {
    return this.#refreshed().files.load(spot);
  }

  /** The file of a surveyed memory as it is now, judged by the ledgers as that survey took them in: for reading many. */
  loadSurveyed({ place, stem }: Surveyed): Loaded | undefined {
    return this[INSIDE].files.load({ place, stem });
  }

  /** Memories that answer a question, best first. A lost index is filled first; `soFar` asks for what is in it already. */
  async find(wordings: readonly ParsedQuery[], wanted: SearchFilter, soFar = false): Promise<FoundMemory[]> {
    const { index } = this.#refreshed();
    const found = index.atOnce(() => (soFar || index.isComplete ? find(this[INSIDE], wordings, wanted) : undefined));
    if (found !== undefined) return found;
    await this.#scans.lookOver(this);
    this.#refreshed();
    return index.atOnce(() => find(this[INSIDE], wordings, wanted));
  }

  /** Other memories that share words with this text, most alike first, each as its file is now. At most `most` are read. */
  alike(text: ComparedText, least: number, most: number): Iterable<SimilarMemory> {
    return alike(this[INSIDE], text, least, most);
  }

  /** Every memory of a place, without reading the files. For counting and choosing; what is shown is loaded. */
  survey(place: Place = 'memories'): Iterable<Surveyed> {
    return survey(this.#refreshed(), place);
  }

  /** Every memory with the project it belongs to, what was written last first. */
  surveyScoped(visit: (memory: Scoped) => void): void {
    surveyScoped(this.#refreshed(), visit);
  }

  /** Verified memories, the newest receipt first; cheaper where only so many are wanted. */
  newestVerified(most = Number.POSITIVE_INFINITY): Verified[] {
    return newestVerified(this.#refreshed(), most);
  }

  /** Those of these memories that are verified. */
  verifiedAmong(ids: Iterable<string>): Verified[] {
    return verifiedAmong(this[INSIDE], ids);
  }

  /** Those of these memories that would be verified if this machine's word counted. */
  verifiedIfTrusted(fingerprint: string, ids: Iterable<string>): Verified[] {
    return this[INSIDE].ledgers.supposing(fingerprint, () => this.verifiedAmong(ids));
  }

  /** How many files of a place are known. */
  count(place: Place): number {
    return this[INSIDE].index.count(place);
  }

  /** Every text that can be found, as it is compared with others. */
  termVectors(): { readonly id: string; readonly vector: Uint32Array }[] {
    return this[INSIDE].index.termVectors();
  }

  /** How the index is: whether all files were read into it, and its size, which is null where it is kept in memory. */
  indexState(): { readonly complete: boolean; readonly bytes: number | null } {
    const { isComplete, bytes } = this[INSIDE].index;
    return { complete: isComplete, bytes };
  }

  /** Which memories agents have found and read. Loaded when it is needed: a server that was just started has no use for it. */
  uses(): Promise<UsageDays> {
    const { places, disk, now } = this[INSIDE];
    this.#uses ??= import('../index/usage.ts').then(({ UsageDays }) => new UsageDays(places.cache, disk, now));
    return this.#uses;
  }

  /** Texts that a receipt vouches for and that lie in quarantine, while another text has their place. */
  displaced(): Surveyed[] {
    return displaced(this.#refreshed());
  }

  isDisplaced(seen: Loaded): boolean {
    return isDisplaced(this[INSIDE], seen);
  }

  /** Whether a verified memory has this id and says exactly this. */
  isCopy(known: { readonly id: string; readonly digest: string | null }): boolean {
    return this[INSIDE].files.isCopy(known);
  }

  /** What a person vouched for before the file changed, where this machine has it. */
  formerText({ stem, standing }: Loaded): Memory | undefined {
    const digest = standing.reason === 'changed' ? standing.receipt.digest : null;
    return digest === null ? undefined : vouchedText(this[INSIDE], stem, digest)?.memory;
  }

  /** Memories that the ledgers have alive and whose files are gone or damaged, as of the last look through the folders. */
  get missing(): Pick<MissingMemories, 'all' | 'load' | 'isDamaged'> {
    return this.#refreshed().missing;
  }

  /** Records that a missing memory was meant to go: a demote whose file needs no moving. */
  demoteMissing(seen: Loaded, consent: UserConsent, reason?: string): Promise<Decided> {
    return this.#decisions.demoteMissing(seen, consent, reason);
  }

  /** How each ledger stands. */
  reports(): readonly LedgerReport[] {
    return this.#refreshed().ledgers.reports();
  }

  /** Every entry of every ledger that can be read. */
  ledgerLines(wanted: (entry: Entry) => boolean): LedgerLine[] {
    const { places, disk } = this[INSIDE];
    return ledgerLines(places, disk, this.reports(), wanted);
  }

  /** Every machine a ledger is here of. */
  machines(): KnownMachine[] {
    const { machines } = this[INSIDE];
    const listed = machines.all();
    return this.reports().map((report) => ({
      ...report,
      given: machines.nameOf(report.fingerprint),
      listed: listed.get(report.fingerprint),
    }));
  }

  /** The list of trusted machines, by path, where it counts for nothing because this machine has not signed it. */
  voidMachineList(): string | undefined {
    return this[INSIDE].machines.voidPath();
  }

  /** Lets another machine's word count here, with a person's yes for exactly the ledger they were shown. */
  trust(fingerprint: string, name: string, consent: UserConsent): Promise<void> {
    return this.exclusively(() => this[INSIDE].ledgers.trust(fingerprint, name, consent, new Date(this.now())));
  }

  /** Takes a machine's word away. */
  distrust(fingerprint: string): Promise<void> {
    return this.exclusively(() => this[INSIDE].ledgers.distrust(fingerprint, new Date(this.now())));
  }

  /** Gives a machine another name here; it means nothing for trust. */
  nameMachine(fingerprint: string, name: string): Promise<void> {
    return this.exclusively(() => this[INSIDE].machines.name(fingerprint, name));
  }

  /** An id for a new text that no file and no ledger has ever had. */
  freeId(type: MemoryType, name: string): MemoryId {
    const { files } = this.#refreshed();
    return issueId(type, name, (id) => files.isTaken(id));
  }

  /** The memory without storing it: what a person is shown is read back from the very bytes of its file. */
  draft(asked: NewMemory): Drafted {
    const { now, key, checks } = this[INSIDE];
    const clean = cleaned(asked);
    const id = this.freeId(clean.type, clean.name);
    const { bytes, inspection } = makeFile(clean, id, 'verified', now(), key.machine, checks);
    refuseBlocked(inspection);
    const { memory, document } = subjectOf(id, read(bytes), 'proposal');
    if (memory === undefined) throw new Refusal('checks-failed', 'There is no memory in this text; see the findings.');
    return { id, memory, document, inspection };
  }

  /** A memory that says the same as this text; refused where such a text was quarantined. */
  sameText(asked: NewMemory): Loaded | undefined {
    return this[INSIDE].files.sameText(cleaned(asked));
  }

  /** Puts a new memory on the disk: inferred by an agent or an import, verified with a person's yes for exactly it. */
  async create(verb: Verb, asked: NewMemory, by: Writer | UserConsent): Promise<Creation> {
    for (let tries = 0; ; tries++) {
      const careful = tries < MOST_LOOKS && !UserConsent.isGenuine(by);
      if (careful && !this[INSIDE].index.isComplete) await this.#reconciled();
      const born = await this.#queue.create({ verb, asked, by, careful });
      if (born !== undefined) return born;
    }
  }

  /** One look for all who wait for it, so that they go on in the order they came. */
  #reconciled(): Promise<unknown> {
    this.#looking ??= this.#scans.reconcile(this).finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /** Carries out what a person decided about exactly the file that was seen. */
  decide(verb: Decision, seen: Loaded, consent: UserConsent, reason?: string): Promise<Decided> {
    return this.#decisions.decide(verb, seen, consent, reason);
  }

  /** The memory in words that a person changed, without storing it; refused where no yes could bring it about. */
  draftRewording(seen: Loaded, wording: NewMemory): Drafted {
    const { memory, document, inspection } = reworded(this.#refreshed(), seen, wording);
    refuseBlocked(inspection);
    return { id: seen.id, memory, document, inspection };
  }

  /** Takes a memory as a person's own words, in words they changed. */
  adopt(seen: Loaded, wording: NewMemory, consent: UserConsent): Promise<Decided> {
    return this.#decisions.adopt(seen, wording, consent);
  }

  /** Refuses what no yes could bring about, so that nobody is asked in vain. */
  refuseInVain(verb: Decision, seen: Loaded): void {
    this.#decisions.refuseInVain(verb, seen);
  }

  /** Writes down a person's no to exactly the text they were shown. */
  decline(seen: Loaded, no: UserNo): Promise<void> {
    return this.#decisions.decline(seen, no);
  }

  /** Quarantines what failed a check, byte for byte. The caller holds the lock. */
  quarantine(seen: Loaded, why: string): Decided {
    return this.#decisions.quarantine(seen, why);
  }

  /** Gives a memory the hints a person wrote. It needs no yes: they vouch for nothing. */
  setHints(seen: Loaded, hints: readonly string[]): Promise<Loaded> {
    return this.exclusively(() => this[INSIDE].files.setHints(seen, hints));
  }

  /** Puts back the text a person vouched for, where the file was changed since. It needs no new yes: it has one. */
  putBack(seen: Loaded): Promise<Loaded> {
    return this.exclusively(() => putBackVouched(this[INSIDE], seen));
  }

  /** Appends records that decide nothing, such as the first sight of a text. The caller holds the lock. */
  note(kind: RecordKind, about: readonly SeenOnce[]): void {
    const { ledgers, now } = this[INSIDE];
    const drafts =
      kind === 'seen' ? seenDrafts(this[INSIDE], about) : about.map((each) => recordDraft(this[INSIDE], kind, each));
    if (drafts.length > 0) ledgers.append(drafts, now());
  }

  /**
   * Runs `work` while nobody else writes, with the ledgers as they are then; the disk's own failures come out in words.
   * `wait` is how many milliseconds the caller waits for its turn, where that is less than usual.
   */
  async exclusively<T>(work: () => T, wait?: number): Promise<T> {
    if (this.keyTrouble !== undefined) throw this.keyTrouble;
    try {
      return await this[INSIDE].lock.hold(() => {
        this.#refreshed();
        this.#decisions.recordLate();
        return work();
      }, wait);
    } catch (error) {
      throw asDiskRefusal(error);
    }
  }

  close(): void {
    const { ledgers, index, lock } = this[INSIDE];
    ledgers.pack();
    index.close();
    lock.close();
  }

  /** Takes in what the ledgers say by now. */
  #refreshed(): Inside {
    this[INSIDE].ledgers.refresh();
    return this[INSIDE];
  }
}
