import { once } from '../once.ts';
import { type Folded, fold } from '../text/normalize.ts';
import { type Labelled, secretsAcross } from './across-fields.ts';
import { decodedIn } from './decoded.ts';
import { KeywordIndex } from './keyword-index.ts';
import { MASK } from './mask.ts';
import { redactions } from './placeholders.ts';
import { RANDOM_RULE } from './random-looking.ts';
import type { SecretRule } from './rule.ts';
import { ADDRESS_RULES } from './rules/addresses.ts';
import { CLOUD_RULES } from './rules/cloud.ts';
import { CODE_RULES } from './rules/code.ts';
import { COMMAND_RULES } from './rules/commands.ts';
import { FILE_RULES } from './rules/files.ts';
import { LABEL_RULES } from './rules/labels.ts';
import { MODEL_RULES } from './rules/models.ts';
import { NEAR_RULES } from './rules/near-provider.ts';
import { OTHER_PREFIX_RULES } from './rules/other-prefixes.ts';
import { PROSE_RULES } from './rules/prose.ts';
import { SERVICE_RULES } from './rules/services.ts';
import { SHAPE_RULES } from './rules/shapes.ts';
import { WALLET_RULES } from './rules/wallets.ts';

/** Formats come first, so that a token is not reported again because of the word beside it. */
export const SECRET_RULES: readonly SecretRule[] = [
  ...OTHER_PREFIX_RULES,
  ...CLOUD_RULES,
  ...CODE_RULES,
  ...SERVICE_RULES,
  ...MODEL_RULES,
  ...SHAPE_RULES,
  ...ADDRESS_RULES,
  ...FILE_RULES,
  ...WALLET_RULES,
  ...NEAR_RULES,
  ...COMMAND_RULES,
  ...LABEL_RULES,
  ...PROSE_RULES,
  RANDOM_RULE,
];

/** The rules for encoded text, where a random look means nothing. */
const certain = once(() => new KeywordIndex(SECRET_RULES.filter(({ severity }) => severity === 'block')));
const all = once(() => new KeywordIndex(SECRET_RULES));

/** A stretch of folded text that a rule considers a secret. */
interface SecretMatch {
  readonly rule: SecretRule;
  readonly start: number;
  readonly end: number;
}

/**
 * Replaces every possible secret. Mask whole fields before cutting them, because half a token is not recognized. Works on
 * raw and sanitized text.
 */
export function maskSecrets(text: string): string {
  if (text === '') return text;
  const folded = fold(text);
  return masked(text, masksIn(folded, spansOf(folded.text)));
}

/** Whether a text contains a token in a format that leaves no doubt. */
export function holdsToken(text: string): boolean {
  const spans: SecretMatch[] = [];
  collect(certain(), text, spans, []);
  return spans.length > 0;
}

/** Stretches of a text that may be secrets, in order, in UTF-16 units. */
export type Masks = readonly (readonly [start: number, end: number])[];

/**
 * The possible secrets of a memory's texts, including secrets that another of the texts labels. Finding takes long, masking
 * does not.
 */
export function masksAcross(texts: readonly Omit<Labelled, 'label'>[]): readonly Masks[] {
  const folded = texts.map(({ text }) => fold(text));
  const spans = secretsAcross(texts.map(({ field }, i) => ({ field, text: folded[i]?.text ?? '' })));
  return texts.map(({ text }, i) => {
    const plain = folded[i] ?? fold(text);
    return masksIn(plain, [...spansOf(plain.text), ...spans.filter(({ index }) => index === i)]);
  });
}

function masksIn(folded: Folded, spans: readonly Pick<SecretMatch, 'start' | 'end'>[]): Masks {
  return spans.toSorted((a, b) => a.start - b.start).map(({ start, end }) => [folded.from(start), folded.from(end)]);
}

/** Replaces these stretches by the mask. */
export function masked(text: string, masks: Masks): string {
  if (masks.length === 0) return text;
  const parts: string[] = [];
  let from = 0;
  for (const [first, last] of masks) {
    if (last <= from) continue;
    if (first >= from) parts.push(text.slice(from, first), MASK);
    from = last;
  }
  return parts.join('') + text.slice(from);
}

/** Every stretch of a folded text that a rule considers a secret. */
export function spansOf(text: string): readonly SecretMatch[] {
  const exempt = redactions(text);
  const spans: SecretMatch[] = [];
  collect(all(), text, spans, exempt);
  const decoded = decodedIn(text);
  if (decoded === undefined) return spans;
  const inside: SecretMatch[] = [];
  collect(certain(), decoded.text, inside, []);
  for (const { rule, start } of inside) {
    const [first, last] = decoded.runAt(start);
    // A certain finding replaces a random-looking one in the same run.
    const kept = spans.filter((span) => span.end <= first || last <= span.start || span.rule.severity === 'block');
    if (kept.some((span) => span.start < last && first < span.end)) continue;
    spans.splice(0, spans.length, ...kept, { rule, start: first, end: last });
  }
  return spans;
}

/** Adds each rule's matches where no earlier rule matched. */
function collect(
  rules: KeywordIndex<SecretRule>,
  text: string,
  spans: SecretMatch[],
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

function* matches(rule: SecretRule, text: string): Iterable<SecretMatch> {
  const { pattern } = rule;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const secret = match[1] ?? match[2] ?? match[0];
    // A closing quotation mark may follow it.
    const start = match.index + match[0].lastIndexOf(secret);
    if (rule.accepts?.(secret, match) ?? true) yield { rule, start, end: start + secret.length };
    // A rejected match may contain the label of the next one.
    else pattern.lastIndex = Math.max(match.index + 1, start);
  }
}
