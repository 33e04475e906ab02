import { type Document, type FieldValue, KNOWN_KEYS } from '../../core/memory/document.ts';
import type { MemoryId } from '../../core/memory/ids.ts';
import { subjectOf } from '../../core/memory/inspected-file.ts';
import { digestOf, sha256 } from '../../core/memory/memory.ts';
import { mergeMemories, same, saysTheSame } from '../../core/sync/merge-memory.ts';
import { QUARANTINE_KEYS, type Tier } from '../../core/trust/tiers.ts';
import type { NewFieldValue } from '../format/edit-frontmatter.ts';
import { read, rewrite } from '../format/format.ts';

/**
 * Merges two versions of a memory's file. Undefined if both changed the same words, or one cannot be read. The merge
 * drops nothing that a person wrote, including comments in the frontmatter.
 */
export function mergeFiles(base: Buffer | undefined, ours: Buffer, theirs: Buffer): Buffer | undefined {
  if (ours.equals(theirs) || base?.equals(theirs)) return ours;
  if (base?.equals(ours)) return theirs;
  const [b, o, t] = [base && documentIn(base), documentIn(ours), documentIn(theirs)];
  if (o === undefined || t === undefined) return undefined;
  const merged = mergeMemories(b, o, t);
  if (merged === 'conflict') return undefined;
  const wanted = { fields: merged.fields, body: merged.body === 'ours' ? o.body : t.body };
  const asOurs = saysTheSame(o, wanted) && !remarksOf(t, [o, b]);
  if (asOurs) return ours;
  if (saysTheSame(t, wanted) && !remarksOf(o, [t, b])) return theirs;
  const [carrier, document, other] = merged.body === 'ours' ? ([ours, o, t] as const) : ([theirs, t, o] as const);
  return remarksOf(other, [document, b]) ? undefined : rewritten(carrier, document, merged.fields);
}

/**
 * Identifies a text of a memory, whatever else its file holds: its digest, or a hash of the bytes if the file cannot be
 * read.
 */
export function textKey(id: MemoryId, bytes: Buffer): string {
  const { memory } = subjectOf(id, read(bytes), 'found');
  return memory === undefined ? `bytes ${sha256(bytes)}` : digestOf(memory);
}

/** The tier that the file claims. */
export function claimOf(id: MemoryId, bytes: Buffer): Tier | undefined {
  return subjectOf(id, read(bytes), 'found').claims.tier;
}

/** Whether a file has a comment, or a key that is not Surety's, which the other file lacks. */
export function saysMore(bytes: Buffer, than: Buffer): boolean {
  const [file, other] = [documentIn(bytes), documentIn(than)];
  if (file === undefined || other === undefined) return !bytes.equals(than);
  const unknown = [...file.fields].filter(([key]) => !KNOWN_KEYS.some((known) => known === key));
  return remarksOf(file, [other]) || unknown.some(([key, value]) => !same(other.fields.get(key), value));
}

/** The file as it goes into quarantine, marked as quarantined; unchanged if it cannot be marked. */
export function parkedFile(theirs: Buffer, at: string, reason: string, machine: string): Buffer {
  try {
    return rewrite(
      theirs,
      new Map([
        ['trust-level', 'quarantined'],
        ['quarantined-at', at],
        ['quarantine-reason', reason],
        ['quarantined-by', machine],
      ]),
    );
  } catch {
    return theirs;
  }
}

/** A parked file as it returns to `memories/`, for a text with a receipt. Undefined if the file cannot be marked. */
export function unparkedFile(parked: Buffer): Buffer | undefined {
  try {
    const gone = QUARANTINE_KEYS.map((key) => [key, null] as const);
    return rewrite(parked, new Map<string, string | null>([['trust-level', 'verified'], ...gone]));
  } catch {
    return undefined;
  }
}

function documentIn(bytes: Buffer): Document | undefined {
  const reading = read(bytes);
  return reading.kind === 'document' ? reading.document : undefined;
}

function rewritten(carrier: Buffer, document: Document, wanted: ReadonlyMap<string, FieldValue>): Buffer | undefined {
  const changes = new Map<string, NewFieldValue>();
  for (const key of new Set([...document.fields.keys(), ...wanted.keys()])) {
    const value = wanted.get(key);
    if (same(document.fields.get(key), value)) continue;
    // A change to null means removal, so an empty value cannot be written.
    if (value === null) return undefined;
    changes.set(key, value ?? null);
  }
  try {
    return rewrite(carrier, changes);
  } catch {
    return undefined;
  }
}

/** Whether a frontmatter has a comment that none of the others has. */
function remarksOf({ remarks }: Document, others: readonly (Document | undefined)[]): boolean {
  const known = new Set(others.flatMap((other) => other?.remarks ?? []).map(({ text }) => text));
  return remarks.some(({ text }) => !known.has(text));
}
