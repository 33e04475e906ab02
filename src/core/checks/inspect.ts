import type { Finding } from '../finding.ts';
import type { InspectedFile } from '../memory/inspected-file.ts';

/** Files that a check must catch and files it must let pass. A test runs all of them. */
export interface CheckEvidence {
  readonly rule: string;
  readonly catches: readonly string[];
  readonly allows: readonly string[];
}

/** A family of rules. To add one, write the value and put it in `CHECKS`; a test then covers its evidence. */
export interface Check {
  readonly name: string;
  readonly evidence: readonly CheckEvidence[];
  run(subject: InspectedFile): Iterable<Finding>;
}

export interface Inspection {
  readonly findings: readonly Finding[];
  /** Checks that threw. They decided nothing, so no decision may rely on them. */
  readonly crashed: readonly string[];
  readonly blocked: boolean;
}

/** Runs every check. Bad content is a finding and never an exception; a check's own bug is a finding too. */
export function inspect(subject: InspectedFile, checks: readonly Check[]): Inspection {
  const found = nothingYet();
  for (const check of checks) run(check, subject, found);
  return inspection(found);
}

/**
 * `inspect` for many files, one check after the other: the processor then keeps the check's patterns at hand, and 64 files take a
 * quarter less time.
 */
export function inspectAll(subjects: readonly InspectedFile[], checks: readonly Check[]): Inspection[] {
  const each = subjects.map((subject) => ({ subject, found: nothingYet() }));
  for (const check of checks) for (const { subject, found } of each) run(check, subject, found);
  return each.map(({ found }) => inspection(found));
}

/** What some of the checks have found. */
interface FoundSoFar {
  readonly findings: Finding[];
  readonly crashed: string[];
}

function nothingYet(): FoundSoFar {
  return { findings: [], crashed: [] };
}

function inspection({ findings, crashed }: FoundSoFar): Inspection {
  return { findings, crashed, blocked: findings.some((f) => f.severity === 'block') };
}

function run(check: Check, subject: InspectedFile, { findings, crashed }: FoundSoFar): void {
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

/** The rules that block a file, as a ledger records them; null if none does. */
export function rulesThatBlock({ findings }: Inspection): string | null {
  const blocks = findings.filter((f) => f.severity === 'block');
  return blocks.length === 0 ? null : [...new Set(blocks.map((f) => `${f.class}: ${f.rule}`))].join(', ');
}

/** Rules of hold findings that no receipt for this text has settled. */
export function unsettled(findings: readonly Finding[], settled: ReadonlySet<string>): readonly string[] {
  const rules = findings.filter((f) => f.severity === 'hold' && !settled.has(f.rule)).map((f) => f.rule);
  return [...new Set(rules)];
}

/** The fields a person sees before a yes. The yes covers these and nothing else in the file. */
const SHOWN = new Set(['name', 'description', 'tags', 'project', 'anchors', 'body']);

/** Possible secrets that no person allowed: of an unsettled rule, or in a comment or key that nobody was shown. */
export function openSecrets(findings: readonly Finding[], settled: ReadonlySet<string>): readonly Finding[] {
  return findings.filter((f) => f.class === 'secret' && !(settled.has(f.rule) && SHOWN.has(f.field)));
}

/** Whether it holds a secret in a format that leaves no doubt. */
export function holdsCertainSecret({ findings }: Pick<Inspection, 'findings'>): boolean {
  return findings.some((f) => f.class === 'secret' && f.severity === 'block');
}

/** What blocks a text, in the checks' own sentences. */
export function blockingMessages(findings: readonly Finding[]): string {
  return [...new Set(findings.filter((f) => f.severity === 'block').map((f) => f.message))].join(' ');
}

/** The validation spec's words and exit codes, and ours for personal data, which the seed counted among the secrets. */
const VERDICT_CODES = {
  PASS: 0,
  'FAIL-STRUCT': 1,
  'FAIL-PERSONAL': 1,
  'FAIL-FORMAT': 2,
  'WARN-SEMANTIC': 3,
} as const;
export type Verdict = keyof typeof VERDICT_CODES;
export type VerdictCode = (typeof VERDICT_CODES)[Verdict];

export function verdictOf(findings: readonly Finding[]): Verdict {
  const blocks = findings.filter((f) => f.severity === 'block');
  if (blocks.some((f) => f.class === 'structure')) return 'FAIL-STRUCT';
  if (blocks.length > 0) return 'FAIL-FORMAT';
  const open = findings.filter((f) => f.severity !== 'info');
  // It blocks nothing, but it stops a push, so that a script must be able to tell it from advice.
  if (open.some((f) => f.class === 'personal')) return 'FAIL-PERSONAL';
  return open.length > 0 ? 'WARN-SEMANTIC' : 'PASS';
}

export function verdictCode(findings: readonly Finding[]): VerdictCode {
  return VERDICT_CODES[verdictOf(findings)];
}

/** For several files, by the validation spec: 1 for any failure, else 3 for any warning. */
export function overallCode(codes: readonly VerdictCode[]): VerdictCode {
  if (codes.some((code) => code === 1 || code === 2)) return 1;
  return codes.includes(3) ? 3 : 0;
}
