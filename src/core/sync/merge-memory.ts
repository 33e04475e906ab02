import type { Document, FieldValue } from '../memory/document.ts';
import { parseDate, parseTimestamp } from '../trust/clocks.ts';
import { TIERS } from '../trust/tiers.ts';

/** Two versions of a file as one, or the word that they say different things in the same place. */
export type Merged =
  | { readonly fields: ReadonlyMap<string, FieldValue>; readonly body: 'ours' | 'theirs' }
  | 'conflict';

type Value = FieldValue | undefined;
type Rule = (ours: Value, theirs: Value) => Value;

/**
 * Keys that tell about a memory and are no part of its text: where two machines changed one of them, there is always an
 * answer, and it is the same whichever machine asks. It is the one that claims less.
 */
const RULES: Readonly<Record<string, Rule>> = {
  'trust-level': (ours, theirs) => least(ours, theirs, tierRank),
  'created-at': (ours, theirs) => least(ours, theirs, timeRank),
  'last-verified': (ours, theirs) => least(ours, theirs, dateRank),
  'source-machine': (ours, theirs) => least(ours, theirs, () => 0),
};
/** These three belong together: whoever quarantined it first says why. */
const QUARANTINE = ['quarantined-at', 'quarantine-reason', 'quarantined-by'] as const;

/**
 * Merges a memory's file key by key with its body as one more key. A change on one side is taken; of two changes to the
 * same part the lesser claim is, and where that part is somebody's words, there is none.
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
    else if (isOneOf(QUARANTINE, key)) set(fields, key, firstQuarantined(ours, theirs).fields.get(key));
    else {
      const rule = Object.hasOwn(RULES, key) ? RULES[key] : undefined;
      if (rule === undefined) return 'conflict';
      set(fields, key, rule(o, t));
    }
  }
  return { fields, body };
}

/** Whether two documents say the same in the same fields; comments and spelling aside. */
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

/** The value where at most one side changed it; undefined where both did, each in its own way. */
function oneSided(hasBase: boolean, base: Value, ours: Value, theirs: Value): { readonly value: Value } | undefined {
  if (same(ours, theirs)) return { value: ours };
  if (hasBase && same(theirs, base)) return { value: ours };
  return hasBase && same(ours, base) ? { value: theirs } : undefined;
}

function set(fields: Map<string, FieldValue>, key: string, value: Value): void {
  if (value !== undefined) fields.set(key, value);
}

export function same(a: Value, b: Value): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return a === b;
  return a.length === b.length && a.every((item, i) => item === b[i]);
}

/** The value of the lower rank; of two of one rank the one that sorts first, so that both machines choose alike. */
function least(a: Value, b: Value, rank: (value: Value) => number): Value {
  const [left, right] = [rank(a), rank(b)];
  if (left !== right) return left < right ? a : b;
  return spelled(a) <= spelled(b) ? a : b;
}

/** No word on the tier claims as little as inferred does. */
function tierRank(value: Value): number {
  const rank = TIERS.indexOf(value as (typeof TIERS)[number]);
  return rank === -1 ? TIERS.indexOf('inferred') : rank;
}

function timeRank(value: Value): number {
  return (typeof value === 'string' ? parseTimestamp(value) : undefined) ?? Number.POSITIVE_INFINITY;
}

function dateRank(value: Value): number {
  return (typeof value === 'string' ? parseDate(value) : undefined) ?? Number.POSITIVE_INFINITY;
}

function firstQuarantined(ours: Document, theirs: Document): Document {
  const [o, t] = [ours, theirs].map(({ fields }) => timeRank(fields.get('quarantined-at')));
  if (o !== t) return (o ?? 0) < (t ?? 0) ? ours : theirs;
  const told = ({ fields }: Document) => QUARANTINE.map((key) => spelled(fields.get(key))).join('\n');
  return told(ours) <= told(theirs) ? ours : theirs;
}

function spelled(value: Value): string {
  return JSON.stringify(value) ?? '';
}

function isOneOf(keys: readonly string[], key: string): boolean {
  return keys.includes(key);
}
