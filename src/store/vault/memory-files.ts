import { join } from 'node:path';
import { refuseBlocked, refuseSecrets } from '../../core/checks/enforce.ts';
import { LIMITS_OF_A_FILE, listOf } from '../../core/memory/document.ts';
import { type HintsTaken, hasFindingsInHints, hintsIn, newHints, passingHints } from '../../core/memory/hints.ts';
import { idOfStem, issueId, type MemoryId, parseId, quarantineStem } from '../../core/memory/ids.ts';
import { LIMITS } from '../../core/memory/limits.ts';
import { type Memory, saySameShort, shortSayingOf } from '../../core/memory/memory.ts';
import { Refusal } from '../../core/refusal.ts';
import { Untrusted } from '../../core/text/safe-text.ts';
import { attempt } from '../disk/disk-errors.ts';
import { type Interpreted, interpret } from '../format/interpret.ts';
import { rowOf } from './index-row.ts';
import { marked } from './ledger-entries.ts';
import { assess, type FilePlace, type Loaded } from './loaded-memory.ts';
import { cleanLine, type NewMemory, sayingOfNew } from './new-memory.ts';
import type { VaultParts } from './vault-parts.ts';

/** At most 200 noes are compared with a short proposal, because each is read from its file. */
const MOST_DECLINED = 200;

interface Read extends Interpreted {
  readonly bytes: Buffer;
}

/** What the caller has that may save parsing a file. It is used only if the file's bytes are the same. */
export interface AtHand {
  /** What was parsed from certain bytes a moment ago. */
  readonly read?: Read;
  /**
   * The index's sealed reading of the file; undefined if the index has none. If the key is absent, the index is asked.
   */
  readonly sealed?: Buffer | null | undefined;
  /** The file, if the caller has read it. */
  readonly found?: FileContent;
}

/** A file's bytes, and its stamp at the moment they were read. */
export type FileContent = Pick<Loaded, 'bytes' | 'stamp'>;

/** The memory files: where each is and what it holds, always read from the file itself. */
export class MemoryFiles {
  readonly #parts: VaultParts;

  constructor(parts: VaultParts) {
    this.#parts = parts;
  }

  path({ place, stem }: FilePlace): string {
    return join(this.#parts.places[place], `${stem}.md`);
  }

  /** A memory by id, from `memories/` or else from quarantine. */
  find(id: string): Loaded | undefined {
    const stem = parseId(id);
    if (stem === undefined) return undefined;
    const memories: FilePlace = { place: 'memories', stem };
    // `memories/` is tried again, because the file may have been restored between the first two reads.
    return (
      this.load(memories) ?? this.load({ place: 'quarantine', stem }) ?? this.load(memories) ?? this.#numbered(stem)
    );
  }

  /** A quarantined file with a numbered name, if the file that had taken its own name is gone. */
  #numbered(id: MemoryId): Loaded | undefined {
    const { disk, ledgers, places } = this.#parts;
    if (!ledgers.evidence.knows(id) || !disk.isFolder(places.quarantine)) return undefined;
    const stems = disk.names(places.quarantine).flatMap((name) => (name.endsWith('.md') ? [name.slice(0, -3)] : []));
    const [stem] = stems.filter((each) => each.startsWith(`${id}~`) && idOfStem(each) === id).sort();
    return stem === undefined ? undefined : this.load({ place: 'quarantine', stem });
  }

  /** The file's bytes; undefined where there is no ordinary file. */
  read({ place, stem }: FilePlace): FileContent | undefined {
    const { disk, places } = this.#parts;
    // A folder replaced by a link would let files be read from anywhere.
    if (!disk.isFolder(places[place])) return undefined;
    const path = this.path({ place, stem });
    let found = disk.read(path, LIMITS_OF_A_FILE.bytes);
    if (found.kind === 'refused' && found.why === 'too-large') found = disk.readStart(path, LIMITS_OF_A_FILE.bytes + 1);
    return found.kind === 'file' ? found : undefined;
  }

  load({ place, stem }: FilePlace, atHand: AtHand = {}): Loaded | undefined {
    const { ledgers, checks } = this.#parts;
    const id = idOfStem(stem);
    const found = id && (atHand.found ?? this.read({ place, stem }));
    if (id === undefined || found === undefined) return undefined;
    const interpreted =
      atHand.read?.bytes.equals(found.bytes) === true
        ? atHand.read
        : (this.#readBefore({ place, stem }, found.bytes, atHand) ?? interpret(stem, found.bytes, checks()));
    return assess({ place, stem }, id, found, interpreted, ledgers.evidence);
  }

  /** What this machine parsed from exactly these bytes before. If the index fails, the bytes are parsed. */
  #readBefore({ place, stem }: FilePlace, bytes: Buffer, atHand: AtHand): Interpreted | undefined {
    try {
      const sealed = 'sealed' in atHand ? atHand.sealed : this.#parts.index.reading(place, stem);
      return sealed ? this.#parts.parseCache.open(stem, bytes, sealed) : undefined;
    } catch {
      return undefined;
    }
  }

  /** The present file, which must equal the one that was seen. */
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

