import { type Check, type Inspection, inspect, inspectAll } from '../../core/checks/inspect.ts';
import { type InspectedFile, subjectOf } from '../../core/memory/inspected-file.ts';
import { digestOf, type Memory, sayingOf } from '../../core/memory/memory.ts';
import { type Masks, masksAcross } from '../../core/secrets/detect.ts';
import { reveal, Untrusted } from '../../core/text/safe-text.ts';
import { read } from './format.ts';

/** Everything that follows from a file's name and bytes alone. */
export interface Interpreted {
  readonly subject: InspectedFile;
  readonly digest: string | null;
  readonly saying: string | null;
  readonly inspection: Inspection;
  /** Where the file may hold secrets, one entry for each text of `textsOf`; undefined where no check looked. */
  readonly masks?: readonly Masks[] | undefined;
}

export function interpret(stem: string, bytes: Buffer, checks: readonly Check[]): Interpreted {
  const subject = subjectOf(stem, read(bytes), 'found', bytes);
  return interpreted(subject, inspect(subject, checks));
}

/** `interpret` for many files, which takes less time for each. */
export function interpretAll<File extends { readonly stem: string; readonly bytes: Buffer }>(
  files: readonly File[],
  checks: readonly Check[],
): ReadonlyMap<File, Interpreted> {
  const subjects = files.map(({ stem, bytes }) => subjectOf(stem, read(bytes), 'found', bytes));
  const inspections = inspectAll(subjects, checks);
  const readings = new Map<File, Interpreted>();
  for (const [i, file] of files.entries()) {
    const [subject, inspection] = [subjects[i], inspections[i]];
    if (subject && inspection) readings.set(file, interpreted(subject, inspection));
  }
  return readings;
}

function interpreted(subject: InspectedFile, inspection: Inspection): Interpreted {
  const { memory } = subject;
  return {
    subject,
    ...hashesOf(subject),
    inspection,
    masks: memory && inspection.findings.some((f) => f.class === 'secret') ? masksOf(memory) : undefined,
  };
}

export function hashesOf({ memory }: InspectedFile): Pick<Interpreted, 'digest' | 'saying'> {
  return memory === undefined ? { digest: null, saying: null } : { digest: digestOf(memory), saying: sayingOf(memory) };
}

/** The texts of a memory that are served, each with its field. */
export function textsOf({ name, description, tags, project, anchors, body }: Memory) {
  return [
    { field: 'name', text: name },
    { field: 'description', text: description },
    { field: 'body', text: body },
    { field: 'project', text: project ?? Untrusted.of('') },
    ...(tags ?? []).map((tag) => ({ field: 'tags', text: tag })),
    ...(anchors ?? []).flat().map((anchor) => ({ field: 'anchors', text: anchor })),
  ];
}

export function masksOf(memory: Memory): readonly Masks[] {
  return masksAcross(textsOf(memory).map(({ field, text }) => ({ field, text: reveal(text) })));
}
