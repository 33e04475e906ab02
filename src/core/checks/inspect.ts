import type { Finding } from '../finding.ts';
import type { Subject } from '../memory/inspected-file.ts';

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

/** What a person is shown before they say yes; a yes is for these and for nothing else that stands in the file. */
const SHOWN = new Set(['name', 'description', 'tags', 'project', 'body']);

/** Possible secrets that no person has let pass: an unsettled rule, or one met in a comment or key that nobody was shown. */
export function openSecrets(findings: readonly Finding[], settled: ReadonlySet<string>): readonly Finding[] {
  return findings.filter((f) => f.class === 'secret' && !(settled.has(f.rule) && SHOWN.has(f.field)));
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
