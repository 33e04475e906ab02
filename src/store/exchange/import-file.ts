import { refuseBlocked } from '../../core/checks/enforce.ts';
import { blockingMessages, inspect } from '../../core/checks/inspect.ts';
import { standingOf } from '../../core/ledger/standing.ts';
import { type Reading, textOf } from '../../core/memory/document.ts';
import { type MemoryId, parseId, typeOfId } from '../../core/memory/ids.ts';
import { subjectOf } from '../../core/memory/inspected-file.ts';
import { digestOf, type Memory, sayingOf } from '../../core/memory/memory.ts';
import { Refusal } from '../../core/refusal.ts';
import { dateOf, parseTimestamp, timestamp } from '../../core/trust/clocks.ts';
import { UserConsent } from '../../core/trust/consent.ts';
import { QUARANTINE_KEYS } from '../../core/trust/tiers.ts';
import { read, rewrite } from '../format/format.ts';
import { authorizeNew, type NewFile, writeNew } from '../vault/create.ts';
import { insideOf } from '../vault/inside-of-vault.ts';
import type { Writer } from '../vault/ledger-entries.ts';
import type { FilePlace, Loaded } from '../vault/loaded-memory.ts';
import type { Vault } from '../vault/vault.ts';

/** A memory file from elsewhere. Its text stays byte for byte; its claims about its own standing count for nothing. */
export interface ImportedFile {
  readonly bytes: Buffer;
  /** The file's name at its source. Kept as the id where it is valid and free, because the digest covers the id. */
  readonly stem: string | undefined;
  /** The time of writing, for a file that does not state one. */
  readonly modified: number;
  /** The scope for a file that names none. */
  readonly project: string | undefined;
}

/** What the store would do with the arrival. */
export type ImportPlan =
  | {
      readonly kind: 'new';
      readonly newFile: NewFile;
      readonly memory: Memory;
      /** A memory with an equal body under another name. */
      readonly sameBody: string | undefined;
    }
  | { readonly kind: 'here'; readonly id: string }
  /** The ledger knows exactly this text under this id, and its file is gone: it returns with its old standing. */
  | { readonly kind: 'returns'; readonly newFile: NewFile; readonly memory: Memory };

export type ImportResult =
  | { readonly kind: 'new' | 'returned'; readonly loaded: Loaded }
  | { readonly kind: 'here'; readonly id: string };

/** Examines an arrival without storing it. Refuses it where a check blocks it, or its text was quarantined before. */
export function planImport(vault: Vault, arrival: ImportedFile, tier: 'verified' | 'inferred'): ImportPlan {
  insideOf(vault).ledgers.refresh();
  return planLocked(vault, arrival, tier);
}

function planLocked(vault: Vault, arrival: ImportedFile, tier: 'verified' | 'inferred'): ImportPlan {
  const { evidence } = vault;
  const { files } = insideOf(vault);
  const file = arrived(vault, arrival, tier);
  const wished = arrival.stem === undefined ? undefined : parseId(arrival.stem);
  const sight = subjectOf(wished ?? ANY_ID, file.reading, 'found').memory;
  if (sight === undefined) throw noMemory(vault, wished ?? ANY_ID, file);

  const saying = sayingOf(sight);
  const said = files.saying(saying);
  const alive = said.filter(({ standing }) => standing.tier !== 'quarantined');
  const same = alive.find((other) => isSame(sight, other));
  if (same !== undefined) return { kind: 'here', id: same.id };
  if (said.length > alive.length || evidence.quarantinedSaying(saying) !== undefined) {
    // A person has taken over this text in their own words, under that id.
    if (alive[0] !== undefined) return { kind: 'here', id: alive[0].id };
    throw quarantinedBefore();
  }

  const own = wished !== undefined && typeOfId(wished) === sight.type ? wished : undefined;
  const digest = digestOf(sight);
  if (own !== undefined && isMissing(vault, own, digest)) {
    const standing = standingOf({ id: own, place: 'memories', claim: 'verified', digest, saying }, evidence);
    if (standing.tier === 'quarantined') throw quarantinedBefore();
    return { kind: 'returns', ...importedFile(vault, own, arrived(vault, arrival, standing.tier)) };
  }
  const free = own !== undefined && !files.isTaken(own);
  const id = free ? own : vault.freeId(sight.type, nameIn(file.reading));
  return { kind: 'new', ...importedFile(vault, id, file), sameBody: alive[0]?.id };
}

