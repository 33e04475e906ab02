// Loaded when a lock is first taken: most hooks and many commands take none, and loading the library takes 5 ms.
import { closeSync, openSync, statSync, utimesSync } from 'node:fs';
import lockfile from 'proper-lockfile';
import { removeTicket } from './lock-ticket.ts';

/** Takes the ticket, and gives back how to leave it. Throws ELOCKED where another process has it. */
export async function takeTicket(folder: string, ticket: string, abandonedMs: number): Promise<() => Promise<void>> {
  const release = await lockfile.lock(folder, {
    lockfilePath: ticket,
    stale: abandonedMs,
    update: abandonedMs / 3,
    realpath: false,
    fs: AT_ONCE,
    // The default kills the process. Losing the ticket is harmless: the guard still excludes everyone else.
    onCompromised: () => undefined,
  });
  return () => release().catch(() => undefined);
}

/**
 * Synchronous file calls for the queue: one round through the thread pool takes longer than all of them together. A
 * ticket is a file, because the folder that the library makes by default takes five times as long.
 */
const AT_ONCE = {
  mkdir: atOnce((ticket: string) => closeSync(openSync(ticket, 'wx', 0o600))),
  rmdir: atOnce(removeTicket),
  /** The library calls this when the process exits while holding a ticket. */
  rmdirSync: removeTicket,
  stat: atOnce(statSync),
  utimes: atOnce(utimesSync),
};

type Callback = (error: unknown, value?: unknown) => void;

function atOnce<Args extends unknown[]>(work: (...args: Args) => unknown): (...args: [...Args, Callback]) => void {
  return (...args) => {
    const done = args.pop() as Callback;
    let value: unknown;
    try {
      value = work(...(args as unknown[] as Args));
    } catch (error) {
      done(error);
      return;
    }
    done(null, value);
  };
}
