import * as z from 'zod';
import { joinText, type SafeText, sanitize, text } from '../core/text/safe-text.ts';

/** Arguments that no tool has but models try, in our spelling. A reply names only these. */
const WISHES = [
  ...['confirm', 'confirmed', 'confirmation', 'consent', 'approve', 'approved', 'force', 'yes', 'actor'],
  ...['tier', 'trust', 'trust-level', 'level', 'verified', 'status', 'id'],
  ...['date', 'created-at', 'last-verified', 'verified-at', 'source-machine'],
  ...['quarantined', 'quarantined-at', 'quarantine-reason', 'quarantined-by'],
];
const WISHES_BY_LETTERS = new Map(WISHES.map((wish) => [lettersOf(wish), wish]));

/**
 * Returns the arguments a tool has, and a sentence about the ignored ones: clients add arguments of their own. `null` means
 * absent. Fields of objects inside an argument are taken alike. An unknown name may be a secret, so unknown names are counted
 * and not repeated.
 */
export function takeArguments(sent: unknown, schema: z.ZodObject): { taken: unknown; ignored: SafeText | undefined } {
  const unknown: UnknownField[] = [];
  const taken = takeKnown(sent, schema, 0, unknown);
  return { taken, ignored: unknown.length === 0 ? undefined : aboutIgnored(unknown) };
}

/** A field that a tool does not have, by its name and by the number of objects around the one that it is in. */
interface UnknownField {
  readonly name: string;
  readonly depth: number;
}

/** The value without what its schema does not have, which is added to `unknown`. */
function takeKnown(sent: unknown, schema: z.core.$ZodType, depth: number, unknown: UnknownField[]): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    return takeKnown(sent, schema.unwrap(), depth, unknown);
  if (typeof sent !== 'object' || sent === null) return sent;
  if (schema instanceof z.ZodArray && Array.isArray(sent))
    return sent.map((each) => takeKnown(each, schema.element, depth, unknown));
  if (!(schema instanceof z.ZodObject) || Array.isArray(sent)) return sent;
  const taken: [string, unknown][] = [];
  for (const [name, value] of Object.entries(sent)) {
    if (value === null) continue;
    const known = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
    if (known === undefined) unknown.push({ name, depth });
    else taken.push([name, takeKnown(value, known, depth + 1, unknown)]);
  }
  return Object.fromEntries(taken);
}

function aboutIgnored(unknown: readonly UnknownField[]): SafeText {
  // A field inside an argument, such as the id of an anchor, wishes nothing for the memory.
  const wishes = unknown.flatMap(({ name, depth }) =>
    depth > 0 || name.length > 40 ? [] : (WISHES_BY_LETTERS.get(lettersOf(name)) ?? []),
  );
  const others = unknown.length - wishes.length;
  const named = sanitize([...new Set(wishes)].join(', '), 'line');
  return joinText(
    [
      ...(wishes.length === 0 ? [] : [text`Ignored: ${named}; no argument can confirm, rank, name or date a memory.`]),
      ...(others === 0
        ? []
        : [
            others === 1
              ? text`1 argument that this tool does not have was ignored.`
              : text`${others} arguments that this tool does not have were ignored.`,
          ]),
    ],
    text` `,
  );
}

function lettersOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z]/g, '');
}

/** At most 5 wrong arguments are named, because a model corrects them one after the other anyway. */
const MOST_NAMED = 5;

/** Says what is wrong with the arguments: the fields and their rules, never their values, which can hold a secret. */
export function describeIssues(issues: readonly z.core.$ZodIssue[], taken: unknown): string {
  // The first of a field only: zod also counts the items of a list that stands where a text is expected.
  const byField = new Map<string, z.core.$ZodIssue>();
  for (const issue of issues) {
    const field = issue.path.map(String).join('.') || 'what was sent';
    if (!byField.has(field)) byField.set(field, issue);
  }
  const described = [...byField].slice(0, MOST_NAMED).map(([field, issue]) => {
    const isMissing = issue.path.reduce((at: unknown, key) => Object(at)[key], taken) === undefined;
    return `${field} ${isMissing ? 'is missing' : ruleBroken(issue)}`;
  });
  return `${described.join('; ')}. Correct this and call again.`;
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  array: 'a list',
  object: 'an object with named fields',
};

function ruleBroken(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${KINDS[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return sizeRule('at least', Number(issue.minimum), issue.origin);
    case 'too_big':
      return sizeRule('at most', Number(issue.maximum), issue.origin);
    default:
      return 'does not fit what the tool says of it';
  }
}

function sizeRule(bound: 'at least' | 'at most', size: number, origin: string): string {
  const needs = bound === 'at least' ? 'needs at least' : 'can have at most';
  if (origin === 'string') return `${needs} ${size} ${size === 1 ? 'character' : 'characters'}`;
  if (origin === 'array') return `${needs} ${size} ${size === 1 ? 'entry' : 'entries'}`;
  return `must be ${bound} ${size}`;
}
