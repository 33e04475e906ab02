import { Refusal } from '../refusal.ts';
import {
  childrenOf,
  isAmbiguous,
  type JsonNode,
  jsonValue,
  nodeAt,
  type Path,
  removed,
  treeOf,
  withValue,
} from './json-edit.ts';

/** How a client starts Surety: a program and its arguments, absolute paths all. */
export interface Start {
  readonly command: string;
  readonly args: readonly string[];
}

/** The tools the guard is asked about: those that name files or run commands. Surety's own judge for themselves. */
export const GUARDED_TOOLS =
  '^(Bash|PowerShell|Monitor|Read|Edit|Write|MultiEdit|NotebookEdit|Glob|Grep|LS|LSP|mcp__(?!surety__).+)$';

/** One entry in one of Claude Code's files. */
export interface Entry {
  /** The object or array it goes into, made where it is missing. */
  readonly into: readonly string[];
  /** Its key in an object; an array it is added to. */
  readonly key?: string;
  readonly value: unknown;
  /** Whether something that is there already is an entry of ours, perhaps with other paths. */
  isOurs(value: unknown): boolean;
  /** Whether it does what the new one would do, so that it can stay as somebody wrote it. */
  suffices(value: unknown): boolean;
}

/** What goes into the file with the servers of the user. */
export function serverEntries({ command, args }: Start): readonly Entry[] {
  const value = { type: 'stdio', command, args, env: {} };
  const starts = (there: unknown) => {
    const { command: program } = (there ?? {}) as { readonly command?: unknown };
    // A bare name is found on the PATH; another path may be a Node that was there before an update.
    const runs = program === command || (typeof program === 'string' && !/[\\/]/.test(program));
    return runs && isSame(argsOf(there).slice(-args.length), args);
  };
  return [{ into: ['mcpServers'], key: 'surety', value, isOurs: () => true, suffices: starts }];
}

const HOOKS = ['session-start', 'pre-tool-use'] as const;

/** What goes into the settings: the two hooks. */
export function hookEntries(start: Start, platform: NodeJS.Platform): readonly Entry[] {
  const groups = [
    { event: 'SessionStart', hook: 'session-start', timeout: 30, matcher: {} },
    { event: 'PreToolUse', hook: 'pre-tool-use', timeout: 10, matcher: { matcher: GUARDED_TOOLS } },
  ] as const;
  return groups.map(({ event, hook, timeout, matcher }) => {
    const words = spoken(start, ['hook', hook], platform);
    const value = { ...matcher, hooks: [{ type: 'command', ...words, timeout }] };
    const starts = (each: unknown) => isSame({ ...(each as object), ...words }, each);
    return {
      into: ['hooks', event],
      value,
      isOurs: (there) => hooksOf(there).some((each) => isHook(each, hook)),
      // A group that somebody added to is theirs as well, as long as it starts us.
      suffices: (there) => isSame(there, value) || (hooksOf(there).length > 1 && hooksOf(there).some(starts)),
    };
  });
}

/** A line for a shell where there is one that every version has; the parts by themselves on Windows. */
function spoken({ command, args }: Start, more: readonly string[], platform: NodeJS.Platform) {
  if (platform === 'win32') return { command, args: [...args, ...more] };
  return { command: shellLine([command, ...args, ...more]) };
}

/** Words as a POSIX shell takes them back. */
export function shellLine(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ');
}

/** The words that start Surety in each hook of ours that stands in these settings. */
export function startsOfHooks(settings: unknown): string[][] {
  const { hooks: events } = (settings ?? {}) as { readonly hooks?: unknown };
  const groups = Object.values((events ?? {}) as Record<string, unknown>).flatMap((each) =>
    Array.isArray(each) ? each : [],
  );
  const ours = groups.flatMap(hooksOf).filter((each) => HOOKS.some((hook) => isHook(each, hook)));
  return ours.map((each) => {
    const { command } = each as { readonly command: string };
    const rest = argsOf(each).filter((word) => typeof word === 'string');
    return rest.length > 0 ? [command, ...rest] : wordsIn(command);
  });
}

/** Takes `shellLine` apart again. */
function wordsIn(line: string): string[] {
  const words = line.match(/(?:'[^']*'|\\.|[^\s'\\])+/g) ?? [];
  return words.map((word) => word.replaceAll(/'([^']*)'|\\(.)/g, (_, quoted = '', escaped = '') => quoted + escaped));
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function hooksOf(group: unknown): readonly unknown[] {
  const { hooks } = (group ?? {}) as { readonly hooks?: unknown };
  return Array.isArray(hooks) ? hooks : [];
}

function argsOf(value: unknown): readonly unknown[] {
  const { args } = (value ?? {}) as { readonly args?: unknown };
  return Array.isArray(args) ? args : [];
}

