import type { Evidence } from '../../core/ledger/evidence.ts';
import type { Statements } from '../../core/ledger/packed-statements.ts';
import type { Scope } from '../../core/ledger/statement.ts';
import type { Disk } from '../disk/disk.ts';
import type { Places } from '../places/places.ts';
import { newStoreId, StoreFile, storeFileOf } from '../places/store-file.ts';
import type { RememberedHeads } from './remembered-heads.ts';

const ALL = Number.POSITIVE_INFINITY;

/**
 * Which store this is. `store.json` names it, the signed heads remember it, and the `store` record in this machine's
 * ledger binds it to all entries before; what was written in another store raises nothing here.
 */
export class StoreIdentity {
  readonly #file: StoreFile;
  readonly #disk: Disk;
  readonly #heads: RememberedHeads;
  #named: string | undefined;
  #id: string | undefined;
  #ids: ReadonlySet<string> = new Set();
  #isOther = false;
  #isUpgraded = false;

  constructor({ root }: Pick<Places, 'root'>, disk: Disk, heads: RememberedHeads) {
    this.#file = new StoreFile(root, disk);
    this.#disk = disk;
    this.#heads = heads;
  }

  /** The store's id; undefined in a store of format 1. */
  get id(): string | undefined {
    return this.#id;
  }

  /** Every id that means this store. */
  get ids(): ReadonlySet<string> {
    return this.#ids;
  }

  /** What `store.json` says. */
  get named(): string | undefined {
    return this.#named;
  }

  /** Whether the file or the ledger is of another store than this machine remembers. */
  get isOther(): boolean {
    return this.#isOther;
  }

  /** Ids that are not this store's as this machine knows it, in the file or at the beginning of its ledger. */
  foreign(own: Statements): string[] {
    const found = [this.#named, own.firstNamed()?.binds].filter((id) => id !== undefined && !this.#ids.has(id));
    return [...new Set(found)] as string[];
  }

  /** Takes in what the file, the memory and this machine's ledger say by now. A later format is refused. */
  takeIn(own: Statements, evidence: Evidence): void {
    this.#named = this.#file.id();
    const remembered = this.#heads.store();
    const bound = own.firstNamed()?.binds;
    this.#isUpgraded = remembered !== undefined || bound !== undefined;
    const known = remembered?.id ?? bound ?? this.#named;
    const ids = new Set(known === undefined ? [] : [known, ...(remembered?.aliases ?? [])]);
    // A record names an id that means the same store; that one may have others. A Set can grow while it is walked.
    for (const id of ids) {
      for (const s of evidence.of(id))
        if (s.action === 'store' && s.authentic && s.ledger === own.ledger && s.replaces !== null) ids.add(s.replaces);
    }
    this.#ids = ids;
    this.#id = [...ids].sort()[0];
    const isForeign = (id: string | undefined) => id !== undefined && !ids.has(id);
    this.#isOther = this.#isUpgraded && (isForeign(this.#named) || isForeign(bound));
  }

  /** What of a ledger that raises was written in this store. */
  scopeOf(ledger: Statements, own: boolean): Scope {
    return { ids: this.#ids, unnamed: this.#unnamed(ledger, own) };
  }

  /** The same, if a person let this machine's word count as far as its ledger goes now. */
  scopeIfTrusted(ledger: Statements): Scope {
    const bound = ledger.firstNamed()?.binds;
    return { ids: new Set([...this.#ids, ...(bound === undefined ? [] : [bound])]), unnamed: ALL };
  }

  /** Entries without a store's id count where they were here before stores had ids, or lead up to a record that has ours. */
  #unnamed(ledger: Statements, own: boolean): number {
    const named = ledger.firstNamed();
    const bound = named?.binds !== undefined && this.#ids.has(named.binds) ? named.line : 0;
    if (own) return named === undefined ? ALL : bound;
    if (!this.#isUpgraded) return ALL;
    const { fingerprint } = ledger.ledger;
    // A memory without the store is one that an older Surety wrote again: then what it remembers of the ledger counts.
    const known = this.#heads.store()?.unnamed ?? counts(this.#heads);
    return Math.max(bound, known[fingerprint] ?? 0);
  }

  /**
   * Ids that machines made for this store while this one made its own. Such a machine was trusted before stores had ids, and
   * its ledger shows it: the entries that are remembered from then lead up to the record that binds it.
   */
  madeApart(ledgers: readonly Statements[]): string[] {
    const unnamed = this.#heads.store()?.unnamed ?? {};
    const found = ledgers.flatMap((statements) => {
      const { fingerprint, raises } = statements.ledger;
      const { binds, line = 0 } = statements.firstNamed() ?? {};
      const before = unnamed[fingerprint] ?? 0;
      return raises && before > 0 && line >= before && binds !== undefined && !this.#ids.has(binds) ? [binds] : [];
    });
    return [...new Set(found)];
  }

  /** The id to sign under, remembered and in the file from now on. Made here for a store that has none yet. */
  establish(): string {
    const id = this.#id ?? newStoreId();
    // Before the memory: whoever is stopped in between has named a store and bound nothing to it.
    if (this.#named === undefined) this.#disk.replace(this.#file.path, storeFileOf(id));
    const known = this.#heads.store();
    if (known === undefined)
      this.#heads.rememberStore({ id, aliases: others(this.#ids, id), unnamed: counts(this.#heads) });
    this.#id = id;
    this.#ids = new Set([...this.#ids, id]);
    this.#named ??= id;
    this.#isUpgraded = true;
    return id;
  }

  /** Makes `other` and this store one: the smaller id is the store's, every other one an alias. */
  join(other: string): { readonly id: string; readonly alias: string } {
    const now = this.establish();
    const [id = now, alias = other] = [now, other].sort();
    const ids = new Set([...this.#ids, other]);
    // Remembered before anything is written: what is on record then means the same, whatever a kill leaves undone.
    const unnamed = this.#heads.store()?.unnamed ?? {};
    this.#heads.rememberStore({ id, aliases: others(ids, id), unnamed });
    this.#disk.replace(this.#file.path, storeFileOf(id));
    [this.#id, this.#named, this.#ids, this.#isOther] = [id, id, ids, false];
    return { id, alias };
  }

  /** Puts the id that this machine remembers back into the file. */
  nameAgain(): void {
    if (this.#id === undefined || this.#named === this.#id) return;
    this.#disk.replace(this.#file.path, storeFileOf(this.#id));
    this.#named = this.#id;
  }
}

function counts(heads: RememberedHeads): Record<string, number> {
  return Object.fromEntries([...heads.all()].map(([fingerprint, { count }]) => [fingerprint, count]));
}

function others(ids: ReadonlySet<string>, id: string): string[] {
  return [...ids].filter((each) => each !== id).sort();
}
