import { idOfStem, parseId } from '../core/ids.ts';
import { Refusal } from '../core/refusal.ts';
import { type Place, REASONS } from '../core/standing.ts';
import type { Stamp } from './disk.ts';
import { asDiskRefusal, codeOf } from './failures.ts';
import type { Known, Row } from './index-rows.ts';
import { type Loaded, rowOf, type Spot } from './loaded.ts';
import { isSettled, passedOtherRules } from './looked-at.ts';
import { type Notice, noticeOf, orderOf } from './notices.ts';
import { sameStamp } from './signed-file.ts';
import type { Vault } from './vault.ts';

export interface Reconciled {
  readonly notices: readonly Notice[];
  /** Memory files looked at in `memories/`. */
  readonly files: number;
}

/** More than this many files at once, and more than this share of the store, is a rule gone wrong until a person says no. */
export const SWEEP = { files: 5, share: 0.02 } as const;

/**
 * Notices what anything else did to the files: an editor, a git pull, an agent with file tools. New texts are written down
 * as seen, what fails hard is quarantined byte for byte, and one bad file never hides or stops the others.
 */
export function reconcile(vault: Vault): Promise<Reconciled> {
  return goOver(vault, true);
}

/** The half of it that changes nothing but the index. What would be put into quarantine is told as held back. */
export function lookOver(vault: Vault): Promise<Reconciled> {
  return goOver(vault, false);
}

async function goOver(vault: Vault, acts: boolean): Promise<Reconciled> {
  const pass = new Pass(vault, acts);
  await pass.look().catch((error) => Promise.reject(asDiskRefusal(error)));
  if (acts) await pass.act();
  else pass.holdBack();
  return { notices: pass.notices, files: pass.files };
}

/** What is remembered of a file that was looked at; not its text, since there may be a hundred thousand. */
type Sight = Pick<Loaded, 'place' | 'stem' | 'stamp' | 'id' | 'digest' | 'saying'>;
interface Suspect extends Spot {
  readonly stamp: Stamp;
  readonly why: string;
}

/** As many files are looked at in one go: a large folder is never held in memory whole, and other work is not kept waiting. */
const PORTION = 64;
/** As many rows are written in one go while nobody can search anyway: small portions take several times as long. */
const PUT_AT_ONCE = 256;
/** As many first sights are written down under one lock: each is signed, and others want to write too. */
const NOTED = 256;
const PROGRESS_MS = 5_000;

class Pass {
  readonly notices: Notice[] = [];
  files = 0;
  readonly #vault: Vault;
  readonly #acts: boolean;
  readonly #rules: string;
  readonly #unseen: Sight[] = [];
  readonly #failing: Suspect[] = [];
  readonly #unrecorded: Suspect[] = [];
  #rows: Row[] = [];
  /** Rows of this folder that were not known before. */
  #fresh = 0;
  #spoke = performance.now();

  constructor(vault: Vault, acts: boolean) {
    this.#vault = vault;
    this.#acts = acts;
    this.#rules = vault.parts.rules;
  }

  async look(): Promise<void> {
    const { ledgers, index, disk, places } = this.#vault.parts;
    ledgers.refresh();
    const { opening } = index;
    if (ledgers.reports().some(({ entries }) => entries > 0)) index.tellIfMissing();
    for (const place of ['memories', 'quarantine'] as const) {
      if (!disk.isFolder(places[place])) {
        this.#notice('refused', { place, stem: '' }, 'the folder is missing or a link, so it is not read; put it back');
        continue;
      }
      await this.#lookThrough(place);
    }
    this.#index();
    // Folders are listed in no order; whoever reads of several files reads of them in one.
    this.notices.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
    index.completed(opening);
  }

