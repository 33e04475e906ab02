import type { Evidence } from './evidence.ts';

/** Whether a person erased this memory, on a machine that counts here, and nobody has restored a file of it since. */
export function isStillErased(id: string, evidence: Evidence): boolean {
  return evidence.isErased(id) && evidence.heads(id).some(({ to }) => to === 'quarantined');
}
