import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { ClientFile, ClientFolder, ClientSetup } from '../../core/clients/clients.ts';
import type { FileFormat } from '../../core/clients/entries.ts';
import { Refusal } from '../../core/refusal.ts';
import { type ForeignFile, foreignText, isThere, readForeign, refuseReadOnly } from '../disk/foreign-file.ts';
import { readableNames } from '../disk/reading-disk.ts';
import { programOnPath, thisSystem } from '../places/system-programs.ts';

/** Where clients look for their files. */
export interface ClientHome {
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
}

export function isInstalled({ program, folder, files }: ClientSetup, at: ClientHome): boolean {
  const isOnPath = programOnPath(program, thisSystem(at.env)) !== undefined;
  return isOnPath || [folderOf(folder, at), ...files.map((file) => pathOf(file, at))].some(isThere);
}

/** The folders in which a client keeps a memory of its own, those that hold a text. */
export function ownMemoriesOf({ folder, ownMemory = [] }: ClientSetup, at: ClientHome): string[] {
  let folders = ownMemory.length === 0 ? [] : [folderOf(folder, at)];
  for (const part of ownMemory) {
    folders = folders.flatMap((each) => (part === '*' ? readableNames(each) : [part]).map((name) => join(each, name)));
  }
  return folders.filter((each) => readableNames(each).some((name) => name.endsWith('.md'))).sort();
}

export function pathOf({ places }: ClientFile, at: ClientHome): string {
  const paths = places.map(([folder, name]) => join(folderOf(folder, at), name));
  return paths.find(isThere) ?? paths.at(-1) ?? '';
}

function folderOf({ home, variable, inside = '' }: ClientFolder, at: ClientHome): string {
  const named = variable === undefined ? '' : (at.env[variable] ?? '');
  return named === '' ? join(at.home, home) : join(named, inside);
}

/** Whether a client's file registers Surety. Read only: `surety init` changes the files. */
export interface Registration {
  readonly path: string;
  /**
   * `no-client`: the file is missing. `gone`: the registered program does not exist any more. `left-alone`: Surety is not
   * in it, and `surety init` would not change it.
   */
  readonly state: 'no-client' | 'unreadable' | 'left-alone' | 'not-registered' | 'gone' | 'registered';
  /** Why the file cannot be read, or would be left alone; also where it starts what is gone. */
  readonly why?: string;
}

/** `startsIn` finds the entries that are asked for, if not those that the file is for. */
export function registrationIn(
  file: ClientFile,
  at: ClientHome,
  startsIn: ClientFile['startsIn'] = file.startsIn,
): Registration {
  const path = pathOf(file, at);
  try {
    const there = readForeign(path);
    const text = textIn(there, file.format);
    if (text === undefined) return { path, state: 'no-client' };
    const starts = startsIn(file.format.read(text));
    if (starts.length === 0) {
      const why = whyLeftAlone(file, there, text);
      return why === undefined ? { path, state: 'not-registered' } : { path, state: 'left-alone', why };
    }
    // One server that starts is enough, but each hook that does not start fails by itself.
    const isWorking = file.holds === 'server' ? starts.some(canStart) : starts.every(canStart);
    const why = isWorking ? undefined : whyLeftAlone(file, there, text);
    return { path, state: isWorking ? 'registered' : 'gone', ...(why !== undefined && { why }) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { path, state: 'unreadable', why: error.message };
  }
}

/** The text of a client's file; undefined if there is none. A blank one holds no settings, as of a client that was just installed. */
export function textIn({ bytes }: ForeignFile, { empty }: FileFormat): string | undefined {
  const text = bytes && foreignText(bytes);
  return text?.trim() === '' ? empty : text;
}

/** Asks the format itself, so that what is said of a file is what `surety init` does with it. */
function whyLeftAlone({ format, entries }: ClientFile, there: ForeignFile, text: string): string | undefined {
  try {
    refuseReadOnly(there);
    format.withEntries(text, entries({ command: 'surety', args: [] }, process.platform));
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.message;
  }
}

/** Whether the client has Surety as a plugin. A file that cannot be read has none. */
export function hasPlugin({ files }: ClientSetup, at: ClientHome): boolean {
  return files.some((file) => {
    if (file.hasPlugin === undefined) return false;
    try {
      const text = textIn(readForeign(pathOf(file, at)), file.format);
      return text !== undefined && file.hasPlugin(file.format.read(text));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return false;
    }
  });
}

/** Absolute paths in the command must exist; the shell finds a bare name, and npx downloads its own. */
function canStart(words: readonly string[]): boolean {
  return words.every((word) => !isAbsolute(word) || existsSync(word));
}
