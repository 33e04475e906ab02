import { join, sep } from 'node:path';
import { refuseBlocked, refuseSecrets } from '../../core/checks/enforce.ts';
import { LIMITS_OF_A_FILE, listOf } from '../../core/memory/document.ts';
import { type HintsTaken, hasFindingsInHints, hintsIn, newHints, passingHints } from '../../core/memory/hints.ts';
import { idOfStem, issueId, type MemoryId, parseId, quarantineStem } from '../../core/memory/ids.ts';
import { LIMITS } from '../../core/memory/limits.ts';
import { Refusal } from '../../core/refusal.ts';
import { attempt } from '../disk/disk-errors.ts';
import { rewrite } from '../format/format.ts';
import { type Interpreted, interpret } from '../format/interpret.ts';
import { rowOf } from './index-row.ts';
import { assess, type FilePlace, type Loaded } from './loaded-memory.ts';
import { cleanLine, type NewMemory, sayingOfNew } from './new-memory.ts';
import type { Parts } from './parts.ts';

interface Read extends Interpreted {
  readonly bytes: Buffer;
}

/** What somebody has at hand that may spare reading a file's bytes anew. None of it is believed of other bytes. */
interface AtHand {
  /** What was read in certain bytes a moment ago. */
  readonly read?: Read;
  /** What the index keeps of the file, sealed; undefined where it keeps nothing. It is asked where this is left out. */
  readonly sealed?: Buffer | undefined;
}

/** The memory files: where each lies and what is in it now, always read from the file itself. */
export class MemoryFiles {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Put together by hand: a look over the store asks for the path of every file, and `join` takes each apart again. */
  path({ place, stem }: FilePlace): string {
    return `${this.#parts.places[place]}${sep}${stem}.md`;
  }

  /** A memory by id, from `memories/` or else from quarantine. */
  find(id: string): Loaded | undefined {
    const stem = parseId(id);
    if (stem === undefined) return undefined;
    const memories: FilePlace = { place: 'memories', stem };
    // Looked for there once more: it may have been restored between the first two looks.
    return (
      this.load(memories) ?? this.load({ place: 'quarantine', stem }) ?? this.load(memories) ?? this.#numbered(stem)
    );
  }

