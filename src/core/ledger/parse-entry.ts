import { isObject } from '../is-object.ts';
import { parsedJson } from '../parsed-json.ts';
import { ASSERTION_PARTS } from '../passkeys/assertion.ts';
import { isPasskeyChange } from '../passkeys/change.ts';
import { parseTimestamp } from '../trust/clocks.ts';
import { ACTORS, type ActorKind, TIERS, type Tier } from '../trust/tiers.ts';
import { BEGINS, type Entry, MANY, MOST_TEXTS, VERSIONS, type Version } from './entry.ts';
import { PlainLines } from './plain-line.ts';

const PLAIN = new PlainLines();

/**
 * Parses a line; undefined if it is not an entry that this version understands. Parsing proves nothing about its truth.
 */
export function parseEntry(line: string): Entry | undefined {
  const plain = PLAIN.read(line);
  if (plain !== undefined) return plain;
  const entry = parseAnyEntry(line);
  if (entry !== undefined) PLAIN.learn(entry);
  return entry;
}

/** Parses a line as JSON, whatever its form. */
export function parseAnyEntry(line: string): Entry | undefined {
  const value = parsed(line);
  // JSON.stringify wrote the line, so it must produce the same line again. Otherwise duplicate keys or other spellings
  // could give one line two meanings.
  if (value === undefined || JSON.stringify(value) !== line) return undefined;
  if (!isEntry(value) || !hasPartsInForm(value)) return undefined;
  return value.v === 1 || (line.startsWith(BEGINS) && isSecond(value)) ? value : undefined;
}

/** Whether a newer Surety wrote this line. It is then not damaged, but this version does not know its meaning. */
export function isOfLaterVersion(line: string): boolean {
  const v = parsed(line)?.v;
  return Number.isSafeInteger(v) && Number(v) > Math.max(...VERSIONS);
}

function parsed(line: string): Record<string, unknown> | undefined {
  const value = parsedJson(line);
  return isObject(value) ? value : undefined;
}

/** Unknown keys are allowed on purpose (signed and ignored), so that a later version can add facts. */
function isEntry(value: object): value is Entry {
  const e = value as Record<keyof Entry, unknown>;
  return (
    VERSIONS.includes(e.v as Version) &&
    Number.isSafeInteger(e.seq) &&
    typeof e.at === 'string' &&
    parseTimestamp(e.at) !== undefined &&
    typeof e.machine === 'string' &&
    (e.key === undefined || typeof e.key === 'string') &&
    isObject(e.by) &&
    ACTORS.includes(e.by.actor as ActorKind) &&
    typeof e.by.level === 'number' &&
    typeof e.rules === 'string' &&
    typeof e.action === 'string' &&
    typeof e.id === 'string' &&
    isTierOrNull(e.from) &&
    isTierOrNull(e.to) &&
    isTextOrNull(e.digest) &&
    isTextOrNull(e.saying) &&
    isTextOrNull(e.reason) &&
    isTextOrNull(e.replaces) &&
    isTextOrNull(e.prev) &&
    isTexts(e.settled) &&
    isTexts(e.after)
  );
}

/**
 * Checks what version 2 adds and an entry may lack. It is read in version 1 too, so it has its form there as well. A
 * malformed list of texts makes the whole entry invalid, because ignoring the list would hide first sights.
 */
function hasPartsInForm(entry: Entry): boolean {
  const { store, action, id, digest, saying, was, texts, alias, prompted, passkeys, assertion } = entry;
  const many = texts === undefined || (action === 'seen' && id === MANY && digest === null && saying === null);
  return (
    isTextOrMissing(store) &&
    isTextOrMissing(was) &&
    isTextOrMissing(alias) &&
    (prompted === undefined || isTime(prompted)) &&
    (passkeys === undefined || isPasskeyChange(passkeys)) &&
    (assertion === undefined || isAssertion(assertion)) &&
    many &&
    (texts === undefined || areSeenTexts(texts))
  );
}

/** Checks what no entry of version 2 lacks. */
function isSecond({ clock, store }: Entry): boolean {
  return isTime(clock) && store !== undefined;
}

function isAssertion(value: unknown): boolean {
  return isObject(value) && ASSERTION_PARTS.every((part) => typeof value[part] === 'string');
}

function areSeenTexts(texts: unknown): boolean {
  if (!Array.isArray(texts) || texts.length === 0 || texts.length > MOST_TEXTS) return false;
  return texts.every((text) => isTexts(text) && text.length === 3);
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && parseTimestamp(value) !== undefined;
}

function isTextOrMissing(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

function isTierOrNull(value: unknown): boolean {
  return value === null || TIERS.includes(value as Tier);
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === 'string';
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
