import { join } from 'node:path';
import type { AnchorState, SeenAnchor } from '../../core/memory/anchors.ts';
import { SignedFile } from '../ledger/signed-file.ts';
import { insideOf } from '../vault/inside-of-vault.ts';
import type { Vault } from '../vault/vault.ts';

/** Without a state, as an earlier version wrote it, it is settled however it is lost. */
type Settled = readonly [id: string, digest: string, path: string, state?: AnchorState];

/** At most 2,000 are kept, the newest. */
const MOST = 2_000;

interface KnownText {
  readonly id: string;
  readonly digest: string | null;
}

/**
 * Lost anchors of memories that a person vouched for although they were lost: nobody is asked about them again until they
 * are lost in another way. For exactly this text, and signed by this machine, so that no other program answers in the
 * person's place.
 */
export class SettledAnchors {
  readonly #file: SignedFile<{ readonly settled: readonly Settled[] }>;

  constructor(vault: Vault) {
    const { places, disk, key } = insideOf(vault);
    this.#file = new SignedFile(join(places.state, 'anchors.json'), `anchors ${places.rootHash}`, disk, key);
  }

  has({ id, digest }: KnownText, anchor: SeenAnchor): boolean {
    return this.#all().some(
      ([its, text, path, state = anchor.state]) =>
        its === id && text === digest && path === anchor.path && state === anchor.state,
    );
  }

  /** The caller holds the lock. */
  add({ id, digest }: KnownText, lost: readonly SeenAnchor[]): void {
    if (digest === null) return;
    const settled = lost.map(({ path, state }) => [id, digest, path, state] as const);
    this.#file.write({ settled: [...this.#all(), ...settled].slice(-MOST) });
  }

  /** Forgets an erased memory, whose hashes and paths would stay otherwise. The caller holds the lock. */
  forget(id: string): void {
    const known = this.#all();
    const others = known.filter(([its]) => its !== id);
    if (others.length < known.length) this.#file.write({ settled: others });
  }

  #all(): readonly Settled[] {
    return this.#file.read()?.settled ?? [];
  }
}