  /** One that got a numbered name in quarantine because its own was taken there, by a file that is gone by now. */
  #numbered(id: MemoryId): Loaded | undefined {
    const { disk, ledgers, places } = this.#parts;
    if (!ledgers.evidence.knows(id) || !disk.isFolder(places.quarantine)) return undefined;
    const stems = disk.names(places.quarantine).flatMap((name) => (name.endsWith('.md') ? [name.slice(0, -3)] : []));
    const [stem] = stems.filter((each) => each.startsWith(`${id}~`) && idOfStem(each) === id).sort();
    return stem === undefined ? undefined : this.load({ place: 'quarantine', stem });
  }

  load({ place, stem }: FilePlace, atHand: AtHand = {}): Loaded | undefined {
    const { disk, ledgers, checks } = this.#parts;
    const id = idOfStem(stem);
    // A folder that was swapped for a link would let files be read from anywhere.
    if (id === undefined || !disk.isFolder(this.#parts.places[place])) return undefined;
    const path = this.path({ place, stem });
    let found = disk.read(path, LIMITS_OF_A_FILE.bytes);
    if (found.kind === 'refused' && found.why === 'too-large') found = disk.readStart(path, LIMITS_OF_A_FILE.bytes + 1);
    if (found.kind !== 'file') return undefined;
    const interpreted =
      atHand.read?.bytes.equals(found.bytes) === true
        ? atHand.read
        : (this.#readBefore({ place, stem }, found.bytes, atHand) ?? interpret(stem, found.bytes, checks));
    return assess({ place, stem }, id, found, interpreted, ledgers.evidence);
  }

  /** What this machine once read in exactly these bytes. An index that cannot be asked only means reading them. */
  #readBefore({ place, stem }: FilePlace, bytes: Buffer, atHand: AtHand): Interpreted | undefined {
    try {
      const sealed = 'sealed' in atHand ? atHand.sealed : this.#parts.index.reading(place, stem);
      return sealed ? this.#parts.parseCache.open(stem, bytes, sealed) : undefined;
    } catch {
      return undefined;
    }
  }

  /** The file as it is now, which must be what was seen. */
  unchanged(seen: Loaded): Loaded {
    const now = this.load(seen);
    if (now === undefined || !now.bytes.equals(seen.bytes) || now.stamp.size !== seen.stamp.size) {
      throw new Refusal(
        'changed-meanwhile',
        `${seen.id} changed since it was read. Nothing was changed; read it again.`,
      );
    }
    return now;
  }

  /** Every memory whose body says this, wherever it lies. */
  saying(saying: string): Loaded[] {
    return this.#parts.index.saying(saying).flatMap((row) => {
      const loaded = this.load(row);
      return loaded?.saying === saying ? [loaded] : [];
    });
  }

  /** A memory that says the same: what was quarantined stays so under any title, what is here already is not doubled. */
  sameText(newMemory: NewMemory, saying = sayingOfNew(newMemory)): Loaded | undefined {
    const same = this.saying(saying);
    const alive = same.find((loaded) => loaded.standing.tier !== 'quarantined');
    if (alive !== undefined) return alive;
    if (same.length > 0 || this.#parts.ledgers.evidence.quarantinedSaying(saying) !== undefined) {
      throw new Refusal(
        'was-quarantined',
        'This text was quarantined before and is not taken again; a person can restore it.',
      );
    }
    const unindexed = this.#unindexed(newMemory, saying);
    const reworded = unindexed === undefined ? this.#parts.ledgers.evidence.rewordedAs(saying) : undefined;
    if (reworded !== undefined) {
      throw new Refusal(
        'was-reworded',
        `A person has put this text into other words, as ${reworded}; read that one. Nothing was stored.`,
      );
    }
    return unindexed;
  }

  /** Refuses words that a quarantined memory has: they come back by restoring it, and in no other way. */
  refuseQuarantinedText(saying: string): void {
    const quarantined = this.saying(saying).some((loaded) => loaded.standing.tier === 'quarantined');
    if (quarantined || this.#parts.ledgers.evidence.quarantinedSaying(saying) !== undefined) {
      throw new Refusal(
        'was-quarantined',
        'A quarantined memory says this already; restore that one with surety review instead.',
      );
    }
  }

  /** A memory that says this and has no index row, because its writer died before writing one. Its name led to its id. */
  #unindexed({ type, name }: NewMemory, saying: string): Loaded | undefined {
    let same: Loaded | undefined;
    issueId(type, name, (id) => {
      const spot: FilePlace = { place: 'memories', stem: id };
      if (same !== undefined || !this.isTaken(id)) return false;
      if (this.#parts.index.get(spot.place, spot.stem) !== undefined) return true;
      const loaded = this.load(spot);
      if (loaded?.saying === saying && loaded.standing.tier !== 'quarantined') same = this.indexed(spot);
      return true;
    });
    return same;
  }

  /** Whether any file or ledger has, or had, this id. */
  isTaken(id: MemoryId): boolean {
    return this.#parts.ledgers.evidence.knows(id) || this.hasFile(id);
  }

  /** Whether a file anywhere in the store has this id. */
  hasFile(id: MemoryId): boolean {
    const { disk, places } = this.#parts;
    const file = `${id}.md`;
    return (
      disk.exists(join(places.memories, file)) ||
      disk.exists(join(places.quarantine, file)) ||
      // Asked first: most stores have none, and a folder that cannot be listed is found out the slow way.
      (disk.exists(places.archive) &&
        disk.names(places.archive).some((month) => disk.exists(join(places.archive, month, file))))
    );
  }

  /** Refuses while anything else has the id a quarantined file would get back. */
  refuseTaken({ id, place, stem, digest }: Loaded): void {
    const others: FilePlace[] = [
      { place: 'memories', stem: id },
      { place: 'quarantine', stem: id },
    ];
    const taken = others.some((o) => !(o.place === place && o.stem === stem) && this.#parts.disk.exists(this.path(o)));
    if (taken && this.isCopy({ id, digest }))
      throw new Refusal(
        'id-taken',
        `${id} is verified and says the same as this file; surety doctor puts such a copy away.`,
      );
    if (taken) throw new Refusal('id-taken', `Another file has the id ${id}; move it away before restoring this one.`);
  }

  /** Whether a verified memory has this id and says exactly this. */
  isCopy({ id, digest }: { readonly id: string; readonly digest: string | null }): boolean {
    const inUse = this.load({ place: 'memories', stem: id });
    return inUse?.standing.tier === 'verified' && inUse.digest === digest;
  }

  /** The file a write goes to, in a folder that is one. */
  writable(spot: FilePlace): string {
    if (!this.#parts.disk.isFolder(this.#parts.places[spot.place])) {
      throw new Refusal(
        'root-unusable',
        `The store’s ${spot.place} folder is missing or a link; nothing was changed. Put the folder back.`,
      );
    }
    return this.path(spot);
  }

  /** Moves a file into quarantine, under its own name or, where that is taken, a numbered one. */
  putAway(seen: Loaded): Loaded {
    if (seen.place !== 'memories') return seen;
    const stem = quarantineStem(seen.id, (taken) =>
      this.#parts.disk.exists(this.path({ place: 'quarantine', stem: taken })),
    );
    return this.move(seen, { place: 'quarantine', stem });
  }

  /**
   * Adds hints to a file, as far as there is room. None is ever taken out, because a person may have written it. The memory
   * stays what it is: its digest is the same, and no ledger is concerned. The caller holds the lock.
   */
  addHints(seen: Loaded, hints: readonly string[]): HintsTaken & { readonly loaded: Loaded } {
    const { document } = seen.subject;
    const stored = listOf(document?.fields.get('asked-as')) ?? [];
    const fresh = newHints(hints, hintsIn(document)).slice(0, LIMITS.askedAs.count - stored.length);
    const isServed = seen.place === 'memories' && !seen.withheld && seen.declinedAt === undefined;
    const isOpen = isServed && !hasFindingsInHints(seen.inspection.findings);
    if (fresh.length === 0 || !isOpen) return { loaded: seen, added: 0, dropped: 0 };
    const passed = passingHints(fresh, (some) => this.#withHints(seen, [...stored, ...some]).findings);
    const taken = { added: passed.length, dropped: fresh.length - passed.length };
    if (passed.length === 0) return { loaded: seen, ...taken };
    return { loaded: this.#put(seen, this.#withHints(seen, [...stored, ...passed]).bytes), ...taken };
  }

  /** Puts the hints a person wrote in place of those in the file; refused where a check blocks one. The caller holds the lock. */
  setHints(seen: Loaded, hints: readonly string[]): Loaded {
    const clean = newHints(hints.map(cleanLine)).filter((hint) => hint !== '');
    const { bytes, inspection } = this.#withHints(seen, clean);
    refuseBlocked(inspection);
    return this.#put(seen, bytes);
  }

  /** The file with these hints; refused where one holds a secret. */
  #withHints(seen: Loaded, hints: readonly string[]) {
    const bytes = rewrite(seen.bytes, new Map([['asked-as', hints.length === 0 ? null : hints]]));
    const { digest, inspection } = interpret(seen.stem, bytes, this.#parts.checks);
    if (digest !== seen.digest) throw new Error('a hint would change what a person vouches for');
    const { findings } = inspection;
    refuseSecrets({ ...inspection, findings: findings.filter(({ field }) => field === 'asked-as') });
    return { bytes, inspection, findings };
  }

  #put(seen: Loaded, bytes: Buffer): Loaded {
    this.unchanged(seen);
    this.#parts.disk.replace(this.writable(seen), bytes);
    return this.indexed(seen);
  }

  move(from: FilePlace, to: FilePlace): Loaded {
    const { disk, index, complain } = this.#parts;
    disk.move(this.writable(from), this.writable(to));
    attempt(complain, 'the index could not be updated', () => index.drop(from.place, from.stem));
    return this.indexed(to);
  }

  /** The file as it is now, and so in the index. */
  indexed(spot: FilePlace): Loaded {
    const loaded = this.written(spot);
    this.index([loaded]);
    return loaded;
  }

  /** The file that was written at `spot`, as it is now. `read` spares parsing it again where it holds the same bytes. */
  written(spot: FilePlace, read?: Read): Loaded {
    const loaded = this.load(spot, { ...(read && { read }) });
    if (loaded !== undefined) return loaded;
    throw new Refusal('unfinished', 'It was written, but the file was moved or removed at the same moment.');
  }

  /** Like `indexed`, but returns what was written if the file is gone. */
  indexedIfThere(written: Loaded): Loaded {
    const loaded = this.load(written);
    if (loaded !== undefined) this.index([loaded]);
    return loaded ?? written;
  }

  /** Writes the index rows of these files. An index that takes none is no failure: the next scan of the folders adds them. */
  index(all: readonly Loaded[]): void {
    const { index, parseCache, rules, complain } = this.#parts;
    const rows = () => all.map((loaded) => rowOf(loaded, rules, parseCache));
    attempt(complain, 'the index could not be updated', () => index.put(rows()));
  }
}
