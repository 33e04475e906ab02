import type { Channel } from '../../core/trust/consent.ts';
import type { Loaded } from '../../store/vault/vault.ts';
import type { Session } from '../session.ts';
import { wordingOf } from './adopt.ts';
import { sameHints, sameWording, type Wording } from './edit-form.ts';

/** Whether a person changed nothing but the hints, which needs no yes. A quarantined file is never edited in place. */
export function changesOnlyHints(seen: Loaded, written: Wording): boolean {
  const stored = wordingOf(seen);
  return seen.place === 'memories' && sameWording(written, stored) && !sameHints(written, stored);
}

/** Puts the hints a person wrote in place of those in the file. */
export async function changeHints(session: Session, seen: Loaded, written: Wording, channel: Channel): Promise<void> {
  await session.audit.runAndRecord(
    { channel, action: 'hints', id: seen.id },
    () => session.vault.setHints(seen, written.askedAs ?? []),
    ({ digest }) => ({ digest }),
  );
}

export const HINTS_CHANGED =
  'The ways to ask for it are changed, and nothing else: the text and its tier are as they were.';
