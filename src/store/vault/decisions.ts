import { refuseEdited } from '../../core/checks/enforce.ts';
import type { By } from '../../core/ledger/entry.ts';
import { standingKey, startOf } from '../../core/ledger/standing.ts';
import { Refusal } from '../../core/refusal.ts';
import { dateOf, observationOver } from '../../core/trust/clocks.ts';
import type { UserConsent, UserNo } from '../../core/trust/consent.ts';
import { judge, needsMet, type Transition } from '../../core/trust/tiers.ts';
import { asDiskRefusal, attempt } from '../disk/disk-errors.ts';
import { rewrite } from '../format/format.ts';
import { authorize, type Change, rowFor } from './authorize.ts';
import type { Inside } from './inside.ts';
import {
  BY_RECONCILE,
  byOf,
  declinedDraft,
  marked,
  onRecord,
  ownedChanges,
  reasonLine,
  record,
  recordUnlocked,
} from './ledger-entries.ts';
import type { Loaded } from './loaded-memory.ts';
import type { NewMemory } from './new-memory.ts';
import { raise } from './raise.ts';
import { reworded } from './reworded.ts';

export type Decision = 'promote' | 'adopt' | 'demote' | 'restore' | 'reaffirm';

/** What became of a change. `recorded` is false for a lowering the ledger could not take yet (a full disk). */
export interface Decided {
  readonly loaded: Loaded;
  readonly recorded: boolean;
}

/** So long a lowering waits for the lock, in milliseconds: a person is answered within two seconds, whoever holds it. */
export const LOWERING_WAIT = 1_000;

/** Decisions on memories that are in the store: a person's, and quarantines that a check asks for. */
export class Decisions {
  readonly #inside: Inside;
  readonly #exclusively: <T>(work: () => T, wait?: number) => Promise<T>;
  readonly #unrecorded: (() => void)[] = [];

  constructor(inside: Inside, exclusively: <T>(work: () => T, wait?: number) => Promise<T>) {
    this.#inside = inside;
    this.#exclusively = exclusively;
  }

  /** Carries out what a person decided about exactly the file that was seen. */
  async decide(verb: Decision, seen: Loaded, consent: UserConsent, reason?: string): Promise<Decided> {
    let begun = false;
    const change = (locked: boolean) => {
      begun = true;
      return this.#decide(verb, seen, consent, reasonLine(reason), locked);
    };
    try {
      return await this.#exclusively(() => change(true), verb === 'demote' ? LOWERING_WAIT : undefined);
    } catch (error) {
      // A lowering never waits: where the lock cannot be had it is set aside, which counts, and the file is moved.
      if (verb !== 'demote' || begun) throw error;
    }
    try {
      this.#inside.ledgers.refresh();
      return change(false);
    } catch (error) {
      throw asDiskRefusal(error);
    }
  }

