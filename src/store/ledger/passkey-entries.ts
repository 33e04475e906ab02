import type { EntryDraft } from '../../core/ledger/entry.ts';
import type { PasskeySet } from '../../core/ledger/passkey-set.ts';
import type { LedgerTrust, Statement } from '../../core/ledger/statement.ts';
import type { LedgerEnd } from '../../core/passkeys/change.ts';
import { NEEDS_PASSKEY } from '../../core/passkeys/needs-passkey.ts';
import { Refusal } from '../../core/refusal.ts';
import type { KeptCopies } from './kept-copies.ts';
import type { OpenLedger } from './ledger-file.ts';
import type { RememberedHeads } from './remembered-heads.ts';

/** Where the next entry of this machine's ledger will stand, which is part of what a passkey signs. */
export interface NextPlace {
  readonly ledger: LedgerTrust;
  /** Undefined in a store that nothing was written in since stores have ids. */
  readonly store: string | undefined;
  readonly line: number;
  readonly at: number;
  /** The end of every ledger that raises here. */
  readonly ends: readonly LedgerEnd[];
}

/** The end of every ledger that raises. */
export function endsOf(ledgers: ReadonlyMap<string, OpenLedger>): LedgerEnd[] {
  const ends = [...ledgers].flatMap(([fingerprint, { trust, file }]): LedgerEnd[] => {
    const { count, hash } = file.head;
    return trust.raises && hash !== null ? [[fingerprint, count, hash]] : [];
  });
  return sorted(ends);
}

/** In the order of their fingerprints. */
export function sorted(ends: readonly LedgerEnd[]): LedgerEnd[] {
  return [...ends].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Where the ledgers ended that this machine wrote with keys that it lost. */
export function lostEnds(
  ledgers: ReadonlyMap<string, OpenLedger>,
  { heads, kept }: { readonly heads: RememberedHeads; readonly kept: KeptCopies },
): LedgerEnd[] {
  const ends = [...ledgers].map(([id, { file }]) =>
    heads.endWithKey(id, file.publicKey ?? kept.copy(id, undefined).publicKey),
  );
  return ends.filter((end) => end !== undefined);
}

/**
 * The record of changes of the passkeys that this machine's ledger does not know yet; undefined if it knows all. Of ledgers
 * whose keys this machine `lost`, only what they require before these ends.
 */
export function knownDraft(
  passkeys: PasskeySet | undefined,
  place: NextPlace,
  note: EntryDraft,
  lost: readonly LedgerEnd[],
): EntryDraft | undefined {
  if (passkeys === undefined) return undefined;
  const { recovery } = passkeys;
  const after = lost.length === 0 ? passkeys.unknownTo(place.ledger.fingerprint) : passkeys.requiredBefore(lost);
  const change = { ...(recovery !== undefined && { recovery }), ledgers: sorted([...place.ends, ...lost]) };
  return after.length === 0 ? undefined : { ...note, after, passkeys: change };
}

/**
 * Refuses a receipt that would not count: one that needs a passkey and has no assertion, or whose assertion is for
 * something else.
 */
export function refuseUnsigned(passkeys: PasskeySet | undefined, draft: EntryDraft, place: NextPlace): void {
  if (draft.to !== 'verified' || (passkeys === undefined && draft.assertion === undefined)) return;
  const level = passkeys?.levelOf(asStatement(draft, place)) ?? 0;
  if (draft.assertion !== undefined && level !== 4) {
    throw new Refusal(
      'changed-meanwhile',
      'The passkey signed something else than would be written now, because the memory, the day or the passkeys changed. Nothing was changed; look at it again.',
    );
  }
  if (level === 0) throw new Refusal('needs-passkey', `${NEEDS_PASSKEY} Nothing was changed.`);
}

/** A draft as a statement of the ledger that it will be written to. */
export function asStatement(draft: EntryDraft, { ledger, store, line, at }: NextPlace): Statement {
  const { was = null, assertion = null, passkeys = null, by, ...rest } = draft;
  const { actor, level, channel } = by;
  const place = { ledger, line, at, clock: at, store: store ?? null };
  return {
    ...rest,
    ...place,
    actor,
    level: Math.min(level, 3),
    channel,
    was,
    assertion,
    passkeys,
    hash: '',
    authentic: true,
  };
}
