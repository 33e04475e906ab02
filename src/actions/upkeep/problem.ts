import type { LedgerRepair } from '../../store/maintenance/repair-ledger.ts';
import { openVault } from '../../store/open.ts';
import type { Places } from '../../store/places/places.ts';
import type { Vault } from '../../store/vault/vault.ts';

/** Something the doctor found: what it is, what it means, and what to do about it. */
export interface Problem {
  /** Stable: programs name these. */
  readonly code: string;
  /** A note is worth knowing and harms nobody. */
  readonly severity: keyof typeof EXIT_CODES;
  /** Paths, ids or fingerprints, as they are: to be made visible before they are shown. */
  readonly about: readonly string[];
  readonly what: string;
  readonly means: string;
  readonly advice: string;
  readonly repairs: readonly Repair[];
}

/** What surety doctor exits with; the highest counts. 3 as in surety check: there is something to look at. */
export const EXIT_CODES = { problem: 3, note: 0 } as const;

/** What can be done about it, each with its own yes. */
export type Repair = PlainRepair | MendLedger;

export interface PlainRepair {
  readonly name: string;
  /** The memory it is for, where each of several has its own. */
  readonly id?: string;
  readonly question: string;
  readonly done: string;
  readonly apply: () => void | Promise<void>;
}

/** Makes a ledger count again, which raises: it takes a witness's yes and not just an answer. */
export interface MendLedger {
  readonly name: 'put-back-ledger' | 'accept-ledger';
  readonly ledger: LedgerRepair;
}

/** One kind of problem: how it is found in what was examined, what is said of it, and what its repair does. */
export interface ProblemRow<On> extends Pick<Problem, 'code' | 'severity' | 'what' | 'means' | 'advice'> {
  /** One item for each time it is there, with what it says otherwise than the row. */
  readonly find: (on: On) => readonly Partial<Problem>[];
  readonly repair?: Omit<PlainRepair, 'id' | 'apply'> & {
    readonly apply: (on: On, about: readonly string[]) => void | Promise<void>;
  };
}

/** For `find`: one problem about all of these, and none where there are none. */
export function about(names: readonly string[]): Partial<Problem>[] {
  return names.length === 0 ? [] : [{ about: names }];
}

/** For `find`: one problem about nothing in particular. */
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

/** Opens the store for one repair, and says nothing else about it: what is wrong has been said already. */
export async function inVault(places: Places, work: (vault: Vault) => unknown = () => {}): Promise<void> {
  const vault = await openVault(places, { complain: () => {} });
  try {
    await work(vault);
  } finally {
    vault.close();
  }
}
