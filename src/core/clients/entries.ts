import type { Path } from './json-edit.ts';

/** How a client starts Surety: a program and its arguments, all with absolute paths. */
export interface Start {
  readonly command: string;
  readonly args: readonly string[];
}

/** One of our entries in a client's file. */
export interface ClientEntry {
  /** The object or list that holds the entry. It is created if missing. */
  readonly into: readonly string[];
  /** The key in an object; absent for a list, to which the entry is appended. */
  readonly key?: string;
  readonly value: unknown;
  /** Which parts of an existing value are ours: all of it (an empty path), some parts, or none. */
  ours(there: unknown): readonly Path[];
  /** The changes that bring our existing entry up to date. Everything else stays as the person wrote it. */
  outdated(there: unknown): readonly (readonly [path: Path, value: unknown])[];
}

/**
 * A format of clients' files. It refuses a text that cannot be changed safely; the message says why, without naming the
 * file.
 */
export interface FileFormat {
  /** An empty file. */
  readonly empty: string;
  isEmpty(text: string): boolean;
  read(text: string): unknown;
  /** The containers that `withEntries` would create. */
  made(text: string, entries: readonly ClientEntry[]): readonly string[];
  /** The text with the entries; unchanged if they are there already. */
  withEntries(text: string, entries: readonly ClientEntry[]): string;
  /** The text without our entries. Containers named in `made` are removed too if they are empty then. */
  withoutEntries(text: string, entries: readonly ClientEntry[], made: readonly string[]): string;
}

/** The server's entry in the object where a client keeps its servers. */
export function serverEntry(into: readonly string[], value: object, start: Start): ClientEntry {
  const { command, args } = start;
  return namedServer(into, value, start, [[['command'], command] as const, [['args'], args] as const]);
}

/** The server's entry for clients that keep the program and its arguments in one list. */
export function listedServer(into: readonly string[], value: object, start: Start): ClientEntry {
  const command = [start.command, ...start.args];
  return namedServer(into, { ...value, command }, start, [[['command'], command] as const]);
}

function namedServer(
  into: readonly string[],
  value: object,
  { command, args }: Start,
  current: ReturnType<ClientEntry['outdated']>,
): ClientEntry {
  const isCurrent = (there: unknown) => {
    const [program = '', ...rest] = wordsOf(there);
    // A bare name is found on the PATH; another path may be an outdated Node.
    return (program === command || !/[\\/]/.test(program)) && isSame(rest.slice(-args.length), args);
  };
  return {
    into,
    key: 'surety',
    value,
    ours: (there) => (isSurety(wordsOf(there)) ? [[]] : []),
    outdated: (there) => (isCurrent(there) ? [] : current),
  };
}

export const HOOKS = ['session-start', 'user-prompt-submit', 'pre-tool-use', 'pre-compact'] as const;

/** A hook for clients that collect hooks in groups under a matcher. The event names the list of groups. */
export interface GroupedHook {
  readonly event: string;
  readonly hook: (typeof HOOKS)[number];
  /** In seconds or milliseconds, as the client counts. */
  readonly timeout: number;
  readonly matcher?: string;
  /** What the client calls the hook on its screen, where it would show the whole command otherwise. */
  readonly name?: string;
  /** The client whose JSON the hook speaks, as `surety hook --client` takes it; Claude Code's without. */
  readonly client?: string;
}

export function groupedHook(made: GroupedHook, start: Start, platform: NodeJS.Platform): ClientEntry {
  const { event, hook, timeout, matcher, name } = made;
  const words = wordsFor(made, start, platform);
  const group = matcher === undefined ? {} : { matcher };
  const placesIn = (there: unknown) =>
    hooksOf(there).flatMap((each, at) => (isHook(each, hook) ? [['hooks', at] as const] : []));
  return {
    into: ['hooks', event],
    value: { ...group, hooks: [{ ...(name !== undefined && { name }), type: 'command', ...words, timeout }] },
    // A group to which the person added a hook is theirs too.
    ours: (there) => {
      const places = placesIn(there);
      return places.length > 0 && places.length === hooksOf(there).length ? [[]] : places;
    },
    outdated: (there) => {
      const { matcher: former } = there as { readonly matcher?: unknown };
      const isAlone = hooksOf(there).length === 1 && matcher !== undefined && former !== matcher;
      const hooks = placesIn(there).flatMap((place) => {
        const { args: _, ...each } = hooksOf(there)[place[1]] as { readonly args?: unknown };
        const wanted = { ...each, ...words };
        return isSame(wanted, hooksOf(there)[place[1]]) ? [] : [[place, wanted] as const];
      });
      return [...(isAlone ? [[['matcher'], matcher] as const] : []), ...hooks];
    },
  };
}

