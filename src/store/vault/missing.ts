import type { Evidence } from '../../core/ledger/evidence.ts';
import { KeySet, keyOf } from '../../core/ledger/hash-index.ts';
import { vouches } from '../../core/ledger/heads.ts';
import type { LedgerTrust } from '../../core/ledger/statement.ts';
import { type MemoryId, parseId } from '../../core/memory/ids.ts';
import { interpret } from '../format/interpret.ts';
import { assess, type Loaded } from './loaded-memory.ts';
import type { MemoryFiles } from './memory-files.ts';
import type { VaultParts } from './vault-parts.ts';

/** A memory that should exist according to the ledgers, and whose file is gone or unreadable. */
export interface Missing {
  readonly id: MemoryId;
  /** The tier that the ledgers would give it if its file existed. */
  readonly tier: 'verified' | 'inferred';
  /** The digest of the vouched text, else of the text that was seen last; null if no ledger has one. */
  readonly digest: string | null;
  /** When that text was vouched for or seen. */
  readonly at: number | undefined;
  /** Whether the file exists and holds no readable memory. */
  readonly damaged: boolean;
}

type IsAsked = (ledger: LedgerTrust) => boolean;

/** Collects what one scan of the folders meets. */
export interface ScanForMissing {
  met(stem: string): void;
  /** Reports an unreadable file. Returns true if it counts as missing, because its text can be put back. */
  damaged(id: MemoryId): boolean;
  /** Returns which memories were not met. */
  end(): UnmetMemories;
}

/** Memories that the ledgers have alive and whose files were not met, by who names them: this machine, or another one. */
export interface UnmetMemories {
  readonly own: readonly MemoryId[];
  readonly others: readonly MemoryId[];
}

/**
 * Finds missing memories: those that this machine's own ledger names, and those that another machine vouches for and this
 * one has a copy of. Without a copy the file may never have come here. They are determined at the end of each scan, and
 * checked against the files whenever they are asked for.
 */
export class MissingMemories {
  readonly #parts: VaultParts;
  readonly #files: MemoryFiles;
  #ids: readonly MemoryId[] = [];
  /** Texts that git has, by their digest. To search for them takes a while, so what was found is kept for `load`. */
  readonly #inGit = new Map<string, Buffer>();

  constructor(parts: VaultParts, files: MemoryFiles) {
    this.#parts = parts;
    this.#files = files;
  }

