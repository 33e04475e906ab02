import type { Check, Finding } from '../checks/findings.ts';
import { MASK } from '../checks/mask.ts';
import { type Folded, fold, lineAt, type PlainPassage, plainPassagesOf, spanOf } from '../checks/passages.ts';
import { fileWith } from '../checks/sample-file.ts';
import { type Labelled, secretsAcross } from './across-fields.ts';
import { decodedIn } from './decoded.ts';
import { Keyworded } from './keyword-index.ts';
import { redactions } from './placeholders.ts';
import { RANDOM_RULE } from './random-looking.ts';
import type { SecretRule } from './rule.ts';
import { ADDRESS_RULES } from './rules/addresses.ts';
import { CLOUD_RULES } from './rules/cloud.ts';
import { CODE_RULES } from './rules/code.ts';
import { FILE_RULES } from './rules/files.ts';
import { FORMAT_RULES } from './rules/formats.ts';
import { LABEL_RULES } from './rules/labels.ts';
import { MODEL_RULES } from './rules/models.ts';
import { NEAR_RULES } from './rules/near-provider.ts';
import { SERVICE_RULES } from './rules/services.ts';
import { SHAPE_RULES } from './rules/shapes.ts';
import { HEX, madeUp } from './sample-tokens.ts';

/** Formats come first: what a provider's format explains is not reported again for the word beside it. */
export const SECRET_RULES: readonly SecretRule[] = [
  ...FORMAT_RULES,
  ...CLOUD_RULES,
  ...CODE_RULES,
  ...SERVICE_RULES,
  ...MODEL_RULES,
  ...SHAPE_RULES,
  ...ADDRESS_RULES,
  ...FILE_RULES,
  ...NEAR_RULES,
  ...LABEL_RULES,
  RANDOM_RULE,
];

/** What is looked for under a layer of encoding: there, a random look says nothing. */
const CERTAIN = new Keyworded(SECRET_RULES.filter(({ severity }) => severity === 'block'));
const ALL = new Keyworded(SECRET_RULES);

/** Found by looking at several fields at once, so it is no pattern among the others. */
const ACROSS = {
  rule: 'labelled-elsewhere',
  severity: 'hold',
  what: 'a secret whose name stands in another field',
} as const;

/** More of the same rule in the same field say nothing new; `maskSecrets` still covers every one of them. */
const MOST_PER_FIELD = 5;

/** A stretch of folded text that a rule takes for a secret. */
interface Span {
  readonly rule: SecretRule;
  readonly start: number;
  readonly end: number;
}

/**
 * Tokens, keys and passwords, in every field. A finding says which rule, where and how long, and never what: it goes to
 * results, logs and the ledger. A short password in a plain sentence can pass; a format nobody listed yet can too.
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
    const { raw } = subject;
    // A file that cannot be taken apart is not served; only what is certain is worth saying of it.
    const passages = raw === undefined ? plainPassagesOf(subject) : [rawPassage(subject.stem), rawPassage(raw)];
    for (const passage of passages) {
      const { folded } = passage;
      for (const { rule, start, end } of spansOf(folded.text)) {
        if (raw !== undefined && rule.severity !== 'block') continue;
        const place = `${passage.field} ${rule.rule}`;
        const count = (counts.get(place) ?? 0) + 1;
        counts.set(place, count);
        if (count <= MOST_PER_FIELD) yield found(rule, passage, start, end);
      }
    }
    if (raw !== undefined) return;
    for (const { index, start, end } of across(passages).slice(0, MOST_PER_FIELD)) {
      const passage = passages[index];
      if (passage === undefined) continue;
      yield found(ACROSS, passage, start, end);
    }
  },
};

/** What no rule finds in one field alone. */
function across(passages: readonly PlainPassage[]) {
  const texts = passages.map(({ field, label, folded }): Labelled => ({ field, label, text: folded.text }));
  return secretsAcross(texts).filter(({ index, start, end }) => {
    const alone = spansOf(texts[index]?.text ?? '');
    return !alone.some((span) => span.start < end && start < span.end);
  });
}

function rawPassage(raw: string): PlainPassage {
  return { field: 'file', line: 1, raw, folded: fold(raw) };
}

