import { join } from 'node:path';
import type { LedgerTrouble } from '../../core/ledger/replay.ts';
import { asDiskRefusal } from '../disk/disk-errors.ts';
import { SignedFile } from '../ledger/signed-file.ts';
import { insideOf } from '../vault/inside-of-vault.ts';
import type { Vault } from '../vault/vault.ts';

export const NOTICES = {
  conflict: 'a memory was changed on two machines at once',
  displaced: 'another text has the place of a verified memory',
  lowered: 'a memory that was verified here is not any more',
  restored: 'a quarantined memory that a machine whose word does not count here has restored',
  machine: 'a machine that was never seen here',
  quarantined: 'something that came in fails a check',
  refused: 'something in the remote that no store holds',
  ledger: 'a ledger in the remote is not what it was',
  'own-ledger': 'this machine’s own ledger is in trouble, so what was vouched for here is advisory',
  stays: 'a memory that does not leave this machine',
  deletions: 'many memories were taken out at once',
  passkey: 'whether a yes needs a passkey was changed on another machine',
  remote: 'memories go to another address or branch than before',
  history: 'the remote’s history is another one',
  'not-pushed': 'commits that must not leave this machine',
  failed: 'sync does not work',
} as const;
export type NoticeKind = keyof typeof NOTICES;

/** Something about a sync that the operator should know. It is kept until the operator has seen it. */
export interface SyncNotice {
  readonly kind: NoticeKind;
  /** A memory's id, a machine's fingerprint or name, or a path; sanitized. */
  readonly about: string;
  readonly what: string;
  readonly at: string;
}

/** Removed files by path: the committed blob, and when a sync met the removal. */
export type Removals = Readonly<Record<string, { readonly blob: string; readonly at: string }>>;

/** What this machine remembers of its syncs. */
export interface SyncRecord {
  /** When the last sync ran, whether it succeeded or not. */
  readonly at: string;
  readonly code: number;
  readonly said: string;
  readonly succeededAt: string | null;
  readonly sent: number;
  readonly received: number;
  readonly notices: readonly SyncNotice[];
  /** Files that stayed here, each with the committed blob that it was made from (empty for none). */
  readonly stays: Readonly<Record<string, string>>;
  /** Memories whose verified text was displaced by another text when the store was last read. */
  readonly displaced?: readonly string[] | undefined;
  /** Fingerprints of machines that the operator has been informed of. */
  readonly machines: readonly string[];
  /** Removals that were not carried out because they were too many at once; `--take-deletions` takes them. */
  readonly spared?: Removals | undefined;
  /** Removals that a person at this machine took with `--take-deletions`. */
  readonly taken?: Removals | undefined;
  /** Whether a yes needed a passkey after the last sync. */
  readonly passkeyRequired?: boolean | undefined;
  /** Why this machine's own ledger raised nothing after the last sync. */
  readonly ownTrouble?: LedgerTrouble | undefined;
  /** When the last sync ran of which the operator has seen that it was long ago. */
  readonly lateSeen?: string | undefined;
  /** SHA-256 of the push address, because the address itself may hold a password. */
  readonly remote?: string | undefined;
  /** The remote's branch that the last sync was with. */
  readonly branch?: string | undefined;
}

const MOST_NOTICES = 200;
const LARGEST = 16 << 20;

/** The record is signed, because an agent could otherwise edit away what the operator should see. */
export class SyncNotices {
  readonly #file: SignedFile<SyncRecord>;

  constructor(vault: Vault) {
    const { places, disk, key } = insideOf(vault);
    this.#file = new SignedFile(join(places.state, 'sync.json'), `sync ${places.rootHash}`, disk, key, LARGEST);
  }

  read(): SyncRecord | undefined {
    return this.#file.read();
  }

  write(record: SyncRecord): void {
    this.#file.write({ ...record, notices: record.notices.slice(-MOST_NOTICES) });
  }
}

/** Changes the record of syncs under the lock; `change` returns undefined to leave it as it is. */
export async function changeRecord(
  vault: Vault,
  change: (before: SyncRecord | undefined) => SyncRecord | undefined,
): Promise<void> {
  try {
    // Only the lock is taken and no ledger is read, because reading years of ledgers is slow and a sync without news
    // needs none.
    await insideOf(vault).lock.hold(() => {
      const memory = new SyncNotices(vault);
      const after = change(memory.read());
      if (after !== undefined) memory.write(after);
    });
  } catch (error) {
    throw asDiskRefusal(error);
  }
}

/** Adds new notices to the unseen ones. A new notice replaces an older one about the same thing. */
export function gathered(before: readonly SyncNotice[], news: readonly SyncNotice[]): SyncNotice[] {
  const is = (a: SyncNotice, b: SyncNotice) => a.kind === b.kind && a.about === b.about;
  return [...before.filter((old) => !news.some((fresh) => is(old, fresh))), ...news];
}
