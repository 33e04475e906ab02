import { refuseBlocked, refuseEdited, refuseUnshown } from '../../core/checks/enforce.ts';
import type { By, RecordKind } from '../../core/ledger/entry.ts';
import type { Evidence } from '../../core/ledger/evidence.ts';
import { standingKey, startOf } from '../../core/ledger/standing.ts';
import { issueId, type MemoryId } from '../../core/memory/ids.ts';
import type { MemoryType } from '../../core/memory/limits.ts';
import { Refusal } from '../../core/refusal.ts';
import { observationOver } from '../../core/trust/clocks.ts';
import { UserConsent } from '../../core/trust/consent.ts';
import { judge, met, type Transition, type Verb } from '../../core/trust/tiers.ts';
import { asDiskRefusal, attempt } from '../disk/disk-errors.ts';
import { rewrite } from '../format/format.ts';
import { interpret } from '../format/interpret.ts';
import { Births } from './create-queue.ts';
import {
  BY_RECONCILE,
  byOf,
  marked,
  ownedChanges,
  reasonLine,
  record,
  recordDraft,
  type Writer,
} from './ledger-entries.ts';
import type { Loaded, Spot } from './loaded-memory.ts';
import { Shelf } from './memory-files.ts';
import type { Birth, Born } from './new-memory.ts';
import type { Parts } from './parts.ts';
import { raise } from './raise.ts';

/** How often a proposal waits for an index that somebody keeps deleting. */
const MOST_LOOKS = 3;

export type Decision = 'promote' | 'demote' | 'restore' | 'reaffirm';

/** What became of a change. `recorded` is false for a lowering the ledger could not take yet (a full disk). */
export interface Decided {
  readonly loaded: Loaded;
  readonly recorded: boolean;
}

/**
 * The only door to the disk's truth. Everything read comes with the standing it has earned; every change is judged by the
 * table, made under the lock, only to the file the caller saw, and written down.
 *
 * Order of writes: the ledger first for a transition, the file first for a birth. A kill in between leaves a memory with
 * the standing it had or the one that was asked for, because a standing is the least of what file and ledger say.
 */
export class Vault {
  readonly parts: Parts;
  readonly shelf: Shelf;
  readonly #births: Births;
  readonly #unrecorded: (() => void)[] = [];
  readonly #reconcile: (vault: Vault) => Promise<unknown>;
  #looking: Promise<unknown> | undefined;

  /** `reconcile` is handed in because it works through the vault itself. */
  constructor(parts: Parts, reconcile: (vault: Vault) => Promise<unknown>) {
    this.parts = parts;
    this.#reconcile = reconcile;
    this.shelf = new Shelf(parts);
    this.#births = new Births(parts, this.shelf, (work) => this.exclusively(work));
  }

  get evidence(): Evidence {
    return this.parts.ledgers.evidence;
  }

  /** A memory by id, with what it has earned by now; undefined when there is no readable file. */
  load(id: string): Loaded | undefined {
    this.parts.ledgers.refresh();
    return this.shelf.find(id);
  }

  loadSpot(spot: Spot): Loaded | undefined {
    this.parts.ledgers.refresh();
    return this.shelf.load(spot);
  }

  /** An id for a new text that no file and no ledger has ever had. */
  freeId(type: MemoryType, name: string): MemoryId {
    this.parts.ledgers.refresh();
    return issueId(type, name, (id) => this.shelf.isTaken(id));
  }

  /** Puts a new memory on the disk: inferred by an agent or an import, verified with a person's yes for exactly it. */
  async create(verb: Verb, asked: Birth, by: Writer | UserConsent): Promise<Born> {
    for (let tries = 0; ; tries++) {
      const careful = tries < MOST_LOOKS && !UserConsent.isGenuine(by);
      if (careful && !this.parts.index.isComplete) await this.#lookOver();
      const born = await this.#births.bear({ verb, asked, by, careful });
      if (born !== undefined) return born;
    }
  }

  /** One look for all who wait for it, so that they go on in the order they came. */
  #lookOver(): Promise<unknown> {
    this.#looking ??= this.#reconcile(this).finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /** Carries out what a person decided about exactly the file that was seen. */
  async decide(verb: Decision, seen: Loaded, consent: UserConsent, reason?: string): Promise<Decided> {
    let inside = false;
    const change = (locked: boolean) => {
      inside = true;
      return this.#decide(verb, seen, consent, reasonLine(reason), locked);
    };
    try {
      return await this.exclusively(() => change(true));
    } catch (error) {
      // A lowering never waits: where the lock cannot be had the file is moved, and nothing else is written.
      if (verb !== 'demote' || inside) throw error;
    }
    try {
      return change(false);
    } catch (error) {
      throw asDiskRefusal(error);
    }
  }

  /** Quarantines what failed a check, byte for byte; of a text that was decided on already only the move is left. Holds the lock. */
  quarantine(seen: Loaded, why: string): Decided {
    const decided = this.evidence.of(seen.id).some((s) => s.to === 'quarantined' && s.digest === seen.digest);
    if (seen.standing.reason === 'decided' && decided) return { loaded: this.shelf.putAway(seen), recorded: true };
    const from = seen.standing.tier === 'quarantined' ? 'inferred' : seen.standing.tier;
    const row = judge({ verb: 'quarantine', from, who: 'check', met: met({ failure: true }) });
    return this.#lower(row, seen, BY_RECONCILE, reasonLine(why), true);
  }

