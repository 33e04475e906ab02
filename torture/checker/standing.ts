import type { Found } from './file.ts';
import type { Kept } from './kept.ts';
import { type Ledger, type Line, spread } from './ledger.ts';
import { type Placed, unproven } from './passkeys.ts';

// The rules of docs/trust-model.md in their order; no code of the store is used.

export type Tier = 'verified' | 'inferred' | 'quarantined';

export const HEIGHT: Record<string, number> = { quarantined: 0, inferred: 1, verified: 2 };

/** Every change of tier there is, as "verb from to who". */
const ROWS: ReadonlySet<string> = new Set([
  'propose - inferred agent',
  'import - inferred import',
  'add - verified operator',
  'adopt - verified operator',
  'rewrite - verified operator',
  'import - verified operator',
  'backfill - verified operator',
  'promote inferred verified operator',
  'adopt inferred verified operator',
  'demote inferred quarantined operator',
  'demote verified quarantined operator',
  'quarantine inferred quarantined check',
  'quarantine verified quarantined check',
  'restore quarantined verified operator',
  'reaffirm verified verified operator',
]);

interface Statement extends Placed {
  /** Whether it verifies without the passkey that it needs. */
  readonly isUnproven?: boolean;
}

/** Which machine reads the ledgers, and what it makes of them. */
export interface Here {
  /** The fingerprint of its own key. */
  readonly own: string;
  /** Other machines whose word raises here too. */
  readonly trusted?: ReadonlySet<string>;
  /** The id in the store's file, if any. */
  readonly store: string | undefined;
}

/** What all ledgers of a store and the lines this machine keeps of them say, by memory. */
export class Evidence {
  readonly #byId = new Map<string, Statement[]>();
  readonly #quarantined = new Map<string, string[]>();

