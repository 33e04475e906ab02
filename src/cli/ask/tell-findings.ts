import type { Finding } from '../../core/finding.ts';
import { sanitize, text } from '../../core/text/safe-text.ts';
import { tell } from '../terminal/print.ts';

/** Prints why a text cannot be stored. */
export function tellBlocks(findings: readonly Finding[]): undefined {
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
