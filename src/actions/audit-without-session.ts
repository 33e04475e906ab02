import { join } from 'node:path';
import { Refusal } from '../core/refusal.ts';
import { Disk } from '../store/disk/disk.ts';
import { type AuditEntry, AuditLog, withoutYes } from '../store/records/audit-log.ts';
import { placesForRoot } from './places-for-root.ts';

/** Records that a command ran where no person could be asked. */
export function recordTurnedAway(root: string | undefined, action: string): void {
  recordWhereUsed(root, { channel: 'terminal', action, outcome: 'refused', reason: 'needs-person' });
}

/** Records that an agent's tool call was refused, and why; its input is not kept. */
export function recordViolation(root: string | undefined, tool: string, reason: string): void {
  recordWhereUsed(root, { channel: 'hook', action: 'pre-tool-use', outcome: 'refused', reason, input: { tool } });
}

export type SetupAnswer = 'yes' | 'no' | 'left';

/** Records how a person answered about registering or unregistering Surety. */
export function recordSetup(root: string | undefined, action: string, answer: SetupAnswer): void {
  const how = answer === 'yes' ? ({ outcome: 'accepted' } as const) : withoutYes(answer === 'no');
  recordWhereUsed(root, { channel: 'terminal', action, ...how });
}

/**
 * Records without opening the store, and only in a store this machine already uses: a first write there would count as
 * choosing the store (`refuseStranger`).
 */
function recordWhereUsed(root: string | undefined, entry: AuditEntry): void {
  try {
    const { state } = placesForRoot(root);
    if (!new Disk().exists(state)) return;
    const audit = new AuditLog(
      join(state, 'audit.ndjson'),
      () => new Date(),
      () => {},
    );
    audit.record(entry);
  } catch (error) {
    // Without a store there is no audit log.
    if (!(error instanceof Refusal)) throw error;
  }
}
