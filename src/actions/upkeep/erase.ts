import type { MemoryId } from '../../core/memory/ids.ts';
import { Refusal } from '../../core/refusal.ts';
import type { UserConsent } from '../../core/trust/consent.ts';
import { repositoriesSetAside } from '../../store/git/damage.ts';
import { type Erasable, type Erased, erasable, refuseTrouble, erase as remove } from '../../store/maintenance/erase.ts';
import { recordsElsewhere } from '../../store/maintenance/records-elsewhere.ts';
import { reconcile } from '../../store/reconcile/reconcile.ts';
import { withoutYes } from '../../store/records/audit-log.ts';
import { requestsOf } from '../../store/records/request-queue.ts';
import type { Session } from '../session.ts';

/** Everything there is of a memory. Refuses an id that no file and no ledger names, and a store that cannot record. */
export function toErase(session: Session, id: MemoryId): Erasable {
  refuseTrouble(session.vault);
  const found = erasable(session.vault, id, requestsOf(session.vault));
  if (found.traces.files.length > 0 || session.vault.evidence.knows(id)) return found;
  throw new Refusal('no-such-memory', 'No memory has this id, and no ledger has ever named it; surety list names all.');
}

/** Whether only the index may still hold something of the memory. */
export function isGone({ traces: { files, vouched, request } }: Erasable): boolean {
  return files.length === 0 && vouched.length === 0 && !request;
}

/** Removes a memory and its copies on this machine, and rebuilds the index, which held its words. */
export async function erase(session: Session, shown: Erasable, consent: UserConsent): Promise<Erased> {
  const { vault, audit } = session;
  const erased = await audit.runAndRecord(
    { channel: consent.channel, action: 'erase', id: shown.id },
    () => remove(vault, shown, requestsOf(vault), consent),
    ({ left }) => (left.length > 0 ? { outcome: 'failed', reason: 'disk-failed' } : {}),
  );
  await reconcile(vault);
  return erased;
}

/** Records that the person typed something else than the id, or nothing. */
export function recordSpared({ audit }: Session, { id }: Erasable): void {
  audit.record({ channel: 'terminal', action: 'erase', id, ...withoutYes(false) });
}

/** Folders of this machine that may still have the memory's text. */
export function foldersBeyond({ vault }: Session, id: MemoryId): string[] {
  return [...repositoriesSetAside(vault.places), ...recordsElsewhere(vault, id)];
}
