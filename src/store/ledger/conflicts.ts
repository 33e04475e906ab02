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
  /** A person has seen these two and keeps both. */
  readonly kept?: true;
}

/** What a memory is asked about by. */
interface KnownMemory {
  readonly id: string;
  readonly digest: string | null;
  readonly standing: Standing;
}

/** The conflicts by each of their memories, as they were read. */
interface Maps {
  readonly from: unknown;
  readonly byId: ReadonlyMap<string, readonly Conflict[]>;
  readonly byRival: ReadonlyMap<string, readonly Conflict[]>;
}

/** At most 2,000 conflicts are kept; each has two ids and two digests, and the file at most 1 MiB. */
const MOST = 2_000;
/** One value, so that the maps of no conflicts are made once. */
const NONE: readonly Conflict[] = [];

/**
 * Which inferred texts contradict which verified ones, as they were compared when one of them came. Signed by this machine, so
 * that no other program invents a conflict or a person's choice. If another program
 * removes the list, texts are no longer held back, and still compared when a person is asked about them. A conflict counts only for the texts that were compared: it
 * ends when one of them changes or the verified one is verified no more.
 */
export class Conflicts {
  readonly #file: SignedFile<{ readonly conflicts: readonly Conflict[] }>;
  readonly #knownAs: (id: string) => KnownMemory | undefined;
  #known: Maps | undefined;
  /** What `atOnce` has read. */
  #held: readonly Conflict[] | undefined;

  /** `knownAs` is a memory as it is now. */
  constructor(
    places: Pick<Places, 'state' | 'rootHash'>,
    disk: Disk,
    key: MachineKey,
    knownAs: (id: string) => KnownMemory | undefined,
  ) {
    this.#knownAs = knownAs;
    this.#file = new SignedFile(join(places.state, 'conflicts.json'), `conflicts ${places.rootHash}`, disk, key);
  }

  /** Runs `work` with the conflicts as they are now: looking at the file for each of many memories takes longer than the rest. */
  atOnce<T>(work: () => T): T {
    this.#held = this.#all();
    try {
      return work();
    } finally {
      this.#held = undefined;
    }
  }

  /** Whether a text of this memory was ever compared with one that it contradicts. */
  knows(id: string): boolean {
    return this.#maps().byId.has(id);
  }

  /** Whether a person has seen these two texts and keeps both. */
  isKept(text: Pick<KnownMemory, 'id' | 'digest'>, rival: Pick<KnownMemory, 'id' | 'digest'>): boolean {
    const known = this.#maps().byId.get(text.id) ?? [];
    return known.some((each) => each.kept && isAbout(each, text, rival));
  }

  /** Whether some text of the one memory was found to contradict the other, verified one. */
  isRival(id: string, verified: string): boolean {
    const known = this.#maps().byId.get(id) ?? [];
    return known.some((each) => each.with === verified);
  }

  /** Every memory of a conflict. */
  ids(): string[] {
    return this.#all().flatMap((each) => [each.id, each.with]);
  }

  /** The memories that were found to contradict this one. */
  partnersOf(id: string): string[] {
    return this.#all().flatMap((each) => (each.id === id ? [each.with] : each.with === id ? [each.id] : []));
  }

  /** The verified memory that an inferred text cannot hold together with; undefined where a person has chosen. */
  of(known: KnownMemory): string | undefined {
    if (known.standing.tier !== 'inferred' || !this.knows(known.id)) return undefined;
    return this.rivalsOf(known).next().value;
  }