function isHook(value: unknown, hook: string): boolean {
  const { command } = (value ?? {}) as { readonly command?: unknown };
  const said = [command, ...argsOf(value)].filter((each) => typeof each === 'string').join(' ');
  return /surety|[\\/]main\.js/.test(said) && said.endsWith(` hook ${hook}`);
}

/** The text with the entries in it; the same text when they are there already. */
export function withEntries(text: string, entries: readonly Entry[]): string {
  let now = text;
  for (const entry of entries) {
    const { into, key, value, isOurs, suffices } = entry;
    const root = rootOf(now, [...into, ...(key === undefined ? [] : [key])]);
    const depth = depthOf(root, into);
    const wanted = depth < into.length || key !== undefined ? 'object' : 'array';
    if (nodeAt(root, into.slice(0, depth))?.type !== wanted) throw otherShape();
    const container = nodeAt(root, into);
    const items = childrenOf(container);
    const ours = items.findIndex((item) => isOurs(jsonValue(item)));
    const place = [...into, key ?? (ours < 0 ? items.length : ours)];
    const there = nodeAt(root, place);
    if (there === undefined) now = withValue(now, place, value);
    else if (!suffices(jsonValue(there))) now = withValue(now, ...outdated(place, there, entry));
  }
  return now;
}

/** What is written anew of an entry that is there, and with what: of a group with hooks of others only our own hook. */
function outdated(place: Path, there: JsonNode, { value, isOurs }: Entry): [place: Path, value: unknown] {
  const items = hooksOf(jsonValue(there));
  const ours = items.length > 1 ? items.findIndex((item) => isOurs({ hooks: [item] })) : -1;
  return ours < 0 ? [place, value] : [[...place, 'hooks', ours], hooksOf(value)[0]];
}

/**
 * The text without them. What they were put into goes with them where it is empty now and was not there before, told by
 * the text as it was (undefined: there was no file).
 */
export function withoutEntries(text: string, entries: readonly Entry[], before: string | undefined): string {
  const earlier = before === undefined ? undefined : treeOf(before);
  let now = text;
  for (const { into, key, isOurs } of entries) {
    const container = nodeAt(rootOf(now, [...into, ...(key === undefined ? [] : [key])]), into);
    if (container?.type === 'array') {
      now = withoutGroups(now, into, childrenOf(container).length, isOurs);
    } else if (container !== undefined && key !== undefined) {
      const former = nodeAt(earlier, [...into, key]);
      const there = nodeAt(container, [key]);
      if (former === undefined || before === undefined) now = removed(now, [...into, key]);
      else if (there !== undefined) now = withValue(now, [...into, key], jsonValue(former));
    }
    for (let depth = into.length; depth > 0; depth--) {
      const path = into.slice(0, depth);
      if (!isEmpty(nodeAt(treeOf(now), path)) || nodeAt(earlier, path) !== undefined) break;
      now = removed(now, path);
    }
  }
  return now;
}

/** The outline of a file that can be changed safely. */
function rootOf(text: string, path: Path): JsonNode {
  const root = treeOf(text);
  if (root === undefined) throw new Refusal('unreadable-file', 'it is not JSON');
  if (root.type !== 'object' || isAmbiguous(root, path)) throw otherShape();
  return root;
}

function otherShape(): Refusal {
  return new Refusal('unreadable-file', 'it has another shape than the one Claude Code documents');
}

/** Whether nothing is left of a file but the brackets. */
export function isBare(text: string): boolean {
  return isEmpty(treeOf(text));
}

function isEmpty(node: JsonNode | undefined): boolean {
  return (node?.type === 'object' || node?.type === 'array') && childrenOf(node).length === 0;
}

/** How many steps of a path are there. */
function depthOf(root: JsonNode, path: Path): number {
  const missing = path.findIndex((_, depth) => nodeAt(root, path.slice(0, depth + 1)) === undefined);
  return missing < 0 ? path.length : missing;
}

/** Takes our hooks out of the groups of an event, and groups that hold nothing else. */
function withoutGroups(text: string, event: Path, groups: number, isOurs: (group: unknown) => boolean): string {
  let now = text;
  // From the end, so that what is left keeps its place.
  for (let at = groups - 1; at >= 0; at--) {
    const group = nodeAt(treeOf(now), [...event, at]);
    const hooks = hooksOf(jsonValue(group));
    const ours = hooks.flatMap((each, inner) => (isOurs({ hooks: [each] }) ? [inner] : []));
    if (ours.length === 0) continue;
    if (ours.length === hooks.length) now = removed(now, [...event, at]);
    else for (const inner of ours.reverse()) now = removed(now, [...event, at, 'hooks', inner]);
  }
  return now;
}
