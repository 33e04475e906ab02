import type { LedgerRepair } from '../../store/maintenance/repair-ledger.ts';
import { openVault } from '../../store/open-vault.ts';
import type { Places } from '../../store/places/places.ts';
import type { Vault } from '../../store/vault/vault.ts';

/** A problem that doctor found: what it is, what it means, and what to do. */
export interface Problem {
  /** Stable, because programs use these codes. */
  readonly code: string;
  /** A note is harmless. */
  readonly severity: keyof typeof EXIT_CODES;
  /** Unescaped paths, ids or fingerprints; make them visible before they are printed. */
  readonly about: readonly string[];
  /** All of them are shown, because one yes is for all; otherwise the first twenty. */
  readonly whole?: boolean;
  readonly what: string;
  readonly means: string;
  readonly advice: string;
  readonly repairs: readonly Repair[];
}

/** Exit codes of surety doctor; the highest counts. 3 means there is something to look at, as in surety check. */
export const EXIT_CODES = { problem: 3, note: 0 } as const;

/** Repairs; each needs its own yes. */
export type Repair = PlainRepair | MendLedger | ConfirmDate;

interface PlainRepair {
  readonly name: string;
  /** The memory, if each of several memories has its own repair. */
  readonly id?: string;
  readonly question: string;
  readonly done: string;
  readonly apply: () => void | Promise<void>;
  /** What a no leaves on record. */
  readonly refused?: () => void;
}

/** Makes a ledger count again. It may raise memories, so it needs a consent and not just an answer. */
export interface MendLedger {
  readonly name: 'put-back-ledger' | 'accept-ledger';
  readonly ledger: LedgerRepair;
}

/** Lets a date count that is far ahead of the last entry: everything signed afterwards is as old as it says. */
interface ConfirmDate {
  readonly name: 'confirm-date';
  /** As the person is shown it. */
  readonly date: string;
}

/** One kind of problem: how to find it, its words, and its repair. */
export interface ProblemRow<On> extends Pick<Problem, 'code' | 'severity' | 'what' | 'means' | 'advice'> {
  /** One item for each occurrence; its fields override the row's. */
  readonly find: (on: On) => readonly Partial<Problem>[];
  readonly repair?: Omit<PlainRepair, 'id' | 'apply'> & {
    readonly apply: (on: On, about: readonly string[]) => void | Promise<void>;
  };
}

/** For `find`: one problem about all names; none if there are no names. */
export function about(names: readonly string[]): Partial<Problem>[] {
  return names.length === 0 ? [] : [{ about: names }];
}

/** For `find`: one problem if `isThere`. */
export function when(isThere: boolean, found: Partial<Problem> = {}): Partial<Problem>[] {
  return isThere ? [found] : [];
}

export function problemsOf<On>(rows: readonly ProblemRow<On>[], on: On): Problem[] {
  return rows.flatMap(({ find, repair, ...row }) =>
    find(on).map((found) => {
      const names = found.about ?? [];
      const repairs = repair === undefined ? [] : [{ ...repair, apply: () => repair.apply(on, names) }];
      return { ...row, about: names, repairs, ...found };
    }),
  );
}

/** Opens the store for one repair without printing its problems again. */
export async function inVault<T>(places: Places, work: (vault: Vault) => T | Promise<T>): Promise<T> {
  const vault = await openVault(places, { complain: () => {} });
  try {
    return await work(vault);
  } finally {
    vault.close();
  }
}
