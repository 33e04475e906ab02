import type { Evidence } from '../../core/ledger/evidence.ts';
import type { Statements } from '../../core/ledger/packed-statements.ts';
import type { StoreScope } from '../../core/ledger/statement.ts';
import type { Disk } from '../disk/disk.ts';
import type { Places } from '../places/places.ts';
import { newStoreId, StoreFile, storeFileOf } from '../places/store-file.ts';
import type { RememberedHeads } from './remembered-heads.ts';

const ALL = Number.POSITIVE_INFINITY;

/**
 * Which store this is. `store.json` names it, the signed heads remember it, and the `store` record in this machine's
 * ledger binds all entries before the record to it. Entries written in another store raise nothing here.
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

  /** Every id of this store. */
  get ids(): ReadonlySet<string> {
    return this.#ids;
  }

  /** The id in `store.json`. */
  get named(): string | undefined {
    return this.#named;
  }

  /** Whether the file or the ledger belongs to another store than the one that this machine remembers. */
  get isOther(): boolean {
    return this.#isOther;
  }

  /** Ids in the file, or at the beginning of this machine's ledger, that this machine does not know as this store's. */
  foreign(own: Statements): string[] {
    const found = [this.#named, own.firstNamed()?.binds].filter((id) => id !== undefined && !this.#ids.has(id));
    return [...new Set(found)] as string[];
  }

  /** Reads the present state of the file, the signed memory and this machine's ledger. A later format is refused. */
  takeIn(own: Statements, evidence: Evidence): void {
    this.#named = this.#file.id();
    const remembered = this.#heads.store();
    const bound = own.firstNamed()?.binds;
    this.#isUpgraded = remembered !== undefined || bound !== undefined;
    const known = remembered?.id ?? bound ?? this.#named;
    const ids = new Set(known === undefined ? [] : [known, ...(remembered?.aliases ?? [])]);
    // A record can name another id of the same store, and that id can have further ones. A Set may grow while it is
    // iterated.
    for (const id of ids) {
      for (const s of evidence.of(id))
        if (s.action === 'store' && s.authentic && s.ledger === own.ledger && s.replaces !== null) ids.add(s.replaces);
    }
    this.#ids = ids;
    this.#id = [...ids].sort()[0];
    const isForeign = (id: string | undefined) => id !== undefined && !ids.has(id);
    this.#isOther = this.#isUpgraded && (isForeign(this.#named) || isForeign(bound));
  }

  /**
   * Which entries of a raising ledger were written in this store. A machine that met a third one may go on under the
   * third one's id. Its own records say that this is still the same store, and its word must go on counting here.
   */
  scopeOf(ledger: Statements, own: boolean): StoreScope {
    return { ids: own ? this.#ids : withSame(this.#ids, ledger), unnamed: this.#unnamed(ledger, own) };
  }

  /** Like `scopeOf`, as if a person let this machine's ledger count up to its present end. */
  scopeIfTrusted(ledger: Statements): StoreScope {
    const bound = ledger.firstNamed()?.binds;
    const ids = new Set([...this.#ids, ...(bound === undefined ? [] : [bound])]);
    return { ids: withSame(ids, ledger), unnamed: ALL };
  }

  /**
   * How many first entries without a store's id count: those from before stores had ids, or before a record that binds
   * the ledger to this store.
   */
  #unnamed(ledger: Statements, own: boolean): number {
    const named = ledger.firstNamed();
    const bound = named?.binds !== undefined && this.#ids.has(named.binds) ? named.line : 0;
    if (own) return named === undefined ? ALL : bound;
    if (!this.#isUpgraded) return ALL;
    const { fingerprint } = ledger.ledger;
    // A memory without the store was written by an older Surety. Then the remembered length of the ledger counts.
    const known = this.#heads.store()?.unnamed ?? counts(this.#heads);
    return Math.max(bound, known[fingerprint] ?? 0);
  }

  /**
   * Ids that other machines made for this store while this machine made its own. Those machines were trusted before
   * stores had ids. Its ledger shows that: the entries remembered from then come before the record that binds it.
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

  /** The id to sign under. It is made here for a store that has none, and is remembered and written into the file. */
  establish(): string {
    const id = this.#id ?? newStoreId();
    // The file is written before the memory: a kill in between leaves a named store and nothing bound to it.
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

  /** Makes `other` and this store one. The smallest id becomes the store's, and every other id an alias. */
  join(other: string): { readonly id: string; readonly alias: string } {
    const now = this.establish();
    const [id = now, alias = other] = [now, other].sort();
    const ids = new Set([...this.#ids, other]);
    // Remembered before anything is written, so that existing records keep their meaning after a kill.
    const unnamed = this.#heads.store()?.unnamed ?? {};
    this.#heads.rememberStore({ id, aliases: others(ids, id), unnamed });
    this.#disk.replace(this.#file.path, storeFileOf(id));
    [this.#id, this.#named, this.#ids, this.#isOther] = [id, id, ids, false];
    return { id, alias };
  }

  /** Writes the id that this machine remembers back into the file. */
  nameAgain(): void {
    if (this.#id === undefined || this.#named === this.#id) return;
    this.#disk.replace(this.#file.path, storeFileOf(this.#id));
    this.#named = this.#id;
  }
}

function counts(heads: RememberedHeads): Record<string, number> {
  return Object.fromEntries([...heads.all()].map(([fingerprint, { count }]) => [fingerprint, count]));
}

/** The ids, and every id that the ledger's own records tie to one of them. */
function withSame(ids: ReadonlySet<string>, ledger: Statements): ReadonlySet<string> {
  const found = new Set(ids);
  // A Set may grow while it is iterated, so ids that are tied over several records are found too.
  for (const id of found) for (const other of ledger.sameStores(id)) found.add(other);
  return found;
}

function others(ids: ReadonlySet<string>, id: string): string[] {
  return [...ids].filter((each) => each !== id).sort();
}