/**
 * The text with every possible secret replaced. Mask whole fields, before cutting or excerpting: half a token is not
 * recognized any more. Raw and sanitized text both will do.
 */
export function maskSecrets(text: string): string {
  const folded = fold(text);
  return masked(text, folded, spansOf(folded.text));
}

/** Whether a text holds a token in a format that leaves no doubt. */
export function holdsToken(text: string): boolean {
  const spans: Span[] = [];
  collect(CERTAIN, text, spans, []);
  return spans.length > 0;
}

/** A memory's texts with every possible secret replaced, also one that another of them names. */
export function maskAcross(texts: readonly Omit<Labelled, 'label'>[]): readonly string[] {
  const folded = texts.map(({ text }) => fold(text));
  const spans = secretsAcross(texts.map(({ field }, i) => ({ field, text: folded[i]?.text ?? '' })));
  return texts.map(({ text }, i) => {
    const plain = folded[i] ?? fold(text);
    return masked(text, plain, [...spansOf(plain.text), ...spans.filter(({ index }) => index === i)]);
  });
}

function masked(text: string, folded: Folded, spans: readonly Pick<Span, 'start' | 'end'>[]): string {
  if (spans.length === 0) return text;
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    const [first, last] = [folded.from(start), folded.from(end)];
    if (last <= from) continue;
    if (first >= from) parts.push(text.slice(from, first), MASK);
    from = last;
  }
  return parts.join('') + text.slice(from);
}

function spansOf(text: string): readonly Span[] {
  const exempt = redactions(text);
  const spans: Span[] = [];
  collect(ALL, text, spans, exempt);
  const decoded = decodedIn(text);
  if (decoded === undefined) return spans;
  const inside: Span[] = [];
  collect(CERTAIN, decoded.text, inside, []);
  for (const { rule, start } of inside) {
    const [first, last] = decoded.runAt(start);
    // What is certain says more than the random look of the run it was hidden in.
    const kept = spans.filter((span) => span.end <= first || last <= span.start || span.rule.severity === 'block');
    if (kept.some((span) => span.start < last && first < span.end)) continue;
    spans.splice(0, spans.length, ...kept, { rule, start: first, end: last });
  }
  return spans;
}

/** Adds what each rule finds where no earlier rule found something. */
function collect(
  rules: Keyworded<SecretRule>,
  text: string,
  spans: Span[],
  exempt: readonly (readonly [start: number, end: number])[],
): void {
  for (const rule of rules.in(text)) {
    const earlier = [...spans];
    for (const span of matches(rule, text)) {
      const within = ([start, end]: readonly [number, number]) => start <= span.start && span.end <= end;
      if (!exempt.some(within) && !earlier.some((other) => other.start < span.end && span.start < other.end))
        spans.push(span);
    }
  }
}

function* matches(rule: SecretRule, text: string): Iterable<Span> {
  const { pattern } = rule;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const secret = match[1] ?? match[2] ?? match[0];
    // A closing quotation mark may stand behind it.
    const start = match.index + match[0].lastIndexOf(secret);
    if (rule.accepts?.(secret, match) ?? true) yield { rule, start, end: start + secret.length };
    // What was looked at and let pass may hide the label of the next one.
    else pattern.lastIndex = Math.max(match.index + 1, start);
  }
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

/** Evidence stands in a body that is long enough, on a line of its own. */
function padded(line: string): string {
  return `A line of text before the one that matters.\n${line}`;
}

function quoted(line: string): string {
  return JSON.stringify(line);
}

const ACROSS_EVIDENCE = {
  get catches() {
    const value = `k${madeUp(7)}7`;
    return [
      fileWith({ name: 'Staging password', description: value }),
      fileWith({ name: 'Staging password' }, `${value} opens the box by the door, says Dana.`),
      fileWith({ description: 'The root password for the jump host' }, `It has not changed for years.\n- ${value}\n`),
      fileWith({ name: 'Login', tags: `[password, ${value}]` }),
      fileWith({ password: value }),
      fileWith({ name: 'Signing key of the gateway' }, `Ask before you use it.\n${madeUp(32, HEX)}`),
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
