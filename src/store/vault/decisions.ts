import { refuseEdited } from '../../core/checks/enforce.ts';
import { BY_RECONCILE, type By } from '../../core/ledger/entry.ts';
import { vouches } from '../../core/ledger/heads.ts';
import { standingKey, startOf } from '../../core/ledger/standing.ts';
import { raises, type Statement } from '../../core/ledger/statement.ts';
import { Refusal } from '../../core/refusal.ts';
import { dateOf, observationOver } from '../../core/trust/clocks.ts';
import type { ConsentToBoth, UserConsent, UserNo } from '../../core/trust/consent.ts';
import { judge, needsMet, type Transition } from '../../core/trust/tiers.ts';
import { asDiskRefusal, attempt, diskTrouble } from '../disk/disk-errors.ts';
import { rewrite } from '../format/format.ts';
import { authorize, type RequestedTransition, rowFor } from './authorize.ts';
import type { Inside } from './inside-of-vault.ts';
import {
  byOf,
  declinedDraft,
  marked,
  onRecordUnvouched,
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

/** The result of a change. `recorded` is false for a lowering that the ledger could not take yet (a full disk). */
export interface Decided {
  readonly loaded: Loaded;
  readonly recorded: boolean;
}

/** A memory that took the place of another, and that other one. */
export interface Replaced {
  readonly raised: Decided;
  readonly lowered: Decided;
}

/** A lowering waits at most 1,000 ms for the lock, because a person must get an answer within two seconds. */
const LOWERING_WAIT_MS = 1_000;

const OVERTAKEN = 'surety: a quarantine that waited for its record is not recorded: a person decided since';

/** Decisions on memories in the store: a person's, and quarantines after a failed check. */
export class Decisions {
  readonly #inside: Inside;
  readonly #exclusively: <T>(work: () => T, wait?: number) => Promise<T>;

  constructor(inside: Inside, exclusively: <T>(work: () => T, wait?: number) => Promise<T>) {
    this.#inside = inside;
    this.#exclusively = exclusively;
  }

  /** Carries out a person's decision on exactly the file that they saw. */
  async decide(verb: Decision, seen: Loaded, consent: UserConsent, reason?: string): Promise<Decided> {
    let begun = false;
    const change = (locked: boolean) => {
      begun = true;
      return this.#decide(verb, seen, consent, reasonLine(reason), locked);
    };
    try {
      return await this.#exclusively(() => change(true), verb === 'demote' ? LOWERING_WAIT_MS : undefined);
    } catch (error) {
      // A lowering must not wait. Without the lock it is set aside, where it counts at once, and the file is moved.
      if (verb !== 'demote' || begun) throw error;
    }
    try {
      this.#inside.ledgers.refresh();
      return change(false);
    } catch (error) {
      throw asDiskRefusal(error);
    }
  }

  /**
   * Verifies a memory and quarantines the verified one that it contradicts, in one hold of the lock. Each has its own yes and
   * its own entry. The raising comes first, because only a raising can be refused: a refused answer changes neither. A kill
   * in between leaves two verified memories, and the review asks about the old one again.
   */
  takePlace(verb: Decision, seen: Loaded, rival: Loaded, { consent, toRival }: ConsentToBoth): Promise<Replaced> {
    return this.#exclusively(() => {
      const { files, settings } = this.#inside;
      const old = files.unchanged(rival);
      const { minimumAssurance } = settings();
      const { row } = authorize(this.#changeOf('demote', old), toRival, minimumAssurance, () => undefined);
      const raised = this.#decide(verb, seen, consent, null, true, old.id);
      const { tier } = raised.loaded.standing;
      const unfinished = (why: string) =>
        new Refusal(
          'unfinished',
          `The yes to ${seen.id} is on record, and it is ${tier} for now. ${old.id} was not quarantined: ${why}. surety review asks about it again.`,
        );
      // Somebody edited it in this moment: without the old one the person would have neither.
      if (tier !== 'verified') throw unfinished('the other one changed at the same moment');
      try {
        return { raised, lowered: this.#lower(row, old, byOf(toRival), `replaced by ${seen.id}`, true) };
      } catch (error) {
        const why = error instanceof Refusal ? 'its file changed at the same moment' : diskTrouble(error);
        throw why === undefined ? error : unfinished(why);
      }
    });
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
   * Quarantines a missing memory after a person said that its file was meant to go. If another memory has the same
   * saying, as after a rename, the saying is not recorded, because that would quarantine the other memory too.
   */
  demoteMissing(seen: Loaded, consent: UserConsent, reason?: string): Promise<Decided> {
    return this.#exclusively(() => {
      const { missing, files, settings, complain } = this.#inside;
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
      let loaded = now;
      // It is on record, so the next scan moves the file.
      attempt(complain, `the file of ${now.id} could not be moved into quarantine`, () => {
        if (damaged !== undefined) loaded = files.putAway(damaged);
      });
      return { loaded, recorded: true };
    });
  }

  /**
   * Records a person's no to exactly the text they were shown. A text that holds a secret leaves not even a hash, and an
   * unreadable file has none: of both only the id is recorded. Refused if the text became verified since it was
   * shown, because the no would not take that back.
   */
  decline(seen: Loaded, no: UserNo): Promise<void> {
    return this.#exclusively(() => {
      const { ledgers, files } = this.#inside;
      if (seen.standing.tier !== 'verified' && files.load(seen)?.standing.tier === 'verified') {
        const sentence = `${seen.id} was verified meanwhile, and your no changed nothing; surety demote takes it out.`;
        throw new Refusal('changed-meanwhile', sentence);
      }
      const about = { id: seen.id, ...onRecordUnvouched(this.#inside, seen) };
      if (ledgers.evidence.declinedAt(about.id, about.digest) !== undefined) return;
      ledgers.append([declinedDraft(this.#inside, about, no)]);
    });
  }

  /** Refuses what no yes could bring about, so that nobody is asked in vain. */
  refuseInVain(verb: Decision, seen: Loaded): void {
    this.#refuseUnrecordable(verb, seen);
    rowFor(this.#changeOf(verb, seen), 'operator', true);
    if (verb === 'restore') this.#inside.files.refuseTaken(seen);
  }

  /**
   * Moves a file that failed a check into quarantine, unchanged. If its text is already decided on, only the move is
   * left. The caller holds the lock.
   */
  quarantine(seen: Loaded, why: string): Decided {
    const { ledgers, files } = this.#inside;
    const decided = ledgers.evidence.of(seen.id).some((s) => s.to === 'quarantined' && s.digest === seen.digest);
    if (seen.standing.reason === 'decided' && decided) return { loaded: files.putAway(seen), recorded: true };
    const from = seen.standing.tier === 'quarantined' ? 'inferred' : seen.standing.tier;
    const row = judge({ verb: 'quarantine', from, who: 'check', met: needsMet({ failure: true }) });
    return this.#lower(row, seen, BY_RECONCILE, reasonLine(why), true);
  }

  /** Records lowerings that the ledger could not take before, with who and why. The caller holds the lock. */
  recordLate(): void {
    const { ledgers, complain, unrecorded } = this.#inside;
    for (let late = unrecorded[0]; late !== undefined; late = unrecorded[0]) {
      const { isOvertaken, write } = late;
      const settle = () => (isOvertaken() ? complain(OVERTAKEN) : write());
      if (!attempt(complain, 'a quarantine still waits for its record', settle)) return;
      unrecorded.shift();
    }
    attempt(complain, 'a quarantine still waits for its record', () => ledgers.recordAside());
  }

  /** Reports a troubled ledger or a wrong clock as such, because with either the observation period would never end. */
  #refuseUnrecordable(verb: Decision, { firstSeen }: Loaded): void {
    if (verb === 'demote') return;
    const now = this.#inside.now();
    this.#inside.ledgers.refuseRaising();
    if (verb === 'promote' && firstSeen !== undefined && firstSeen > now) {
      throw new Refusal(
        'clock-jump',
        `The first sight of this text is dated ${dateOf(firstSeen)}, ahead of this computer’s clock. Set the clock right; if it is right, run surety doctor in a terminal, which mends the date. Nothing was changed.`,
      );
    }
  }

  #changeOf(
    verb: Decision,
    { id, digest, standing, inspection, firstSeen }: Loaded,
    replaces?: string,
  ): RequestedTransition {
    const { settings, now, ledgers } = this.#inside;
    return {
      verb,
      from: startOf(standing, verb),
      id,
      digest,
      replaces,
      standing: standingKey(standing),
      inspection,
      observation: observationOver(firstSeen, now(), settings().observationDays),
      settled: ledgers.evidence.settled(id, digest),
    };
  }

  #decide(
    verb: Decision,
    seen: Loaded,
    consent: UserConsent,
    reason: string | null,
    locked: boolean,
    replaces?: string,
  ): Decided {
    const { settings, now: clock, key, files } = this.#inside;
    const now = files.unchanged(seen);
    const { minimumAssurance } = settings();
    this.#refuseUnrecordable(verb, now);
    const { row, prepared: bytes } = authorize(
      this.#changeOf(verb, now, replaces),
      consent,
      minimumAssurance,
      (row) => {
        if (row.to !== 'verified') return undefined;
        this.#refuseRaising(verb, now, consent);
        return marked(now, ownedChanges(row, clock(), key.machine, reason));
      },
    );
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

  /** Lowers in any case. What the ledger cannot take now, the next reconcile records. */
  #lower(row: Transition, seen: Loaded, by: By, reason: string | null, locked: boolean): Decided {
    const { disk, now, key, complain, files, unrecorded } = this.#inside;
    const about = { ...seen, settled: [], replaces: null };
    const write = () => record(this.#inside, row, about, by, reason);
    const isOvertaken = this.#whetherOvertaken(seen.id);
    const late = `${seen.id} is quarantined, but the ledger could not record it yet`;
    // Said once the file is put away: until then it is not quarantined.
    const complaints: string[] = [];
    const recorded = attempt(
      (line) => complaints.push(line),
      late,
      locked ? write : () => recordUnlocked(this.#inside, { row, about, by, reason }),
    );
    let home: Loaded;
    try {
      home = files.putAway(seen);
    } catch (error) {
      if (!recorded) throw error;
      // The decision counts wherever the file is. The next reconcile moves it.
      complain(`surety: ${seen.id} is quarantined, but its file could not be moved yet`);
      return { loaded: files.load(seen) ?? seen, recorded };
    }
    complaints.forEach(complain);
    if (!recorded) unrecorded.push({ isPersons: by.actor === 'operator', write, isOvertaken });
    if (row.sets.length > 0 && locked) {
      attempt(complain, `${seen.id} is quarantined, but its file could not be marked`, () => {
        disk.replace(files.writable(home), rewrite(seen.bytes, ownedChanges(row, now(), key.machine, reason)));
      });
    }
    return { loaded: files.indexedIfThere(home), recorded };
  }

  /** Asks later whether a person has decided on this memory since now. */
  #whetherOvertaken(id: string): () => boolean {
    const { evidence } = this.#inside.ledgers;
    const known = new Set(evidence.of(id).map(({ hash }) => hash));
    const isNews = (s: Statement) => !known.has(s.hash) && s.authentic && raises(s);
    return () => this.#inside.ledgers.evidence.of(id).some((s) => isNews(s) && (s.action === 'erased' || vouches(s)));
  }
}
