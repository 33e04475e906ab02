import type { Evidence } from '../../core/ledger/evidence.ts';
import { type Place, REASONS, standingOf } from '../../core/ledger/standing.ts';
import { raises } from '../../core/ledger/statement.ts';
import { idOfStem, type MemoryId, parseId } from '../../core/memory/ids.ts';
import type { Stamp } from '../disk/disk.ts';
import type { Row, SealedFacts } from '../index/rows.ts';
import { sameStamp } from '../ledger/signed-file.ts';
import { isMemoryFile } from '../places/places.ts';
import { rowOf, whyBlocked } from '../vault/index-row.ts';
import { type Inside, insideOf } from '../vault/inside.ts';
import type { FilePlace, Loaded } from '../vault/loaded-memory.ts';
import type { MissingLook } from '../vault/missing.ts';
import type { Vault } from '../vault/vault.ts';
import { type Notice, noticeOf, orderOf } from './notices.ts';

/** What is remembered of a file that was looked at; not its text, since there may be a hundred thousand. */
export type ScannedFile = Pick<Loaded, 'place' | 'stem' | 'stamp' | 'id' | 'digest' | 'saying'>;
export interface Suspect extends FilePlace {
  readonly stamp: Stamp;
  readonly why: string;
}

/** As many files are looked at in one go: a large folder is never held in memory whole, and other work is not kept waiting. */
const PORTION = 64;
/** As many rows are written in one go while nobody can search anyway: small portions take several times as long. */
const PUT_AT_ONCE = 256;
const PROGRESS_MS = 5_000;

/** So many files are looked at in the time a process takes to start. */
const LOOKED_AT_SOON = 5_000;

/** Whether comparing names spares much, and the index knows enough for it. */
export function mayScanNamesOnly(vault: Vault): boolean {
  return isLarge(insideOf(vault));
}

function isLarge({ index }: Inside): boolean {
  return index.isComplete && index.count('memories') > LOOKED_AT_SOON;
}

export interface ScanOptions {
  /** What is found out will be acted upon, so what nobody has written down yet is looked at again. */
  readonly acts: boolean;
  /** Names are compared and no file that is known is looked at, where that is worth it. */
  readonly glances?: boolean;
}

/** One look at the files of a store: what changed goes into the index, what has to follow is gathered and left to others. */
export class FolderScan {
  readonly notices: Notice[] = [];
  /** Files in `memories/`. */
  files = 0;
  /** Texts that no ledger has seen yet. */
  readonly unseen: ScannedFile[] = [];
  readonly failing: Suspect[] = [];
  /** What lies in quarantine without a word in any ledger. */
  readonly unrecorded: Suspect[] = [];
  readonly #inside: Inside;
  readonly #options: ScanOptions;
  readonly #rules: string;
  readonly #missing: MissingLook;
  /** Whether what is seen for the first time can be written down: not while this machine's ledger is in trouble. */
  #writesDown = false;
  #rows: Row[] = [];
  /** Rows of this folder that were not known before. */
  #fresh = 0;
  #spoke = performance.now();

  constructor(vault: Vault, options: ScanOptions) {
    this.#inside = insideOf(vault);
    this.#options = options;
    this.#rules = vault.rules;
    this.#missing = this.#inside.missing.look();
  }

  async begin(): Promise<void> {
    const { ledgers, index, disk, places } = this.#inside;
    ledgers.refresh();
    const { opening } = index;
    const reports = ledgers.reports();
    if (reports.some(({ entries }) => entries > 0)) index.tellIfMissing();
    this.#writesDown = this.#options.acts && reports.every(({ own, trouble }) => !own || trouble === undefined);
    const compares = this.#options.glances === true && isLarge(this.#inside);
    for (const place of ['memories', 'quarantine'] as const) {
      if (!disk.isFolder(places[place])) {
        this.notice('refused', { place, stem: '' }, 'the folder is missing or a link, so it is not read; put it back');
        continue;
      }
      await (compares ? this.#compareNames(place) : this.#lookThrough(place));
    }
    this.#index();
    while (index.tidy()) await this.#breathe(this.files, 1);
    // Folders are listed in no order; whoever reads of several files reads of them in one.
    this.notices.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
    index.completed(opening);
    this.#missing.end();
  }

  async #lookThrough(place: Place): Promise<void> {
    const { index } = this.#inside;
    const whole = index.isComplete;
    this.#fresh = 0;
    let [looked, here] = [0, 0];
    for (const stems of this.#stems(place)) {
      const known = index.some(place, stems);
      for (const stem of stems) this.#lookAt({ place, stem }, known.get(stem));
      looked += stems.length;
      here += known.size;
      await this.#breathe(looked, whole ? 1 : PUT_AT_ONCE);
    }
    this.#index();
    // As many as were met: none of those that are known is gone.
    if (index.count(place) === here + this.#fresh) return;
    let passed = 0;
    for (const { stem } of index.each(place)) {
      this.#lookForGone({ place, stem });
      if (++passed % PORTION === 0) await this.#breathe(looked, 1);
    }
  }

  async #compareNames(place: Place): Promise<void> {
    const known = this.#inside.index.stems(place);
    let [passed, here] = [0, 0];
    for (const stems of this.#stems(place)) {
      for (const stem of stems) {
        if (known.has(stem)) here += 1;
        else this.#lookAt({ place, stem }, undefined);
      }
      passed += stems.length;
      await this.#breathe(passed, 1);
    }
    if (here < known.size) for (const stem of known) this.#lookForGone({ place, stem });
  }

