import { join } from 'node:path';
import type { Head } from '../core/ledger.ts';
import type { Disk } from './disk.ts';
import type { MachineKey } from './keys.ts';
import type { Places } from './layout.ts';
import { SignedFile } from './signed-file.ts';

/**
 * Where this machine last saw each ledger end. Ledgers travel with the store and could come back shorter or other than
 * they were; what is remembered here is how that shows. Without this memory nothing is raised.
 */
export class RememberedHeads {
  readonly #file: SignedFile<{ readonly heads: Readonly<Record<string, Head>> }>;

  constructor(places: Pick<Places, 'state' | 'rootHash'>, disk: Disk, key: MachineKey) {
    this.#file = new SignedFile(join(places.state, 'heads.json'), `heads ${places.rootHash}`, disk, key);
  }

  all(): ReadonlyMap<string, Head> {
    return new Map(Object.entries(this.#file.read()?.heads ?? {}));
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
    if (news) this.#file.write({ heads: Object.fromEntries(known) });
  }
}
