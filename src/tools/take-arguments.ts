import type * as z from 'zod';
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
 * absent. An unknown name may be a secret, so unknown names are counted and not repeated.
 */
export function takeArguments(
  sent: unknown,
  { shape }: z.ZodObject,
): { taken: unknown; ignored: SafeText | undefined } {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return { taken: sent, ignored: undefined };
  const given = Object.entries(sent).filter(([, value]) => value !== null);
  const taken = given.filter(([name]) => Object.hasOwn(shape, name));
  const unknown = given.filter(([name]) => !Object.hasOwn(shape, name)).map(([name]) => name);
  return { taken: Object.fromEntries(taken), ignored: unknown.length === 0 ? undefined : aboutIgnored(unknown) };
}

function aboutIgnored(names: readonly string[]): SafeText {
  const wishes = names.flatMap((name) => (name.length > 40 ? [] : (WISHES_BY_LETTERS.get(lettersOf(name)) ?? [])));
  const others = names.length - wishes.length;
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
