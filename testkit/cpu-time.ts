/** The milliseconds of CPU time that this takes: on a busy machine the clock also counts the time of other processes. */
export function cpuTime(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