  /** Takes a memory as a person's own words, in words they changed: the same id, the same file, one entry. */
  adopt(seen: Loaded, wording: NewMemory, consent: UserConsent): Promise<Decided> {
    return this.#exclusively(() => {
      const { settings, now: clock, key, files } = this.#inside;
      const now = files.unchanged(seen);
      this.#refuseUnrecordable('adopt', now);
      const text = reworded(this.#inside, now, wording);
      const { digest, inspection } = text;
      const change = { ...this.#changeOf('adopt', now), digest, inspection, settled: [], was: now.digest ?? '' };
      const { row, prepared: bytes } = authorize(change, consent, settings().minimumAssurance, (row) =>
        marked(text, ownedChanges(row, clock(), key.machine, null)),
      );
      const raised = { seen: now, bytes, reason: null, reworded: text };
      return { loaded: raise(this.#inside, row, raised, consent), recorded: true };
    });
  }

  /**
   * Puts a missing memory away, after a person said that its file was meant to go. Where another memory says the same, as
   * after a rename, what it says is not written down: it would be quarantined with this one.
   */
  demoteMissing(seen: Loaded, consent: UserConsent, reason?: string): Promise<Decided> {
    return this.#exclusively(() => {
      const { missing, files, settings } = this.#inside;
      const now = missing.load(seen.id);
      if (now === undefined || now.digest !== seen.digest) {
        throw new Refusal('changed-meanwhile', `${seen.id} is not missing any more. Nothing was changed.`);
      }
      const { row } = authorize(this.#changeOf('demote', now), consent, settings().minimumAssurance, () => undefined);
      const others = now.saying === null ? [] : files.saying(now.saying);
      const isElsewhere = others.some(({ id, standing }) => id !== now.id && standing.tier !== 'quarantined');
      const about = { ...now, settled: [], replaces: null, ...(isElsewhere && { saying: null }) };
      record(this.#inside, row, about, byOf(consent), reasonLine(reason));
      const damaged = files.load({ place: 'memories', stem: now.id });
      return { loaded: damaged === undefined ? now : files.putAway(damaged), recorded: true };
    });
  }

  /**
   * Writes down a person's no to exactly the text they were shown. Of a text that holds a secret not even a hash is written
   * down, and one that cannot be read has none: of these only the id is on record.
   */
  decline(seen: Loaded, no: UserNo): Promise<void> {
    return this.#exclusively(() => {
      const { ledgers, now } = this.#inside;
      const about = { id: seen.id, ...onRecord(seen) };
      if (ledgers.evidence.declinedAt(about.id, about.digest) !== undefined) return;
      ledgers.append([declinedDraft(this.#inside, about, no)], now());
    });
  }

  /** Refuses what no yes could bring about, so that nobody is asked in vain. */
  refuseInVain(verb: Decision, seen: Loaded): void {
    this.#refuseUnrecordable(verb, seen);
    rowFor(this.#changeOf(verb, seen), 'operator', true);
    if (verb === 'restore') this.#inside.files.refuseTaken(seen);
  }

  /** Quarantines what failed a check, byte for byte; of a text that was decided on already only the move is left. Holds the lock. */
  quarantine(seen: Loaded, why: string): Decided {
    const { ledgers, files } = this.#inside;
    const decided = ledgers.evidence.of(seen.id).some((s) => s.to === 'quarantined' && s.digest === seen.digest);
    if (seen.standing.reason === 'decided' && decided) return { loaded: files.putAway(seen), recorded: true };
    const from = seen.standing.tier === 'quarantined' ? 'inferred' : seen.standing.tier;
    const row = judge({ verb: 'quarantine', from, who: 'check', met: needsMet({ failure: true }) });
    return this.#lower(row, seen, BY_RECONCILE, reasonLine(why), true);
  }

  /** Writes down lowerings that happened while the ledger could not take them, with who and why. Holds the lock. */
  recordLate(): void {
    const { ledgers, now, complain } = this.#inside;
    while (this.#unrecorded.length > 0) {
      const [write] = this.#unrecorded;
      if (write === undefined || !attempt(complain, 'a quarantine still waits for its record', write)) return;
      this.#unrecorded.shift();
    }
    attempt(complain, 'a quarantine still waits for its record', () => ledgers.recordAside(now()));
  }

  /** A ledger in trouble, and a clock that is wrong, are called what they are: with either no observation would ever end. */
  #refuseUnrecordable(verb: Decision, { firstSeen }: Loaded): void {
    if (verb === 'demote') return;
    const now = this.#inside.now();
    this.#inside.ledgers.refuseRaising(now);
    if (verb === 'promote' && firstSeen !== undefined && firstSeen > now) {
      throw new Refusal(
        'clock-jump',
        `The first sight of this text is dated ${dateOf(firstSeen)}, ahead of this computer’s clock. Set the clock right; if it is right, run surety doctor in a terminal, which mends the date. Nothing was changed.`,
      );
    }
  }

  #changeOf(verb: Decision, { id, digest, standing, inspection, firstSeen }: Loaded): Change {
    const { settings, now, ledgers } = this.#inside;
    return {
      verb,
      from: startOf(standing, verb),
      id,
      digest,
      standing: standingKey(standing),
      inspection,
      observation: observationOver(firstSeen, now(), settings().observationDays),
      settled: digest === null ? [] : ledgers.evidence.settled(id, digest),
    };
  }

  #decide(verb: Decision, seen: Loaded, consent: UserConsent, reason: string | null, locked: boolean): Decided {
    const { settings, now: clock, key, files } = this.#inside;
    const now = files.unchanged(seen);
    const { minimumAssurance } = settings();
    this.#refuseUnrecordable(verb, now);
    const { row, prepared: bytes } = authorize(this.#changeOf(verb, now), consent, minimumAssurance, (row) => {
      if (row.to !== 'verified') return undefined;
      this.#refuseRaising(verb, now, consent);
      return marked(now, ownedChanges(row, clock(), key.machine, reason));
    });
    return bytes === undefined
      ? this.#lower(row, now, byOf(consent), reason, locked)
      : { loaded: raise(this.#inside, row, { seen: now, bytes, reason }, consent), recorded: true };
  }

  #refuseRaising(verb: Decision, now: Loaded, { channel }: UserConsent): void {
    if (channel === 'dialog' && now.standing.reason === 'changed') {
      throw new Refusal(
        'assurance-too-low',
        'A changed memory is settled in the terminal or on the page, where the change is shown.',
      );
    }
    if (verb === 'restore') {
      this.#inside.files.refuseTaken(now);
      refuseEdited(now, this.#inside.ledgers.evidence.of(now.id));
    }
  }

  /** Lowers whatever happens: what the ledger cannot take now is recorded by the next reconcile. */
  #lower(row: Transition, seen: Loaded, by: By, reason: string | null, locked: boolean): Decided {
    const { disk, now, key, complain, files } = this.#inside;
    const about = { ...seen, settled: [], replaces: null };
    const write = () => record(this.#inside, row, about, by, reason);
    const late = `${seen.id} is quarantined, but the ledger could not record it yet`;
    const recorded = attempt(
      complain,
      late,
      locked ? write : () => recordUnlocked(this.#inside, { row, about, by, reason }),
    );
    let home: Loaded;
    try {
      home = files.putAway(seen);
    } catch (error) {
      if (!recorded) throw error;
      // The decision counts wherever the file lies; the next reconcile moves it.
      complain(`surety: ${seen.id} is quarantined, but its file could not be moved yet`);
      return { loaded: files.load(seen) ?? seen, recorded };
    }
    if (!recorded) this.#unrecorded.push(write);
    if (row.sets.length > 0 && locked) {
      attempt(complain, `${seen.id} is quarantined, but its file could not be marked`, () => {
        disk.replace(files.writable(home), rewrite(seen.bytes, ownedChanges(row, now(), key.machine, reason)));
      });
    }
    return { loaded: files.indexedIfThere(home), recorded };
  }
}
