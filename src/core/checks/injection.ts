import type { Check, Finding } from '../findings.ts';
import { fileWith } from './evidence.ts';
import { plainPassagesOf, type Words, wordsOf } from './fold.ts';
import { AGENT_RULES } from './injection-agent.ts';
import { type InjectionRule, STRONG } from './injection-rules.ts';
import { WEAK } from './injection-weak.ts';

export const INJECTION_RULES: readonly InjectionRule[] = [...STRONG, ...AGENT_RULES, ...WEAK];

/** A rule that says less than the one beside it. */
const COVERED: Readonly<Record<string, string>> = {
  'override-word': 'override-phrase',
  'role-word': 'role-marker',
  'persona-word': 'persona-override',
  'persona-assigned': 'persona-override',
};

/** What the file itself says about its standing is the server's own field, and no phrase to look for. */
const OWN_FIELDS = new Set(['file', 'type', 'trust-level', 'created-at', 'last-verified', 'quarantined-at']);

/**
 * Text that is shaped like an instruction to the agent. A flag is a reason to look, not a verdict: most attacks are worded
 * in ways no list holds. It never blocks; with `warn` the operator chose to have it hold nothing back either.
 */
export function injectionCheck(mode: 'hold' | 'warn'): Check {
  return {
    name: mode === 'hold' ? 'injection' : 'injection-warn',
    version: 1,
    get evidence() {
      return INJECTION_RULES.map(({ rule, catches, allows }) => ({
        rule,
        catches: catches.map(padded),
        allows: allows.map(padded),
      }));
    },
    *run(subject) {
      const passages = plainPassagesOf(subject)
        .filter(({ field }) => !OWN_FIELDS.has(field))
        .map((passage) => ({ field: passage.field, words: wordsOf(passage) }));
      const fired = new Set<string>();
      for (const rule of INJECTION_RULES) {
        const first = fires(rule, passages);
        if (first === undefined || fired.has(COVERED[rule.rule] ?? '')) continue;
        fired.add(rule.rule);
        const severity = rule.strength === 'strong' ? mode : 'warn';
        yield { class: 'injection', rule: rule.rule, severity, ...first, message: rule.message };
      }
    },
  };
}

/** Where a rule first matches, if it matches often enough. */
function fires(
  { patterns, least = 1 }: InjectionRule,
  passages: readonly { readonly field: string; readonly words: Words }[],
): Pick<Finding, 'field' | 'line'> | undefined {
  let count = 0;
  let first: Pick<Finding, 'field' | 'line'> | undefined;
  for (const { field, words } of passages) {
    for (const pattern of patterns) {
      for (const { index } of words.text.matchAll(pattern)) {
        first ??= { field, line: words.lineOf(index) };
        if (++count >= least) return first;
      }
    }
  }
  return undefined;
}

function padded(line: string): string {
  return fileWith({}, `A line of text before the one that matters.\n${line}`);
}
