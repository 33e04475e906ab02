import { type Check, type Inspection, inspect } from '../../core/checks/inspect.ts';
import { type Subject, subjectOf } from '../../core/memory/inspected-file.ts';
import { digestOf, sayingOf } from '../../core/memory/memory.ts';
import { read } from './format.ts';

/** Everything that follows from a file's name and bytes alone. */
export interface Interpreted {
  readonly subject: Subject;
  readonly digest: string | null;
  readonly saying: string | null;
  readonly inspection: Inspection;
}

export function interpret(stem: string, bytes: Buffer, checks: readonly Check[]): Interpreted {
  const subject = subjectOf(stem, read(bytes), 'found', bytes);
  const { memory } = subject;
  return {
    subject,
    digest: memory === undefined ? null : digestOf(memory),
    saying: memory === undefined ? null : sayingOf(memory.body),
    inspection: inspect(subject, checks),
  };
}
