import type { Inspection } from '../../core/checks/inspect.ts';
import { LIMITS_OF_A_FILE } from '../../core/memory/document.ts';
import type { MemoryId } from '../../core/memory/ids.ts';
import type { Memory } from '../../core/memory/memory.ts';
import { Refusal } from '../../core/refusal.ts';
import type { UserConsent } from '../../core/trust/consent.ts';
import { Disk } from '../../store/disk/disk.ts';
import { failureOf } from '../../store/records/audit-log.ts';
import type { Loaded, NewMemory } from '../../store/vault/vault.ts';
import { noteContradictions } from '../contradictions.ts';
import type { Session } from '../session.ts';
import { refuseTooWeak } from './review.ts';

/** A memory that a person wrote, exactly as it would be stored. */
export interface MemoryDraft {
  readonly newMemory: NewMemory & { readonly id: MemoryId };
  readonly memory: Memory;
  readonly inspection: Inspection;
  /** An existing memory with the same text: its id, or that it was quarantined. */
  readonly same: { readonly id: string } | 'quarantined' | undefined;
}

/** Whether the person's yes must come from the page, because only a browser reaches their passkey. */
export function isConfirmedOnPage({ vault }: Session): boolean {
  return vault.settings.minimumAssurance === 4;
}

/** Refuses before the person writes a text that could not be stored. */
export function refuseAdding(session: Session): void {
  if (!isConfirmedOnPage(session)) refuseTooWeak(session.vault.settings.minimumAssurance);
}

/** Prepares the memory without storing it. */
export function draft(session: Session, asked: NewMemory): MemoryDraft {
  return recorded(session, asked.id, () => {
    const { id, memory, inspection } = session.vault.draft(asked);
    return { newMemory: { ...asked, id }, memory, inspection, same: sameText(session, asked) };
  });
}

/** Stores the draft with the person's yes for exactly this text. */
export async function add(session: Session, { newMemory }: MemoryDraft, consent: UserConsent): Promise<Loaded> {
  try {
    const { loaded } = await session.vault.create('add', newMemory, consent);
    await noteContradictions(session, loaded);
    session.audit.record({ ...ATTEMPT, id: loaded.id, outcome: 'accepted', digest: loaded.digest });
    return loaded;
  } catch (error) {
    recordFailure(session, newMemory.id, error);
    throw error;
  }
}

/**
 * Stores the draft as inferred, for the page to ask about. The ledger says that an agent proposed it, because nothing
 * proves yet that a person typed it.
 */
export async function addAsProposal(session: Session, { newMemory }: MemoryDraft): Promise<Loaded> {
  const attempt = { ...ATTEMPT, action: 'propose_memory' } as const;
  try {
    const { loaded, kind } = await session.vault.create('propose', newMemory, { actor: 'agent', client: 'surety' });
    if (kind === 'created') await noteContradictions(session, loaded);
    const outcome = kind === 'created' ? 'accepted' : 'unchanged';
    session.audit.record({ ...attempt, id: loaded.id, outcome, digest: loaded.digest });
    return loaded;
  } catch (error) {
    session.audit.record({ ...attempt, id: newMemory.id, ...failureOf(error) });
    throw error;
  }
}

export function recordDeclined({ audit }: Session, { newMemory }: MemoryDraft): void {
  audit.record({ ...ATTEMPT, id: newMemory.id, outcome: 'declined', reason: 'person-said-no' });
}

/**
 * The text of a file that the person names. A link is refused, because it could be changed to another file while they
 * read.
 */
export function textOfFile(path: string): string {
  const found = new Disk().read(path, LIMITS_OF_A_FILE.bytes);
  if (found.kind === 'absent') throw new Refusal('unreadable-file', 'There is no such file; check its name.');
  if (found.kind === 'refused') throw new Refusal('unreadable-file', `The file is not read: ${WHY[found.why]}.`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(found.bytes);
  } catch {
    throw new Refusal('unreadable-file', 'The file is not UTF-8 text; save it as UTF-8 and try again.');
  }
}

const ATTEMPT = { channel: 'terminal', action: 'add' } as const;
const WHY = {
  symlink: 'it is a symbolic link; name the file itself',
  'hard-link': 'it has a second name (hard link); copy it first',
  'not-a-file': 'it is not a regular file',
  'too-large': 'it is larger than 64 KiB; a memory is at most 5000 characters',
  unreadable: 'it cannot be read; check its permissions',
} as const;

function sameText({ vault }: Session, newMemory: NewMemory): MemoryDraft['same'] {
  try {
    return vault.sameText(newMemory);
  } catch (error) {
    if (error instanceof Refusal && error.code === 'was-quarantined') return 'quarantined';
    throw error;
  }
}

function recorded<T>(session: Session, id: string | undefined, work: () => T): T {
  try {
    return work();
  } catch (error) {
    recordFailure(session, id, error);
    throw error;
  }
}

/** A refused text is not kept. Its id is kept only if the person gave it, or a draft with it had passed the checks. */
function recordFailure({ audit }: Session, id: string | undefined, error: unknown): void {
  audit.record({ ...ATTEMPT, id, ...failureOf(error) });
}
