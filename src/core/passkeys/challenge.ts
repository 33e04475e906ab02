import { hash } from 'node:crypto';
import type { PasskeyChange } from './change.ts';

/**
 * Everything that a yes covers, and where its entry stands: each value is the entry's own. So an assertion fits no other
 * entry, and not the same one after something else was decided about the memory, because `after` names all decisions
 * before it.
 */
export interface SignedYes {
  /** The id of the store that the entry is written in. */
  readonly store: string;
  /** The fingerprint of the ledger that the entry is written to. */
  readonly ledger: string;
  readonly verb: string;
  readonly id: string;
  /** The digest before, where the person reworded the text. */
  readonly was: string | null;
  readonly digest: string | null;
  /** The tier that the memory had when the person was asked; null for a new text. */
  readonly from: string | null;
  readonly settled: readonly string[];
  readonly replaces: string | null;
  readonly after: readonly string[];
  /** The UTC day of the entry's time, `YYYY-MM-DD`. */
  readonly day: string;
  /** Random, base64url. */
  readonly nonce: string;
}

/** What the authenticator signs for a yes to a memory, in base64url. */
export function challengeOfYes(yes: SignedYes): string {
  const { store, ledger, verb, id, was, digest, from, settled, replaces, after, day, nonce } = yes;
  return hashed(['surety-yes-1', store, ledger, verb, id, was, digest, from, settled, replaces, after, day, nonce]);
}

/** A change of the passkeys themselves, with where its entry stands. */
interface SignedChange extends Pick<SignedYes, 'store' | 'ledger' | 'after' | 'day' | 'nonce'> {
  readonly action: string;
  readonly change: PasskeyChange;
}

/** What the authenticator signs for a change of the passkeys, in base64url. */
export function challengeOfChange({ store, ledger, action, change, after, day, nonce }: SignedChange): string {
  return hashed(['surety-passkeys-1', store, ledger, action, change, after, day, nonce]);
}

function hashed(parts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url');
}
