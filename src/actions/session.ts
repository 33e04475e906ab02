import { join } from 'node:path';
import { Refusal } from '../core/refusal.ts';
import { noticeFor } from '../core/text/display-width.ts';
import { Checkout } from '../store/checkout/checkout.ts';
import { Disk } from '../store/disk/disk.ts';
import { asDiskRefusal } from '../store/disk/disk-errors.ts';
import { openToLook, openVault } from '../store/open-vault.ts';
import type { Places } from '../store/places/places.ts';
import { refuseGone, refuseMissing, refuseStranger } from '../store/places/refuse-root.ts';
import {
  mayScanNamesOnly,
  type Notice,
  noticeLine,
  reconcile,
  scanOnce,
  updateIndex,
  updateIndexByNames,
} from '../store/reconcile/reconcile.ts';
import { AuditLog } from '../store/records/audit-log.ts';
import type { Vault } from '../store/vault/vault.ts';
import { compareFound } from './contradictions.ts';
import { placesForRoot } from './places-for-root.ts';

/** One process that works on one store: a server or a command. */
export interface Session {
  readonly vault: Vault;
  readonly audit: AuditLog;
  /** Proposals this process has made; the budget is per process. */
  proposals: number;
  /** Resolves when the first scan of the files is done; undefined after that. */
  scanning?: Promise<void> | undefined;
  /** Resolves once the index is searchable, at the latest with `scanning`. */
  readonly findable?: Promise<void>;
  /** The repository that this session works in, for looking at anchors. */
  checkout?: Checkout | undefined;
}

/** A store opened for reading, and what the scan noticed. */
export interface ReadSession extends Session {
  /** Files that are not served, and why. */
  readonly notices: readonly Notice[];
}

type Complain = (line: string) => void;
const toStderr: Complain = (line) => process.stderr.write(`${noticeFor(process.stderr, line)}\n`);

/** Opens the store and records what happened to its files since the last scan. */
export async function openSession(root: string | undefined): Promise<Session> {
  const session = await beginSession(root);
  await session.scanning;
  return session;
}

/**
 * Opens the store while its files are still scanned, because a store that is new to this machine takes minutes to read.
 * Writers wait for the scan. `beforeScan` is called with a promise of whether this process has scanned every file.
 */
export async function beginSession(
  root: string | undefined,
  beforeScan: (session: Session, scanned: Promise<boolean>) => void = ignore,
): Promise<Session> {
  const session = await opened(root);
  const { vault } = session;
  const { promise: scanned, resolve } = Promise.withResolvers<boolean>();
  beforeScan(session, scanned);
  const byNames = mayScanNamesOnly(vault) ? updateIndexByNames(vault).then(ignore, ignore) : undefined;
  const whole = Promise.resolve(byNames).then(() => firstScan(session));
  whole.then(resolve, () => resolve(false));
  const scanning = whole.then(ignore);
  const begun: Session = { ...session, findable: byNames ?? scanning };
  begun.scanning = scanning.finally(() => {
    begun.scanning = undefined;
  });
  // Callers that await the scan see its failure; without a handler here an unawaited failure would end the process.
  begun.scanning.catch(ignore);
  return begun;
}

/** Ignores a failed scan of the names, because the full scan after it covers everything. */
function ignore(): void {}

async function opened(root: string | undefined, lockWait?: number): Promise<Session> {
  const places = placesForRoot(root);
  const disk = new Disk();
  refuseStranger(places, disk);
  refuseGone(places, disk);
  const wait = lockWait === undefined ? {} : { lockWait };
  const vault = await openVault(places, { disk, complain: toStderr, ...wait });
  return { vault, audit: auditOf(places, toStderr), proposals: 0, checkout: Checkout.at() };
}

async function firstScan(session: Session): Promise<boolean> {
  try {
    const isWhole = await scanOnce(session.vault, () => takeInFiles(session, toStderr));
    tellTroubles(session.vault, toStderr);
    return isWhole;
  } catch (thrown) {
    const error = asDiskRefusal(thrown);
    // Reading continues, because each file is judged when it is served, recorded or not.
    if (!(error instanceof Refusal)) throw error;
    toStderr(`surety: the folders could not be looked over: ${error.message}`);
    return false;
  }
}