  async #lookThrough(place: Place): Promise<void> {
    const { disk, index, places } = this.#vault.parts;
    const whole = index.isComplete;
    this.#fresh = 0;
    let [looked, here] = [0, 0];
    for (const names of disk.namesInPortions(places[place], PORTION)) {
      const stems = names.filter(isMemoryFile).map((name) => name.slice(0, -'.md'.length));
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

  #lookAt(spot: Spot, before: Known | undefined): void {
    if (spot.place === 'memories') this.files += 1;
    const id = spot.place === 'memories' ? parseId(spot.stem) : idOfStem(spot.stem);
    if (id === undefined) {
      this.#notice('not-an-id', spot, 'its name is not an id, so it is not served; rename it to type_words.md');
      return;
    }
    const stamp = this.#vault.parts.disk.stamp(this.#vault.shelf.path(spot));
    if (
      before?.rules === this.#rules &&
      sameStamp(before.stamp, stamp) &&
      isSettled(before, this.#vault.evidence, this.#acts)
    )
      return;

    const seen = this.#vault.shelf.load(spot);
    if (seen === undefined) {
      this.#refused(spot);
      return;
    }
    const failing = this.#failing.length;
    if (spot.place === 'memories') this.#inMemories(seen, before);
    else if (this.#isUnrecorded(seen)) this.#unrecorded.push(suspect(seen, REASONS[seen.standing.reason]));
    if (this.#failing.length > failing) return;
    // A file that is not served is looked at in every pass, so that it is reported until it is settled.
    if (before === undefined) this.#fresh += 1;
    this.#rows.push(rowOf(seen, seen.withheld ? '' : this.#rules, this.#vault.parts.readings));
  }

  #inMemories(seen: Loaded, before: Known | undefined): void {
    const { inspection, standing } = seen;
    const blocks = inspection.findings.filter((f) => f.severity === 'block');
    if (blocks.length > 0) {
      const why = [...new Set(blocks.map((f) => `${f.class}: ${f.rule}`))].join(', ');
      if (inspection.crashed.length > 0 || passedOtherRules(seen, before, this.#vault.evidence, this.#rules)) {
        this.#notice(
          'held-back',
          seen,
          `${why}; this machine accepted it under other rules, so it is not moved and not served`,
        );
      } else this.#failing.push(suspect(seen, why));
      return;
    }
    if (standing.tier === 'quarantined') {
      this.#failing.push(suspect(seen, REASONS[standing.reason]));
      return;
    }
    if (inspection.crashed.length > 0)
      this.#notice('held-back', seen, 'a check could not finish on it; it is not auto-loaded');
    if (seen.firstSeen === undefined) {
      const { place, stem, stamp, id, digest, saying } = seen;
      this.#unseen.push({ place, stem, stamp, id, digest, saying });
    }
    if (before === undefined) this.#notice('added', seen, REASONS[standing.reason]);
    else if (before.digest !== seen.digest) this.#notice('changed', seen, REASONS[standing.reason]);
  }

  /** What was moved here without a word in any ledger: by hand, or while the ledger could not be written. */
  #isUnrecorded({ id, standing }: Loaded): boolean {
    const alive = this.#vault.parts.disk.exists(this.#vault.shelf.path({ place: 'memories', stem: id }));
    return !alive && standing.reason !== 'decided';
  }

  #lookForGone(spot: Spot): void {
    if (this.#vault.parts.disk.exists(this.#vault.shelf.path(spot))) return;
    this.#notice('removed', spot, 'the file is gone; what ledgers say of it stays');
    this.#vault.parts.index.drop(spot.place, spot.stem);
  }

  #refused(spot: Spot): void {
    const found = this.#vault.parts.disk.read(this.#vault.shelf.path(spot), 0);
    if (found.kind === 'absent') return;
    const why = found.kind === 'refused' && found.why !== 'too-large' ? found.why : 'unreadable';
    this.#notice('refused', spot, `it is not an ordinary file (${why}), so it is neither read nor written`);
  }