  /** Puts back the text a person vouched for, where the file was changed since. It needs no new yes: it has one. */
  putBack(seen: Loaded): Promise<Loaded> {
    return this.exclusively(() => {
      this.parts.ledgers.refresh();
      const now = this.shelf.unchanged(seen);
      if (now.standing.reason !== 'changed')
        throw new Refusal('not-allowed', `${now.id} has not changed since it was vouched for.`);
      const digest = now.standing.receipt.digest ?? '';
      const bytes = this.parts.vouched.find(digest);
      const again = bytes && interpret(now.stem, bytes, this.parts.checks);
      if (bytes === undefined || again?.digest !== digest) {
        throw new Refusal(
          'no-such-memory',
          'This machine has no copy of the vouched text; take it from a backup or the git history.',
        );
      }
      this.parts.disk.replace(this.shelf.writable(now), bytes);
      return this.shelf.indexed(now);
    });
  }

  /** Appends records that decide nothing, such as the first sight of a text. The caller holds the lock. */
  note(kind: RecordKind, about: readonly Pick<Loaded, 'id' | 'digest' | 'saying'>[]): void {
    const drafts = about.map((seen) => recordDraft(this.parts, kind, seen));
    if (drafts.length > 0) this.parts.ledgers.append(drafts, this.parts.now());
  }

  /** Runs `work` while nobody else writes; the disk's own failures come out in words. */
  async exclusively<T>(work: () => T): Promise<T> {
    try {
      return await this.parts.lock.hold(() => {
        this.#recordLate();
        return work();
      });
    } catch (error) {
      throw asDiskRefusal(error);
    }
  }

  close(): void {
    this.parts.ledgers.pack();
    this.parts.index.close();
    this.parts.lock.close();
  }

  /** Refuses what no yes could bring about, so that nobody is asked in vain. */
  refuseInVain(verb: Decision, seen: Loaded): void {
    const row = this.#judge(verb, seen, true);
    if (row.to === 'verified') refuseBlocked(seen.inspection);
    if (verb === 'restore') this.shelf.refuseTaken(seen);
  }

  #judge(verb: Decision, { standing, inspection, firstSeen }: Loaded, consent: boolean): Transition {
    const { settings, now } = this.parts;
    const checks = !inspection.blocked && inspection.crashed.length === 0;
    const observation = observationOver(firstSeen, now(), settings().observationDays);
    return judge({
      verb,
      from: startOf(standing, verb),
      who: 'operator',
      met: met({ checks, observation, consent }),
    });
  }

  #decide(verb: Decision, seen: Loaded, consent: UserConsent, reason: string | null, locked: boolean): Decided {
    const { settings, now: clock, key } = this.parts;
    this.parts.ledgers.refresh();
    const now = this.shelf.unchanged(seen);
    const row = this.#judge(verb, now, UserConsent.isGenuine(consent));
    if (row.to === 'verified') {
      refuseBlocked(now.inspection);
      const settled = now.digest === null ? [] : this.evidence.settled(now.id, now.digest);
      refuseUnshown(now.inspection, settled, consent, settings().minimumAssurance);
      if (consent.channel === 'dialog' && now.standing.reason === 'changed') {
        throw new Refusal(
          'assurance-too-low',
          'A changed memory is settled in the terminal or on the page, where the change is shown.',
        );
      }
      if (verb === 'restore') {
        this.shelf.refuseTaken(now);
        refuseEdited(now, this.evidence.of(now.id));
      }
    }
    // Before the yes is spent: what has no room in the file is refused, and nothing was asked in vain.
    const bytes = row.to === 'verified' ? marked(now, ownedChanges(row, clock(), key.machine, reason)) : undefined;
    consent.spend({ verb, id: now.id, digest: now.digest, standing: standingKey(now.standing) });
    return bytes === undefined
      ? this.#lower(row, now, byOf(consent), reason, locked)
      : { loaded: raise(this.parts, this.shelf, row, { seen: now, bytes, reason }, consent), recorded: true };
  }

  /** Lowers whatever happens: what the ledger cannot take now is recorded by the next reconcile. */
  #lower(row: Transition, seen: Loaded, by: By, reason: string | null, locked: boolean): Decided {
    const { disk, now, key, complain } = this.parts;
    const write = () => record(this.parts, row, { ...seen, settled: [], replaces: null }, by, reason);
    const late = `${seen.id} is quarantined, but the ledger could not record it yet`;
    const recorded = locked && attempt(complain, late, write);
    let home: Loaded;
    try {
      home = this.shelf.putAway(seen);
    } catch (error) {
      if (!recorded) throw error;
      // The decision counts wherever the file lies; the next reconcile moves it.
      complain(`surety: ${seen.id} is quarantined, but its file could not be moved yet`);
      return { loaded: this.shelf.load(seen) ?? seen, recorded };
    }
    if (!recorded) this.#unrecorded.push(write);
    if (row.sets.length > 0 && locked) {
      attempt(complain, `${seen.id} is quarantined, but its file could not be marked`, () => {
        disk.replace(this.shelf.writable(home), rewrite(seen.bytes, ownedChanges(row, now(), key.machine, reason)));
      });
    }
    return { loaded: this.shelf.indexedIfThere(home), recorded };
  }

  /** Lowerings that happened before they could be written down: as soon as the ledger takes them, with who and why. */
  #recordLate(): void {
    const { ledgers, now, complain } = this.parts;
    while (this.#unrecorded.length > 0) {
      ledgers.refresh();
      const [write] = this.#unrecorded;
      if (write === undefined || !attempt(complain, 'a quarantine still waits for its record', write)) return;
      this.#unrecorded.shift();
    }
    attempt(complain, 'a quarantine still waits for its record', () => ledgers.recordAside(now()));
  }
}
