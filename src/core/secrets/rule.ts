import { isRandom } from './bigrams.ts';
import { mayBeLive } from './placeholders.ts';
import { BASE58, HEX, sampleToken, UPPER_AND_DIGITS } from './sample-tokens.ts';

/** One format of a secret, with its evidence. */
export interface SecretRule {
  readonly rule: string;
  /** `block` if the format leaves no doubt, `hold` if a secret is likely. */
  readonly severity: 'block' | 'hold';
  /** As in “This looks like …”. */
  readonly what: string;
  /** In lower case. The pattern is tried only on a text that contains one of these. */
  readonly keywords: readonly string[];
  /**
   * Global. It begins with a literal, and every repetition is bounded or cannot restart inside itself. The secret is the
   * first group, or the whole match, and the match ends with it.
   */
  readonly pattern: RegExp;
  /** Decides last, with the secret and the whole match. */
  accepts?(secret: string, match: RegExpExecArray): boolean;
  /** Lines that this rule must catch. */
  readonly catches: readonly string[];
  readonly allows: readonly string[];
}

/** The characters of one part of a token, and how many. */
interface TokenPart {
  readonly source: string;
  readonly least: number;
  /** An invented part of this form. */
  make(seed: number): string;
}
type TokenShape = readonly (TokenPart | string)[];