  /** Every verified memory that a text cannot hold together with and that no person has chosen about. */
  *rivalsOf({ id, digest }: Pick<KnownMemory, 'id' | 'digest'>): Generator<string, undefined> {
    for (const each of this.#maps().byId.get(id) ?? [])
      if (each.digest === digest && !each.kept && this.#verifiedDigest(each.with) === each.withDigest) yield each.with;
  }

  /** The memory that was verified although it contradicts this verified one; undefined where a person has chosen. */
  successorOf({ id, digest, standing }: KnownMemory): string | undefined {
    if (standing.tier !== 'verified') return undefined;
    const known = this.#maps().byRival.get(id) ?? [];
    const open = known.filter((each) => each.withDigest === digest && !each.kept);
    return open.find((each) => this.#verifiedDigest(each.id) === each.digest)?.id;
  }

  /** Adds what was compared. The caller holds the lock. A pair that a person has chosen about stays as it is. */
  add(found: readonly Conflict[]): void {
    const known = this.#all();
    const isKnown = (one: Conflict) => known.some((each) => isSamePair(each, one));
    const fresh = found.filter((each) => !isKnown(each));
    if (fresh.length > 0) this.#write([...known, ...fresh]);
  }

  /** A person has seen a text beside one that it contradicts, and keeps both. The caller holds the lock. */
  keepBoth(text: Pick<KnownMemory, 'id' | 'digest'>, rival: Pick<KnownMemory, 'id' | 'digest'>): void {
    const known = this.#all();
    // After edits of both, each may be on record as contradicting the other.
    const isSeen = (each: Conflict) => isAbout(each, text, rival) || isAbout(each, rival, text);
    if (known.some(isSeen)) this.#write(known.map((each) => (isSeen(each) ? { ...each, kept: true } : each)));
    else if (text.digest !== null && rival.digest !== null) {
      const pair = { id: text.id, digest: text.digest, with: rival.id, withDigest: rival.digest };
      this.#write([...known, { ...pair, kept: true }]);
    }
  }

  /** Forgets an erased memory, whose hashes would stay otherwise. The caller holds the lock. */
  forget(id: string): void {
    const known = this.#all();
    const others = known.filter((each) => each.id !== id && each.with !== id);
    if (others.length < known.length) this.#write(others);
  }

  #write(conflicts: readonly Conflict[]): void {
    this.#held = undefined;
    this.#file.write({ conflicts: conflicts.length > MOST ? this.#fewer(conflicts) : conflicts });
  }

  /**
   * Those that still count. If they are too many: what a person chose, and of each other text at most one, the oldest first, so that
   * no flood of new texts frees an old one. Texts that are not here any more come last, so that they keep no place from one that is.
   */
  #fewer(conflicts: readonly Conflict[]): readonly Conflict[] {
    const counting = conflicts.filter((each) => this.#verifiedDigest(each.with) === each.withDigest);
    if (counting.length <= MOST) return counting;
    const open = Map.groupBy(
      counting.filter(({ kept }) => !kept),
      ({ id, digest }) => `${id} ${digest}`,
    );
    const firsts = [...open.values()].flatMap((same) => same.slice(0, 1));
    const isHere = ({ id, digest }: Conflict) => this.#knownAs(id)?.digest === digest;
    const { here = [], gone = [] } = Object.groupBy(firsts, (each) => (isHere(each) ? 'here' : 'gone'));
    return [...counting.filter(({ kept }) => kept), ...here, ...gone].slice(0, MOST);
  }

  #verifiedDigest(id: string): string | null | undefined {
    const known = this.#knownAs(id);
    return known?.standing.tier === 'verified' ? known.digest : undefined;
  }

  #all(): readonly Conflict[] {
    return this.#held ?? this.#file.read()?.conflicts ?? NONE;
  }

  #maps(): Maps {
    const from = this.#all();
    if (this.#known?.from !== from)
      this.#known = { from, byId: Map.groupBy(from, ({ id }) => id), byRival: Map.groupBy(from, (each) => each.with) };
    return this.#known;
  }
}

function isAbout(each: Conflict, text: Pick<KnownMemory, 'id' | 'digest'>, rival: typeof text): boolean {
  return (
    each.id === text.id && each.digest === text.digest && each.with === rival.id && each.withDigest === rival.digest
  );
}

function isSamePair(one: Conflict, other: Conflict): boolean {
  return (['id', 'digest', 'with', 'withDigest'] as const).every((key) => one[key] === other[key]);
}
