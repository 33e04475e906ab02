import { refuseBlocked } from '../../core/checks/enforce.ts';
import type { Entry, RecordKind } from '../../core/ledger/entry.ts';
import type { Evidence } from '../../core/ledger/evidence.ts';
import type { Place } from '../../core/ledger/standing.ts';
import { issueId, type MemoryId } from '../../core/memory/ids.ts';
import type { MemoryType } from '../../core/memory/limits.ts';
import type { Memory } from '../../core/memory/memory.ts';
import type { Refusal } from '../../core/refusal.ts';
import type { ParsedQuery } from '../../core/search/query.ts';
import type { Fields } from '../../core/search/term-vector.ts';
import { type ConsentToBoth, UserConsent, type UserNo } from '../../core/trust/consent.ts';
import type { Verb } from '../../core/trust/tiers.ts';
import { asDiskRefusal } from '../disk/disk-errors.ts';
import type { UsageDays } from '../index/usage.ts';
import { Conflicts } from '../ledger/conflicts.ts';
import { type ReadableEntry, readableEntries } from '../ledger/readable-entries.ts';
import { type KnownMachine, knownMachines, type LedgerReport } from '../ledger/report.ts';
import type { Places } from '../places/places.ts';
import type { Settings } from '../places/settings.ts';
import { CreateQueue } from './create-queue.ts';
import { type Decided, type Decision, Decisions, type Replaced } from './decisions.ts';
import { displaced, isDisplaced } from './displaced.ts';
import type { ComparedText, FoundMemories, SearchFilter, SimilarMemory } from './find.ts';
import * as search from './find.ts';
import { INSIDE, type Inside } from './inside-of-vault.ts';
import { recordDraft, type SeenOnce, seenDrafts, type Writer } from './ledger-entries.ts';
import type { FilePlace, Loaded } from './loaded-memory.ts';
import { MemoryFiles } from './memory-files.ts';
import { MissingMemories } from './missing.ts';
import { type Creation, cleaned, type Drafted, drafted, type NewMemory } from './new-memory.ts';
import { putBackVouched, vouchedText } from './put-back-vouched.ts';
import { reworded } from './reworded.ts';
import type { Surveyed, SurveyedInProject, Verified } from './survey.ts';
import * as surveys from './survey.ts';
import type { VaultParts } from './vault-parts.ts';

export type { ReadableEntry } from '../ledger/readable-entries.ts';
export type { KnownMachine, LedgerReport } from '../ledger/report.ts';
export type { Decided, Decision } from './decisions.ts';
export type { FoundMemory, SearchFilter } from './find.ts';
export { onRecord, reasonLine } from './ledger-entries.ts';
export { digestBefore, type FilePlace, type Loaded } from './loaded-memory.ts';
export type { Missing } from './missing.ts';
export { type Creation, cleaned, type Drafted, type NewMemory } from './new-memory.ts';
export type { Surveyed, SurveyedInProject } from './survey.ts';

/** At most 3 scans before a proposal does without a complete index: another program may keep deleting it. */
const MOST_LOOKS = 3;

/** Scans of the folders. They work through the vault itself, so the code that opens a vault passes them in. */
interface Scans {
  /** Takes in changes to the files, and acts on them. */
  reconcile(vault: Vault): Promise<unknown>;
  /** Takes changes into the index, and changes nothing else. */
  updateIndex(vault: Vault): Promise<unknown>;
}

/**
 * The only access to the store's memories for code outside `store/`. Everything that is read comes with the standing it
 * has earned. Every change is judged by the trust table, made under the lock to exactly the file that the caller saw,
 * and recorded. Each method that needs the ledgers reads their new entries first.
 *
 * Order of writes: the ledger first for a transition, the file first for a new memory. A kill in between leaves a
 * memory with the standing it had or the one that was asked for, because a standing is the lower of what file and
 * ledger say.
 */
export class Vault {
  readonly [INSIDE]: Inside;
  readonly #queue: CreateQueue;
  readonly #decisions: Decisions;
  readonly #scans: Scans;
  #scanning: Promise<unknown> | undefined;
  #uses: Promise<UsageDays> | undefined;

