import type { Head } from '../../core/ledger/entry.ts';
import { againstMemory, type LedgerTrouble } from '../../core/ledger/replay.ts';
import { once } from '../../core/once.ts';
import type { Authority } from './authority.ts';
import type { CopyDiffers, KeptCopies } from './kept-copies.ts';
import type { LedgerFile } from './ledger-file.ts';
import type { RememberedHeads } from './remembered-heads.ts';
import type { StoreIdentity } from './store-identity.ts';

/** Findings about one ledger, kept so that they are not computed again at each reading. */
interface Compared {
  /** The sizes of ledger and copy at the last comparison, and its result. */
  size: number;
  copied: number;
  differs: CopyDiffers | undefined;
  /** How many first entries are known to be this store's own or to raise nothing. */
  ours: number;
}

/** At most 3 tries when another process confirms memories meanwhile. */
const TRIES = 3;

/** Decides why a ledger can raise nothing. Nothing else decides that. */
export class TroubleFinder {
  readonly #heads: RememberedHeads;
  readonly #kept: KeptCopies;
  readonly #authority: Authority;
  readonly #identity: StoreIdentity;
  readonly #compared = new WeakMap<LedgerFile, Compared>();

  constructor(
    { heads, kept }: { readonly heads: RememberedHeads; readonly kept: KeptCopies },
    authority: Authority,
    identity: StoreIdentity,
  ) {
    this.#heads = heads;
    this.#kept = kept;
    this.#authority = authority;
    this.#identity = identity;
  }

  /**
   * `remembered` and `copied`, the size of the copy, must be read before the ledger, because a writer extends the
   * ledger first.
   */
  find(fingerprint: string, file: LedgerFile, remembered: Head | undefined, copied: number): LedgerTrouble | undefined {
    if (file.damage !== undefined) return file.damage;
    const continues = remembered && againstMemory(file.statements, remembered);
    if (continues !== undefined) return continues;
    const differs = this.#differs(fingerprint, file, copied);
    if (differs === 'another') return 'forked';
    if (differs === 'longer') return file.size === 0 ? 'missing' : 'shorter';
    if (this.#authority.keyOf(fingerprint) === undefined || file.statements.count === 0) return undefined;
    // A machine that was never seen before is just not trusted yet. A machine that counts must also be remembered.
    if (remembered === undefined) return 'unremembered';
    if (!this.#authority.isOwn(fingerprint)) return undefined;
    if (this.#identity.isOther) return 'other-store';
    return this.#isOurs(fingerprint, file, remembered) ? undefined : 'ahead';
  }

  #differs(fingerprint: string, file: LedgerFile, copied: number): CopyDiffers | undefined {
    const known = this.#of(file);
    if (known.size !== file.size || known.copied !== copied) {
      known.differs = this.#kept.differs(fingerprint, file, copied, this.#authority.keyOf(fingerprint));
      known.size = file.size;
      known.copied = copied;
    }
    return known.differs;
  }

  /**
   * Whether every raising entry of this machine's ledger was written in this store. Entries past the remembered end may
   * be proposals, but a confirmation is announced in the signed memory before it is written. So the ledger of another
   * store of this machine raises nothing here, even if both begin with the same lines.
   */
  #isOurs(fingerprint: string, file: LedgerFile, remembered: Head): boolean {
    const known = this.#of(file);
    let from = Math.max(known.ours, remembered.count);
    for (let tries = 0; tries < TRIES; tries++) {
      // Read from the disk at the first entry that raises, because most entries are proposals.
      const announced = once(() => this.#heads.announced());
      const { statements } = file;
      while (
        from < statements.count &&
        (!statements.canRaiseAt(from) || announced().has(statements.hashAt(from) ?? ''))
      )
        from += 1;
      known.ours = from;
      if (from === statements.count) return true;
      // Another process may have confirmed something, and remembered it, since the memory was read.
      const now = this.#heads.all().get(fingerprint);
      if (!file.takeIn()) return false;
      if (now !== undefined && againstMemory(file.statements, now) === undefined) from = Math.max(from, now.count);
    }
    return false;
  }

  #of(file: LedgerFile): Compared {
    const known = this.#compared.get(file) ?? { size: -1, copied: -1, differs: undefined, ours: 0 };
    this.#compared.set(file, known);
    return known;
  }
}
