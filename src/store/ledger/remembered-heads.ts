import { join } from 'node:path';
import type { Head } from '../../core/ledger/entry.ts';
import type { Disk } from '../disk/disk.ts';
import type { Places } from '../places/places.ts';
import type { MachineKey } from './machine-key.ts';
import { SignedFile } from './signed-file.ts';

type Remembered = { readonly heads: Readonly<Record<string, Head>> };

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

  constructor(places: Pick<Places, 'state' | 'rootHash'>, disk: Disk, key: MachineKey) {
    const file = (name: string) =>
      new SignedFile<Remembered>(join(places.state, name), `heads ${places.rootHash}`, disk, key);
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

  remember(heads: Iterable<readonly [string, Head]>): void {
    const known = new Map(this.all());
    let news = false;
    for (const [fingerprint, head] of heads) {
      const before = known.get(fingerprint);
      if (before?.count === head.count && before.hash === head.hash) continue;
      known.set(fingerprint, head);
      news = true;
    }
    if (!news) return;
    const content = { heads: Object.fromEntries(known) };
    if (!this.#isTaken()) this.#common.write(content);
    // Also where it was needed once: what a person accepts must not be contradicted by an older memory of a longer ledger.
    if (this.#isTaken() || this.#own.read() !== undefined) this.#own.write(content);
  }
}
