import * as fs from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../disk/disk-errors.ts';
import { openGuard } from '../disk/lock.ts';
import { isTicket, removeTicket } from '../disk/lock-ticket.ts';
import { openUnlinked } from '../disk/open-unlinked.ts';
import { randomHex } from '../disk/random.ts';
import { readableNames } from '../disk/reading-disk.ts';
import { KEY_FILE } from '../ledger/machine-key.ts';
import type { Places } from '../places/places.ts';

/** Half-written files and tickets last a moment; after this long they are abandoned. */
const ABANDONED_MS = 600_000;
const ABANDONED_TICKET_MS = 60_000;
const OTHERS = 0o077;

/** This machine's own folders and files that others may read or write. Windows has no such bits. */
export function openToOthers({ root, config, state, cache }: Places): string[] {
  if (process.platform === 'win32') return [];
  const files = ['machines.json', 'config.json', KEY_FILE].map((name) => join(config, name));
  const records = readableNames(state).map((name) => join(state, name));
  return [root, config, state, cache, ...files, ...records].filter((path) => {
    const stat = fs.lstatSync(path, { throwIfNoEntry: false });
    return stat !== undefined && (stat.isFile() || stat.isDirectory()) && (stat.mode & OTHERS) !== 0;
  });
}

/** Folders whose rights are not checked on Windows: it has access lists, which Node does not read. */
export function rightsUnread({ root, config }: Places, platform: NodeJS.Platform = process.platform): string[] {
  return platform === 'win32' ? [root, config] : [];
}

/** Removes others' rights from the path itself, never from a link's target. */
export function closeToOthers(path: string): void {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
  const fd = openUnlinked(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0, process.platform);
  try {
    fs.fchmodSync(fd, fs.fstatSync(fd).mode & 0o777 & ~OTHERS);
  } finally {
    fs.closeSync(fd);
  }
}

/** Folders that exist and cannot be written: nothing new can be stored, recorded or remembered. */
export function notWritable(places: Places): string[] {
  const { memories, quarantine, ledger, guard, config, state } = places;
  return [memories, quarantine, ledger, guard, config, state].filter((folder) => {
    if (!fs.existsSync(folder)) return false;
    try {
      fs.accessSync(folder, fs.constants.W_OK | fs.constants.X_OK);
      return false;
    } catch {
      return true;
    }
  });
}

/** Folders that a store needs and lacks. */
export function missingFolders({ memories, quarantine, ledger }: Places): string[] {
  return [memories, quarantine, ledger].filter((folder) => !fs.existsSync(folder));
}

/** What an interrupted write, or a page closed too early, left behind. */
export function leftovers(places: Places, now: number): string[] {
  const { root, memories, quarantine, ledger, config, state } = places;
  const folders = [root, memories, quarantine, ledger, config, state, join(state, 'vouched'), join(state, 'ledgers')];
  return folders
    .flatMap((folder) =>
      readableNames(folder)
        .filter(isLeftover)
        .map((name) => join(folder, name)),
    )
    .filter((path) => isAbandoned(path, now, ABANDONED_MS));
}

function isLeftover(name: string): boolean {
  return /^\.tmp-[0-9a-f]{16}$/.test(name) || name === 'open-review.html';
}

export function removeLeftover(path: string): void {
  fs.unlinkSync(path);
}

/** The state of the lock's folder: fine, with an abandoned ticket, or with something that is not ours. */
export function lockState({ guard }: Places, now: number): 'fine' | 'abandoned' | 'foreign' {
  const ticket = fs.lstatSync(ticketOf(guard), { throwIfNoEntry: false });
  const database = fs.lstatSync(join(guard, 'guard.db'), { throwIfNoEntry: false });
  if (ticket !== undefined && !(isTicket(ticket) && readableNames(ticketOf(guard)).length === 0)) return 'foreign';
  if (database !== undefined && !(database.isFile() && database.nlink === 1)) return 'foreign';
  return ticket !== undefined && isAbandoned(ticketOf(guard), now, ABANDONED_TICKET_MS) ? 'abandoned' : 'fine';
}

/** Tries the lock and leaves nothing behind; the system's error code where that fails, else undefined. */
export function lockRefusal({ guard }: Places): string | undefined {
  try {
    if (fs.existsSync(guard)) tryLock(guard);
    else {
      fs.mkdirSync(guard, { mode: 0o700 });
      fs.rmdirSync(guard);
    }
    return undefined;
  } catch (error) {
    // Another process is writing, or has just made the folder: so the lock can be taken.
    if (/^(?:SQLITE_BUSY|EEXIST|ENOTEMPTY)/.test(codeOf(error))) return undefined;
    return codeOf(error) || 'unknown';
  }
}

function tryLock(guard: string): void {
  const probe = join(guard, `.tmp-${randomHex(8)}`);
  fs.closeSync(fs.openSync(probe, 'wx', 0o600));
  fs.unlinkSync(probe);
  const database = join(guard, 'guard.db');
  if (!fs.existsSync(database)) return;
  const db = openGuard(database);
  try {
    db.exec('BEGIN IMMEDIATE; ROLLBACK');
  } finally {
    db.close();
  }
}

/** Removes the ticket if nobody has renewed it meanwhile. */
export function removeAbandonedTicket({ guard }: Places, now: number): void {
  if (isAbandoned(ticketOf(guard), now, ABANDONED_TICKET_MS)) removeTicket(ticketOf(guard));
}

function ticketOf(guard: string): string {
  return join(guard, 'queue');
}

/** Gives the key another name, where nobody looks for it; a new one is made at the next start. */
export function putKeyAside({ config }: Places): void {
  const path = join(config, KEY_FILE);
  if (fs.lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  fs.renameSync(path, join(config, `${KEY_FILE}.was-${randomHex(4)}`));
}

function isAbandoned(path: string, now: number, after: number): boolean {
  const changed = fs.lstatSync(path, { throwIfNoEntry: false })?.mtimeMs;
  return changed !== undefined && now - changed > after;
}
