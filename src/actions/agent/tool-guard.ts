import { basename, isAbsolute, resolve } from 'node:path';
import {
  globReaches,
  runsSubcommand,
  type ShellWords,
  shellWords,
  withoutSearches,
} from '../../core/clients/shell-words.ts';
import { withoutTilde } from '../../store/places/base-folders.ts';
import { isOfPackage, leadsTo, OwnGround } from '../../store/places/own-folders.ts';
import type { Surroundings } from '../../store/places/places.ts';

/** What an agent is about to do: a tool of its client with its input, neither of them trusted to be anything. */
export interface ToolCall {
  readonly tool: string;
  readonly input: unknown;
  /** Where relative paths begin. */
  readonly cwd: string;
}

/** Why it must not: it touches Surety's own files, or it runs a command that is the person's. */
export type Trespass = 'own-files' | 'persons-command';

/** Commands that ask a person, or take a store into use: theirs to run. */
export const PERSONS_COMMANDS: ReadonlySet<string> = new Set([
  'add',
  'adopt',
  'archive',
  'backfill',
  'demo',
  'doctor',
  'erase',
  'import',
  'init',
  'machines',
  'review',
]);

const PATH_KEY = /path|file|dir|folder|root|cwd|uri|source|destination|target/i;
/** A command may be one text, a list, or a program and its arguments apart; or typed into a shell that is open. */
const COMMAND_KEY = /^(?:command|cmd|script|code|argv?|argument|program|line|input|stdin|key)s?$/i;
/** What is written, looked for or told: it may mention our folders as any text may. All else may name a file. */
const PROSE_KEY =
  /^(?:(?:old|new|insert)_?(?:string|str|text|source)|contents?|text|body|pattern|regex|query|prompt|message|description|title|summary|comment|question|thought|notes?)$/i;
/** The lines of a patch that name files; its other lines are what is written. */
const PATCHED =
  /^(?:\*\*\* (?:(?:Add|Update|Delete) File|Move to):|(?:---|\+\+\+|diff --git|rename (?:from|to)|copy (?:from|to)) ).*$/gm;
/** Where a tool of Claude Code's names files by wildcards, beginning at its `path`. */
const WILDCARDS: Readonly<Record<string, string>> = { Glob: 'pattern', Grep: 'glob' };
const MOST_VALUES = 2_000;

/** The machine the call is made on, and the file of the program that asks. */
export interface Scene extends Surroundings {
  readonly program?: string | undefined;
}

/** Looks at a tool call by the paths and commands in it alone: nothing of the store is opened. */
export function trespassOf({ tool, input, cwd }: ToolCall, scene: Scene): Trespass | undefined {
  const { home, env, platform } = scene;
  const ground = new OwnGround(scene);
  const from = (base: string, path: string) => resolve(base, withoutTilde(withoutScheme(path), home));
  const values = [...valuesOf(input)];

  for (const { key, value } of values) {
    // A single word names a file only where a name is expected.
    const isPath = PATH_KEY.test(key) || (!PROSE_KEY.test(key) && /[\\/~.]/.test(value));
    if (isPath && reaches(ground, from(cwd, value))) return 'own-files';
  }
  const wildcards = Object.hasOwn(WILDCARDS, tool) ? WILDCARDS[tool] : undefined;
  if (wildcards !== undefined) {
    const base = from(cwd, values.find(({ key }) => key === 'path')?.value ?? '.');
    // It can also be a whole path.
    const pattern = values.find(({ key }) => key === wildcards)?.value ?? '';
    if (reaches(ground, from(base, pattern))) return 'own-files';
  }
  const wordsOf = (said: string) =>
    shellWords(said, { HOME: home, ...env, PWD: cwd }, platform === 'win32' ? '\\' : '/');
  // By what a value says, and not by its key: tools of other servers call a file what they like.
  const named = values.filter(({ key }) => !PROSE_KEY.test(key)).map(({ value }) => filesIn(value));
  if (touches(wordsOf(named.join(' ')), ground, { cwd, home, from })) return 'own-files';
  const commands = values.filter(({ key }) => COMMAND_KEY.test(key)).map(({ value }) => value);
  const words = wordsOf(withoutSearches(commands.join(' ')));
  const program = scene.program === undefined ? undefined : leadsTo(scene.program);
  const isOurs = (word: string, before: readonly string[]) => isSurety(word, foldersIn(before, cwd, from), program);
  return runsSubcommand(words, isOurs, PERSONS_COMMANDS) ? 'persons-command' : undefined;
}

