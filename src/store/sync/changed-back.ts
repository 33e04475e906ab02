import { join } from 'node:path';
import { SignedFile } from '../ledger/signed-file.ts';
import { insideOf } from '../vault/inside-of-vault.ts';
import type { Vault } from '../vault/vault.ts';

/** Two texts of one memory, by digest: the one that was put back in `memories/`, and the one that had displaced it. */
export interface DisplacedPair {
  readonly id: string;
  readonly kept: string;
  readonly other: string;
}

/**
 * At most 1,000 pairs, because that is more than a store ever has. The oldest are dropped, and may then be changed back
 * once more.
 */
const MOST = 1_000;

/**
 * The pairs that this machine has changed back once. Two machines that count different receipts would otherwise undo
 * each other's change for ever. The second time, a person decides.
 */
export class ChangedBack {
  readonly #file: SignedFile<{ readonly pairs: readonly DisplacedPair[] }>;

  constructor(vault: Vault) {
    const { places, disk, key } = insideOf(vault);
    const purpose = `changed-back ${places.rootHash}`;
    this.#file = new SignedFile(join(places.state, 'changed-back.json'), purpose, disk, key);
  }

  has({ id, kept, other }: DisplacedPair): boolean {
    return this.#pairs().some((pair) => pair.id === id && pair.kept === kept && pair.other === other);
  }

  /** Call it before the files change: after a kill in between, the pair must not be changed back a second time. */
  add(pairs: readonly DisplacedPair[]): void {
    const news = pairs.filter((pair) => !this.has(pair));
    if (news.length > 0) this.#file.write({ pairs: [...this.#pairs(), ...news].slice(-MOST) });
  }

  #pairs(): readonly DisplacedPair[] {
    return this.#file.read()?.pairs ?? [];
  }
}