  *#stems(place: Place): Generator<string[]> {
    const { disk, places } = this.#inside;
    for (const names of disk.namesInPortions(places[place], PORTION)) {
      const stems = names.filter(isMemoryFile).map((name) => name.slice(0, -'.md'.length));
      for (const stem of stems) this.#missing.met(stem);
      if (place === 'memories') this.files += stems.length;
      yield stems;
    }
  }

  #lookAt(spot: FilePlace, before: SealedFacts | undefined): void {
    const id = spot.place === 'memories' ? parseId(spot.stem) : idOfStem(spot.stem);
    if (id === undefined) {
      this.notice('not-an-id', spot, 'its name is not an id, so it is not served; rename it to type_words.md');
      return;
    }
    const stamp = this.#inside.disk.stamp(this.#inside.files.path(spot));
    const ours = before !== undefined && this.#inside.parseCache.isOurs(before) ? before : undefined;
    if (ours?.rules === this.#rules && sameStamp(ours.stamp, stamp) && this.#isAsItWas(ours, id)) return;

    const seen = this.#inside.files.load(spot);
    if (seen === undefined) {
      this.#refused(spot);
      return;
    }
    if (spot.place === 'memories') this.#inMemories(seen, ours);
    else if (this.isUnrecorded(seen)) this.unrecorded.push(suspect(seen, REASONS[seen.standing.reason]));
    if (before === undefined) this.#fresh += 1;
    this.#rows.push(rowOf(seen, this.#rules, this.#inside.parseCache));
  }

  /**
   * Whether what is known of an unchanged file does for this look. What fails is told in every pass until it is settled, by
   * what was found in it once: reading thousands of such files each time would stop everybody.
   */
  #isAsItWas(known: SealedFacts, id: MemoryId): boolean {
    const { place, blocked, claim, digest, saying } = known;
    const { evidence } = this.#inside.ledgers;
    if (place === 'memories' && blocked !== null) {
      // Of a secret no hash is kept, and a ledger that knows the id may have let the text pass under other rules.
      if (digest === null && evidence.knows(id)) return false;
      this.#isBlocked({ ...known, id }, blocked, known);
      return true;
    }
    if (place === 'memories' && digest !== null) {
      const standing = standingOf({ id, place, claim: claim ?? undefined, digest, saying }, evidence);
      if (standing.tier === 'quarantined') {
        this.failing.push(suspect(known, REASONS[standing.reason]));
        return true;
      }
    }
    // Whoever only looks writes nothing down about what lies in quarantine.
    return (place === 'quarantine' && !this.#options.acts) || isSettled(known, evidence, this.#writesDown);
  }

  #isBlocked(
    seen: ScannedFile,
    why: string,
    before: SealedFacts | undefined,
    { crashed }: Pick<Loaded['inspection'], 'crashed'> = { crashed: [] },
  ): void {
    if (seen.digest === null && this.#missing.damaged(seen.id))
      this.notice('held-back', seen, `${why}; the text a person vouched for can be put back with surety doctor`);
    else if (crashed.length === 0 && !passedOtherRules(seen, before, this.#inside.ledgers.evidence, this.#rules))
      this.failing.push(suspect(seen, why));
    else {
      const accepted = 'this machine accepted it under other rules, so it is not moved and not served';
      this.notice('held-back', seen, `${why}; ${accepted}`);
    }
  }

  #inMemories(seen: Loaded, before: SealedFacts | undefined): void {
    const { inspection, standing } = seen;
    const blocked = whyBlocked(inspection);
    if (blocked !== null) {
      this.#isBlocked(seen, blocked, before, inspection);
      return;
    }
    if (standing.tier === 'quarantined') {
      this.failing.push(suspect(seen, REASONS[standing.reason]));
      return;
    }
    if (inspection.crashed.length > 0)
      this.notice('held-back', seen, 'a check could not finish on it; it is not auto-loaded');
    if (seen.firstSeen === undefined) {
      const { place, stem, stamp, id, digest, saying } = seen;
      this.unseen.push({ place, stem, stamp, id, digest, saying });
    }
    if (before === undefined) this.notice('added', seen, REASONS[standing.reason]);
    else if (before.digest !== seen.digest) this.notice('changed', seen, REASONS[standing.reason]);
  }

  /** What was moved here without a word in any ledger: by hand, or while the ledger could not be written. */
  isUnrecorded({ id, digest, standing }: Loaded): boolean {
    const alive = this.#inside.disk.exists(this.#inside.files.path({ place: 'memories', stem: id }));
    return !alive && standing.reason !== 'decided' && !isParked(this.#inside.ledgers.evidence, id, digest);
  }

  #lookForGone(spot: FilePlace): void {
    if (this.#inside.disk.exists(this.#inside.files.path(spot))) return;
    this.notice('removed', spot, 'the file is gone; what ledgers say of it stays');
    this.#inside.index.drop(spot.place, spot.stem);
  }

  #refused(spot: FilePlace): void {
    const found = this.#inside.disk.read(this.#inside.files.path(spot), 0);
    if (found.kind === 'absent') return;
    const why = found.kind === 'refused' && found.why !== 'too-large' ? found.why : 'unreadable';
    this.notice('refused', spot, `it is not an ordinary file (${why}), so it is neither read nor written`);
  }

  /** A large store takes minutes to read anew: others get their turn in between, and the operator hears of it. */
  async #breathe(looked: number, least: number): Promise<void> {
    if (this.#rows.length >= least) this.#index();
    const now = performance.now();
    if (now - this.#spoke > PROGRESS_MS) {
      this.#spoke = now;
      this.#inside.complain(`surety: reading the memories: ${looked} so far`);
    }
    await new Promise((done) => setImmediate(done));
  }

  #index(): void {
    this.#inside.index.put(this.#rows);
    this.#rows = [];
  }

  notice(kind: Notice['kind'], spot: FilePlace, what: string): void {
    this.notices.push(noticeOf(kind, spot, what));
  }
}

