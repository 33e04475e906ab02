import { join } from 'node:path';
import type { Standing } from '../../core/ledger/standing.ts';
import type { Disk } from '../disk/disk.ts';
import type { Places } from '../places/places.ts';
import type { MachineKey } from './machine-key.ts';
import { SignedFile } from './signed-file.ts';

/** A text that cannot hold together with a verified one. Both are named with the digest that was compared. */
export interface Conflict {
  readonly id: string;
  readonly digest: string;
  readonly with: string;
  readonly withDigest: string;
  /** A person has seen both and keeps both. */
  readonly kept?: true;
}

/** At most 2,000 conflicts are kept, the newest; each has two ids and two digests, and the file at most 1 MiB. */
const MOST = 2_000;

/**
 * Which inferred texts contradict which verified ones, as they were compared when one of them came. Signed by this machine, so
 * that no other program takes a conflict away or invents one. A conflict counts only for the texts that were compared: it
 * ends when one of them changes or the verified one is verified no more.
 */
export class Conflicts {
  readonly #file: SignedFile<{ readonly conflicts: readonly Conflict[] }>;
  readonly #verifiedDigest: (id: string) => string | null | undefined;
  #known: { readonly from: unknown; readonly byId: ReadonlyMap<string, readonly Conflict[]> } | undefined;

  /** `verifiedDigest` is the digest of a memory that is verified now. */
  constructor(
    places: Pick<Places, 'state' | 'rootHash'>,
    disk: Disk,
    key: MachineKey,
    verifiedDigest: (id: string) => string | null | undefined,
  ) {
    this.#verifiedDigest = verifiedDigest;
    this.#file = new SignedFile(join(places.state, 'conflicts.json'), `conflicts ${places.rootHash}`, disk, key);
  }

  /** Whether a text of this memory was ever compared with one that it contradicts. */
  knows(id: string): boolean {
    return this.#byId().has(id);
  }

  /** The memories that were found to contradict this one. */
  partnersOf(id: string): string[] {
    return this.#all().flatMap((each) => (each.id === id ? [each.with] : each.with === id ? [each.id] : []));
  }

  /** The verified memory that an inferred text cannot hold together with; undefined where a person has chosen. */
  of({ id, digest, standing }: { id: string; digest: string | null; standing: Standing }): string | undefined {
    if (standing.tier !== 'inferred') return undefined;
    const open = this.#byId()
      .get(id)
      ?.filter((each) => each.digest === digest && !each.kept);
    return open?.find((each) => this.#verifiedDigest(each.with) === each.withDigest)?.with;
  }

  /** Adds what was compared. The caller holds the lock. A pair that a person has chosen about stays as it is. */
  add(found: readonly Conflict[]): void {
    const known = this.#all();
    const isKnown = (one: Conflict) => known.some((each) => isSamePair(each, one));
    const fresh = found.filter((each) => !isKnown(each));
    if (fresh.length > 0) this.#write([...known, ...fresh]);
  }

  /** A person has seen a text beside the ones it contradicts, and keeps all. The caller holds the lock. */
  keepAll({ id, digest }: { readonly id: string; readonly digest: string | null }): void {
    const known = this.#all();
    this.#write(known.map((each) => (each.id === id && each.digest === digest ? { ...each, kept: true } : each)));
  }

  #write(conflicts: readonly Conflict[]): void {
    this.#file.write({ conflicts: conflicts.slice(-MOST) });
  }

  #all(): readonly Conflict[] {
    return this.#file.read()?.conflicts ?? [];
  }

  #byId(): ReadonlyMap<string, readonly Conflict[]> {
    const from = this.#all();
    if (this.#known?.from !== from) this.#known = { from, byId: Map.groupBy(from, ({ id }) => id) };
    return this.#known.byId;
  }
}

function isSamePair(one: Conflict, other: Conflict): boolean {
  return (['id', 'digest', 'with', 'withDigest'] as const).every((key) => one[key] === other[key]);
}
