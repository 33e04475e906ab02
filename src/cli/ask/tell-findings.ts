import type { Finding } from '../../core/finding.ts';
import { Refusal } from '../../core/refusal.ts';
import { sanitize, text } from '../../core/text/safe-text.ts';
import { asDiskRefusal } from '../../store/disk/disk-errors.ts';
import { tell } from '../terminal/print.ts';

/** What `draft` makes; prints why and returns undefined if a check blocks it: no yes could store it. */
export function unlessBlocked<Draft>(draft: () => Draft): Draft | undefined {
  try {
    return draft();
  } catch (error) {
    const blocks = error instanceof Refusal ? error.findings.filter(({ severity }) => severity === 'block') : [];
    if (blocks.length === 0) throw error;
    return tellBlocks(blocks);
  }
}

function tellBlocks(findings: readonly Finding[]): undefined {
  tell(text`A check blocks this text, and no yes can overrule that:`, 'danger');
  for (const { field, message } of findings) {
    tell(text`  ${sanitize(field, 'line')}: ${sanitize(message, 'line')}`, 'danger');
  }
}

/** Prints what is wrong with an edited form, by line. */
export function tellFaults(findings: readonly Finding[]): undefined {
  tell(text`What you saved cannot be read as a memory:`, 'danger');
  for (const { line, message } of findings) tell(text`  line ${line}: ${sanitize(message, 'line')}`, 'danger');
}

/**
 * Prints a refusal that passes, as where another process writes or the disk is full, and returns true. The question is then
 * asked again, because what the person wrote would be lost.
 */
export function tellIfItPasses(thrown: unknown): boolean {
  const refusal = asDiskRefusal(thrown);
  if (!(refusal instanceof Refusal)) return false;
  // Nobody mends another failure, such as a read-only disk, while a question waits. An unfinished yes is on record already.
  const isFull = refusal.code === 'disk-failed' && refusal.message.includes('the disk is full');
  if (refusal.code !== 'lock-busy' && !isFull) return false;
  tell(sanitize(refusal.forPerson, 'line'), 'danger');
  return true;
}
