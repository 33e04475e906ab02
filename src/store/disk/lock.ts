import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '../../core/refusal.ts';
import { HELD_OPEN } from './disk.ts';
import { adviceOn, codeOf, diskTrouble, isShortage } from './disk-errors.ts';
import { loadTicketTaking } from './load-ticket-taking.ts';
import { removeTicket } from './lock-ticket.ts';
import { RenewedFile } from './renewed-file.ts';
import { openSqlite, type Sqlite, type SqlStatement } from './sqlite.ts';

/** A writer waits at most 15 s for the lock; then it fails. */
const WAIT_MS = 15_000;
/** A queue ticket that was not renewed for 3 s belongs to a dead process. */
const ABANDONED_MS = 3_000;
/** A process keeps its turn for at most 60 ms while more of its own work waits, because other processes wait too. */
const TURN_MS = 60;

interface Guard {
  readonly db: Sqlite;
  /** Prepared statements: every write runs between `begin` and `end`. */
  readonly begin: SqlStatement;
  readonly end: SqlStatement;
  /** Undefined where the opened file may not be the one at the path. */
  readonly inode: bigint | undefined;
}

interface Waiter {
  readonly run: () => void;
  readonly refuse: (error: unknown) => void;
}

/**
 * One writer at a time, across all processes. The lock file is only the queue: several waiters can take over an
 * abandoned ticket at once. SQLite's write lock excludes, and the system frees it when its holder dies. Work is
 * synchronous and short, so a turn hardly outlives its ticket.
 */
export class Lock {
  readonly #folder: string;
  readonly #wait: number;
  readonly #waiting: Waiter[] = [];
  #draining = false;
  #guard: Guard | undefined;

  constructor(folder: string, wait = WAIT_MS) {
    this.#folder = folder;
    this.#wait = wait;
  }

