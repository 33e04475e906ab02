import { join } from 'node:path';
import type { OwnerIdentity } from '../../core/checks/personal.ts';
import { isObject } from '../../core/is-object.ts';
import type { TrustSettings } from '../../core/ledger/entry.ts';
import { parsedJson } from '../../core/parsed-json.ts';
import { utf8Text } from '../../core/text/utf8-text.ts';
import type { Assurance } from '../../core/trust/consent.ts';
import type { Disk } from '../disk/disk.ts';
import { WHY_REFUSED } from '../disk/reading-disk.ts';

export interface Settings {
  readonly observationDays: number;
  readonly staleDays: number;
  readonly proposalsPerSession: number;
  readonly contextCharacters: number;
  readonly contextMemories: number;
  readonly owner: OwnerIdentity;
  readonly injection: 'hold' | 'warn';
  /** Whether a session is given inferred memories before it asks, after the verified ones. */
  readonly context: 'verified-first' | 'verified-only';
  /** Which memories a prompt may bring by itself, where they match it well. */
  readonly recallPerPrompt: 'verified' | 'all' | 'off';
  readonly minimumAssurance: Assurance;
}

/** The settings that are one of several words: the words they may be, the default first. */
const CHOICES = {
  injection: ['hold', 'warn'],
  context: ['verified-first', 'verified-only'],
  recallPerPrompt: ['verified', 'all', 'off'],
} as const;

type ChoiceKey = keyof typeof CHOICES;
type NumberKey = Exclude<keyof Settings, 'owner' | ChoiceKey>;

interface WholeNumber {
  readonly least: number;
  readonly most: number;
  readonly standard: number;
  /** In which direction the setting protects less, and what is lost; absent where no value protects less. */
  readonly looser?: { readonly when: 'lower' | 'higher'; readonly because: string };
}

/** Every whole-number setting: its range, its default and the direction in which it protects less. */
export const NUMBERS: Readonly<Record<NumberKey, WholeNumber>> = {
  observationDays: {
    least: 0,
    most: 365,
    standard: 7,
    looser: { when: 'lower', because: 'a proposed text can be promoted before it was watched for a week' },
  },
  staleDays: {
    least: 1,
    most: 3650,
    standard: 90,
    looser: { when: 'higher', because: 'verified memories go longer without being looked at again' },
  },
  proposalsPerSession: {
    least: 0,
    most: 10_000,
    standard: 50,
    looser: { when: 'higher', because: 'one session can put more unreviewed text into the store' },
  },
  contextCharacters: {
    least: 0,
    most: 40_000,
    standard: 12_000,
    looser: { when: 'higher', because: 'more text, unreviewed text included, is loaded without being asked for' },
  },
  contextMemories: {
    least: 0,
    most: 100,
    standard: 20,
    looser: { when: 'higher', because: 'more memories, unreviewed ones included, are loaded without being asked for' },
  },
  // 1 is both the default and the minimum, so no value is looser.
  minimumAssurance: { least: 1, most: 4, standard: 1 },
};

const NUMBER_KEYS = Object.keys(NUMBERS) as NumberKey[];
const KEYS: readonly string[] = [...NUMBER_KEYS, 'owner', ...Object.keys(CHOICES)];
const OWNER_KEYS: readonly (keyof OwnerIdentity)[] = ['emails', 'githubHandle', 'homeUser'];

export const DEFAULTS: Settings = Object.freeze({
  observationDays: NUMBERS.observationDays.standard,
  staleDays: NUMBERS.staleDays.standard,
  proposalsPerSession: NUMBERS.proposalsPerSession.standard,
  contextCharacters: NUMBERS.contextCharacters.standard,
  contextMemories: NUMBERS.contextMemories.standard,
  owner: Object.freeze({ emails: Object.freeze([]) }),
  injection: CHOICES.injection[0],
  context: CHOICES.context[0],
  recallPerPrompt: CHOICES.recallPerPrompt[0],
  minimumAssurance: 1,
});

const LARGEST_FILE = 64 * 1024;
const MOST_EMAILS = 50;
const MOST_UNKNOWN_NAMED = 5;

/**
 * The operator's settings. A bad file or value is never fatal: a safe one replaces it, with a warning. Warnings never
 * quote the file, because an agent may have written it and models and terminals show them.
 */
