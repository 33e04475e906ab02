import { join } from 'node:path';
import { Refusal } from '../core/refusal.ts';
import { Disk } from '../store/disk/disk.ts';
import { type AuditEntry, AuditLog } from '../store/records/audit-log.ts';
import { settlePlaces } from './resolve-places.ts';

/** Puts on record that a command was started where no person could be asked. */
export function recordTurnedAway(root: string | undefined, action: string): void {
  recordWhereUsed(root, { channel: 'terminal', action, outcome: 'refused', reason: 'needs-person' });
}

/** Puts on record that an agent's tool was turned away, and why; what it was about to do is not kept. */
export function recordTrespass(root: string | undefined, tool: string, reason: string): void {
  recordWhereUsed(root, { channel: 'hook', action: 'pre-tool-use', outcome: 'refused', reason, input: { tool } });
}

/** Puts on record what came of asking a person to register Surety with a client, or to take that back. */
export function recordSetup(root: string | undefined, action: string, outcome: 'accepted' | 'declined'): void {
  recordWhereUsed(root, { channel: 'terminal', action, outcome });
}

/**
 * Puts something on record without opening the store. Only in one this machine uses already: writing there for the first
 * time would count as having chosen it (`refuseStranger`).
 */
function recordWhereUsed(root: string | undefined, entry: AuditEntry): void {
  try {
    const { state } = settlePlaces(root);
    if (!new Disk().exists(state)) return;
    const audit = new AuditLog(
      join(state, 'audit.ndjson'),
      () => new Date(),
      () => {},
    );
    audit.record(entry);
  } catch (error) {
    // No store to keep a record in.
    if (!(error instanceof Refusal)) throw error;
  }
}