/** A hook for clients that list commands by their event, without groups. */
export function listedHook(made: GroupedHook, start: Start, platform: NodeJS.Platform): ClientEntry {
  const { event, hook, timeout } = made;
  const words = wordsFor(made, start, platform);
  return {
    into: ['hooks', event],
    value: { ...words, timeout },
    ours: (there) => (isHook(there, hook) ? [[]] : []),
    outdated: (there) => {
      const { command } = there as { readonly command?: unknown };
      return command === words.command ? [] : [[['command'], words.command] as const];
    },
  };
}

/**
 * What starts a hook: a shell line, which every version of a client supports. On Windows, Claude Code takes separate arguments; the
 * others take a line for the system's own shell.
 */
function wordsFor({ hook, client }: GroupedHook, { command, args }: Start, platform: NodeJS.Platform) {
  const line = [command, ...args, 'hook', hook, ...(client === undefined ? [] : ['--client', client])];
  if (platform !== 'win32') return { command: shellLine(line) };
  if (client === undefined) return { command, args: line.slice(1) };
  return { command: line.map((word) => (/^[\w@%+=:,./\\-]+$/.test(word) ? word : `"${word}"`)).join(' ') };
}

/** A setting of the client that is set to false. */
export function switchedOff(key: string): ClientEntry & { readonly key: string } {
  return { into: [], key, value: false, ours: (there) => (there === false ? [[]] : []), outdated: () => [] };
}

/** Words quoted for a POSIX shell. */
export function shellLine(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ');
}

/** The words that start Surety, for each of our hooks in these settings. */
export function startsOfHooks(settings: unknown): string[][] {
  const groups = Object.values(objectAt(settings, 'hooks')).flatMap((each) => (Array.isArray(each) ? each : []));
  const ours = [...groups, ...groups.flatMap(hooksOf)].filter((each) => HOOKS.some((hook) => isHook(each, hook)));
  return ours.map((each) => {
    const words = wordsOf(each);
    return words.length > 1 ? words : wordsIn(words[0] ?? '');
  });
}

/**
 * The words that start each Surety server, for the account and for single projects. `key` is what servers are under.
 * Another program that is called surety does not count.
 */
export function startsOfServers(config: unknown, key: string): string[][] {
  const scopes = [config, ...Object.values(objectAt(config, 'projects'))];
  const servers = scopes.flatMap((scope) => objectAt(scope, key).surety ?? []);
  return servers.map(wordsOf).filter(isSurety);
}

/** Whether the object at `key` has an entry of that name that is true. */
export function hasEnabled(settings: unknown, key: string, name: RegExp): boolean {
  return Object.entries(objectAt(settings, key)).some(([each, value]) => value === true && name.test(each));
}

/** The inverse of `shellLine`. */
function wordsIn(line: string): string[] {
  const words = line.match(/(?:'[^']*'|\\.|[^\s'\\])+/g) ?? [];
  return words.map((word) => word.replaceAll(/'([^']*)'|\\(.)/g, (_, quoted = '', escaped = '') => quoted + escaped));
}

/** A program and its arguments, which clients write as two fields or as one list. */
function wordsOf(value: unknown): string[] {
  const { command, args } = (value ?? {}) as { readonly command?: unknown; readonly args?: unknown };
  return [command, args].flat().filter((word) => typeof word === 'string');
}

function isSurety(words: readonly string[]): boolean {
  return /surety|[\\/]main\.js/.test(words.join(' '));
}

function isHook(value: unknown, hook: string): boolean {
  const words = wordsOf(value);
  return isSurety(words) && new RegExp(`(?:^| )hook ${hook}(?: --client [a-z-]+)?$`).test(words.join(' '));
}

function hooksOf(group: unknown): readonly unknown[] {
  const { hooks } = (group ?? {}) as { readonly hooks?: unknown };
  return Array.isArray(hooks) ? hooks : [];
}

function objectAt(value: unknown, key: string): Record<string, unknown> {
  const inner = Object.entries(value ?? {}).find(([name]) => name === key)?.[1];
  return typeof inner === 'object' && inner !== null ? inner : {};
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