  /** Everything that writes: under the lock, and only to files that are still what was looked at. */
  async act(): Promise<void> {
    const sweeping = this.#failing.length > SWEEP.files && this.#failing.length > this.files * SWEEP.share;
    if (sweeping) {
      const what = `${this.#failing.length} of ${this.files} files would be quarantined at once; none was moved and none is served until a person looks`;
      this.#notice('sweep', { place: 'memories', stem: '' }, what);
      this.holdBack();
      this.#queueFailing();
    }
    const moving = sweeping ? [] : this.#failing;
    const work = moving.length + this.#unseen.length + this.#unrecorded.length;
    if (work === 0 && !this.#vault.parts.ledgers.hasNews) return;
    for (let from = 0; from < this.#unseen.length; from += NOTED) {
      await this.#vault.exclusively(() => this.#noteUnseen(this.#unseen.slice(from, from + NOTED)));
    }
    await this.#vault.exclusively(() => {
      this.#vault.parts.ledgers.refresh();
      for (const each of [...moving, ...this.#unrecorded]) this.#quarantine(each);
      this.#vault.parts.ledgers.remember();
    });
  }

  /** Tells of what fails a check and is not moved; it is not served wherever it lies. */
  holdBack(): void {
    for (const each of this.#failing) this.#notice('held-back', each, each.why);
  }

  /** Known without rules they have passed, so that a review finds them and a search does not. */
  #queueFailing(): void {
    for (const each of this.#failing) {
      const seen = this.#vault.shelf.load(each);
      if (seen !== undefined) this.#rows.push(rowOf(seen, '', this.#vault.parts.readings));
    }
    this.#index();
  }

  #noteUnseen(some: readonly Sight[]): void {
    this.#vault.parts.ledgers.refresh();
    const { evidence } = this.#vault;
    const isNew = ({ id, digest }: Sight) => digest !== null && evidence.firstSeen(id, digest) === undefined;
    const still = some.filter((seen) => this.#isUnchanged(seen) && isNew(seen));
    try {
      this.#vault.note('seen', still);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#notice('ledger', { place: 'memories', stem: '' }, error.message);
    }
  }

  #quarantine(suspect: Suspect): void {
    const { why } = suspect;
    const now = this.#isUnchanged(suspect) ? this.#vault.shelf.load(suspect) : undefined;
    // Judged anew: a person may have restored it, and it was looked at with the ledger as it was before.
    if (now === undefined || !this.#isFailing(now)) return;
    try {
      const { recorded } = this.#vault.quarantine(now, why);
      this.#notice(
        'quarantined',
        suspect,
        recorded ? why : `${why}; it will be recorded when the ledger can be written`,
      );
    } catch (error) {
      // One file that cannot be moved must not keep the others where they are; unserved it is anyway.
      const what = error instanceof Refusal ? error.message : codeOf(error) || 'unknown';
      this.#notice('held-back', suspect, `${why}; it could not be moved (${what})`);
    }
  }

  #isFailing(now: Loaded): boolean {
    if (now.place === 'quarantine') return this.#isUnrecorded(now);
    return now.standing.tier === 'quarantined' || now.inspection.findings.some((f) => f.severity === 'block');
  }

  #isUnchanged({ stamp, ...spot }: Spot & { readonly stamp: Stamp }): boolean {
    return sameStamp(stamp, this.#vault.parts.disk.stamp(this.#vault.shelf.path(spot)));
  }

  /** A large store takes minutes to read anew: others get their turn in between, and the operator hears of it. */
  async #breathe(looked: number, least: number): Promise<void> {
    if (this.#rows.length >= least) this.#index();
    const now = performance.now();
    if (now - this.#spoke > PROGRESS_MS) {
      this.#spoke = now;
      this.#vault.parts.complain(`surety: reading the memories: ${looked} so far`);
    }
    await new Promise((done) => setImmediate(done));
  }

  #index(): void {
    this.#vault.parts.index.put(this.#rows);
    this.#rows = [];
  }

  #notice(kind: Notice['kind'], spot: Spot, what: string): void {
    this.notices.push(noticeOf(kind, spot, what));
  }
}

function suspect({ place, stem, stamp }: Loaded, why: string): Suspect {
  return { place, stem, stamp, why };
}

function isMemoryFile(name: string): boolean {
  return name.endsWith('.md') && name !== 'MEMORY.md' && !name.startsWith('.');
}
