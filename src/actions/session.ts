import { join } from 'node:path';
import { Refusal } from '../core/refusal.ts';
import { Disk } from '../store/disk/disk.ts';
import { asDiskRefusal } from '../store/disk/disk-errors.ts';
import { openToLook, openVault } from '../store/open.ts';
import type { Places } from '../store/places/places.ts';
import { refuseMissing, refuseStranger } from '../store/places/refuse-root.ts';
import {
  glanceOver,
  isWorthAGlance,
  lookOnce,
  lookOver,
  type Notice,
  reconcile,
} from '../store/reconcile/reconcile.ts';
import { AuditLog } from '../store/records/audit-log.ts';
import type { Vault } from '../store/vault/vault.ts';
import { settlePlaces } from './resolve-places.ts';

/** One process at work on one store: a server's session, or a command. */
export interface Session {
  readonly vault: Vault;
  readonly audit: AuditLog;
  /** Proposals this process has made; the budget is per process. */
  proposals: number;
  /** There while the first look at the files goes on, and ends with it. */
  looking?: Promise<void> | undefined;
  /** Ends as soon as what was there before, and what came since, can be found; with the whole look at the latest. */
  readonly findable?: Promise<void>;
}

/** A look at a store, with what was noticed on the way. */
export interface Look extends Session {
  /** Files that are not served, and why. */
  readonly notices: readonly Notice[];
}

type Complain = (line: string) => void;
const toStderr: Complain = (line) => process.stderr.write(`${line}\n`);

/** Opens the store and takes in what happened to its files while nobody looked. */
export async function openSession(root: string | undefined): Promise<Session> {
  const session = await beginSession(root);
  await session.looking;
  return session;
}

/**
 * The same as soon as something can be found, while the files are still looked at: a store that this machine has never
 * seen takes minutes to read. Whoever writes waits until that is over.
 */
export async function beginSession(root: string | undefined): Promise<Session> {
  const session = await opened(root);
  const { vault } = session;
  const glanced = isWorthAGlance(vault) ? glanceOver(vault).then(noLonger, noLonger) : undefined;
  const looking = Promise.resolve(glanced).then(() => firstLook(session));
  const begun: Session = { ...session, findable: glanced ?? looking };
  begun.looking = looking.finally(() => {
    begun.looking = undefined;
  });
  // Whoever waits for it hears of a failure; a call that failed before it could wait must not end the process.
  begun.looking.catch(noLonger);
  return begun;
}

/** What a glance missed or failed at, the look behind it will not. */
function noLonger(): void {}

async function opened(root: string | undefined, lockWait?: number): Promise<Session> {
  const places = settlePlaces(root);
  const disk = new Disk();
  refuseStranger(places, disk);
  const wait = lockWait === undefined ? {} : { lockWait };
  const vault = await openVault(places, { disk, complain: toStderr, ...wait });
  return { vault, audit: auditOf(places, toStderr), proposals: 0 };
}

async function firstLook(session: Session): Promise<void> {
  try {
    await lookOnce(session.vault, () => takeInFiles(session, toStderr));
    tellTroubles(session.vault, toStderr);
  } catch (thrown) {
    const error = asDiskRefusal(thrown);
    // Reading goes on: every file is judged when it is served, whether or not it could be written down.
    if (!(error instanceof Refusal)) throw error;
    toStderr(`surety: the folders could not be looked over: ${error.message}`);
  }
}

/** Takes in what happened to the files, and says which are not as they should be. */
export async function takeInFiles({ vault, audit }: Session, complain: Complain): Promise<void> {
  const { notices } = await reconcile(vault);
  recordPutBack(audit, notices);
  tellNotices(notices, ['added', 'removed'], complain);
}

/** What was done without anybody asking for it is on record. */
export function recordPutBack(audit: AuditLog, notices: readonly Notice[]): void {
  if (notices.some(({ kind }) => kind === 'ledger-put-back'))
    audit.record({ channel: 'reconcile', action: 'put-back-ledger', outcome: 'accepted' });
}

/** The same for a command that makes no store: refuses where there is none, or one that cannot be read. */
export async function openStore(root: string | undefined): Promise<Session> {
  refuseMissing(settlePlaces(root), new Disk());
  return openSession(root);
}

/** The same without a look at the files, for a command that sees for itself whether anything happened to them. */
export async function openUnlooked(root: string | undefined, lockWait: number): Promise<Session> {
  refuseMissing(settlePlaces(root), new Disk());
  return opened(root, lockWait);
}

/**
 * Opens a store that is there, to tell about it. Creates and changes nothing but the search index; what has to be written
 * down about files that changed is left to whoever opens it to work with it.
 */
export function openLook(root: string | undefined, complain: Complain = toStderr): Promise<Look> {
  return looked(root, complain, lookOver);
}

/** The same with a glance at the files, for whoever shows a few of them and reads those anew. */
export function openGlance(root: string | undefined): Promise<Look> {
  return looked(root, toStderr, glanceOver);
}

async function looked(root: string | undefined, complain: Complain, look: typeof lookOver): Promise<Look> {
  const places = settlePlaces(root);
  const disk = new Disk();
  refuseStranger(places, disk);
  const vault = openToLook(places, { disk, complain });
  const { notices } = await look(vault);
  const news = ['added', 'changed', 'removed'];
  tellNotices(notices, news, complain);
  tellTroubles(vault, complain);
  const notable = notices.filter(({ kind }) => !news.includes(kind));
  return { vault, audit: auditOf(places, complain), proposals: 0, notices: notable };
}

/** A store full of broken files must not bury everything else. */
const MOST_TOLD = 20;

export function auditOf(places: Places, complain: Complain): AuditLog {
  return new AuditLog(join(places.state, 'audit.ndjson'), () => new Date(), complain);
}

function tellNotices(notices: readonly Notice[], except: readonly string[], complain: Complain): void {
  const notable = notices.filter(({ kind }) => !except.includes(kind));
  for (const { kind, stem, what } of notable.slice(0, MOST_TOLD)) complain(`surety: ${kind}: ${stem}: ${what}`);
  const more = notable.length - MOST_TOLD;
  if (more > 0) complain(`surety: ${more} more files are not as they should be`);
}

function tellTroubles(vault: Vault, complain: Complain): void {
  for (const { advice } of vault.reports()) if (advice !== '') complain(`surety: ${advice}`);
}
