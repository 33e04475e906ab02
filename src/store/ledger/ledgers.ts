import {
  BY_RECONCILE,
  type By,
  canRaise,
  type EntryDraft,
  type Head,
  hashOf,
  mattersIfCut,
  type RecordKind,
  signEntries,
} from '../../core/ledger/entry.ts';
import { Evidence } from '../../core/ledger/evidence.ts';
import { Statements } from '../../core/ledger/packed-statements.ts';
import type { LedgerTrust } from '../../core/ledger/statement.ts';
import { type LedgerEnd, PASSKEYS } from '../../core/passkeys/change.ts';
import { Refusal } from '../../core/refusal.ts';
import { refuseLookalike, type UserConsent } from '../../core/trust/consent.ts';
import type { Disk } from '../disk/disk.ts';
import { attempt } from '../disk/disk-errors.ts';
import type { Places } from '../places/places.ts';
import { Authority } from './authority.ts';
import type { KeptCopies } from './kept-copies.ts';
import { bytesAt, pathsByLedger, segmented } from './ledger-bytes.ts';
import type { LedgerCache } from './ledger-cache.ts';
import { areReadFromLines, LedgerFile, type OpenLedger } from './ledger-file.ts';
import { LEDGER_LIMITS, LedgerLines } from './ledger-lines.ts';
import type { MachineKey } from './machine-key.ts';
import { endsOf, knownDraft, lostEnds, type NextPlace } from './passkey-entries.ts';
import { recordLowerings } from './record-lowerings.ts';
import type { RememberedHeads } from './remembered-heads.ts';
import { adviceOnLedger, clockJumped, inTrouble, jumpFrom, type LedgerReport, notWhole, reportOf } from './report.ts';
import { StoreIdentity } from './store-identity.ts';
import { TroubleFinder } from './trouble-finder.ts';
import type { TrustedMachines } from './trusted-machines.ts';

/** What `Ledgers` needs to read and write the ledgers of a store. */
interface LedgerParts {
  readonly places: Places;
  readonly disk: Disk;
  readonly key: MachineKey;
  readonly heads: RememberedHeads;
  readonly machines: TrustedMachines;
  readonly kept: KeptCopies;
  /** Ledgers as earlier processes read them. Without the cache each ledger is read in full. */
  readonly cache?: LedgerCache;
  /** Makes a record about a ledger, under the rules and settings in force. The record decides nothing. */
  readonly note: (action: RecordKind, fingerprint: string, by: By) => EntryDraft;
  readonly now: () => number;
  readonly complain: (line: string) => void;
}

/** At most 1,000 ledgers are remembered, except for those that count, because a stranger could add thousands. */
const MOST_REMEMBERED = 1000;

export class Ledgers {
  readonly #parts: LedgerParts;
  readonly #authority: Authority;
  readonly identity: StoreIdentity;
  readonly #troubles: TroubleFinder;
  #ledgers = new Map<string, OpenLedger>();
  #evidence: Evidence;

  constructor(parts: LedgerParts) {
    this.#parts = parts;
    this.#evidence = new Evidence(parts.now, (digest) => parts.key.keyedHash(digest));
    this.#authority = new Authority(parts.key, parts.machines);
    this.identity = new StoreIdentity(parts.places, parts.disk, parts.heads);
    this.#troubles = new TroubleFinder(parts, this.#authority, this.identity);
  }

  get evidence(): Evidence {
    return this.#evidence;
  }