  /**
   * Only the key of each name is kept, because 100,000 names would take too much memory. In a store of that size one
   * missing file in 40,000 shares its key with another and goes unnoticed.
   */
  scan(): ScanForMissing {
    const met = new KeySet();
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
        const { evidence } = this.#parts.ledgers;
        const unmet = this.#named((isAsked) => evidence.idsBesides(isAsked, met));
        this.#determine(unmet, damaged);
        return unmet;
      },
    };
  }

  /** Takes over what an earlier scan has not met, if the files are still those; `since` are the ids that ledgers name since then. */
  takeUp(before: UnmetMemories, since: (isAsked: IsAsked) => Iterable<string>): void {
    const now = this.#named(since);
    this.#determine({ own: [...before.own, ...now.own], others: [...before.others, ...now.others] }, []);
  }

  #named(idsOf: (isAsked: IsAsked) => Iterable<string>): UnmetMemories {
    const { ledgers, key } = this.#parts;
    const isOwn = ({ fingerprint }: LedgerTrust) => fingerprint === key.fingerprint;
    const named = (isAsked: IsAsked) => [...idsOf(isAsked)].flatMap((name) => parseId(name) ?? []);
    const isVerified = (id: MemoryId) => lastText(ledgers.evidence, id).tier === 'verified';
    return {
      own: named(isOwn).filter((id) => isAlive(ledgers.evidence, id)),
      others: named((ledger) => ledger.raises && !isOwn(ledger)).filter(isVerified),
    };
  }

  #determine({ own, others }: UnmetMemories, damaged: readonly MemoryId[]): void {
    const here = own.filter((id) => this.#isMissing(id));
    const elsewhere = others.filter((id) => this.#wasVerifiedHere(id));
    this.#ids = [...new Set([...here, ...elsewhere, ...damaged])].sort();
  }

  all(): Missing[] {
    return this.#ids.flatMap((id) => this.one(id) ?? []);
  }

  one(id: MemoryId): Missing | undefined {
    const damaged = this.#isDamaged(id);
    if (!damaged && !this.#isMissing(id)) return undefined;
    return { id, damaged, ...lastText(this.#parts.ledgers.evidence, id) };
  }

  /** A missing memory whose last text says this. The index has its row until the next scan. */
  saying(saying: string): Missing | undefined {
    const { ledgers, index } = this.#parts;
    const gone = index.saying(saying).flatMap(({ id }) => (id === null ? [] : (parseId(id) ?? [])));
    return [...gone, ...this.#ids]
      .flatMap((id) => this.one(id) ?? [])
      .find(({ id, digest }) => ledgers.evidence.of(id).some((s) => s.digest === digest && s.saying === saying));
  }

  /** The memory as it would be if its file were back; without a text if no copy is known. */
  load(name: string): Loaded | undefined {
    const id = parseId(name);
    const missing = id && this.one(id);
    if (id === undefined || missing === undefined) return undefined;
    const { ledgers, checks, disk } = this.#parts;
    const bytes = this.keptText(missing) ?? this.#gitText(missing) ?? Buffer.alloc(0);
    const path = this.#files.path({ place: 'memories', stem: id });
    const stamp = disk.stamp(path) ?? { inode: 0n, size: bytes.length, modified: 0n };
    return assess(
      { place: 'memories', stem: id },
      id,
      { bytes, stamp },
      interpret(id, bytes, checks()),
      ledgers.evidence,
    );
  }

  /** Keeps what git has of missing memories, so that a person can be shown what would come back. */
  keepGitTexts(texts: ReadonlyMap<string, Buffer>): void {
    for (const [name, bytes] of texts) {
      const id = parseId(name);
      const digest = id && this.one(id)?.digest;
      if (digest) this.#inGit.set(digest, bytes);
    }
  }

  /** Where the text of a missing memory would come from, as far as is known; undefined if from nowhere. */
  textFrom(name: string): 'copy' | 'git' | undefined {
    const id = parseId(name);
    const missing = id && this.one(id);
    if (missing === undefined) return undefined;
    if (this.keptText(missing) !== undefined) return 'copy';
    return this.#gitText(missing) === undefined ? undefined : 'git';
  }

  #gitText({ id, digest }: Missing): Buffer | undefined {
    const bytes = digest === null ? undefined : this.#inGit.get(digest);
    return bytes && this.isText(id, digest, bytes) ? bytes : undefined;
  }

  /** Whether the ledgers have the memory alive with another text than this one. */
  hasOtherText(id: string, digest: string | null): boolean {
    const { evidence } = this.#parts.ledgers;
    return isAlive(evidence, id) && lastText(evidence, id).digest !== digest;
  }

  /** This machine's copy of the vouched text, if it still is that text. */
  keptText({ id, digest }: Missing): Buffer | undefined {
    const bytes = digest === null ? undefined : this.#parts.vouched.find(digest);
    return bytes && this.isText(id, digest, bytes) ? bytes : undefined;
  }

  /** Whether these bytes are a file of this memory with exactly that text. */
  isText(id: MemoryId, digest: string | null, bytes: Buffer): boolean {
    return digest !== null && interpret(id, bytes, this.#parts.checks()).digest === digest;
  }

  #isMissing(id: MemoryId): boolean {
    return isAlive(this.#parts.ledgers.evidence, id) && !this.#files.hasFile(id);
  }

  /** Whether the file of a memory that a trusted machine vouches for is gone and was here. */
  #wasVerifiedHere(id: MemoryId): boolean {
    const { disk, vouched, ledgers } = this.#parts;
    const { tier, digest } = lastText(ledgers.evidence, id);
    return tier === 'verified' && digest !== null && disk.exists(vouched.path(digest)) && this.#isMissing(id);
  }

  isDamaged(name: string): boolean {
    const id = parseId(name);
    return id !== undefined && this.#isDamaged(id);
  }

  /**
   * Whether a verified memory's file holds no memory while this machine has its text. Then nobody decided to remove it.
   */
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

/** Whether no decision in force quarantines the memory and no person erased it. */
function isAlive(evidence: Evidence, id: string): boolean {
  return !evidence.heads(id).some((head) => head.to === 'quarantined') && !evidence.isErased(id);
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
