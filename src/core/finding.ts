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

/** What a check saw. The message is our own: it says what is wrong and what to do, and never quotes the text. */
export interface Finding {
  readonly class: FindingClass;
  readonly rule: string;
  readonly severity: Severity;
  readonly field: string;
  readonly line: number;
  /**
   * The stretch of the field's text it is about, in UTF-16 units, so that a person can be shown the piece. Absent if no
   * single stretch can be named. It holds positions, never text.
   */
  readonly span?: Span;
  readonly message: string;
}

export type Span = readonly [start: number, end: number];

export const HOLDS_SECRET = 'it holds a secret';

/** A finding for the operator, without the full stop, because the sentence around it goes on. */
export function inWords({ class: kind, message }: Finding): string {
  return `${kind === 'secret' ? `${HOLDS_SECRET}. ` : ''}${message.replace(/\.$/, '')}`;
}
