import { refuseBlocked } from '../../core/checks/enforce.ts';
import type { Inspection } from '../../core/checks/inspect.ts';
import type { Document } from '../../core/memory/document.ts';
import type { MemoryId } from '../../core/memory/ids.ts';
import { subjectOf } from '../../core/memory/inspected-file.ts';
import type { Memory } from '../../core/memory/memory.ts';
import { Refusal } from '../../core/refusal.ts';
import { read } from '../../store/format/format.ts';
import { type Birth, cleaned, make } from '../../store/vault/new-memory.ts';
import type { Vault } from '../../store/vault/vault.ts';

/** A memory that a person would store, under the id it would have. */
export interface Drafted {
  readonly id: MemoryId;
  readonly memory: Memory;
  readonly document: Document | undefined;
  readonly inspection: Inspection;
}

/** Makes the memory without storing it: what the person is shown is read back from the very bytes of its file. */
export function drafted(vault: Vault, asked: Birth): Drafted {
  const { now, key, checks } = vault.parts;
  const clean = cleaned(asked);
  const id = vault.freeId(clean.type, clean.name);
  const { bytes, inspection } = make(clean, id, 'verified', now(), key.machine, checks);
  refuseBlocked(inspection);
  const { memory, document } = subjectOf(id, read(bytes), 'proposal');
  if (memory === undefined) throw new Refusal('checks-failed', 'There is no memory in this text; see the findings.');
  return { id, memory, document, inspection };
}
