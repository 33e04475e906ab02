/** How a client starts Surety: a program and its arguments, absolute paths all. */
export interface Start {
  readonly command: string;
  readonly args: readonly string[];
}

/** Keys lead into objects, numbers into lists. */
type Path = readonly (string | number)[];

/** One entry of ours in a client's file. */
export interface Entry {
  /** The object or list it goes into, made where it is missing. */
  readonly into: readonly string[];
  /** Its key in an object; absent for a list, to which it is added. */
  readonly key?: string;
  readonly value: unknown;
  /** What is ours of a value that is there: all of it (an empty path), parts of it, or nothing. */
  ours(there: unknown): readonly Path[];
  /** What has to change of one of ours for it to do what the new one would do. The rest is left as somebody wrote it. */
  outdated(there: unknown): readonly (readonly [path: Path, value: unknown])[];
}

/** A format of clients' files. A text that cannot be changed safely is refused; the message says why, not which it is. */
export interface FileFormat {
  /** A file with nothing in it. */
  readonly empty: string;
  isEmpty(text: string): boolean;
  read(text: string): unknown;
  /** The containers that `withEntries` would make. */
  made(text: string, entries: readonly Entry[]): readonly string[];
  /** The text with the entries in it; the same text when they are there already. */
  withEntries(text: string, entries: readonly Entry[]): string;
  /** The text without what is ours. Of the containers named in `made`, those that are empty then go too. */
  withoutEntries(text: string, entries: readonly Entry[], made: readonly string[]): string;
}

/** The server, under its name in the object where a client keeps its servers. */
export function serverEntry(into: readonly string[], value: object, { command, args }: Start): Entry {
  const isCurrent = (there: unknown) => {
    const [program = '', ...rest] = wordsOf(there);
    // A bare name is found on the PATH; another path may be a Node that was there before an update.
    return (program === command || !/[\\/]/.test(program)) && isSame(rest.slice(-args.length), args);
  };
  return {
    into,
    key: 'surety',
    value,
    ours: (there) => (isSurety(wordsOf(there)) ? [[]] : []),
    outdated: (there) => (isCurrent(there) ? [] : [[['command'], command] as const, [['args'], args] as const]),
  };
}

/** A hook as clients write it that collect hooks in groups under a matcher; the event is the name of the list of groups. */
export interface GroupedHook {
  readonly event: string;
  readonly hook: 'session-start' | 'pre-tool-use';
  readonly timeout: number;
  readonly matcher?: string;
}

export function groupedHook(made: GroupedHook, start: Start, platform: NodeJS.Platform): Entry {
  const { event, hook, timeout, matcher } = made;
  const line = [start.command, ...start.args, 'hook', hook];
  // A line for a shell where there is one that every version of a client has; the parts by themselves on Windows.
  const words = platform === 'win32' ? { command: start.command, args: line.slice(1) } : { command: shellLine(line) };
  const group = matcher === undefined ? {} : { matcher };
  const placesIn = (there: unknown) =>
    hooksOf(there).flatMap((each, at) => (isHook(each, hook) ? [['hooks', at] as const] : []));
  return {
    into: ['hooks', event],
    value: { ...group, hooks: [{ type: 'command', ...words, timeout }] },
    // A group that somebody added a hook to is theirs as well.
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

/** Words as a POSIX shell takes them back. */
export function shellLine(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ');
}

/** The words that start Surety in each of our hooks in these settings. */
export function startsOfHooks(settings: unknown): string[][] {
  const groups = Object.values(objectAt(settings, 'hooks')).flatMap((each) => (Array.isArray(each) ? each : []));
  const ours = groups.flatMap(hooksOf).filter((each) => isHook(each, 'session-start') || isHook(each, 'pre-tool-use'));
  return ours.map((each) => {
    const words = wordsOf(each);
    return words.length > 1 ? words : wordsIn(words[0] ?? '');
  });
}

/** The words that start each server called surety, for the account and for single projects. */
export function startsOfServers(config: unknown): string[][] {
  const scopes = [config, ...Object.values(objectAt(config, 'projects'))];
  const servers = scopes.flatMap((scope) => objectAt(scope, 'mcpServers').surety ?? []);
  return servers.map(wordsOf);
}

/** Takes `shellLine` apart again. */
function wordsIn(line: string): string[] {
  const words = line.match(/(?:'[^']*'|\\.|[^\s'\\])+/g) ?? [];
  return words.map((word) => word.replaceAll(/'([^']*)'|\\(.)/g, (_, quoted = '', escaped = '') => quoted + escaped));
}

/** A program and its arguments, as every client writes them: in two fields, or as one list. */
function wordsOf(value: unknown): string[] {
  const { command, args } = (value ?? {}) as { readonly command?: unknown; readonly args?: unknown };
  return [command, args].flat().filter((word) => typeof word === 'string');
}

function isSurety(words: readonly string[]): boolean {
  return /surety|[\\/]main\.js/.test(words.join(' '));
}

function isHook(value: unknown, hook: string): boolean {
  const words = wordsOf(value);
  return isSurety(words) && words.join(' ').endsWith(` hook ${hook}`);
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
