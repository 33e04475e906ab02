import { join } from 'node:path';
import { type Head, publicKeyOf } from '../../core/ledger/entry.ts';
import type { LedgerEnd } from '../../core/passkeys/change.ts';
import type { Disk } from '../disk/disk.ts';
import type { Places } from '../places/places.ts';
import type { MachineKey } from './machine-key.ts';
import { SignedFile } from './signed-file.ts';

type RememberedLedgers = {
  readonly heads: Readonly<Record<string, Head>>;
  /** Hashes of raising entries that this machine was about to write after the head of its own ledger. */
  readonly announced?: readonly string[];
  readonly store?: RememberedStore;
};

/** Which store this is, as this machine has signed it. */
export interface RememberedStore {
  readonly id: string;
  /** Other ids of the same store. */
  readonly aliases: readonly string[];
  /** For each ledger, how many entries without a store's id count here. */
  readonly unnamed: Readonly<Record<string, number>>;
}

/**
 * Where this machine last saw each ledger end. Ledgers travel with the store and could come back shorter or changed;
 * comparing them with this memory shows that. Without this memory nothing is raised.
 *
 * A process with another config folder has another key and may share the state folder. It keeps its memory in a file of
 * its own and leaves the other file alone. Otherwise one start with other settings would make memories lose their
 * verification.
 */
export class RememberedHeads {
  readonly #file: (name: string) => SignedFile<RememberedLedgers>;
  readonly #common: SignedFile<RememberedLedgers>;
  readonly #own: SignedFile<RememberedLedgers>;
  readonly #isTaken: () => boolean;
  readonly #fingerprint: string;

  constructor(places: Pick<Places, 'state' | 'rootHash'>, disk: Disk, key: MachineKey) {
    this.#file = (name) => new SignedFile(join(places.state, name), `heads ${places.rootHash}`, disk, key);
    this.#fingerprint = key.fingerprint;
    this.#common = this.#file('heads.json');
    this.#own = this.#file(nameFor(key.fingerprint));
    this.#isTaken = () => disk.exists(join(places.state, 'heads.json')) && this.#common.read() === undefined;
  }

  /** If both files name a ledger, the later end counts. */
  all(): ReadonlyMap<string, Head> {
    const known = new Map(Object.entries(this.#common.read()?.heads ?? {}));
    for (const [fingerprint, head] of Object.entries(this.#own.read()?.heads ?? {})) {
      if ((known.get(fingerprint)?.count ?? -1) < head.count) known.set(fingerprint, head);
    }
    return known;
  }

  /**
   * Where a ledger ended when this machine last wrote to it with another key, most likely one that it lost: its memory of this
   * store is signed with that key, and only this machine writes the state folder. Somebody who has the key can add lines later.
   */
  endWithKey(fingerprint: string, publicKey: string | undefined): LedgerEnd | undefined {
    if (fingerprint === this.#fingerprint || publicKey === undefined || !this.#isTaken()) return undefined;
    const verifier = publicKeyOf(publicKey);
    if (verifier === undefined) return undefined;
    const files = [this.#common, this.#file(nameFor(fingerprint))];
    const ends = files.flatMap((file) => file.signedBy(verifier)?.heads[fingerprint] ?? []);
    const last = ends.sort((a, b) => a.count - b.count).at(-1);
    return last?.hash == null ? undefined : [fingerprint, last.count, last.hash];
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
    // A remembered head of this machine's own ledger covers everything announced before.
    const isOwn = [...heads].some(([fingerprint]) => fingerprint === this.#fingerprint);
    this.#write(known, isOwn ? [] : [...this.announced()]);
  }

  /** Entries that this machine may have written after the head of its ledger, without remembering them yet. */
  announced(): ReadonlySet<string> {
    return new Set([this.#common, this.#own].flatMap((file) => file.read()?.announced ?? []));
  }

  /**
   * Call it before writing an entry that raises, and before the first entry of all. After a kill, this machine can then
   * tell its own entries from those of another of its stores.
   */
  announce(head: Head, hashes: readonly string[]): void {
    this.#write(new Map([...this.all(), [this.#fingerprint, head]]), hashes);
  }

  /** Which store this is; undefined until this machine first signs in a store that has an id. */
  store(): RememberedStore | undefined {
    return this.#own.read()?.store ?? this.#common.read()?.store;
  }

  rememberStore(store: RememberedStore): void {
    this.#write(this.all(), [...this.announced()], store);
  }

  /** Lets the ledger count up to this entry after a person's yes, including entries that name no store. */
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
    // Also written if it exists from an earlier start: its older memory of a longer ledger would contradict what a
    // person accepted.
    if (this.#isTaken() || this.#own.read() !== undefined) this.#own.write(content);
  }
}

/** The file of a key that came after the one that `heads.json` is signed with. */
function nameFor(fingerprint: string): string {
  return `heads-${fingerprint.slice(0, 16)}.json`;
}