  /**
   * Runs `work` while no other process, and no other caller in this one, is inside. `wait` is in milliseconds, for a
   * caller that cannot wait the usual time.
   */
  hold<T>(work: () => T, wait?: number): Promise<T> {
    return new Promise<T>((resolve, refuse) => {
      const run = () => {
        clearTimeout(timer);
        try {
          resolve(work());
        } catch (error) {
          refuse(error);
        }
      };
      const waiter = { run, refuse };
      const leave = () => {
        const place = this.#waiting.indexOf(waiter);
        if (place === -1) return;
        this.#waiting.splice(place, 1);
        refuse(busy());
      };
      const timer = wait === undefined ? undefined : setTimeout(leave, wait);
      this.#waiting.push(waiter);
      if (!this.#draining) void this.#drain();
    });
  }

  close(): void {
    this.#guard?.db.close();
    this.#guard = undefined;
  }

  async #drain(): Promise<void> {
    this.#draining = true;
    while (this.#waiting.length > 0) {
      // Calls that arrive together share a turn; the event loop runs between two turns.
      await setImmediate();
      try {
        await this.#turn();
      } catch (error) {
        // Every waiter gets this error, and may try again.
        for (const waiter of this.#waiting.splice(0)) waiter.refuse(error);
      }
    }
    this.#draining = false;
  }

  async #turn(): Promise<void> {
    const deadline = performance.now() + this.#wait;
    const leave = await this.#takeTicket(deadline);
    try {
      const guard = await this.#enter(deadline);
      try {
        const end = performance.now() + TURN_MS;
        do this.#waiting.shift()?.run();
        while (this.#waiting.length > 0 && performance.now() < end);
      } finally {
        guard.end.run();
      }
    } finally {
      await leave();
    }
  }

  async #takeTicket(deadline: number): Promise<() => Promise<void>> {
    const ticket = join(this.#folder, 'queue');
    const renewed = new RenewedFile(ticket);
    const { takeTicket } = await loadTicketTaking();
    for (;;) {
      try {
        return await takeTicket(this.#folder, ticket, ABANDONED_MS);
      } catch (error) {
        if (codeOf(error) === 'ELOCKED') {
          if (renewed.isAbandoned(ABANDONED_MS)) removeAbandoned(ticket);
        }
        // Another waiter mistook our new ticket for the old one and removed it; or the whole folder is gone.
        else if (codeOf(error) === 'ENOENT') this.#makeFolder();
        // Windows keeps a removed ticket's name while somebody has it open.
        else if (process.platform !== 'win32' || !HELD_OPEN.includes(codeOf(error)) || performance.now() > deadline)
          throw closed(error);
        await pause(deadline);
      }
    }
  }

  /** `git clean` can remove the ignored folder. Only the folder itself is made: a store that is gone stays gone. */
  #makeFolder(): void {
    try {
      mkdirSync(this.#folder, { mode: 0o700 });
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw closed(error);
    }
  }

  async #enter(deadline: number): Promise<Guard> {
    for (;;) {
      try {
        const guard = this.#openGuard();
        guard.begin.run();
        if (this.#isInPlace()) return guard;
        guard.end.run();
        this.close();
      } catch (error) {
        if (!codeOf(error).startsWith('SQLITE_BUSY')) {
          const moved = this.#guard !== undefined && !this.#isInPlace();
          this.close();
          if (codeOf(error) === 'ENOENT') this.#makeFolder();
          else if (!moved) throw closed(error);
        }
      }
      await pause(deadline);
    }
  }

  get #guardPath(): string {
    return join(this.#folder, 'guard.db');
  }

  #openGuard(): Guard {
    if (this.#guard === undefined) {
      // The first opening only creates the file: its identity is certain only if it existed before and after.
      if (inodeOf(this.#guardPath) === undefined) openSqlite(this.#guardPath, 0).close();
      const before = inodeOf(this.#guardPath);
      const db = openGuard(this.#guardPath);
      const after = inodeOf(this.#guardPath);
      const inode = before === after ? after : undefined;
      this.#guard = { db, begin: db.prepare('BEGIN IMMEDIATE'), end: db.prepare('ROLLBACK'), inode };
    }
    return this.#guard;
  }

  /** False when the guard was deleted or replaced since it was opened: others would lock another file. */
  #isInPlace(): boolean {
    return this.#guard?.inode !== undefined && this.#guard.inode === inodeOf(this.#guardPath);
  }
}

/** Opens the database by whose write lock writers exclude one another. */
export function openGuard(path: string): Sqlite {
  const db = openSqlite(path, 0);
  // Emptying the journal after each turn is quicker than deleting it. It still needs room on the disk at the next turn.
  db.pragma('journal_mode = TRUNCATE');
  // Otherwise the empty journal would be flushed. Nothing is ever stored in this database.
  db.pragma('synchronous = OFF');
  return db;
}

/** Removes an abandoned ticket; the next try takes a new one. */
function removeAbandoned(ticket: string): void {
  try {
    removeTicket(ticket);
  } catch {
    // Another process removed it first, or it is no ticket; then the wait ends in a refusal.
  }
}

async function pause(deadline: number): Promise<void> {
  if (performance.now() > deadline) throw busy();
  await sleep(5 + Math.random() * 25);
}

function busy(): Refusal {
  return new Refusal(
    'lock-busy',
    'Another process is writing to this store; nothing was changed. Try again in a few seconds.',
  );
}

function closed(error: unknown): Refusal {
  return new Refusal('disk-failed', `The store’s lock cannot be taken: ${whyClosed(error)}. Nothing was changed.`);
}

function whyClosed(error: unknown): string {
  const code = codeOf(error);
  if (['ENOSPC', 'EDQUOT', 'SQLITE_FULL'].includes(code)) return 'the disk is full; make room';
  if (code === 'EROFS' || code.startsWith('SQLITE_READONLY')) return 'the disk is read-only';
  if (code === 'ENOENT') return 'the store’s folder is gone; put it back';
  if (isShortage(error)) return `${diskTrouble(error)}. ${adviceOn(error)}`;
  return `its folder .surety cannot be written, or queue or guard.db in it is not ours (${code}); surety doctor tells more`;
}

function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}