function part(characters: string, alphabet: string | undefined): (least: number, most?: number) => TokenPart {
  return (least, most = least) => ({
    source: `[${characters}]{${least === most ? least : `${least},${most}`}}`,
    least,
    make: (seed) => sampleToken(least, alphabet, seed),
  });
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz0123456789';
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const BECH32 = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';

/** Letters and digits. */
export const alnum = part('A-Za-z0-9', undefined);
/** `alnum` with `_` and `-`, as in base64url. */
export const wide = part('A-Za-z0-9_-', undefined);
/** `wide` with `=`. */
export const padded = part('A-Za-z0-9_=-', undefined);
export const base64 = part('A-Za-z0-9+/=', undefined);
export const lower = part('a-z0-9', LOWER);
export const upper = part('A-Z0-9', UPPER);
export const upper32 = part('A-Z2-7', UPPER_AND_DIGITS);
export const hex = part('A-Fa-f0-9', HEX);
export const digits = part('0-9', '3851907264');
/** `wide` with `.` and `=`. */
export const dotted = part('A-Za-z0-9_=.-', undefined);
export const bech32 = part('02-9ac-hj-np-z', BECH32);
export const base58 = part('1-9A-HJ-NP-Za-km-z', BASE58);

export const UUID: TokenShape = [hex(8), '-', hex(4), '-', hex(4), '-', hex(4), '-', hex(12)];

interface RuleFacts {
  readonly rule: string;
  readonly what: string;
  readonly severity: 'block' | 'hold';
}

function sourceOf(shape: TokenShape): string {
  return shape.map((each) => (typeof each === 'string' ? escaped(each) : each.source)).join('');
}

function lengthOf(shape: TokenShape): number {
  return shape.reduce((sum, each) => sum + (typeof each === 'string' ? 0 : each.least), 0);
}

function made(shape: TokenShape, seed = 1): string {
  return shape.map((each, i) => (typeof each === 'string' ? each : each.make(seed + i))).join('');
}

function blanked(shape: TokenShape): string {
  return shape.map((each) => (typeof each === 'string' ? each : 'x'.repeat(each.least))).join('');
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}

/** Without the fixed characters of a token, which say nothing about whether it could be live. */
function variable(secret: string, shape: TokenShape, prefix: string): string {
  return shape.reduce<string>(
    (rest, each) => (typeof each === 'string' && each.length > 2 ? rest.replace(each, '') : rest),
    secret.slice(prefix.length),
  );
}

/** Prefixes of at most 4 characters also begin ordinary words, so the rest must not read like words. */
const SHORT_PREFIX = 4;

function looksRandom(rest: string): boolean {
  return (
    isRandom(rest) || (/[0-9]/.test(rest) && /[a-z]/.test(rest) && /[A-Z]/.test(rest)) || /^[0-9a-f:./-]+$/i.test(rest)
  );
}

/** A token with its provider's prefix. */
export function prefixed(
  rule: string,
  what: string,
  prefixes: string | readonly string[],
  shape: TokenShape,
  severity: RuleFacts['severity'] = 'block',
): SecretRule {
  const starts = typeof prefixes === 'string' ? [prefixes] : prefixes;
  const least = lengthOf(shape);
  return lazily({
    rule,
    what,
    severity,
    keywords: starts.map((start) => start.toLowerCase()),
    source: () => `(?<![A-Za-z0-9])(?:${starts.map(escaped).join('|')})${sourceOf(shape)}(?![A-Za-z0-9])`,
    flags: 'g',
    accepts: (secret) => {
      const prefix = starts.find((start) => secret.startsWith(start)) ?? '';
      const rest = variable(secret, shape, prefix);
      return mayBeLive(rest, least) && (prefix.length > SHORT_PREFIX || looksRandom(rest));
    },
    catches: () =>
      starts.flatMap((start, i) => [
        `${start}${made(shape, i + 1)}`,
        `the token is "${start}${made(shape, i + 9)}", keep it`,
      ]),
    allows: () => starts.flatMap((start) => [`${start}${blanked(shape)}`, `${start} is how they begin`]),
  });
}

/** What separates a name from its value in configuration languages, from `=` to a table's cell. */
const GIVES = [
  '=>',
  '\\|{1,2}',
  ':\\s?[a-z]{2,10}\\??\\s?=',
  ':{1,3}=?',
  '[?.+]{0,2}={1,3}',
  '[>,(]',
  '\\bis\\b',
  '[\\s,"\'`]{1,6}value["\'`]?\\s{0,2}[:=]',
  '(?<=token|key|secret|password)\\s',
].join('|');

/** From a provider's name to the value it labels: `datadogToken = "…"`, `<datadogKey>…`, `the datadog key is …`. */
const TO_VALUE = `[\\w .\\t(/-]{0,40}?\\\\{0,2}["'\`\\])]{0,2}\\s{0,3}(?:${GIVES})[\\s\\\\"'\`=(|>]{0,10}?`;

/** A digest has the alphabet and often the length of a key; its label tells them apart. */
const DIGEST =
  /commit|digest|sha-?\d|hash|checksum|revision|fingerprint|etag|md5|\bslug\b|\b(?:request|event|trace)[_ -]?id\b/i;

/**
 * A token without a prefix. It is certain only if it has exactly the right length and its provider's name is the label. Any
 * joining character may stand between the words of the name.
 */
export function near(rule: string, what: string, names: string | readonly string[], shape: TokenShape): SecretRule {
  const labels = typeof names === 'string' ? [names] : names;
  const least = lengthOf(shape);
  const plain = labels.map((label) => label.replaceAll(' ', '_'));
  return lazily({
    rule,
    what,
    severity: 'block',
    keywords: labels.map((label) => label.split(' ').reduce((one, other) => (other.length > one.length ? other : one))),
    source: () =>
      `(?:${labels.map((label) => label.replaceAll(' ', '[\\s_.-]?')).join('|')})${TO_VALUE}(?<![\\w.+/-])(${sourceOf(shape)})(?![\\w+/=-]|\\.\\w)`,
    flags: 'gi',
    accepts: (secret, match) =>
      beginsWord(match) &&
      !DIGEST.test(match[0].slice(0, -secret.length)) &&
      isMixed(secret) &&
      (mayBeLive(secret, least) || isCounted(secret)),
    catches: () =>
      plain.flatMap((label) => [`${label}_token = "${made(shape)}"`, `"${label}Key": "${made(shape, 5)}"`]),
    allows: () => [
      `${plain[0]}_token = "${blanked(shape)}"`,
      `${plain[0]} has tokens`,
      `commit ${made(shape)}`,
      `${plain[0]} was built from commit: ${made(shape)}`,
    ],
  });
}

/** Whether the value is not a name or a number: letters alone must look random, and digits alone must be long. */
function isMixed(secret: string): boolean {
  if (!/[0-9]/.test(secret)) return isRandom(secret);
  return /[a-z]/i.test(secret) || secret.length >= 16;
}

/** `myDatadogKey` names Datadog; `SetSysctl` does not name Etsy. */
function beginsWord({ 0: whole, input, index }: RegExpExecArray): boolean {
  const before = input[index - 1] ?? ' ';
  return !/[A-Za-z]/.test(before) || (/[a-z]/.test(before) && /^[A-Z]/.test(whole));
}

/** Next to its provider's name and of exactly the right length, a key that counts up can still be in use. */
function isCounted(secret: string): boolean {
  return secret.length >= 32 && /^[0-9a-h-]+$/i.test(secret) && new Set(secret.toLowerCase()).size >= 12;
}

interface Lazy extends RuleFacts {
  readonly keywords: readonly string[];
  readonly flags: string;
  source(): string;
  accepts(secret: string, match: RegExpExecArray): boolean;
  catches(): readonly string[];
  allows(): readonly string[];
}

/** Patterns and evidence are made at first use, because a process never tries most rules. */
function lazily({ source, flags, catches, allows, ...fact }: Lazy): SecretRule {
  let compiled: RegExp | undefined;
  return {
    ...fact,
    get pattern() {
      compiled ??= new RegExp(source(), flags);
      return compiled;
    },
    get catches() {
      return catches();
    },
    get allows() {
      return allows();
    },
  };
}