  constructor(ledgers: readonly Ledger[], { copies, lowerings, replaced }: Kept, here: Here) {
    const stores = storesHere(ledgers, here);
    const isWhole = (ledger: Ledger) =>
      ledger.faults.length === 0 && continues(ledger, copies.get(ledger.fingerprint)) && isOf(stores, ledger);
    const own = ledgers.find(({ fingerprint }) => fingerprint === here.own);
    const counting = new Set([here.own, ...(own && isWhole(own) ? trustedBy(own, here) : [])]);
    const stands = new Set<string>();
    for (const ledger of ledgers) {
      this.#take(ledger, ledger.lines, counting.has(ledger.fingerprint) && isWhole(ledger));
      for (const { hash } of ledger.lines) stands.add(`${ledger.fingerprint} ${hash}`);
    }
    for (const kept of [...copies.values(), ...lowerings, ...replaced]) {
      const missing = kept.lines.filter(({ hash }) => !stands.has(`${kept.fingerprint} ${hash}`));
      this.#take(kept, missing, false);
    }
    const void_ = new Set(unproven([...this.#byId.values()].flat()));
    for (const [id, statements] of void_.size === 0 ? [] : this.#byId)
      this.#byId.set(
        id,
        statements.map((each) => (void_.has(each) ? { ...each, isUnproven: true } : each)),
      );
  }

  #take(ledger: Ledger, lines: readonly Line[], raises: boolean): void {
    const ids = idsIn(ledger);
    for (const line of lines.flatMap(spread)) {
      const { id, to, saying, store } = line.entry;
      const here = raises && (store === undefined || ids.has(store));
      this.#byId.set(id, [...(this.#byId.get(id) ?? []), { ...line, ledger, raises: here }]);
      if (to === 'quarantined' && saying !== null) {
        this.#quarantined.set(saying, [...(this.#quarantined.get(saying) ?? []), id]);
      }
    }
  }

  of(id: string): readonly Statement[] {
    return this.#byId.get(id) ?? [];
  }

  /** Decisions that no counting entry names. */
  heads(id: string): readonly Statement[] {
    const decisions = this.of(id).filter(({ entry }) => entry.to !== null);
    const isHead = (one: Statement) => !decisions.some((later) => supersedes(later, one));
    return decisions.filter(isHead);
  }

  isQuarantinedText(saying: string): boolean {
    const ids = this.#quarantined.get(saying) ?? [];
    return ids.some((id) => this.heads(id).some(({ entry }) => entry.to === 'quarantined'));
  }
}

/** A ledger that ends before its copy does, or says something else, raises nothing; a copy that is not whole tells nothing. */
function continues({ hashes }: Ledger, copy: Ledger | undefined): boolean {
  return copy === undefined || copy.faults.length > 0 || copy.hashes.every((hash, at) => hashes[at] === hash);
}

/** The ids that a ledger's own `store` records name. */
function idsIn({ lines }: Ledger): ReadonlySet<string> {
  const records = lines.filter(({ entry, authentic }) => entry.action === 'store' && authentic);
  return new Set(records.flatMap(({ entry: { id, alias } }) => (alias === undefined ? [id] : [id, alias])));
}

/** Machines that a person trusts, as far as this machine's own ledger says so last. */
function trustedBy({ lines }: Ledger, { trusted = new Set() }: Here): string[] {
  const last = new Map(lines.map(({ entry: { id, action } }) => [id, action] as const).filter(isAboutTrust));
  return [...trusted].filter((fingerprint) => last.get(fingerprint) === 'trusted');
}

const isAboutTrust = ([, action]: readonly [string, string]) => action === 'trusted' || action === 'distrusted';

/** The ids that mean this store: the one in its file, and what this machine's own ledger says means the same. */
function storesHere(ledgers: readonly Ledger[], { own, store }: Here): ReadonlySet<string> | undefined {
  if (store === undefined) return undefined;
  const ledger = ledgers.find(({ fingerprint }) => fingerprint === own);
  const ids = ledger === undefined ? new Set<string>() : idsIn(ledger);
  return ids.has(store) ? ids : new Set([store]);
}

/** A ledger that is bound to another store than the one its file is in raises nothing there. */
function isOf(stores: ReadonlySet<string> | undefined, ledger: Ledger): boolean {
  const ids = idsIn(ledger);
  return stores === undefined || ids.size === 0 || !ids.isDisjointFrom(stores);
}

function supersedes(later: Statement, earlier: Statement): boolean {
  return (
    later.authentic &&
    !later.isUnproven &&
    isLawful(later.entry) &&
    later.entry.after.includes(earlier.hash) &&
    (later.raises || later.ledger.fingerprint === earlier.ledger.fingerprint) &&
    (earlier.entry.to !== 'quarantined' || later.entry.to === 'quarantined' || later.entry.from === 'quarantined')
  );
}

export function isLawful({ action, from, to, by }: Line['entry']): boolean {
  return ROWS.has(`${action} ${from ?? '-'} ${to} ${by.actor}`) && (by.actor !== 'operator' || by.level >= 1);
}

/** The text that a statement vouches for. */
export function vouchedBy({ entry, authentic, raises, isUnproven }: Statement): string | undefined {
  const receipt = entry.to === 'verified' && entry.by.actor === 'operator' && isLawful(entry);
  return receipt && authentic && raises && !isUnproven ? (entry.digest ?? undefined) : undefined;
}

/** What a file has earned. */
export function tierOf({ id, place, claim, digest, saying }: Found, evidence: Evidence): Tier {
  const heads = evidence.heads(id);
  if (heads.some(({ entry }) => entry.to === 'quarantined')) return 'quarantined';
  if (place === 'quarantine' || claim === 'quarantined') return 'quarantined';
  if (heads.length > 0 && digest !== null && heads.every((head) => vouchedBy(head) === digest)) {
    return claim === 'verified' ? 'verified' : 'inferred';
  }
  return saying !== null && evidence.isQuarantinedText(saying) ? 'quarantined' : 'inferred';
}
