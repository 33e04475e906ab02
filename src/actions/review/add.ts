import type { Inspection } from '../../core/checks/inspect.ts';
import { LIMITS_OF_A_FILE } from '../../core/memory/document.ts';
import type { MemoryId } from '../../core/memory/ids.ts';
import type { Memory } from '../../core/memory/memory.ts';
import { Refusal } from '../../core/refusal.ts';
import { utf8Text } from '../../core/text/utf8-text.ts';
import type { UserConsent } from '../../core/trust/consent.ts';
import { Disk, WHY_REFUSED } from '../../store/disk/disk.ts';
import { auditInput } from '../../store/records/audit-input.ts';
import { type Attempt, withoutYes } from '../../store/records/audit-log.ts';
import type { Loaded, NewMemory } from '../../store/vault/vault.ts';
import { noteContradictions } from '../contradictions.ts';
import type { Session } from '../session.ts';
import { itemsToReview, type ReviewItem, refuseTooWeak } from './review.ts';

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
  const { keyTrouble } = session.vault;
  if (keyTrouble !== undefined) throw keyTrouble;
  if (!isConfirmedOnPage(session)) refuseTooWeak(session.vault.settings.minimumAssurance);
}

/**
 * Prepares the memory without storing it. Of a text that is not stored the audit log has a keyed hash, and no id: an id is made
 * of the text's own words.
 */
export function draft(session: Session, asked: NewMemory): MemoryDraft {
  return session.audit.recordIfItThrows(attemptWith(session, asked), () => {
    const { id, memory, inspection } = session.vault.draft(asked);
    return { newMemory: { ...asked, id }, memory, inspection, same: sameText(session, asked) };
  });
}

/** Stores the draft with the person's yes for exactly this text. */
export async function add(session: Session, { newMemory }: MemoryDraft, consent: UserConsent): Promise<Loaded> {
  const { loaded } = await session.audit.runAndRecord(
    attemptWith(session, newMemory),
    () => session.vault.create('add', newMemory, consent),
    ({ loaded: { id, digest } }) => ({ id, digest, fingerprint: undefined }),
  );
  await noteContradictions(session, loaded);
  return loaded;
}

/**
 * Stores the draft as inferred, and returns what the page is to ask about. The ledger says that an agent proposed it, because
 * nothing proves yet that a person typed it.
 */
export async function addAsProposal(session: Session, { newMemory }: MemoryDraft): Promise<ReviewItem> {
  const { loaded, kind } = await session.audit.runAndRecord(
    { ...attemptWith(session, newMemory), action: 'propose_memory' },
    () => session.vault.create('propose', newMemory, { actor: 'agent', client: 'surety' }),
    ({ loaded: { id, digest }, kind }) => ({
      id,
      digest,
      fingerprint: undefined,
      outcome: kind === 'created' ? 'accepted' : 'unchanged',
    }),
  );
  if (kind === 'created') await noteContradictions(session, loaded);
  const { id, stem, digest } = loaded;
  const item = itemsToReview(session).find((each) => each.id === id) ?? ({ category: 'chosen', id, stem } as const);
  return kind === 'created' ? { ...item, given: digest } : item;
}

/** Records that the person saw the draft and did not say yes. */
export function recordNotStored(session: Session, { newMemory }: MemoryDraft, isAnswered: boolean): void {
  session.audit.record({ ...attemptWith(session, newMemory), ...withoutYes(isAnswered) });
}

/**
 * The text of a file that the person names. A link is refused, because it could be changed to another file while they
 * read.
 */
export function textOfFile(path: string): string {
  const found = new Disk().read(path, LIMITS_OF_A_FILE.bytes);
  if (found.kind === 'absent') throw new Refusal('unreadable-file', 'There is no such file; check its name.');
  if (found.kind === 'refused') throw new Refusal('unreadable-file', `The file is not read: ${WHY[found.why]}.`);
  const text = utf8Text(found.bytes);
  if (text !== undefined) return text;
  throw new Refusal('unreadable-file', 'The file is not UTF-8 text; save it as UTF-8 and try again.');
}

function attemptWith({ audit }: Session, { type, project, tags, body }: NewMemory): Attempt {
  const input = auditInput({ type, project, tags });
  return { channel: 'terminal', action: 'add', fingerprint: audit.fingerprint(body), input };
}

const WHY = {
  ...WHY_REFUSED,
  symlink: 'it is a symbolic link; name the file itself',
  'hard-link': 'it has a second name (hard link); copy it first',
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
