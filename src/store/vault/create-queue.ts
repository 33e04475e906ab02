import { refuseSecrets } from '../../core/checks/enforce.ts';
import { hasFindingsInHints, hintsIn, passingHints } from '../../core/memory/hints.ts';
import { issueId, type MemoryId } from '../../core/memory/ids.ts';
import { Refusal } from '../../core/refusal.ts';
import { UserConsent } from '../../core/trust/consent.ts';
import type { Verb } from '../../core/trust/tiers.ts';
import { asDiskRefusal } from '../disk/disk-errors.ts';
import { type AuthorizedFile, asWritten, authorizeNew, writeAll } from './create.ts';
import type { Inside } from './inside-of-vault.ts';
import type { Writer } from './ledger-entries.ts';
import type { Loaded } from './loaded-memory.ts';
import { type Creation, cleaned, type MadeFile, makeFile, type NewMemory, sayingOfNew } from './new-memory.ts';

/**
 * At most 16 are written under one lock, because each takes a few milliseconds and other processes wait for the lock.
 */
const MOST_TOGETHER = 16;

interface CreateRequest {
  readonly verb: Verb;
  readonly asked: NewMemory;
  readonly by: Writer | UserConsent;
  /** Whether to wait for a complete index, so that duplicates are detected. */
  readonly careful: boolean;
}

interface WaitingRequest extends CreateRequest {
  /** Called with undefined if the request must be repeated once the index is complete. */
  readonly resolve: (created: Creation | undefined) => void;
  readonly refuse: (error: unknown) => void;
}

interface Expected extends Pick<WaitingRequest, 'resolve' | 'refuse'> {
  readonly authorized: AuthorizedFile;
  /** How many hints came with it. */
  readonly offered: number;
}

/** Creates new memories. Requests that wait at the same time share one lock and one flush of the folder. */
export class CreateQueue {
  readonly #inside: Inside;
  readonly #exclusively: (work: () => void) => Promise<void>;
  readonly #waiting: WaitingRequest[] = [];
  #called = false;

  constructor(inside: Inside, exclusively: (work: () => void) => Promise<void>) {
    this.#inside = inside;
    this.#exclusively = exclusively;
  }

  /** Creates one memory. Returns undefined if `careful` is set and the index is incomplete. */
  create(asked: CreateRequest): Promise<Creation | undefined> {
    return new Promise((resolve, refuse) => {
      this.#waiting.push({ ...asked, resolve, refuse });
      if (!this.#called) void this.#call();
    });
  }

  async #call(): Promise<void> {
    this.#called = true;
    while (this.#waiting.length > 0) {
      try {
        await this.#exclusively(() => this.#takeTurn());
      } catch (error) {
        // The lock could not be taken, so every waiting request fails.
        for (const each of this.#waiting.splice(0)) each.refuse(error);
      }
    }
    this.#called = false;
  }

  #takeTurn(): void {
    const { index } = this.#inside;
    const expected: Expected[] = [];
    for (const { asked, verb, by, careful, resolve, refuse } of this.#waiting.splice(0, MOST_TOGETHER)) {
      try {
        if (careful && !index.isComplete) {
          resolve(undefined);
          continue;
        }
        const newMemory = cleaned(asked);
        const saying = sayingOfNew(newMemory);
        // A later request with the same text or id must find the earlier one on the disk.
        if (expected.some(({ authorized: { newFile } }) => newFile.saying === saying || newFile.id === newMemory.id)) {
          this.#writeExpected(expected.splice(0));
        }
        const existing = UserConsent.isGenuine(by) ? undefined : this.#alreadyHere(newMemory, saying);
        if (existing !== undefined) resolve(this.#here(existing, newMemory));
        else {
          const authorized = this.#authorized(verb, newMemory, by, expected);
          expected.push({ authorized, offered: newMemory.askedAs?.length ?? 0, resolve, refuse });
        }
      } catch (error) {
        refuse(asDiskRefusal(error));
      }
    }
    this.#writeExpected(expected);
  }

  /**
   * A memory that has the text of a proposal already. Whether there is one is never said of a text with a secret, because the
   * answer would confirm a guess at a hidden secret.
   */
  #alreadyHere(newMemory: NewMemory, saying: string): Loaded | undefined {
    let [found, refusal]: [Loaded | undefined, unknown] = [undefined, undefined];
    try {
      found = this.#sameText(newMemory, saying);
    } catch (error) {
      refusal = error;
    }
    if (found === undefined && refusal === undefined) return undefined;
    const { subject, inspection } = this.#made(newMemory, issueId(newMemory.type, newMemory.name, never), 'inferred');
    refuseSecrets(inspection, subject);
    if (refusal !== undefined) throw refusal;
    return found;
  }

