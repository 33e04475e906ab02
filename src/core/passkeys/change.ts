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
  /** In `required`: the SHA-256 of the recovery code, in hex. */
  readonly recovery?: string;
  /** In `reset`: the recovery code itself, which is used up by this. */
  readonly code?: string;
  /** The end of every ledger that raised where this was written. Whatever lies before these ends is older. */
  readonly ledgers: readonly LedgerEnd[];
}

/** The kinds of entries that change the passkeys of a store. */
export const PASSKEY_RECORDS = ['enrolled', 'removed', 'required', 'released', 'reset'] as const;
export type PasskeyRecord = (typeof PASSKEY_RECORDS)[number];

export function isPasskeyRecord(action: string): action is PasskeyRecord {
  return (PASSKEY_RECORDS as readonly string[]).includes(action);
}
