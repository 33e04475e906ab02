/**
 * The milliseconds of CPU time that this takes in its own thread: on a busy machine the clock also counts the time of other
 * processes, and a process counts its collector of garbage.
 */
export function cpuTime(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/**
 * Whether this always takes longer than the limit. It is tried at most five times, because a virtual machine that had to wait
 * for its host counts that time too.
 */
export function isAlwaysSlowerThan(limit: number, work: () => unknown): boolean {
  for (let tries = 0; tries < 5; tries++) if (cpuTime(work) <= limit) return false;
  return true;
}
