import type { Document, Reading } from '../memory/document.ts';
import type { MemoryId } from '../memory/ids.ts';
import type { Claims, Memory } from '../memory/memory.ts';

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

/** One memory as the checks see it: parsed as far as it could be. */
export interface Subject {
  /** A proposal can still be corrected by who sends it; a found file is somebody's work and is judged more mildly. */
  readonly origin: 'proposal' | 'found';
  readonly stem: string;
  readonly id: MemoryId | undefined;
  readonly reading: Reading;
  readonly document: Document | undefined;
  readonly memory: Memory | undefined;
  readonly claims: Claims;
  /** The whole text of a file that could not be taken apart, as far as it can be told; it may still hold a secret. */
  readonly raw?: string;
}

/** What a check must catch and must let pass, as whole files; a test runs every one of them. */
export interface Evidence {
  readonly rule: string;
  readonly catches: readonly string[];
  readonly allows: readonly string[];
}

/** A family of rules. To add one: write the value, put it in `CHECKS`; its evidence is tested from then on. */
export interface Check {
  readonly name: string;
  readonly evidence: readonly Evidence[];
  run(subject: Subject): Iterable<Finding>;
}

export interface Inspection {
  readonly findings: readonly Finding[];
  /** A check that threw decided nothing, so nothing may rest on it. */
  readonly crashed: readonly string[];
  readonly blocked: boolean;
}

/** Runs every check. Bad content is a finding and never an exception; a check's own bug is a finding too. */
export function inspect(subject: Subject, checks: readonly Check[]): Inspection {
  const findings: Finding[] = [];
  const crashed: string[] = [];
  for (const check of checks) {
    try {
      findings.push(...check.run(subject));
    } catch {
      crashed.push(check.name);
      findings.push({
        class: 'check',
        rule: `${check.name}-crashed`,
        severity: 'hold',
        field: 'file',
        line: 1,
        message: `The ${check.name} check could not finish on this text; nothing is decided until it can. Please report it.`,
      });
    }
  }
  return { findings, crashed, blocked: findings.some((f) => f.severity === 'block') };
}

/** Rules whose hold findings no receipt for this text has settled. */
export function unsettled(findings: readonly Finding[], settled: ReadonlySet<string>): readonly string[] {
  const rules = findings.filter((f) => f.severity === 'hold' && !settled.has(f.rule)).map((f) => f.rule);
  return [...new Set(rules)];
}

/** The validation spec's exit codes: structure 1, format 2 (and secrets), anything to mention 3, clean 0. */
export type VerdictCode = 0 | 1 | 2 | 3;

export function verdictCode(findings: readonly Finding[]): VerdictCode {
  const blocks = findings.filter((f) => f.severity === 'block');
  if (blocks.some((f) => f.class === 'structure')) return 1;
  if (blocks.length > 0) return 2;
  return findings.some((f) => f.severity === 'hold' || f.severity === 'warn') ? 3 : 0;
}

/** For several files at once: any failure is 1, as the validation spec has it; else 3 if anything warned. */
export function overallCode(codes: readonly VerdictCode[]): VerdictCode {
  if (codes.some((code) => code === 1 || code === 2)) return 1;
  return codes.includes(3) ? 3 : 0;
}