export function readSettings(
  configFolder: string,
  disk: Pick<Disk, 'read'>,
): { settings: Settings; warnings: readonly string[] } {
  const entry = disk.read(join(configFolder, 'config.json'), LARGEST_FILE);
  if (entry.kind === 'absent') return { settings: DEFAULTS, warnings: [] };
  if (entry.kind === 'refused') return unused(REFUSED[entry.why]);
  const parsed = parsedJson(utf8Text(entry.bytes) ?? '');
  if (!isObject(parsed)) return unused('it is not a JSON object');

  const warnings: string[] = [];
  const warn = (line: string) => warnings.push(`config.json: ${line}`);
  warnUnknown('', parsed, KEYS, warn);
  const number = (key: NumberKey) => readNumber(key, parsed[key], warn);
  const settings: Settings = {
    observationDays: number('observationDays'),
    staleDays: number('staleDays'),
    proposalsPerSession: number('proposalsPerSession'),
    contextCharacters: number('contextCharacters'),
    contextMemories: number('contextMemories'),
    owner: readOwner(parsed.owner, warn),
    injection: readChoice('injection', parsed.injection, warn),
    context: readChoice('context', parsed.context, warn),
    recallPerPrompt: readChoice('recallPerPrompt', parsed.recallPerPrompt, warn),
    minimumAssurance: number('minimumAssurance') as Assurance,
  };
  return { settings, warnings };
}

/** The lines shown to a person for settings looser than their defaults; none when nothing is looser. */
export function looserThanDefaults(settings: Settings): string[] {
  const lines: string[] = [];
  for (const key of NUMBER_KEYS) {
    const { standard, looser } = NUMBERS[key];
    const value = settings[key];
    if (looser === undefined || (looser.when === 'lower' ? value >= standard : value <= standard)) continue;
    lines.push(`${key} is ${value} (default ${standard}): ${looser.because}`);
  }
  if (settings.injection === 'warn') {
    lines.push('injection is warn (default hold): text shaped like an instruction is loaded without being asked for');
  }
  if (settings.recallPerPrompt === 'all') {
    lines.push('recallPerPrompt is all (default verified): a prompt brings texts that nobody confirmed');
  }
  return lines;
}

/** The settings a receipt records: always those that decide what a yes was worth, the others where they are not at their defaults. */
export function trustSettings(settings: Settings): TrustSettings {
  const { observationDays, staleDays, injection, minimumAssurance, owner, ...others } = settings;
  const keys = Object.keys(others) as (keyof typeof others)[];
  const changed = keys.filter((key) => others[key] !== DEFAULTS[key]).map((key) => [key, others[key]] as const);
  const known = OWNER_KEYS.filter((key) => (key === 'emails' ? owner.emails.length > 0 : owner[key] !== undefined));
  return {
    observationDays,
    staleDays,
    injection,
    minimumAssurance,
    ...Object.fromEntries(changed),
    ...(known.length > 0 && { owner: known }),
  };
}

/** The whole number meant by a value in a file; `exact` is false when the value was written differently. */
export function wholeNumber(written: unknown, range: WholeNumber): { value: number; exact: boolean } {
  const meant = numberMeant(written);
  if (meant === undefined || !Number.isFinite(meant)) return { value: range.standard, exact: false };
  const value = Math.min(range.most, Math.max(range.least, Math.trunc(meant)));
  return { value, exact: typeof written === 'number' && value === written };
}

function numberMeant(written: unknown): number | undefined {
  if (typeof written === 'number') return written;
  if (typeof written === 'boolean') return written ? 1 : 0;
  // Only digits: Number('') is 0 and Number('0x10') is 16, which nobody meant.
  if (typeof written === 'string' && /^[+-]?[0-9]+(\.[0-9]+)?$/.test(written.trim())) return Number(written);
  return undefined;
}

function readNumber(key: NumberKey, written: unknown, warn: (line: string) => void): number {
  const range = NUMBERS[key];
  if (written === undefined) return range.standard;
  const { value, exact } = wholeNumber(written, range);
  if (!exact) warn(`${key} must be a whole number from ${range.least} to ${range.most}; ${value} is used`);
  return value;
}

