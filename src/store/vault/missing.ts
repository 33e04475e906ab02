import { type Evidence, vouches } from '../../core/ledger/evidence.ts';
import { keyOf } from '../../core/ledger/hash-index.ts';
import { type MemoryId, parseId } from '../../core/memory/ids.ts';
import { interpret } from '../format/interpret.ts';
import { assess, type Loaded } from './loaded-memory.ts';
import type { MemoryFiles } from './memory-files.ts';
import type { Parts } from './parts.ts';

/** A memory that the ledgers have alive and whose file is gone, or cannot be read any more. */
export interface Missing {
  readonly id: MemoryId;
  /** What the ledgers would have it be if its file were there. */
  readonly tier: 'verified' | 'inferred';
  /** The text a person vouched for, else the one that was seen last; null where no ledger has one. */
  readonly digest: string | null;
  /** When that was. */
  readonly at: number | undefined;
  /** The file is there and nothing can be read in it. */
  readonly damaged: boolean;
}

/** One look through the folders: every file is named while it goes on. */
export interface MissingLook {
  met(stem: string): void;
  /** Of a file in which nothing can be read: true where it counts as missing, because its text can be put back. */
  damaged(id: MemoryId): boolean;
  end(): void;
}

/**
 * Which memories are missing. Only what this machine's own ledger names is looked for: another machine's may name a
 * memory whose file never came here. Found out at the end of each look through the folders, and held against the files
 * again whenever it is asked for.
 */
export class MissingMemories {
  readonly #parts: Parts;
  readonly #files: MemoryFiles;
  #ids: readonly MemoryId[] = [];

  constructor(parts: Parts, files: MemoryFiles) {
    this.#parts = parts;
    this.#files = files;
  }

  /**
   * Files are told apart by the key of their name: a hundred thousand names are never held at once. Of so many files one
   * in forty thousand that are missing shares its key with another and is not noticed.
   */
  look(): MissingLook {
    const met = new Set<number>();
    const damaged: MemoryId[] = [];
    return {
      met: (stem) => {
        met.add(keyOf(stem));
      },
      damaged: (id) => {
        if (!this.#isDamaged(id)) return false;
        damaged.push(id);
        return true;
      },
      end: () => {
        const { ledgers, key } = this.#parts;
        const named = ledgers.evidence.idsBesides(key.fingerprint, met);
        const gone = named.flatMap((name) => parseId(name) ?? []).filter((id) => this.#isMissing(id));
        this.#ids = [...gone, ...damaged].sort();
      },
    };
  }

  all(): Missing[] {
    return this.#ids.flatMap((id) => this.one(id) ?? []);
  }

  one(id: MemoryId): Missing | undefined {
    const damaged = this.#isDamaged(id);
    if (!damaged && !this.#isMissing(id)) return undefined;
    return { id, damaged, ...lastText(this.#parts.ledgers.evidence, id) };
  }

  /** The memory as it would be read if its file were back; without a text where this machine has kept none. */
  load(name: string): Loaded | undefined {
    const id = parseId(name);
    const missing = id && this.one(id);
    if (id === undefined || missing === undefined) return undefined;
    const { ledgers, checks, disk } = this.#parts;
    const bytes = this.keptText(missing) ?? Buffer.alloc(0);
    const path = this.#files.path({ place: 'memories', stem: id });
    const stamp = disk.stamp(path) ?? { inode: 0n, size: bytes.length, modified: 0n };
    return assess(
      { place: 'memories', stem: id },
      id,
      { bytes, stamp },
      interpret(id, bytes, checks),
      ledgers.evidence,
    );
  }

  /** The copy this machine keeps of the vouched text, where it still is that text. */
  keptText({ id, digest }: Missing): Buffer | undefined {
    const bytes = digest === null ? undefined : this.#parts.vouched.find(digest);
    return bytes && this.isText(id, digest, bytes) ? bytes : undefined;
  }

  /** Whether these bytes are a file of this memory with exactly that text. */
  isText(id: MemoryId, digest: string | null, bytes: Buffer): boolean {
    return digest !== null && interpret(id, bytes, this.#parts.checks).digest === digest;
  }

  #isMissing(id: MemoryId): boolean {
    return isAlive(this.#parts.ledgers.evidence, id) && !this.#files.hasFile(id);
  }

  isDamaged(name: string): boolean {
    const id = parseId(name);
    return id !== undefined && this.#isDamaged(id);
  }

  /** A verified memory whose file holds no memory, while this machine has the text: nobody decided that it should go. */
  #isDamaged(id: MemoryId): boolean {
    const { evidence } = this.#parts.ledgers;
    if (!isAlive(evidence, id)) return false;
    const { tier, digest, at } = lastText(evidence, id);
    if (tier !== 'verified') return false;
    const file = this.#files.load({ place: 'memories', stem: id });
    if (file === undefined || file.digest !== null) return false;
    return this.keptText({ id, tier, digest, at, damaged: true }) !== undefined;
  }
}

/** No decision in force has put it away, and nobody has erased it. */
function isAlive(evidence: Evidence, id: string): boolean {
  return (
    !evidence.heads(id).some((head) => head.to === 'quarantined') &&
    !evidence.of(id).some((statement) => statement.action === 'erased')
  );
}

function lastText(evidence: Evidence, id: string): Pick<Missing, 'tier' | 'digest' | 'at'> {
  const heads = evidence.heads(id);
  const [first] = heads;
  if (first !== undefined && heads.every((head) => vouches(head) && head.digest === first.digest)) {
    return { tier: 'verified', digest: first.digest, at: first.at };
  }
  const seen = evidence.of(id).filter((statement) => statement.digest !== null);
  const last = seen.reduce((a, b) => (a !== undefined && a.at > b.at ? a : b), seen[0]);
  return { tier: 'inferred', digest: last?.digest ?? null, at: last?.at };
}
