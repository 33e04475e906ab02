/**
 * What the operator's log gets of a bug. A library's message may quote a file, so each character that could steer a terminal is
 * replaced.
 */
export function bugDetails(thrown: unknown): string {
  const details = thrown instanceof Error ? (thrown.stack ?? thrown.message) : typeof thrown;
  return details.replace(/[^\P{C}\n]/gu, '?');
}
