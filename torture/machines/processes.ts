import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const WITHIN_MS = 15_000;

/** Processes whose home is this folder or lies in it. Other systems than Linux show no environment, and so none. */
export function processesOf(home: string): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) return [];
    try {
      const own = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
      return own.some((each) => each === `HOME=${home}` || each.startsWith(`HOME=${home}/`)) ? [pid] : [];
    } catch {
      // It ended a moment ago, or is somebody else's.
      return [];
    }
  });
}

/** Waits until no process of this home is left; false where one goes on all the same. */
export async function awaitEnd(home: string): Promise<boolean> {
  const until = Date.now() + WITHIN_MS;
  while (processesOf(home).length > 0) {
    if (Date.now() > until) return false;
    await sleep(50);
  }
  return true;
}
