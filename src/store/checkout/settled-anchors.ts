import { join } from 'node:path';
import { SignedFile } from '../ledger/signed-file.ts';
import { insideOf } from '../vault/inside-of-vault.ts';
import type { Vault } from '../vault/vault.ts';

type Settled = readonly [id: string, digest: string, path: string];

/** At most 2,000 are kept, the newest. */
const MOST = 2_000;

interface Known {
  readonly id: string;
  readonly digest: string | null;
}

/**
 * Lost anchors of memories that a person vouched for all the same: nobody is asked about them again. For exactly this text, and signed
 * by this machine, so that no other program answers in the person's place.
 */
class SettledAnchors {
  readonly #file: SignedFile<{ readonly settled: readonly Settled[] }>;

  constructor(vault: Vault) {
    const { places, disk, key } = insideOf(vault);
    this.#file = new SignedFile(join(places.state, 'anchors.json'), `anchors ${places.rootHash}`, disk, key);
  }

  of({ id, digest }: Known): ReadonlySet<string> {
    return new Set(this.#all().flatMap(([its, text, path]) => (its === id && text === digest ? [path] : [])));
  }

  /** The caller holds the lock. */
  add({ id, digest }: Known, paths: readonly string[]): void {
    if (digest === null) return;
    this.#file.write({ settled: [...this.#all(), ...paths.map((path) => [id, digest, path] as const)].slice(-MOST) });
  }

  #all(): readonly Settled[] {
    return this.#file.read()?.settled ?? [];
  }
}

const lists = new WeakMap<Vault, SettledAnchors>();

export function settledAnchorsOf(vault: Vault): SettledAnchors {
  const known = lists.get(vault) ?? new SettledAnchors(vault);
  lists.set(vault, known);
  return known;
}