  /** Refused where the file of the memory that has the text is missing. */
  #sameText(newMemory: NewMemory, saying: string): Loaded | undefined {
    const { files, missing } = this.#inside;
    const found = files.sameText(newMemory, saying) ?? files.declinedText(newMemory);
    const lost = found === undefined ? missing.saying(saying) : undefined;
    if (lost === undefined) return found;
    throw new Refusal(
      'is-missing',
      `This text is here already, as ${lost.id}, and its file is missing. Nothing was stored; the person can put it back with surety doctor.`,
    );
  }

  /** A text that is here already: its hints are added to the file's, and nothing else is written. */
  #here(existing: Loaded, { askedAs = [] }: NewMemory): Creation {
    const { loaded, ...hints } = this.#inside.files.addHints(existing, askedAs);
    return { kind: 'existing', loaded, hints };
  }

  #authorized(verb: Verb, newMemory: NewMemory, by: Writer | UserConsent, others: readonly Expected[]): AuthorizedFile {
    const { files } = this.#inside;
    const isTaken = (id: MemoryId) =>
      files.isTaken(id) || others.some(({ authorized }) => authorized.newFile.id === id);
    const id = newMemory.id ?? issueId(newMemory.type, newMemory.name, isTaken);
    const tier = UserConsent.isGenuine(by) ? 'verified' : 'inferred';
    const make = (text: NewMemory) => this.#made(text, id, tier);
    const made = UserConsent.isGenuine(by) ? make(newMemory) : withPassingHints(newMemory, make);
    return authorizeNew(this.#inside, verb, { ...made, id, replaces: newMemory.replaces ?? null }, by);
  }

  #made(text: NewMemory, id: MemoryId, tier: 'verified' | 'inferred'): MadeFile {
    const { key, checks, now } = this.#inside;
    return makeFile(text, id, tier, now(), key.machine, checks());
  }

  /** Writes them together. If that fails, each is written alone, so that one failure stops no other. */
  #writeExpected(expected: readonly Expected[]): void {
    try {
      if (expected.length > 0)
        writeAll(
          this.#inside,
          expected.map(({ authorized }) => authorized),
        );
    } catch (error) {
      if (expected.length === 1) expected[0]?.refuse(asDiskRefusal(error));
      else for (const each of expected) this.#writeExpected([each]);
      return;
    }
    const created: Loaded[] = [];
    for (const { authorized, offered, resolve, refuse } of expected) {
      try {
        const loaded = asWritten(this.#inside, authorized);
        created.push(loaded);
        const added = hintsIn(loaded.subject.document).length;
        resolve({ kind: 'created', loaded, hints: { added, dropped: offered - added } });
      } catch (error) {
        refuse(asDiskRefusal(error));
      }
    }
    // Indexed before the lock is released and before any reply, so that the next turn finds these texts in any process.
    this.#inside.files.index(created);
  }
}

/** A hint from an agent is left out if a check objects to it. A secret in a hint is refused, as it is anywhere. */
function withPassingHints(newMemory: NewMemory, make: (text: NewMemory) => MadeFile): MadeFile {
  const made = make(newMemory);
  if (newMemory.askedAs === undefined || !hasFindingsInHints(made.inspection.findings)) return made;
  refuseSecrets(made.inspection, made.subject);
  const hints = passingHints(newMemory.askedAs, (askedAs) => make({ ...newMemory, askedAs }).inspection.findings);
  return make({ ...newMemory, askedAs: hints.length === 0 ? undefined : hints });
}

function never(): boolean {
  return false;
}