  /** Every memory with this saying, in `memories/` and in quarantine. */
  saying(saying: string): Loaded[] {
    return this.#parts.index.saying(saying).flatMap((row) => {
      const loaded = this.load(row);
      return loaded?.saying === saying ? [loaded] : [];
    });
  }

  /**
   * A memory with the same text, so that it is not stored twice. A text that was quarantined is refused under any
   * title.
   */
  sameText(newMemory: NewMemory, saying = sayingOfNew(newMemory)): Loaded | undefined {
    const same = this.saying(saying);
    const alive = same.find((loaded) => loaded.standing.tier !== 'quarantined');
    if (alive !== undefined) return alive;
    const quarantined = same[0] ?? this.#shortQuarantined(wordsOf(newMemory));
    if (quarantined !== undefined || this.#parts.ledgers.evidence.quarantinedSaying(saying) !== undefined) {
      const way =
        quarantined === undefined ? 'a person can restore it' : `if the person wants it, restore ${quarantined.id}`;
      throw new Refusal('was-quarantined', `This text was quarantined before and is not taken again; ${way}.`);
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

  /**
   * A memory with the same short text under another name, to which a person said no. A longer text has one saying under
   * every name, so `sameText` finds it.
   */
  declinedText(newMemory: NewMemory): Loaded | undefined {
    const { evidence } = this.#parts.ledgers;
    const asked = wordsOf(newMemory);
    if (shortSayingOf(asked) === null) return undefined;
    for (const id of evidence.declinedIds().slice(0, MOST_DECLINED)) {
      const loaded = this.load({ place: 'memories', stem: id });
      if (loaded?.declinedAt !== undefined && loaded.memory && saySameShort(asked, loaded.memory)) return loaded;
    }
    return undefined;
  }

  /** A memory in quarantine with this short text under any name; none for a longer one. */
  #shortQuarantined(asked: Pick<Memory, 'body' | 'project'>): Loaded | undefined {
    const shortSaying = shortSayingOf(asked);
    if (shortSaying === null) return undefined;
    for (const row of this.#parts.index.shortQuarantined(shortSaying)) {
      const loaded = this.load(row);
      if (loaded?.standing.tier === 'quarantined' && loaded.memory && saySameShort(asked, loaded.memory)) return loaded;
    }
    return undefined;
  }

  /** Refuses words that a quarantined memory has: they come back by restoring it, and in no other way. */
  refuseQuarantinedText(memory: Memory, saying: string): void {
    const quarantined = this.saying(saying).some((loaded) => loaded.standing.tier === 'quarantined');
    const isOnRecord = this.#parts.ledgers.evidence.quarantinedSaying(saying) !== undefined;
    if (quarantined || isOnRecord || this.#shortQuarantined(memory) !== undefined) {
      throw new Refusal(
        'was-quarantined',
        'A quarantined memory says this already; restore that one with surety review instead.',
      );
    }
  }

  /**
   * A memory with this saying and no index row, because its writer died before writing one. It is found through the id
   * that its name led to.
   */
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

  /** Whether any file or ledger has, or ever had, this id. */
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
      // Asked first, because most stores have no archive, and listing a missing folder is slow.
      (disk.exists(places.archive) &&
        disk.names(places.archive).some((month) => disk.exists(join(places.archive, month, file))))
    );
  }

  /** Refuses if another file has the id that a quarantined file would get back. */
  refuseTaken({ id, place, stem, digest }: Loaded): void {
    const others: FilePlace[] = [
      { place: 'memories', stem: id },
      { place: 'quarantine', stem: id },
    ];
    const taken = others.some((o) => !(o.place === place && o.stem === stem) && this.#parts.disk.exists(this.path(o)));
    if (taken && this.isCopy({ id, digest }))
      throw new Refusal(
        'id-taken',
        `${id} is verified and says the same as this file; surety doctor puts the copy away.`,
      );
    if (taken)
      throw new Refusal(
        'id-taken',
        `Another text has the place of ${id}. To have this one instead, run surety demote ${id}, which puts the other into quarantine, and then restore this one.`,
      );
  }

  /** Whether a verified memory has this id and exactly this text. */
  isCopy({ id, digest }: { readonly id: string; readonly digest: string | null }): boolean {
    const inUse = this.load({ place: 'memories', stem: id });
    return inUse?.standing.tier === 'verified' && inUse.digest === digest;
  }

  /** The path to write to. Refuses if its folder is missing or a link. */
  writable(spot: FilePlace): string {
    if (!this.#parts.disk.isFolder(this.#parts.places[spot.place])) {
      throw new Refusal(
        'root-unusable',
        `The store’s ${spot.place} folder is missing or a link; nothing was changed. Put the folder back.`,
      );
    }
    return this.path(spot);
  }

  /** Moves a file into quarantine, under its own name or a numbered one if that is taken. */
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

  /** The file with these hints; refused where one holds a secret, or the file has no room for them. */
  #withHints(seen: Loaded, hints: readonly string[]) {
    const bytes = marked(seen, new Map([['asked-as', hints.length === 0 ? null : hints]]));
    const { digest, inspection } = interpret(seen.stem, bytes, this.#parts.checks());
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

  /** Loads the file and writes its index row. */
  indexed(spot: FilePlace): Loaded {
    const loaded = this.written(spot);
    this.index([loaded]);
    return loaded;
  }

  /** Loads the file that was just written. `read` saves parsing if the file still holds those bytes. */
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

  /** Writes the index rows of these files. A failure of the index is ignored, because the next scan adds the rows. */
  index(all: readonly Loaded[]): void {
    const { index, parseCache, rules, complain } = this.#parts;
    const rows = () => all.map((loaded) => rowOf(loaded, rules, parseCache));
    attempt(complain, 'the index could not be updated', () => index.put(rows()));
  }
}

function wordsOf({ body, project }: NewMemory): Pick<Memory, 'body' | 'project'> {
  return { body: Untrusted.of(body), project: project === undefined ? null : Untrusted.of(project) };
}
