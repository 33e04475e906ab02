import { type Inspection, openSecrets, unsettled } from '../../core/checks/inspect.ts';
import type { Evidence } from '../../core/ledger/evidence.ts';
import { type Place, type Standing, standingOf } from '../../core/ledger/standing.ts';
import type { MemoryId } from '../../core/memory/ids.ts';
import type { Memory } from '../../core/memory/memory.ts';
import { type Masks, masked } from '../../core/secrets/detect.ts';
import { reveal, Untrusted } from '../../core/text/safe-text.ts';
import type { Stamp } from '../disk/disk.ts';
import { type Interpreted, masksOf, textsOf } from '../format/interpret.ts';

/** Where a memory's file is. In quarantine the stem can be the id with a suffix `~2`, `~3` … */
export interface FilePlace {
  readonly place: Place;
  readonly stem: string;
}

/**
 * One file as it is on the disk, with the standing that it has earned. A caller that changes the file passes this back
 * as what it saw.
 */
export interface Loaded extends FilePlace, Interpreted {
  readonly id: MemoryId;
  readonly bytes: Buffer;
  readonly stamp: Stamp;
  /** Undefined if the file holds no memory. */
  readonly memory: Memory | undefined;
  /** The memory as it may be served: possible secrets that no person has accepted are masked. */
  readonly shown: Memory | undefined;
  readonly standing: Standing;
  /**
   * Suspicious findings that no person has settled for this text. The memory stays searchable, and is never
   * auto-loaded.
   */
  readonly held: readonly string[];
  /** Whether a check blocks the memory. It is then not served, wherever its file is. */
  readonly withheld: boolean;
  /** When a ledger that counts first saw exactly this text. */
  readonly firstSeen: number | undefined;
  /** When a person said no to exactly this text; undefined where nobody did, or somebody vouched for it since. */
  readonly declinedAt: number | undefined;
}

/**
 * The digest that an entry names when a person puts other words in the place of this text. Undefined for a text that may
 * hold a secret, because ledgers travel and a plain hash lets anybody try what the secret is.
 */
export function digestBefore({
  digest,
  memory,
  shown,
}: Pick<Loaded, 'digest' | 'memory' | 'shown'>): string | undefined {
  return shown === memory ? (digest ?? undefined) : undefined;
}

/** Computes everything that follows from a file and the ledgers' evidence. */
export function assess(
  spot: FilePlace,
  id: MemoryId,
  { bytes, stamp }: Pick<Loaded, 'bytes' | 'stamp'>,
  { subject, digest, saying, inspection, masks }: Interpreted,
  evidence: Evidence,
): Loaded {
  const { memory } = subject;
  const standing = standingOf({ id, place: spot.place, claim: subject.claims.tier, digest, saying }, evidence);
  const settled = evidence.settled(id, digest);
  return {
    ...spot,
    id,
    bytes,
    stamp,
    subject,
    memory,
    shown:
      memory && openSecrets(inspection.findings, settled).length > 0
        ? withoutSecrets(memory, masks ?? masksOf(memory))
        : memory,
    digest,
    saying,
    standing,
    inspection,
    masks,
    held: heldBy(standing, inspection, settled),
    withheld: inspection.blocked,
    firstSeen: digest === null ? undefined : evidence.firstSeen(id, digest),
    declinedAt: digest === null ? undefined : evidence.declinedAt(id, digest),
  };
}

/** A person's yes accepts suspicious findings. A check that could not finish holds the memory in any case. */
function heldBy(
  { tier }: Standing,
  { findings, crashed }: Inspection,
  settled: ReadonlySet<string>,
): readonly string[] {
  return tier === 'inferred' || crashed.length > 0 ? unsettled(findings, settled) : [];
}

function withoutSecrets(memory: Memory, masks: readonly Masks[]): Memory {
  const { name, description, tags, project, anchors, body } = memory;
  const clean = textsOf(memory).map(({ text }, i) => Untrusted.of(masked(reveal(text), masks[i] ?? [])));
  let next = 4 + (tags ?? []).length;
  const at = (index: number, instead: Untrusted) => clean[index] ?? instead;
  return {
    ...memory,
    name: at(0, name),
    description: at(1, description),
    body: at(2, body),
    project: project === null ? null : at(3, project),
    tags: tags === null ? null : tags.map((tag, i) => at(4 + i, tag)),
    anchors: anchors === null ? null : anchors.map((anchor) => anchor.map((part) => at(next++, part))),
  };
}
