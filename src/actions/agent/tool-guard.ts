import { basename, isAbsolute, resolve } from 'node:path';
import {
  globReaches,
  runsSubcommand,
  type ShellWords,
  shellWords,
  withoutSearches,
} from '../../core/clients/shell-words.ts';
import { withoutTilde } from '../../store/places/base-folders.ts';
import { isOfPackage, leadsTo, OwnFolders } from '../../store/places/own-folders.ts';
import type { Surroundings } from '../../store/places/places.ts';

/** A tool call that an agent is about to make; its name and input are untrusted. */
interface ToolCall {
  readonly tool: string;
  readonly input: unknown;
  readonly cwd: string;
}

/** Why a call is refused: it touches Surety's own files, or runs a command meant for the person. */
export type Violation = 'own-files' | 'persons-command';

/** Commands that ask a person or start using a store; only the person may run them. */
export const PERSONS_COMMANDS: ReadonlySet<string> = new Set([
  'add',
  'adopt',
  'archive',
  'backfill',
  'demo',
  'demote',
  'doctor',
  'erase',
  'hook',
  'import',
  'init',
  'machines',
  'open',
  'passkey',
  'promote',
  'remember',
  'restore',
  'review',
]);

const PATH_KEY = /path|file|dir|folder|root|cwd|uri|source|destination|target/i;
/** Keys of a command: one text, a list, a program with arguments, or input to an open shell. */
const COMMAND_KEY = /^(?:command|cmd|script|code|argv?|argument|program|line|input|stdin|key|char)s?$/i;
/** Keys of text that is written, searched for or said, which may mention our folders. Any other key may name a file. */
const PROSE_KEY =
  /^(?:(?:old|new|insert)_?(?:string|str|text|source)|contents?|text|body|pattern|regex|query|prompt|message|description|title|summary|comment|question|thought|notes?)$/i;
/** The lines of a patch that are content, and name no file. A command around a patch has lines of its own. */
const CONTENT_OF_PATCH = /^(?!(?:---|\+\+\+) )[ +\-@\\].*$/gm;
/** The keys under which tools of Claude Code, Copilot CLI and Gemini CLI take wildcards, and the folder these are relative to. */
const WILDCARDS: Readonly<Record<string, string>> = {
  Glob: 'pattern',
  Grep: 'glob',
  glob: 'pattern',
  grep: 'glob',
  grep_search: 'include_pattern',
};
const WILDCARDS_FROM = ['path', 'dir_path'];
/** More than a model writes in one call, and few enough to be judged before the client stops waiting. */
const MOST_VALUES = 50_000;

/** The machine, and the running program's file. */
export interface Scene extends Surroundings {
  readonly program?: string | undefined;
}

/** Judges a tool call by its paths and commands alone; the store is not opened. */
export function violationOf({ tool, input, cwd }: ToolCall, scene: Scene): Violation | undefined {
  const { home, env, platform } = scene;
  const own = new OwnFolders(scene);
  const from = (base: string, path: string) => resolve(base, withoutTilde(withoutScheme(path), home));
  const values = [...valuesOf(input)];

  for (const { key, value } of values) {
    // A single word is a path only under a key for paths.
    const isPath = PATH_KEY.test(key) || (!PROSE_KEY.test(key) && /[\\/~.]/.test(value));
    if (isPath && reaches(own, from(cwd, value))) return 'own-files';
  }
  const wildcards = Object.hasOwn(WILDCARDS, tool) ? WILDCARDS[tool] : undefined;
  if (wildcards !== undefined) {
    const base = from(cwd, values.find(({ key }) => WILDCARDS_FROM.includes(key))?.value ?? '.');
    // The pattern may also be a whole path.
    const pattern = values.find(({ key }) => key === wildcards)?.value ?? '';
    if (reaches(own, from(base, pattern))) return 'own-files';
  }
  const wordsOf = (said: string) =>
    shellWords(said, { HOME: home, ...env, PWD: cwd }, platform === 'win32' ? '\\' : '/');
  // The values are checked and not the keys, because other servers' tools may use any key for a file.
  const named = values.filter(({ key }) => !PROSE_KEY.test(key)).map(({ value }) => filesIn(value));
  if (touches(wordsOf(named.join(' ')), own, { cwd, home, from })) return 'own-files';
  const commands = values.filter(({ key }) => COMMAND_KEY.test(key)).map(({ value }) => value);
  const words = wordsOf(withoutSearches(commands.join(' ')));
  const program = scene.program === undefined ? undefined : leadsTo(scene.program);
  let sought = 0;
  const isOurs = (word: string, before: () => readonly string[]) => {
    const folders = () => {
      sought += 1;
      return foldersIn(before(), cwd, from);
    };
    return isSurety(word, folders, program) || sought > MOST_SOUGHT;
  };
  return runsSubcommand(words, isOurs, PERSONS_COMMANDS) ? 'persons-command' : undefined;
}