  /** Takes in what changed on the disk. If a ledger was rewritten and not appended to, all are read again. */
  refresh(): void {
    if (!this.#takeIn()) this.#beginAnew();
  }

  /** Writes what was read to the cache, so that the next process need not read it again. */
  keepInCache(): void {
    for (const { file } of this.#ledgers.values()) file.keepInCache();
  }

  reports(): readonly LedgerReport[] {
    return [...this.#ledgers].map(([fingerprint, ledger]) => {
      const trusted = this.#authority.counts(fingerprint, this.#evidence);
      return reportOf(fingerprint, ledger, { own: this.#authority.isOwn(fingerprint), trusted });
    });
  }

  /** Where the next entry of this machine's ledger will stand. */
  nextPlace(): NextPlace {
    const { trust, file } = this.#own();
    const { id: store } = this.identity;
    const at = Math.max(this.#parts.now(), file.lastAt);
    return { ledger: trust, store, line: file.head.count, at, ends: endsOf(this.#ledgers) };
  }

  /** Ids in `store.json` or in this machine's ledger that are not this store's. */
  foreignIds(): readonly string[] {
    return this.identity.foreign(this.#own().file.statements);
  }

  /** Makes the other ids names of this store. For a store that a person accepts, the yes is in `accept`. */
  #join(others: readonly string[]): void {
    const joined = others.map((other) => this.identity.join(other));
    this.#beginAnew();
    this.append(joined.map(({ id, alias }) => ({ ...this.#parts.note('store', id, BY_RECONCILE), alias })));
  }

  /**
   * Writes entries into this machine's ledger, all or none. The caller holds the lock and has refreshed. While the
   * ledger is in trouble, or after a clock jump, only lowerings are taken: they are set aside, count at once, and are
   * recorded later.
   */
  append(drafts: readonly EntryDraft[]): void {
    const { kept, key } = this.#parts;
    // Read once: another reading could find the time right that is not the one in the entries.
    const now = this.#parts.now();
    const own = this.#own();
    const obstacle = this.#obstacle(now, drafts[0]?.action === 'dated');
    if (obstacle === undefined) {
      const bound = own.file.statements.firstNamed() !== undefined;
      const store = this.identity.establish();
      const all = bound ? drafts : [this.#parts.note('store', store, BY_RECONCILE), ...drafts];
      const lines = signEntries(all, own.file, now, key, store);
      this.#announce(own.file, lines, all);
      this.#write(own.file, lines);
      own.trust.scope = this.identity.scopeOf(own.file.statements, true);
      this.#rememberOwn(own, all);
      return;
    }
    if (!drafts.every(({ to }) => to === 'quarantined')) throw obstacle;
    const file = own.trouble === 'unremembered' ? own.file : kept.lowerings(key.fingerprint, key.verifier);
    // Lowerings that wait name no store, unless their chain does already. They lower in any store.
    const store = file.statements.firstNamed() === undefined ? undefined : this.identity.id;
    this.#write(file, signEntries(drafts, file, now, key, store));
  }

  /** The time of the last entry, if the clock is now too far ahead of it to be believed. */
  jumpedFrom(now = this.#parts.now()): number | undefined {
    return jumpFrom(this.#ledgers.get(this.#parts.key.fingerprint)?.file.statements.lastTimes(), now);
  }

  /** Why this machine's ledger takes nothing but lowerings, dated as the clock says now. */
  #obstacle(now = this.#parts.now(), isDated = false): Refusal | undefined {
    const { trouble } = this.#own();
    if (trouble !== undefined) return inTrouble(trouble, this.#parts.key.fingerprint);
    const jumped = isDated ? undefined : this.jumpedFrom(now);
    return jumped === undefined ? undefined : clockJumped(jumped, now);
  }

  #canAppend(): boolean {
    return this.#parts.key.trouble === undefined && this.#obstacle() === undefined;
  }

  /** Refuses what could not be recorded, before a person is asked and before another refusal hides this reason. */
  refuseRaising(): void {
    const obstacle = this.#parts.key.trouble ?? this.#obstacle();
    if (obstacle !== undefined) throw obstacle;
  }

  /** Sets aside lowerings that must not wait for the lock. They count at once, in every process. */
  lowerUnlocked(drafts: readonly EntryDraft[]): void {
    const { kept, key, now } = this.#parts;
    if (key.trouble !== undefined) throw key.trouble;
    const aside = kept.loweringAlone(key.fingerprint, key.verifier);
    this.#write(aside, signEntries(drafts, aside, now(), key, undefined));
  }

  /** Records lowerings that were set aside, once the ledger can take them. The caller holds the lock. */
  recordAside(): void {
    const { kept, key, disk } = this.#parts;
    const paths = kept.unrecorded(key.fingerprint);
    if (paths.length === 0) return;
    this.refresh();
    if (!this.#canAppend()) return;
    for (const path of paths) {
      recordLowerings(new LedgerLines(bytesAt(disk, [path])), key.verifier, this);
      kept.settleLowerings(key.fingerprint, path);
    }
  }

  /** Whether a whole ledger has lines that are not yet copied and remembered. */
  get hasNews(): boolean {
    const { kept } = this.#parts;
    const isNews = ([id, { file, trouble }]: [string, OpenLedger]) =>
      trouble === undefined &&
      (kept.copySize(id) !== file.size || (this.#authority.isOwn(id) && file.size > 0 && this.#isUnremembered(id)));
    return [...this.#ledgers].some(isNews);
  }

  /** True too for a ledger that holds only proposals, written by a version that did not remember those. */
  #isUnremembered(fingerprint: string): boolean {
    return !this.#parts.heads.all().get(fingerprint)?.count;
  }

  /** Copies and remembers every whole ledger. The caller holds the lock. */
  remember(): void {
    const others = this.identity.madeApart([...this.#ledgers.values()].map(({ file }) => file.statements));
    if (others.length > 0 && this.#canAppend()) this.#join(others);
    this.#recordPasskeys();
    const remembered = this.#parts.heads.all();
    const news: [string, Head][] = [];
    for (const [fingerprint, { file, trouble }] of this.#ledgers) {
      if (trouble !== undefined || file.statements.count === 0) continue;
      this.#parts.kept.extendCopy(fingerprint, file);
      const before = remembered.get(fingerprint);
      const room =
        before !== undefined ||
        this.#authority.counts(fingerprint, this.#evidence) ||
        remembered.size < MOST_REMEMBERED;
      if (room && (before?.count ?? -1) < file.head.count) news.push([fingerprint, file.head]);
    }
    this.#parts.heads.remember(news);
  }

  /** Writes down which passkeys of other machines are known here, so that no ledger taken away makes them unknown. */
  #recordPasskeys(lost: readonly LedgerEnd[] = []): void {
    const [place, note] = [this.nextPlace(), this.#parts.note('known', PASSKEYS, BY_RECONCILE)];
    const ids = lost.map(([id]) => id);
    const draft = this.supposing(ids, () => knownDraft(this.#evidence.passkeys(), place, note, lost));
    if (draft !== undefined && this.#canAppend()) this.append([draft]);
  }

  /**
   * Keeps required what ledgers require that this machine wrote with keys that it lost. Once, when it has a new key: who has a
   * lost key could later bring lines that change what is required. The caller holds the lock.
   */
  recordLost(): void {
    this.#recordPasskeys(lostEnds(this.#ledgers, this.#parts));
  }

  /** Lets another machine's ledger count. The yes names its fingerprint and the last entry that was shown. */
  trust(fingerprint: string, name: string, consent: UserConsent): void {
    this.refresh();
    const ledger = this.#ledgers.get(fingerprint);
    const publicKey = ledger?.file.publicKey;
    if (ledger === undefined || ledger.trouble !== undefined || publicKey === undefined) throw notWhole();
    const { head } = ledger.file;
    refuseLookalike(consent);
    consent.spend({ verb: 'trust-machine', id: fingerprint, digest: head.hash, standing: 'untrusted' });
    const { channel, level, client } = consent;
    const by: By = { actor: 'operator', channel, level, client };
    this.append([this.#parts.note('trusted', fingerprint, by)]);
    this.#parts.heads.remember([[fingerprint, head]]);
    this.#parts.heads.countUnnamed(fingerprint, head.count);
    const trustedAt = new Date(this.#parts.now()).toISOString();
    this.#parts.machines.add({ name, publicKey, trustedAt, channel, level });
    this.refresh();
    const bound = this.#ledgers.get(fingerprint)?.file.statements.firstNamed()?.binds;
    if (bound !== undefined && !this.identity.ids.has(bound)) this.#join([bound]);
    // At once: the next reconcile may find nothing new, and its word can be taken away without a yes.
    this.#recordPasskeys();
  }

  /** Stops a ledger from counting. It lowers, so it works even if the record against an older list must wait. */
  distrust(fingerprint: string): void {
    this.#parts.machines.remove(fingerprint);
    this.refresh();
    const by: By = { actor: 'operator', channel: 'command', level: 0, client: null };
    if (this.#canAppend()) this.append([this.#parts.note('distrusted', fingerprint, by)]);
    this.refresh();
  }

  /**
   * Accepts a ledger's present content as complete, after a person saw its trouble. The ledger can raise again, and no
   * lowering is lost: this machine's kept lines remain evidence. A ledger that is not whole cannot be accepted.
   */
  accept(fingerprint: string, consent: UserConsent): void {
    this.refresh();
    const ledger = this.#ledgers.get(fingerprint);
    if (ledger?.trouble === undefined) return;
    const { head, damage } = ledger.file;
    if (damage !== undefined) throw new Refusal('ledger-trouble', adviceOnLedger(damage, fingerprint));
    refuseLookalike(consent);
    consent.spend({ verb: 'accept-ledger', id: fingerprint, digest: head.hash, standing: ledger.trouble });
    if (ledger.trouble === 'other-store') {
      this.#join(this.foreignIds());
      return;
    }
    this.#parts.kept.setCopyAside(fingerprint);
    this.#parts.heads.remember([[fingerprint, head]]);
    this.#parts.heads.countUnnamed(fingerprint, head.count);
    this.#beginAnew();
  }

  /** Runs `work` as if these machines' ledgers counted, to show a person the effect of their yes. */
  supposing<T>(fingerprints: readonly string[], work: () => T): T {
    const supposed = fingerprints.flatMap((each) => this.#ledgers.get(each) ?? []).filter(({ trust }) => !trust.raises);
    for (const { trust, file } of supposed) {
      trust.raises = true;
      trust.scope = this.identity.scopeIfTrusted(file.statements);
    }
    try {
      return work();
    } finally {
      for (const { trust } of supposed) {
        trust.raises = false;
        delete trust.scope;
      }
    }
  }

  /** Announces raising entries, and a ledger's first, before the write: a kill must leave no unremembered ledger. */
  #announce({ head }: LedgerFile, lines: readonly string[], drafts: readonly EntryDraft[]): void {
    const raising = lines.filter((_, at) => drafts[at] !== undefined && canRaise(drafts[at]));
    if (head.count === 0 || raising.length > 0) this.#parts.heads.announce(head, raising.map(hashOf));
  }

  #write(file: LedgerFile, lines: readonly string[]): void {
    const { files, isNewFile } = file.append(lines);
    if (!file.takeIn({ signed: lines.at(-1), appended: files })) {
      throw new Refusal(
        'ledger-trouble',
        'The ledger was replaced while it was written to, as git does; nothing was changed. Try again when that is over.',
      );
    }
    this.#evidence.take(file.statements);
    // The lines are written in any case. Files that could not be joined now are joined when the next new file begins.
    if (isNewFile) attempt(this.#parts.complain, 'the ledger’s files could not be joined', () => file.joinFiles());
  }

  #beginAnew(): void {
    this.#ledgers = new Map();
    this.#evidence = new Evidence(this.#parts.now, (digest) => this.#parts.key.keyedHash(digest));
    this.#parts.kept.forget();
    this.#takeIn();
  }

  #takeIn(): boolean {
    const { heads, kept, disk, places, cache } = this.#parts;
    // Read before each ledger: a writer extends the ledger first, so what is remembered or copied is never ahead of it.
    const remembered = heads.all();
    const copied = new Map(kept.fingerprints().map((fingerprint) => [fingerprint, kept.copySize(fingerprint)]));
    const files = pathsByLedger(disk, places.ledger);
    const all = [...remembered.keys(), ...copied.keys(), ...files.keys()];
    // This machine's own ledger comes first, because it says which other ledgers count.
    const first = all.filter((fingerprint) => this.#authority.isOwn(fingerprint));
    let room: number = LEDGER_LIMITS.bytes;
    if (first.length === 0)
      this.identity.takeIn(new Statements({ fingerprint: this.#parts.key.fingerprint, raises: false }), this.#evidence);
    for (const fingerprint of new Set([...first, ...all])) {
      const key = this.#authority.keyOf(fingerprint);
      const paths = files.get(fingerprint) ?? [];
      const ledger = this.#ledgers.get(fingerprint) ?? this.#open(fingerprint);
      if (!ledger.file.takeIn({ paths, atMost: key === undefined ? room : LEDGER_LIMITS.bytes })) return false;
      if (key === undefined) room -= ledger.file.bytesRead;
      const isOwn = this.#authority.isOwn(fingerprint);
      if (isOwn) {
        // Final below. It is true here so that these lines replace the copy's, taken in while the file was missing.
        ledger.trust.raises = true;
        this.#evidence.take(ledger.file.statements);
        this.identity.takeIn(ledger.file.statements, this.#evidence);
      }
      const before = [remembered.get(fingerprint), copied.get(fingerprint) ?? 0] as const;
      ledger.trouble = this.#troubles.find(fingerprint, ledger.file, ...before);
      // Set before the lines are taken in: if a line is in two places, the one that raises is kept.
      ledger.trust.raises = ledger.trouble === undefined && this.#authority.counts(fingerprint, this.#evidence);
      if (ledger.trust.raises) ledger.trust.scope = this.identity.scopeOf(ledger.file.statements, isOwn);
      const copy = ledger.trouble === undefined ? [] : [kept.copy(fingerprint, key)];
      const read = [ledger.file, ...copy, ...kept.asides(fingerprint, key)];
      if (read.some(({ requiresPasskey }) => requiresPasskey)) cache?.turnOff();
      for (const { statements } of read) this.#evidence.take(statements);
    }
    return !cache?.isOff || areReadFromLines([...this.#ledgers.values()].map(({ file }) => file));
  }

  #open(fingerprint: string): OpenLedger {
    const trust: LedgerTrust = { fingerprint, raises: false };
    const { disk, cache, places } = this.#parts;
    const place = segmented(disk, places.ledger, fingerprint);
    const file = new LedgerFile(trust, place, disk, this.#authority.keyOf(fingerprint), cache);
    const ledger = { trust, file, trouble: undefined };
    this.#ledgers.set(fingerprint, ledger);
    return ledger;
  }

  #own(): OpenLedger {
    const { fingerprint } = this.#parts.key;
    const known = this.#ledgers.get(fingerprint);
    if (known !== undefined) return known;
    const ledger = this.#open(fingerprint);
    ledger.trust.raises = true;
    return ledger;
  }

  #rememberOwn({ file }: OpenLedger, drafts: readonly EntryDraft[]): void {
    const { fingerprint } = this.#parts.key;
    // The entry is written in any case. A failure to remember it is reported, and the next reconcile remembers it.
    attempt(this.#parts.complain, 'the ledger’s end could not be remembered', () => {
      this.#parts.kept.extendCopy(fingerprint, file);
      // A cut-off proposal loses only itself, unless it is the first; the loss of a decision must be noticed.
      if (this.#isUnremembered(fingerprint) || drafts.some(mattersIfCut))
        this.#parts.heads.remember([[fingerprint, file.head]]);
    });
  }
}