function filesIn(value: string): string {
  const heads = value.match(PATCHED);
  return heads !== null && /^(?:\*\*\* |@@ |@@$)/m.test(value) ? heads.join('\n').replaceAll(/ [ab]\//g, ' ') : value;
}

/** Where a command can be when it starts a program: where it began, and wherever it went before. */
function foldersIn(words: readonly string[], cwd: string, from: Bearings['from']): readonly string[] {
  const folders = [cwd];
  for (const [at, word] of words.entries()) {
    if (!GOES.test(words[at - 1] ?? '') || folders.length > MOST_FOLDERS) continue;
    folders.push(...new Set([from(folders.at(-1) ?? cwd, word), from(cwd, word)]));
  }
  return folders;
}

const GOES = /^(?:cd|pushd|chdir|-C|--cwd|--prefix|Set-Location|sl)$/i;
const MOST_FOLDERS = 20;

/** The path of a file: address, in which any character may stand as %XX. */
function withoutScheme(path: string): string {
  const [, encoded] = /^file:\/\/(.*)$/is.exec(path) ?? [];
  if (encoded === undefined) return path;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

/** Every text in the input with the key it stands under, arrays taking the key of the array; the outermost first. */
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

interface Bearings {
  readonly cwd: string;
  readonly home: string;
  from(base: string, path: string): string;
}

function touches({ flat, words }: ShellWords, ground: OwnGround, { cwd, home, from }: Bearings): boolean {
  const said = flat.replaceAll(/(?<![\w.])~(?=\/|\s|$)/g, () => home).replaceAll(/[\\/]+/g, '/');
  if (ground.names.some((name) => standsIn(said.toLowerCase(), name))) return true;
  // A command may go elsewhere first: whatever it names above our folders is where its other words could begin.
  const above = words.map((word) => from(cwd, word)).filter((path) => ground.isBelow(path));
  const goesHome = words.some((word) => word === 'cd' || word === 'pushd');
  const bases = [...new Set([cwd, ...above, ...(goesHome ? [home] : [])])];
  return words.some((word) => {
    if (/(?:^|\/)\.surety(?:\/|$)/i.test(word)) return true;
    return (isAbsolute(word) ? [cwd] : bases).some((base) => reaches(ground, from(base, word)));
  });
}

/** As a path of its own and not as the beginning of a longer name. */
function standsIn(said: string, name: string): boolean {
  for (let at = said.indexOf(name); at >= 0; at = said.indexOf(name, at + 1)) {
    if (!/[\w.-]/.test(said[at + name.length] ?? '')) return true;
  }
  return false;
}

function reaches(ground: OwnGround, path: string): boolean {
  if (ground.holds(path)) return true;
  if (!/[*?[]/.test(path)) return false;
  const pattern = path.replaceAll('\\', '/').toLowerCase();
  return ground.names.some((folder) => globReaches(pattern, folder));
}

const BY_NAME = /(?:^|[\\/])surety(?:@[\w.^~*-]+|\.cmd|\.ps1|[\\/]dist[\\/]main\.js|[\\/]src[\\/]main\.ts)?$/i;

/** By its name, by its package's, or by a file: the one that is running now, or the same of another copy. */
function isSurety(word: string, folders: readonly string[], program: string | undefined): boolean {
  if (BY_NAME.test(word)) return true;
  if (!ENTRY.test(word) && (program === undefined || basename(word) !== basename(program))) return false;
  return folders.some((folder) => {
    const file = resolve(folder, word);
    return leadsTo(file) === program || (ENTRY.test(word) && isOfPackage(file, 'surety'));
  });
}

const ENTRY = /(?:^|[\\/])main\.[jt]s$/;
