import { inspect } from '../../core/checks/inspect.ts';
import { isHalfReworded } from '../../core/ledger/standing.ts';
import type { Document } from '../../core/memory/document.ts';
import { subjectOf } from '../../core/memory/inspected-file.ts';
import { digestOf, type Memory, sayingOf } from '../../core/memory/memory.ts';
import { Refusal } from '../../core/refusal.ts';
import { read, rewrite } from '../format/format.ts';
import type { Inside } from './inside-of-vault.ts';
import type { Loaded } from './loaded-memory.ts';
import { cleaned, type MadeFile, type NewMemory } from './new-memory.ts';
import { vouchedText } from './put-back-vouched.ts';

/** A stored memory in the words a person gave it, with all else as it was, before anything is written. */
export interface RewordedFile extends Omit<MadeFile, 'subject'> {
  readonly memory: Memory;
  readonly document: Document | undefined;
}

/** The memory in other words; refused where its type would change, or a quarantined memory says this already. */
export function reworded({ checks, files }: Inside, { id, bytes, memory }: Loaded, asked: NewMemory): RewordedFile {
  if (memory === undefined)
    throw new Refusal(
      'unreadable-file',
      'There is no memory in this file that could be reworded; write it with surety add.',
    );
  const { type, name, description, tags = null, project = null, anchors = null, askedAs = null, body } = cleaned(asked);
  if (type !== memory.type) throw anotherType(memory.type);
  // Anchors and hints that the wording leaves out stay as they are.
  const hints = {
    ...(asked.anchors === undefined ? {} : { anchors }),
    ...(asked.askedAs === undefined ? {} : { 'asked-as': askedAs }),
  };
  const changes = new Map([...Object.entries({ name, description, tags, project, ...hints })]);
  let changed: Buffer;
  try {
    changed = rewrite(bytes, changes, body);
  } catch {
    throw new Refusal('checks-failed', 'The text is too large for a memory; shorten it or split it into several.');
  }
  const subject = subjectOf(id, read(changed), 'proposal');
  const inspection = inspect(subject, checks());
  if (subject.memory === undefined)
    throw new Refusal('checks-failed', 'There is no memory in this text; see the findings.', inspection.findings);
  const saying = sayingOf(subject.memory);
  files.refuseQuarantinedText(subject.memory, saying);
  const { document } = subject;
  return { bytes: changed, memory: subject.memory, document, digest: digestOf(subject.memory), saying, inspection };
}

function anotherType(type: string): Refusal {
  const message = `The type stays ${type}: the memory keeps its id, which begins with it.`;
  return new Refusal('checks-failed', message, [
    { class: 'format', rule: 'type-stays', severity: 'block', field: 'type', line: 1, message },
  ]);
}

/**
 * Writes the words that a person's recorded yes is for, if a kill left the file with the words before. It needs no new yes.
 * Undefined if there is nothing to finish, or this machine has no copy of the words. The caller holds the lock.
 */
export function finishRewording(inside: Inside, seen: Loaded): Loaded | undefined {
  const { files, disk } = inside;
  const now = files.unchanged(seen);
  const { standing } = now;
  if (!('receipt' in standing) || !isHalfReworded(standing, now.digest)) return undefined;
  const vouched = vouchedText(inside, now.stem, standing.receipt.digest ?? '');
  if (vouched === undefined) return undefined;
  disk.replace(files.writable(now), vouched.bytes);
  return files.indexed(now);
}
