import type { Finding } from '../finding.ts';
import { type Labelled, secretsAcross } from '../secrets/across-fields.ts';
import { SECRET_RULES, spansOf } from '../secrets/detect.ts';
import { RANDOM_RULE } from '../secrets/random-looking.ts';
import type { SecretRule } from '../secrets/rule.ts';
import { HEX, sampleToken } from '../secrets/sample-tokens.ts';
import type { Check } from './inspect.ts';
import { lineAt, type PlainPassage, plainPassagesOf, spanOf } from './passages.ts';
import { fileWith } from './sample-file.ts';

/** Found by comparing several fields, so it has no pattern. */
const ACROSS = {
  rule: 'labelled-elsewhere',
  severity: 'hold',
  what: 'a secret whose name stands in another field',
} as const;

/** At most 5 a rule and field, because more say nothing new; `maskSecrets` still masks all of them. */
const MOST_PER_FIELD = 5;

/**
 * Tokens, keys and passwords, in every field. A finding says which rule, where and how long, and never what: it goes to
 * results, logs and the ledger. A password that is one plain word can pass; a format nobody listed yet can too.
 */
export const secrets: Check = {
  name: 'secrets',
  get evidence() {
    const own = SECRET_RULES.map(({ rule, catches, allows }) => ({
      rule,
      catches: catches.flatMap((line) => [fileWith({}, padded(line)), fileWith({ 'when-to-use': quoted(line) })]),
      allows: allows.map((line) => fileWith({}, padded(line))),
    }));
    return [...own, { rule: ACROSS.rule, ...ACROSS_EVIDENCE }];
  },
  *run(subject) {
    const counts = new Map<string, number>();
    const passages = plainPassagesOf(subject);
    for (const passage of passages) {
      for (const { rule, start, end } of spansIn(passage)) {
        const place = `${passage.field} ${rule.rule}`;
        const count = (counts.get(place) ?? 0) + 1;
        counts.set(place, count);
        if (count <= MOST_PER_FIELD) yield found(rule, passage, start, end);
      }
    }
    for (const { index, start, end } of across(passages).slice(0, MOST_PER_FIELD)) {
      const passage = passages[index];
      if (passage === undefined) continue;
      yield found(ACROSS, passage, start, end);
    }
  },
};

/** A hash of ours: a part of a project's name has one where it has other letters, or is long (`core/memory/project.ts`). */
const OWN_HASH = /-[0-9a-f]{12}(?=\/|$)/g;

/** What looks random is sought without such a hash. All other rules see it too, because tokens can end like it. */
function spansIn({ field, folded: { text } }: PlainPassage): ReturnType<typeof spansOf> {
  const spans = spansOf(text);
  const plain = field === 'project' ? text.replaceAll(OWN_HASH, (hash) => ' '.repeat(hash.length)) : text;
  if (plain === text) return spans;
  const certain = spans.filter(({ rule }) => rule !== RANDOM_RULE);
  const more = spansOf(plain).filter(({ start, end }) => !certain.some((each) => each.start < end && start < each.end));
  return [...certain, ...more];
}

/** Secrets that no rule finds in one field alone. */
function across(passages: readonly PlainPassage[]) {
  const texts = passages.map(({ field, label, folded }): Labelled => ({ field, label, text: folded.text }));
  return secretsAcross(texts).filter(({ index, start, end }) => {
    const alone = spansOf(texts[index]?.text ?? '');
    return !alone.some((span) => span.start < end && start < span.end);
  });
}

function found(
  rule: Pick<SecretRule, 'rule' | 'severity' | 'what'>,
  passage: PlainPassage,
  start: number,
  end: number,
): Finding {
  const [first, last] = [passage.folded.from(start), passage.folded.from(end)];
  const advice =
    rule.severity === 'block'
      ? 'Take it out, and revoke it if it was ever live.'
      : 'Take it out, or write what it is for and where it is kept.';
  return {
    class: 'secret',
    rule: rule.rule,
    severity: rule.severity,
    field: passage.field,
    line: lineAt(passage, first),
    ...spanOf(passage, first, last),
    message: `This looks like ${rule.what} (${end - start} characters). ${advice}`,
  };
}

/** Evidence as a line of its own in a body that is long enough. */
function padded(line: string): string {
  return `A line of text before the one that matters.\n${line}`;
}

function quoted(line: string): string {
  return JSON.stringify(line);
}

const ACROSS_EVIDENCE = {
  get catches() {
    const value = `k${sampleToken(7)}7`;
    return [
      fileWith({ name: 'Staging password', description: value }),
      fileWith({ name: 'Staging password' }, `${value} opens the box by the door, says Dana.`),
      fileWith({ description: 'The root password for the jump host' }, `It has not changed for years.\n- ${value}\n`),
      fileWith({ name: 'Login', tags: `[password, ${value}]` }),
      fileWith({ password: value }),
      fileWith({ name: 'Signing key of the gateway' }, `Ask before you use it.\n${sampleToken(32, HEX)}`),
    ];
  },
  get allows() {
    return [
      fileWith({ name: 'Staging password', description: 'in the vault under deploy2024' }),
      fileWith({ name: 'Where the staging password is kept', description: '1password.com/vault-17' }),
      fileWith({ name: 'Token limits', description: 'claude-3-5-sonnet' }),
      fileWith({ name: 'Password', description: 'bcrypt-12' }),
      fileWith({ name: 'Release names', description: 'v2.3.4-rc1' }),
      fileWith({ name: 'Deploy tokens' }, 'They are made by hand once a year.\n- <token-1>\n- example-token-1\n'),
    ];
  },
};
