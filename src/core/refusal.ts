import type { Finding } from './finding.ts';
import { examine } from './text/sanitize.ts';

/** Why a request was refused. Stable: clients, the audit log and tests name these codes. */
export const REFUSALS = {
  'no-store': 'there is no store here yet',
  'store-gone': 'the store that was here is gone',
  'root-unusable': 'the store folder cannot be used',
  'format-unknown': 'a newer Surety made this store or key',
  'key-unusable': 'this machine’s key cannot be used here',
  'ledger-trouble': 'this machine’s ledger must be settled first',
  'clock-jump': 'the clock jumped, and a person must confirm the date first',
  'repository-unusable': 'the store’s repository cannot be used for sync',
  'lock-busy': 'another process is writing; try again',
  'disk-failed': 'the disk refused the write',
  'no-such-memory': 'no memory has this id',
  'no-such-machine': 'no machine of that name has a ledger here',
  'unreadable-file': 'the file is not one Surety reads',
  'id-taken': 'the id is in use',
  'changed-meanwhile': 'it changed since it was read',
  unfinished: 'it is on record, but the file could not follow',
  'checks-failed': 'a check blocks it',
  'check-crashed': 'a check could not finish, so nothing was decided',
  'secret-found': 'it holds a secret',
  'was-quarantined': 'this text was quarantined before',
  'was-reworded': 'a person said this in other words',
  'is-missing': 'the file of a memory with this text is missing',
  'not-allowed': 'the trust model has no such transition',
  'needs-person': 'only a person can do this',
  'consent-mismatch': 'the yes was given for something else',
  'consent-spent': 'one yes counts once',
  'assurance-too-low': 'this channel is weaker than the operator asks for',
  'needs-passkey': 'this store takes a yes only with a passkey',
  'observation-running': 'the observation period is not over',
  'invalid-input': 'what was sent is not valid',
  'budget-spent': 'this process may not propose more',
  'queue-full': 'too many requests are waiting',
  'demote-waits': 'a request to put it into quarantine is waiting',
} as const;

export type RefusalCode = keyof typeof REFUSALS;

/** Refusals that advise to try again: the obstacle passes, or the caller can correct the request. */
const RETRYABLE: ReadonlySet<RefusalCode> = new Set([
  'lock-busy',
  'disk-failed',
  'changed-meanwhile',
  'invalid-input',
  'secret-found',
  'checks-failed',
  'id-taken',
]);

/**
 * An expected no. The sentence is our own and never quotes the request, so it can go to a model, a log or a terminal.
 * Anything else that is thrown is a bug.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;
  /** The findings, if the checks are the reason. */
  readonly findings: readonly Finding[];
  /** Whether the person has the sentence on the screen already, from when the store was opened. */
  wasTold = false;

  constructor(code: RefusalCode, sentence: string, findings: readonly Finding[] = []) {
    // A path in it may have been chosen by a stranger, and the sentence goes to terminals and models.
    super(examine(sentence, 'body').text);
    this.code = code;
    this.findings = findings;
  }

  /** For the person: an unfinished change did happen, as far as its sentence says. */
  get forPerson(): string {
    return this.code === 'unfinished' ? this.message : `Not done: ${this.message}`;
  }

  /** Whether the sentence advises the caller to try again: now, later or with a corrected request. */
  get retryable(): boolean {
    return RETRYABLE.has(this.code);
  }
}

/** The refusal that `work` ends with; undefined where it refuses nothing. */
export function refusalIn(work: () => void): Refusal | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}
