/** `block`: cannot be stored or served. `hold`: kept, never auto-loaded. `warn`, `info`: shown. */
export type Severity = 'block' | 'hold' | 'warn' | 'info';

export const CLASSES = [
  'structure',
  'format',
  'secret',
  'personal',
  'injection',
  'hidden',
  'semantics',
  'check',
] as const;
export type FindingClass = (typeof CLASSES)[number];

/** What a check saw. The message is ours: it says what is wrong and what to do, and never repeats what was found. */
export interface Finding {
  readonly class: FindingClass;
  readonly rule: string;
  readonly severity: Severity;
  readonly field: string;
  readonly line: number;
  /**
   * Which stretch of the field's own text it is about, in UTF-16 units from its beginning, so that a person can be shown the
   * very piece; absent where no one stretch can be named. A place and a length, never what stands there.
   */
  readonly span?: Span;
  readonly message: string;
}

export type Span = readonly [start: number, end: number];
