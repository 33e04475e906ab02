import { complain } from './print.ts';

/** Most waits are shorter, and a line about each of them would be noise. */
const AFTER_MS = 1_000;

/**
 * Says on stderr what is waited for, once it has taken a second. Where stderr is no terminal nothing is said, so that
 * what a timer or a pipe collects holds only what happened.
 */
export async function whileWaiting<T>(what: string, work: () => Promise<T>): Promise<T> {
  if (!process.stderr.isTTY) return work();
  const timer = setTimeout(() => complain(`surety: waiting for ${what}`), AFTER_MS);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}

/** The same for a write: another process may hold the lock for as long as fifteen seconds. */
export function whileStoring<T>(work: () => Promise<T>): Promise<T> {
  return whileWaiting('the store; another process may be writing to it', work);
}