/** Each is sought on the disk in every folder that the command goes to, and the client does not wait for thousands. */
const MOST_SOUGHT = 100;

/** A line of a patch that names a file. */
const PATCH =
  /^(?:\*\*\* (?:(?:Add|Update|Delete) File|Move to):|(?:---|\+\+\+|diff --git|rename (?:from|to)|copy (?:from|to)) )/m;

function filesIn(value: string): string {
  const isPatch = PATCH.test(value) && /^(?:\*\*\* |@@ |@@$)/m.test(value);
  return isPatch ? value.replaceAll(CONTENT_OF_PATCH, '').replaceAll(/ [ab]\//g, ' ') : value;
}

/** Folders a command may be in when it starts a program: `cwd`, and each folder it changed to. */
function foldersIn(words: readonly string[], cwd: string, from: CommandFolders['from']): readonly string[] {
  const folders = [cwd];
  for (const [at, word] of words.entries()) {
    if (!GOES.test(words[at - 1] ?? '') || folders.length > MOST_FOLDERS) continue;
    folders.push(...new Set([from(folders.at(-1) ?? cwd, word), from(cwd, word)]));
  }
  return folders;
}

const GOES = /^(?:cd|pushd|chdir|-C|--cwd|--prefix|Set-Location|sl)$/i;
const MOST_FOLDERS = 20;

/** The path of a file: URL, which may hold %XX escapes. */
function withoutScheme(path: string): string {
  const [, encoded] = /^file:\/\/(.*)$/is.exec(path) ?? [];
  if (encoded === undefined) return path;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

/** Every string in the input with its key, outermost first; array items take the array's key. */
function* valuesOf(input: unknown): Generator<{ readonly key: string; readonly value: string }> {
  const waiting: { readonly key: string; readonly value: unknown }[] = [{ key: '', value: input }];
  for (const { key, value } of waiting) {
    if (typeof value === 'string') yield { key, value };
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, each] of Object.entries(value)) {
      if (waiting.length >= MOST_VALUES) break;
      waiting.push({ key: Array.isArray(value) ? key : name, value: each });
    }
  }
}

/**
 * More would not be judged before the client stops waiting and lets the call go on. They take five folders above ours and all the
 * words of the longest command, or the same folder in hundreds of spellings.
 */
const MOST_JOINED = 300_000;

interface CommandFolders {
  readonly cwd: string;
  readonly home: string;
  from(base: string, path: string): string;
}

function touches({ flat, words }: ShellWords, own: OwnFolders, { cwd, home, from }: CommandFolders): boolean {
  const said = flat.replaceAll(/(?<![\w.])~(?=\/|\s|$)/g, () => home).replaceAll(/[\\/]+/g, '/');
  if (own.names.some((name) => standsIn(said.toLowerCase(), name))) return true;
  // A command may change folder first, so each folder it names above ours may be the base of its other words.
  const above = words.map((word) => from(cwd, word)).filter((path) => own.isBelow(path));
  const goesHome = words.some((word) => word === 'cd' || word === 'pushd');
  const bases = [...new Set([cwd, ...above, ...(goesHome ? [home] : [])])];
  if (bases.length * words.length > MOST_JOINED) return true;
  return words.some((word) => {
    if (/(?:^|\/)\.surety(?:\/|$)/i.test(word)) return true;
    return (isAbsolute(word) ? [cwd] : bases).some((base) => reaches(own, from(base, word)));
  });
}

/** Whether `name` is a whole path in `said`, and not the start of a longer name. */
function standsIn(said: string, name: string): boolean {
  for (let at = said.indexOf(name); at >= 0; at = said.indexOf(name, at + 1)) {
    if (!/[\w.-]/.test(said[at + name.length] ?? '')) return true;
  }
  return false;
}

function reaches(own: OwnFolders, path: string): boolean {
  if (own.holds(path)) return true;
  if (!/[*?[]/.test(path)) return false;
  const pattern = path.replaceAll('\\', '/').toLowerCase();
  return own.names.some((folder) => globReaches(pattern, folder));
}

const BY_NAME = /(?:^|[\\/])surety(?:@[\w.^~*-]+|\.cmd|\.ps1|[\\/]dist[\\/]main\.js|[\\/]src[\\/]main\.ts)?$/i;

/** Matches Surety by its name, its package, the running file, or the entry file of another copy. */
function isSurety(word: string, folders: () => readonly string[], program: string | undefined): boolean {
  if (BY_NAME.test(word)) return true;
  if (!ENTRY.test(word) && (program === undefined || basename(word) !== basename(program))) return false;
  return folders().some((folder) => {
    const file = resolve(folder, word);
    return leadsTo(file) === program || (ENTRY.test(word) && isOfPackage(file, 'surety'));
  });
}

const ENTRY = /(?:^|[\\/])main\.[jt]s$/;