/** Records what happened to the files, and prints which ones have problems. */
export async function takeInFiles({ vault, audit }: Session, complain: Complain): Promise<void> {
  const { notices, fresh } = await reconcile(vault);
  recordPutBack(audit, notices);
  tellNotices(notices, ['added', 'removed'], complain);
  await compareFound({ vault }, fresh);
}

/** A repair that nobody asked for goes into the audit log. */
export function recordPutBack(audit: AuditLog, notices: readonly Notice[]): void {
  if (notices.some(({ kind }) => kind === 'ledger-put-back'))
    audit.record({ channel: 'reconcile', action: 'put-back-ledger', outcome: 'accepted' });
}

/** Refuses a store whose folder is gone since it was opened: its search would say that there are no memories. */
export function refuseMovedAway({ vault }: Session): void {
  refuseGone(vault.places, new Disk());
}

/** Like `openSession`, but refuses a missing or unreadable store instead of creating it. */
export async function openStore(root: string | undefined): Promise<Session> {
  refuseMissing(placesForRoot(root), new Disk());
  return openSession(root);
}

/** Like `openStore` without a scan, for a command that checks for changed files itself. */
export async function openUnscanned(root: string | undefined, lockWait: number): Promise<Session> {
  refuseMissing(placesForRoot(root), new Disk());
  return opened(root, lockWait);
}

/**
 * Opens an existing store for reading. Writes nothing but the search index; changed files are recorded by the next
 * session that writes. Without `tellMissing` the caller says itself how many memories are missing.
 */
export function openForReading(
  root: string | undefined,
  complain: Complain = toStderr,
  { tellMissing = true } = {},
): Promise<ReadSession> {
  return openedAndScanned(root, complain, updateIndex, tellMissing);
}

/** Like `openForReading` with a scan of the names only, for what reads the few files again that it shows. */
export function openByNames(root: string | undefined, complain: Complain = toStderr): Promise<ReadSession> {
  return openedAndScanned(root, complain, updateIndexByNames);
}

async function openedAndScanned(
  root: string | undefined,
  complain: Complain,
  scan: typeof updateIndex,
  tellMissing = true,
): Promise<ReadSession> {
  const places = placesForRoot(root);
  const disk = new Disk();
  refuseStranger(places, disk);
  const vault = openToLook(places, { disk, complain });
  const { notices } = await scan(vault);
  const news = ['added', 'changed', 'removed'];
  tellNotices(notices, news, complain);
  tellTroubles(vault, complain, tellMissing);
  const notable = notices.filter(({ kind }) => !news.includes(kind));
  return {
    vault,
    audit: auditOf(places, complain),
    proposals: 0,
    notices: notable,
    checkout: Checkout.at(),
  };
}

/** At most 20 notices, because a store full of broken files would bury everything else. */
const MOST_TOLD = 20;

export function auditOf(places: Places, complain: Complain): AuditLog {
  return new AuditLog(join(places.state, 'audit.ndjson'), () => new Date(), complain);
}

function tellNotices(notices: readonly Notice[], except: readonly string[], complain: Complain): void {
  const notable = notices.filter(({ kind }) => !except.includes(kind));
  for (const each of notable.slice(0, MOST_TOLD)) complain(noticeLine(each));
  const more = notable.length - MOST_TOLD;
  if (more > 0) complain(`surety: ${more} more files are not as they should be`);
}

/** What is said wherever memories are missing. */
export function missingLine(count: number): string {
  const what = count === 1 ? 'The file of 1 memory is' : `The files of ${count} memories are`;
  return `${what} missing or damaged. surety doctor puts back what it can, in a terminal of yours.`;
}

function tellTroubles(vault: Vault, complain: Complain, tellMissing = true): void {
  const { keyTrouble } = vault;
  if (keyTrouble !== undefined) {
    complain(`surety: ${keyTrouble.message}`);
    keyTrouble.wasTold = true;
  }
  for (const { advice } of vault.reports()) if (advice !== '') complain(`surety: ${advice}`);
  const missing = tellMissing ? vault.missing.all().length : 0;
  if (missing > 0) complain(`surety: ${missingLine(missing)}`);
}