/** Stores an arrival, as inferred or with a person's yes for exactly it. */
export function importFile(vault: Vault, arrival: ImportedFile, by: Writer | UserConsent): Promise<ImportResult> {
  return vault.exclusively((): ImportResult => {
    const inside = insideOf(vault);
    const plan = planLocked(vault, arrival, UserConsent.isGenuine(by) ? 'verified' : 'inferred');
    if (plan.kind === 'here') return plan;
    const { newFile } = plan;
    if (plan.kind === 'new') {
      return { kind: 'new', loaded: writeNew(inside, authorizeNew(inside, 'import', newFile, by)) };
    }
    // Not recorded, because the ledger already says what this file stands for.
    const spot: FilePlace = { place: 'memories', stem: newFile.id };
    inside.disk.create(inside.files.writable(spot), newFile.bytes);
    return { kind: 'returned', loaded: inside.files.indexed(spot) };
  });
}

/** For checking a text that has no id yet; never in a file or a ledger. */
const ANY_ID = 'reference_arrival';

interface Arrived {
  readonly bytes: Buffer;
  readonly reading: Reading;
}

/** The file as it would be stored. It changes only keys that a store owns, and the scope where there is none. */
function arrived(vault: Vault, arrival: ImportedFile, tier: 'verified' | 'inferred'): Arrived {
  const { bytes, modified, project } = arrival;
  const reading = read(bytes);
  if (reading.kind === 'unreadable') return { bytes, reading };
  const now = vault.now();
  const field = (key: string) => textOf(reading.document.fields.get(key)) || undefined;
  const made = parseTimestamp(field('created-at') ?? '');
  const changes = new Map<string, string | null>([
    ...(project !== undefined && !reading.document.fields.get('project') ? ([['project', project]] as const) : []),
    ['source-machine', field('source-machine') ?? vault.self.machine],
    // A file cannot be made after now, even if it or its mtime says so.
    ['created-at', timestamp(Math.min(made ?? modified, now))],
    ['trust-level', tier],
    ['last-verified', tier === 'verified' ? dateOf(now) : null],
    ...QUARANTINE_KEYS.map((key) => [key, null] as const),
  ]);
  try {
    const marked = rewrite(bytes, changes);
    return { bytes: marked, reading: read(marked) };
  } catch {
    throw new Refusal('unreadable-file', 'There is no room in its frontmatter for what has to be noted; shorten it.');
  }
}

function importedFile(vault: Vault, id: MemoryId, { bytes, reading }: Arrived) {
  const subject = subjectOf(id, reading, 'found', bytes);
  const inspection = inspect(subject, insideOf(vault).checks());
  refuseBlocked(inspection);
  const { memory } = subject;
  if (memory === undefined) throw new Refusal('checks-failed', 'There is no memory in this file.', inspection.findings);
  const [digest, saying] = [digestOf(memory), sayingOf(memory)];
  return { newFile: { id, bytes, subject, digest, saying, inspection, replaces: null }, memory };
}

/** The checks' findings as a refusal. */
function noMemory(vault: Vault, stem: string, { bytes, reading }: Arrived): Refusal {
  const { findings } = inspect(subjectOf(stem, reading, 'found', bytes), insideOf(vault).checks());
  return new Refusal('checks-failed', `There is no memory in it. ${blockingMessages(findings)}`.trim(), findings);
}

/** Whether the ledger knows this text under this id and its file is gone, unless a person removed it. */
function isMissing(vault: Vault, id: MemoryId, digest: string): boolean {
  const { evidence } = vault;
  return evidence.firstSeen(id, digest) !== undefined && !evidence.isErased(id) && !insideOf(vault).files.hasFile(id);
}

/** Equal in every part but the id. */
function isSame(memory: Memory, other: Loaded): boolean {
  return digestOf({ ...memory, id: other.id }) === other.digest;
}

function nameIn(reading: Reading): string {
  return reading.kind === 'document' ? (textOf(reading.document.fields.get('name')) ?? '') : '';
}

function quarantinedBefore(): Refusal {
  return new Refusal('was-quarantined', 'This text was quarantined here before; a person can restore it.');
}