/** Whether a sync put this text into quarantine beside another one, which decides nothing about the memory. */
function isParked(evidence: Evidence, id: string, digest: string | null): boolean {
  return evidence.of(id).some((s) => s.action === 'parked' && s.digest === digest && s.authentic && raises(s));
}

function suspect({ place, stem, stamp }: Omit<Suspect, 'why'>, why: string): Suspect {
  return { place, stem, stamp, why };
}

/**
 * Whether what is known of an unchanged file still leaves nothing to do, now that ledgers may have changed. Whoever only
 * looks has nothing to write down.
 */
function isSettled(
  { place, id, claim, digest, saying }: SealedFacts,
  evidence: Evidence,
  writesDown: boolean,
): boolean {
  if (id === null) return place === 'quarantine';
  if (digest === null) return place === 'quarantine' && evidence.heads(id).some((head) => head.to === 'quarantined');
  if (writesDown && evidence.firstSeen(id, digest) === undefined) return false;
  const standing = standingOf({ id, place, claim: claim ?? undefined, digest, saying }, evidence);
  // What lies in quarantine by its folder alone may still wait to be written down.
  return place === 'quarantine' ? standing.reason === 'decided' : standing.tier !== 'quarantined';
}

/** A text that a machine whose word counts let pass, or a file this one looked at, before the rules changed. */
function passedOtherRules(
  { id, digest, stamp }: ScannedFile,
  before: SealedFacts | undefined,
  evidence: Evidence,
  rules: string,
): boolean {
  const passed = before !== undefined && before.rules !== '' && before.blocked === null;
  if (passed && before.rules !== rules && sameStamp(before.stamp, stamp)) return true;
  return evidence
    .of(id)
    .some((s) => raises(s) && s.digest !== null && s.digest === digest && s.rules !== rules && s.to !== 'quarantined');
}
