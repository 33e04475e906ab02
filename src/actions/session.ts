import { join } from 'node:path';
import { Refusal } from '../core/refusal.ts';
import { AuditLog } from '../store/audit-log.ts';
import { Disk } from '../store/disk.ts';
import { openVault } from '../store/open.ts';
import { reconcile } from '../store/reconcile.ts';
import { refuseStranger } from '../store/stranger.ts';
import type { Vault } from '../store/vault.ts';
import { settlePlaces } from './places.ts';

/** One process at work on one store: a server's session, or a command. */
export interface Session {
  readonly vault: Vault;
  readonly audit: AuditLog;
  /** Proposals this process has made; the budget is per process. */
  proposals: number;
}

/** Opens the store and takes in what happened to its files while nobody looked. */
export async function openSession(root: string | undefined): Promise<Session> {
  const complain = (line: string) => process.stderr.write(`${line}\n`);
  const places = settlePlaces(root);
  const disk = new Disk();
  refuseStranger(places, disk);
  const vault = await openVault(places, { disk, complain });
  const audit = new AuditLog(join(places.state, 'audit.ndjson'), () => new Date(), complain);
  try {
    const { notices } = await reconcile(vault);
    for (const { kind, stem, what } of notices) {
      if (kind !== 'added' && kind !== 'removed') complain(`surety: ${kind}: ${stem}: ${what}`);
    }
  } catch (error) {
    // Reading goes on: every file is judged when it is served, whether or not it could be written down.
    if (!(error instanceof Refusal)) throw error;
    complain(`surety: the folders could not be looked over: ${error.message}`);
  }
  for (const { advice } of vault.parts.ledgers.reports()) if (advice !== '') complain(`surety: ${advice}`);
  return { vault, audit, proposals: 0 };
}
