import { type Document, type FieldValue, listOf } from '../memory/document.ts';
import { LIMITS } from '../memory/limits.ts';
import { parseDate, parseTimestamp } from '../trust/clocks.ts';
import { QUARANTINE_KEYS, TIERS } from '../trust/tiers.ts';

/** Two versions of a file as one, or the fact that they say different things in one place. */
type Merged = { readonly fields: ReadonlyMap<string, FieldValue>; readonly body: 'ours' | 'theirs' } | 'conflict';

type MergedValue = FieldValue | undefined;
type Rule = (ours: MergedValue, theirs: MergedValue) => MergedValue;

/**
 * Rules for keys that describe a memory and are not part of its text. If two machines changed a key, the value that claims
 * less wins, so that every machine reaches the same result.
 */
const RULES: Readonly<Record<string, Rule>> = {
  'trust-level': (ours, theirs) => least(ours, theirs, tierRank),
  'created-at': (ours, theirs) => least(ours, theirs, timeRank),
  'last-verified': (ours, theirs) => least(ours, theirs, dateRank),
  'source-machine': (ours, theirs) => least(ours, theirs, () => 0),
  'asked-as': bothHints,
};

/**
 * Merges a memory's file key by key, the body being one more key. A change on one side wins. Of two changes to one key, the
 * lesser claim wins; two changes to a person's words are a conflict.
 */
export function mergeMemories(base: Document | undefined, ours: Document, theirs: Document): Merged {
  const body = bodyOf(base, ours, theirs);
  if (body === undefined) return 'conflict';
  const fields = new Map<string, FieldValue>();
  const keys = new Set([...ours.fields.keys(), ...theirs.fields.keys()]);
  for (const key of keys) {
    const [b, o, t] = [base?.fields.get(key), ours.fields.get(key), theirs.fields.get(key)];
    const changed = oneSided(base !== undefined, b, o, t);
    if (changed !== undefined) set(fields, key, changed.value);
    // They belong together: the first quarantine supplies the reason.
    else if (isOneOf(QUARANTINE_KEYS, key)) set(fields, key, firstQuarantined(ours, theirs).fields.get(key));
    else {
      const rule = Object.hasOwn(RULES, key) ? RULES[key] : undefined;
      if (rule === undefined) return 'conflict';
      set(fields, key, rule(o, t));
    }
  }
  return { fields, body };
}

/** Whether two documents have equal values in these fields; comments and spelling are ignored. */
export function saysTheSame(
  a: Document,
  b: { readonly fields: ReadonlyMap<string, FieldValue>; readonly body: string },
) {
  if (a.body !== b.body || a.fields.size !== b.fields.size) return false;
  return [...a.fields].every(([key, value]) => same(value, b.fields.get(key)));
}

function bodyOf(base: Document | undefined, ours: Document, theirs: Document): 'ours' | 'theirs' | undefined {
  if (ours.body === theirs.body || theirs.body === base?.body) return 'ours';
  return ours.body === base?.body ? 'theirs' : undefined;
}

/** The value if at most one side changed it; undefined if both changed it differently. */
function oneSided(
  hasBase: boolean,
  base: MergedValue,
  ours: MergedValue,
  theirs: MergedValue,
): { readonly value: MergedValue } | undefined {
  if (same(ours, theirs)) return { value: ours };
  if (hasBase && same(theirs, base)) return { value: ours };
  return hasBase && same(ours, base) ? { value: theirs } : undefined;
}

function set(fields: Map<string, FieldValue>, key: string, value: MergedValue): void {
  if (value !== undefined) fields.set(key, value);
}

export function same(a: MergedValue, b: MergedValue): boolean {
  return a === b || (Array.isArray(a) && Array.isArray(b) && spelled(a) === spelled(b));
}

/** The value of the lower rank; at equal rank the one that sorts first, so that both machines choose alike. */
function least(a: MergedValue, b: MergedValue, rank: (value: MergedValue) => number): MergedValue {
  const [left, right] = [rank(a), rank(b)];
  if (left !== right) return left < right ? a : b;
  return spelled(a) <= spelled(b) ? a : b;
}

/** The hints of both sides, those that both have first, as many as a file may have. Nobody is asked about hints. */
function bothHints(ours: MergedValue, theirs: MergedValue): MergedValue {
  const [left, right] = [listOf(ours) ?? [], listOf(theirs) ?? []];
  const isShared = (hint: string) => left.includes(hint) && right.includes(hint);
  const order = [...new Set([...left, ...right])].sort();
  return [...order.filter(isShared), ...order.filter((hint) => !isShared(hint))].slice(0, LIMITS.askedAs.count);
}

/** A missing tier claims as little as inferred. */
function tierRank(value: MergedValue): number {
  const rank = TIERS.indexOf(value as (typeof TIERS)[number]);
  return rank === -1 ? TIERS.indexOf('inferred') : rank;
}

function timeRank(value: MergedValue): number {
  return (typeof value === 'string' ? parseTimestamp(value) : undefined) ?? Number.POSITIVE_INFINITY;
}

function dateRank(value: MergedValue): number {
  return (typeof value === 'string' ? parseDate(value) : undefined) ?? Number.POSITIVE_INFINITY;
}

function firstQuarantined(ours: Document, theirs: Document): Document {
  const [o, t] = [ours, theirs].map(({ fields }) => timeRank(fields.get('quarantined-at')));
  if (o !== t) return (o ?? 0) < (t ?? 0) ? ours : theirs;
  const textOf = ({ fields }: Document) => QUARANTINE_KEYS.map((key) => spelled(fields.get(key))).join('\n');
  return textOf(ours) <= textOf(theirs) ? ours : theirs;
}

function spelled(value: MergedValue): string {
  return JSON.stringify(value) ?? '';
}

function isOneOf(keys: readonly string[], key: string): boolean {
  return keys.includes(key);
}
