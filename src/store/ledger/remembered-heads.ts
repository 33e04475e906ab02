import { join } from 'node:path';
import type { Head } from '../../core/ledger/entry.ts';
import type { Disk } from '../disk/disk.ts';
import type { Places } from '../places/places.ts';
import type { MachineKey } from './machine-key.ts';
import { SignedFile } from './signed-file.ts';

type Remembered = {
  readonly heads: Readonly<Record<string, Head>>;
  /** Hashes of entries that raise and that this machine was about to write behind the head of its own ledger. */
  readonly announced?: readonly string[];
  readonly store?: RememberedStore;
};

/** Which store this is, as far as this machine has signed it. */
export interface RememberedStore {
  readonly id: string;
  /** Other ids that mean the same store. */
  readonly aliases: readonly string[];
  /** Of each ledger, how many entries without a store's id count here. */
  readonly unnamed: Readonly<Record<string, number>>;
}

/**
 * Where this machine last saw each ledger end. Ledgers travel with the store and could come back shorter or other than
 * they were; what is remembered here is how that shows. Without this memory nothing is raised.
 *
 * A process with another config folder has another key and may share this state: it keeps its memory under its own name and
 * leaves the other's alone, or one start with other settings would take away what was verified under these.
 */
export class RememberedHeads {
  readonly #common: SignedFile<Remembered>;
  readonly #own: SignedFile<Remembered>;
  readonly #isTaken: () => boolean;
  readonly #fingerprint: string;

  constructor(places: Pick<Places, 'state' | 'rootHash'>, disk: Disk, key: MachineKey) {
    const file = (name: string) =>
      new SignedFile<Remembered>(join(places.state, name), `heads ${places.rootHash}`, disk, key);
    this.#fingerprint = key.fingerprint;
    this.#common = file('heads.json');
    this.#own = file(`heads-${key.fingerprint.slice(0, 16)}.json`);
    this.#isTaken = () => disk.exists(join(places.state, 'heads.json')) && this.#common.read() === undefined;
  }

  /** Of a ledger that both files name, the later end. */
  all(): ReadonlyMap<string, Head> {
    const known = new Map(Object.entries(this.#common.read()?.heads ?? {}));
    for (const [fingerprint, head] of Object.entries(this.#own.read()?.heads ?? {})) {
      if ((known.get(fingerprint)?.count ?? -1) < head.count) known.set(fingerprint, head);
    }
    return known;
  }

  remember(heads: readonly (readonly [string, Head])[]): void {
    const known = new Map(this.all());
    let news = false;
    for (const [fingerprint, head] of heads) {
      const before = known.get(fingerprint);
      if (before?.count === head.count && before.hash === head.hash) continue;
      known.set(fingerprint, head);
      news = true;
    }
    if (!news) return;
    // What was announced before this machine's own head was remembered is behind it.
    const isOwn = [...heads].some(([fingerprint]) => fingerprint === this.#fingerprint);
    this.#write(known, isOwn ? [] : [...this.announced()]);
  }

  /** What this machine may have written behind the head of its ledger without having remembered it yet. */
  announced(): ReadonlySet<string> {
    return new Set([this.#common, this.#own].flatMap((file) => file.read()?.announced ?? []));
  }

  /**
   * Written before an entry that raises, and before the first of all: whatever a kill leaves behind, this machine can tell
   * its own entries from those of another of its stores.
   */
  announce(head: Head, hashes: readonly string[]): void {
    this.#write(new Map([...this.all(), [this.#fingerprint, head]]), hashes);
  }

  /** Which store this is; undefined before this machine has first signed in a store that has an id. */
  store(): RememberedStore | undefined {
    return this.#own.read()?.store ?? this.#common.read()?.store;
  }

  rememberStore(store: RememberedStore): void {
    this.#write(this.all(), [...this.announced()], store);
  }

  /** A person has let the ledger count up to here, also those entries that name no store. */
  countUnnamed(fingerprint: string, count: number): void {
    const store = this.store();
    if (store !== undefined) this.rememberStore({ ...store, unnamed: { ...store.unnamed, [fingerprint]: count } });
  }

  #write(known: ReadonlyMap<string, Head>, announced: readonly string[], store = this.store()): void {
    const content = {
      heads: Object.fromEntries(known),
      ...(announced.length > 0 && { announced }),
      ...(store !== undefined && { store }),
    };
    if (!this.#isTaken()) this.#common.write(content);
    // Also where it was needed once: what a person accepts must not be contradicted by an older memory of a longer ledger.
    if (this.#isTaken() || this.#own.read() !== undefined) this.#own.write(content);
  }
}
