import { homedir } from 'node:os';
import { join } from 'node:path';
import { AuditLog } from '../store/audit-log.ts';
import { accountHome, resolvePlaces } from '../store/layout.ts';
import { openVault } from '../store/open.ts';
import { reconcile } from '../store/reconcile.ts';
import type { Vault } from '../store/vault.ts';

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
  const places = resolvePlaces({
    root,
    env: process.env,
    home: homedir(),
    account: accountHome(),
    platform: process.platform,
  });
  const vault = await openVault(places, { complain });
  const audit = new AuditLog(join(places.state, 'audit.ndjson'), () => new Date(), complain);
  const { notices } = await reconcile(vault);
  for (const { kind, stem, what } of notices) {
    if (kind !== 'added' && kind !== 'removed') complain(`surety: ${kind}: ${stem}: ${what}`);
  }
  return { vault, audit, proposals: 0 };
}