/** One of several words; anything else is the default. */
function readChoice<Key extends ChoiceKey>(key: Key, written: unknown, warn: (line: string) => void): Settings[Key] {
  if (written === undefined) return DEFAULTS[key];
  const words: readonly Settings[ChoiceKey][] = CHOICES[key];
  const chosen = words.find((choice) => choice === written);
  if (chosen !== undefined) return chosen as Settings[Key];
  const quoted = words.map((word) => `"${word}"`);
  warn(`${key} must be ${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}; "${DEFAULTS[key]}" is used`);
  return DEFAULTS[key];
}

function readOwner(written: unknown, warn: (line: string) => void): OwnerIdentity {
  if (written === undefined) return DEFAULTS.owner;
  if (!isObject(written)) {
    warn('owner must be an object with emails, githubHandle and homeUser; it is left empty');
    return DEFAULTS.owner;
  }
  warnUnknown('owner.', written, OWNER_KEYS, warn);
  const githubHandle = readName('githubHandle', written.githubHandle, GITHUB_HANDLE, warn);
  const homeUser = readName('homeUser', written.homeUser, HOME_USER, warn);
  return {
    emails: readEmails(written.emails, warn),
    ...(githubHandle === undefined ? {} : { githubHandle }),
    ...(homeUser === undefined ? {} : { homeUser }),
  };
}

const EMAIL = /^[^\s\p{C}@]{1,64}@[^\s\p{C}@]{1,189}$/u;
const GITHUB_HANDLE = /^@?([A-Za-z0-9](?:[A-Za-z0-9-]{0,38}))$/;
/** A folder's name below /home, /Users or C:\Users; the last may hold spaces. */
const HOME_USER = /^([^\s\p{C}/\\](?:[^\p{C}/\\]{0,62}[^\s\p{C}/\\])?)$/u;

function readEmails(written: unknown, warn: (line: string) => void): readonly string[] {
  if (written === undefined) return [];
  if (!Array.isArray(written)) {
    warn('owner.emails must be a list of e-mail addresses; it is left empty');
    return [];
  }
  const good = written.filter((email): email is string => typeof email === 'string' && EMAIL.test(email));
  const bad = written.length - good.length;
  if (bad > 0) warn(`owner.emails holds ${bad} that ${bad === 1 ? 'is' : 'are'} no e-mail address; left out`);
  if (good.length > MOST_EMAILS) warn(`owner.emails holds more than ${MOST_EMAILS}; the first ${MOST_EMAILS} are used`);
  return good.slice(0, MOST_EMAILS);
}

function readName(key: string, written: unknown, form: RegExp, warn: (line: string) => void): string | undefined {
  if (written === undefined) return undefined;
  const name = typeof written === 'string' ? form.exec(written)?.[1] : undefined;
  if (name === undefined) warn(`owner.${key} is not a name of that kind; it is left empty`);
  return name;
}

/** Names an unknown key by its position and by the setting it resembles, because its own letters must not be quoted. */
function warnUnknown(
  prefix: string,
  object: Readonly<Record<string, unknown>>,
  known: readonly string[],
  warn: (line: string) => void,
): void {
  const plain = (key: string) => key.toLowerCase().replace(/[^a-z]/g, '');
  const unknown = Object.keys(object)
    .map((key, i) => ({ key, position: i + 1 }))
    .filter(({ key }) => !known.includes(key));
  for (const { key, position } of unknown.slice(0, MOST_UNKNOWN_NAMED)) {
    const meant = known.find((name) => plain(name) === plain(key));
    const hint = meant === undefined ? '' : ` (did you mean ${prefix}${meant}?)`;
    warn(`key ${position}${prefix === '' ? '' : ' of owner'} is no setting of Surety and is ignored${hint}`);
  }
  const more = unknown.length - MOST_UNKNOWN_NAMED;
  if (more > 0) warn(`${more} more unknown ${more === 1 ? 'key is' : 'keys are'} ignored`);
}

const REFUSED = { ...WHY_REFUSED, 'too-large': 'it is larger than 64 KiB' } as const;

function unused(why: string): { settings: Settings; warnings: readonly string[] } {
  return {
    settings: DEFAULTS,
    warnings: [`config.json is not used, because ${why}; all settings are at their defaults`],
  };
}