  constructor(parts: VaultParts, scans: Scans) {
    const files = new MemoryFiles(parts);
    const { places, disk, key } = parts;
    const conflicts = new Conflicts(places, disk, key, (id) => surveys.surveyOne(this[INSIDE], id));
    this[INSIDE] = { ...parts, files, conflicts, missing: new MissingMemories(parts, files), unrecorded: [] };
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

  /** The version of the checks in force. */
  get rules(): string {
    return this[INSIDE].rules;
  }

  /** This machine: its key's fingerprint and its name. */
  get self(): { readonly fingerprint: string; readonly machine: string } {
    const { fingerprint, machine } = this[INSIDE].key;
    return { fingerprint, machine };
  }

  /** Why this machine's key cannot be used. Then everything is inferred, and nothing is written. */
  get keyTrouble(): Refusal | undefined {
    return this[INSIDE].key.trouble;
  }

  /** Milliseconds since 1970, by this vault's clock. */
  now(): number {
    return this[INSIDE].now();
  }

  /** Reports a line to the operator, never to an agent. */
  complain(line: string): void {
    this[INSIDE].complain(line);
  }

  /** What the ledgers state, as far as they have been read. */
  get evidence(): Evidence {
    return this[INSIDE].ledgers.evidence;
  }

  /** A memory by id, with its present standing; undefined if it has no readable file. */
  load(id: string): Loaded | undefined {
    return this.#refreshed().files.find(id);
  }

  loadSpot(spot: FilePlace): Loaded | undefined {
    return this.#refreshed().files.load(spot);
  }

  /** The present file of a surveyed memory, judged by the ledgers as the survey read them; faster for many. */
  loadSurveyed({ place, stem }: Pick<Surveyed, 'place' | 'stem'>): Loaded | undefined {
    return this[INSIDE].files.load({ place, stem });
  }

  /** Memories that answer a question, best first. A lost index is filled first; `soFar` asks for what is in it already. */
  async find(wordings: readonly ParsedQuery[], wanted: SearchFilter, soFar = false): Promise<FoundMemories> {
    const { index } = this.#refreshed();
    const found = index.atOnce(() =>
      soFar || index.isComplete ? search.find(this[INSIDE], wordings, wanted) : undefined,
    );
    if (found !== undefined) return found;
    await this.#scans.updateIndex(this);
    this.#refreshed();
    return index.atOnce(() => search.find(this[INSIDE], wordings, wanted));
  }

  /** Other memories that share words with this text, most similar first. At most `most` files are read. */
  nearDuplicates(text: ComparedText, least: number, most: number): Iterable<SimilarMemory> {
    return search.nearDuplicates(this[INSIDE], text, least, most);
  }

  /** Other memories that share this text's rarest words, each read from its file. */
  withRareWords(id: string, fields: Fields, isAsked: boolean): Iterable<Loaded> {
    return search.withRareWords(this[INSIDE], id, fields, isAsked);
  }

  /** Every memory of a place, without reading the files. Use it for counting and choosing, and load what is shown. */
  survey(place: Place = 'memories'): Iterable<Surveyed> {
    return surveys.survey(this.#refreshed(), place);
  }

  /** Every memory with its project, the last written first. */
  surveyScoped(visit: (memory: SurveyedInProject) => void): void {
    surveys.surveyScoped(this.#refreshed(), visit);
  }

  /** Verified memories, newest receipt first. It is cheaper for a small `most`. */
  newestVerified(most = Number.POSITIVE_INFINITY): Verified[] {
    return surveys.newestVerified(this.#refreshed(), most);
  }

  /** The verified ones among these memories. */
  verifiedAmong(ids: Iterable<string>): Verified[] {
    return surveys.verifiedAmong(this[INSIDE], ids);
  }

  /** The ones among these memories that would be verified if this machine's ledger counted. */
  verifiedIfTrusted(fingerprint: string, ids: Iterable<string>): Verified[] {
    return this[INSIDE].ledgers.supposing([fingerprint], () => this.verifiedAmong(ids));
  }

  /** The number of known files in a place. */
  count(place: Place): number {
    return this[INSIDE].index.count(place);
  }

  /** The term vector of every searchable memory, for comparing them. */
  termVectors(): { readonly id: string; readonly vector: Uint32Array }[] {
    return this[INSIDE].index.termVectors();
  }

  /** Whether the index holds all files, how many it had no room for, and its size; null if it is in memory. */
  indexState(): { readonly complete: boolean; readonly unwritten: number; readonly bytes: number | null } {
    const { isComplete, unwritten, bytes } = this[INSIDE].index;
    return { complete: isComplete && unwritten === 0, unwritten, bytes };
  }

  /** Which memories agents have found and read. Loaded when needed: a server at its start does not use it. */
  uses(): Promise<UsageDays> {
    const { places, disk, now } = this[INSIDE];
    this.#uses ??= import('../index/usage.ts').then(({ UsageDays }) => new UsageDays(places.cache, disk, now));
    return this.#uses;
  }

  /** Texts in quarantine that have a receipt, while another text has their place in `memories/`. */
  displaced(among?: Iterable<Surveyed>): Surveyed[] {
    return displaced(this.#refreshed(), among);
  }

  isDisplaced(seen: Loaded): boolean {
    return isDisplaced(this[INSIDE], seen);
  }

  /** Whether a verified memory has this id and exactly this text. */
  isCopy(known: { readonly id: string; readonly digest: string | null }): boolean {
    return this[INSIDE].files.isCopy(known);
  }

  /** A text of this memory that a person vouched for, if this machine has it; by default the one before it changed. */
  formerText({ stem, standing }: Loaded, vouched?: string): Memory | undefined {
    const digest = vouched ?? (standing.reason === 'changed' ? standing.receipt.digest : null);
    return digest === null ? undefined : vouchedText(this[INSIDE], stem, digest)?.memory;
  }

  /** Memories that should exist according to the ledgers, and whose files were gone or damaged at the last scan. */
  get missing(): Pick<MissingMemories, 'all' | 'one' | 'load' | 'isDamaged' | 'keepGitTexts' | 'textFrom'> {
    return this.#refreshed().missing;
  }

  /** Which texts cannot hold together with which. What changes the list is called under the lock. */
  get conflicts(): Conflicts {
    return this[INSIDE].conflicts;
  }

  /** Records that a missing memory was meant to go. It is a demotion without a file to move. */
  demoteMissing(seen: Loaded, consent: UserConsent, reason?: string): Promise<Decided> {
    return this.#decisions.demoteMissing(seen, consent, reason);
  }

  /** The state of each ledger. */
  reports(): readonly LedgerReport[] {
    return this.#refreshed().ledgers.reports();
  }

  /** Every readable entry of every ledger. */
  ledgerLines(wanted: (entry: Entry) => boolean): ReadableEntry[] {
    const { places, disk } = this[INSIDE];
    return readableEntries(places, disk, this.reports(), wanted);
  }

  /** Every machine with a ledger here. */
  machines(): KnownMachine[] {
    return knownMachines(this.reports(), this[INSIDE].machines);
  }

  /** The path of the list of trusted machines, if the list is void because this machine has not signed it. */
  voidMachineList(): string | undefined {
    return this[INSIDE].machines.voidPath();
  }

  /** Lets another machine's ledger count here, with a person's yes for exactly the ledger that they saw. */
  trust(fingerprint: string, name: string, consent: UserConsent): Promise<void> {
    return this.exclusively(() => this[INSIDE].ledgers.trust(fingerprint, name, consent));
  }

  /** Stops a machine's ledger from counting. */
  distrust(fingerprint: string): Promise<void> {
    return this.exclusively(() => this[INSIDE].ledgers.distrust(fingerprint));
  }

  /** Gives a machine another name here. The name has no effect on trust. */
  nameMachine(fingerprint: string, name: string): Promise<void> {
    return this.exclusively(() => this[INSIDE].machines.name(fingerprint, name));
  }

  /** An id for a new text that no file or ledger has ever had. */
  freeId(type: MemoryType, name: string): MemoryId {
    const { files } = this.#refreshed();
    return issueId(type, name, (id) => files.isTaken(id));
  }

  /** Prepares a memory without storing it. What a person sees is read back from the bytes of its file. */
  draft(asked: NewMemory): Drafted {
    const { now, key, checks } = this[INSIDE];
    const clean = cleaned(asked);
    return drafted(clean, this.freeId(clean.type, clean.name), now(), key.machine, checks());
  }

  /** A memory with the same text; refused if that text was quarantined. */
  sameText(asked: NewMemory): Loaded | undefined {
    return this[INSIDE].files.sameText(cleaned(asked));
  }

  /** Stores a new memory: inferred for an agent or an import, verified with a person's yes for exactly this text. */
  async create(verb: Verb, asked: NewMemory, by: Writer | UserConsent): Promise<Creation> {
    for (let tries = 0; ; tries++) {
      const careful = tries < MOST_LOOKS && !UserConsent.isGenuine(by);
      if (careful && !this[INSIDE].index.isComplete) await this.#reconciled();
      const created = await this.#queue.create({ verb, asked, by, careful });
      if (created !== undefined) return created;
    }
  }

  /** Runs one scan for all who wait, so that they continue in the order they came. */
  #reconciled(): Promise<unknown> {
    this.#scanning ??= this.#scans.reconcile(this).finally(() => {
      this.#scanning = undefined;
    });
    return this.#scanning;
  }

  /** Carries out a person's decision on exactly the file that they saw. */
  decide(verb: Decision, seen: Loaded, consent: UserConsent, reason?: string): Promise<Decided> {
    return this.#decisions.decide(verb, seen, consent, reason);
  }

  /** Verifies a memory and quarantines the verified one that it contradicts, both exactly as the person saw them. */
  takePlace(verb: Decision, seen: Loaded, rival: Loaded, yes: ConsentToBoth): Promise<Replaced> {
    return this.#decisions.takePlace(verb, seen, rival, yes);
  }

  /** Prepares a memory in words that a person changed, without storing it. Refused if no yes could store it. */
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

  /** Records a person's no to exactly the text they were shown. */
  decline(seen: Loaded, no: UserNo): Promise<void> {
    return this.#decisions.decline(seen, no);
  }

  /** Quarantines what failed a check, byte for byte. The caller holds the lock. */
  quarantine(seen: Loaded, why: string): Decided {
    return this.#decisions.quarantine(seen, why);
  }

  /** Gives a memory the hints that a person wrote. It needs no yes, because hints vouch for nothing. */
  setHints(seen: Loaded, hints: readonly string[]): Promise<Loaded> {
    return this.exclusively(() => this[INSIDE].files.setHints(seen, hints));
  }

  /** Puts back the text that a person vouched for, if the file was changed since. That text has its yes already. */
  putBack(seen: Loaded): Promise<Loaded> {
    return this.exclusively(() => putBackVouched(this[INSIDE], seen));
  }

  /** Appends records that decide nothing, such as the first sight of a text. The caller holds the lock. */
  note(kind: RecordKind, about: readonly SeenOnce[]): void {
    const { ledgers } = this[INSIDE];
    const drafts =
      kind === 'seen' ? seenDrafts(this[INSIDE], about) : about.map((each) => recordDraft(this[INSIDE], kind, each));
    if (drafts.length > 0) ledgers.append(drafts);
  }

  /**
   * Runs `work` under the lock, with the ledgers as they are then. Failures of the disk become refusals. `wait` is how
   * many milliseconds to wait for the lock, if less than usual.
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
    ledgers.keepInCache();
    index.close();
    lock.close();
  }

  /** Reads what was added to the ledgers. */
  #refreshed(): Inside {
    this[INSIDE].ledgers.refresh();
    return this[INSIDE];
  }
}
