import { hash } from 'node:crypto';

/** The end of a ledger when an entry was written: its fingerprint, the number of its entries, the hash of the last. */
export type LedgerEnd = readonly [fingerprint: string, count: number, hash: string];

/** What an entry says that changes the passkeys of a store, or what they are needed for. */
export interface PasskeyChange {
  /** The credential's id in base64url: of the passkey that is enrolled or removed. */
  readonly credential?: string;
  /** In `enrolled`: the public key, SPKI in base64url. */
  readonly key?: string;
  /** In `enrolled`: what the person calls it. */
  readonly name?: string;
  /** In `required`, and in `known` while one is in force: the hash of the recovery code, in hex. */
  readonly recovery?: string;
  /** In `reset`: the recovery code itself, which is used up by this. */
  readonly code?: string;
  /** The end of every ledger that raised where this was written. Whatever lies before these ends is older. */
  readonly ledgers: readonly LedgerEnd[];
}

/**
 * The kinds of entries about the passkeys of a store. `known` changes nothing: a machine writes down which changes of other
 * machines it has seen, so that they count here even if those ledgers are taken away.
 */
export const PASSKEY_RECORDS = ['enrolled', 'removed', 'required', 'released', 'reset', 'known'] as const;
export type PasskeyRecord = (typeof PASSKEY_RECORDS)[number];

export function isPasskeyRecord(action: string): action is PasskeyRecord {
  return (PASSKEY_RECORDS as readonly string[]).includes(action);
}

/** Whether a parsed value has the form of a change. What it says may still be wrong. */
export function isPasskeyChange(value: unknown): value is PasskeyChange {
  if (typeof value !== 'object' || value === null) return false;
  const { credential, key, name, recovery, code, ledgers } = value as Record<keyof PasskeyChange, unknown>;
  const texts = [credential, key, name, recovery, code];
  return texts.every((text) => text === undefined || typeof text === 'string') && areEnds(ledgers);
}

function areEnds(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  return value.every((end: unknown) => {
    if (!Array.isArray(end) || end.length !== 3) return false;
    const [fingerprint, count, hash] = end;
    return typeof fingerprint === 'string' && Number.isSafeInteger(count) && typeof hash === 'string';
  });
}

/** The id of entries that change the passkeys. No memory has it. */
export const PASSKEYS = 'passkeys';

/** How `required` records the recovery code that a person was shown once. */
export function recoveryHash(code: string): string {
  return hash('sha256', `surety-recovery-1\n${code}`, 'hex');
}
