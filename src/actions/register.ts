import { dirname } from 'node:path';
import type { ClientFile, ClientSetup } from '../core/clients/clients.ts';
import type { Start } from '../core/clients/entries.ts';
import { Refusal } from '../core/refusal.ts';
import { type ForeignFile, isThere, readForeign, replaceForeign } from '../store/disk/external-file.ts';
import { type ClientHome, pathOf } from '../store/programs/client-files.ts';
import { InitRecord, MADE_FILE, MADE_FOLDER, type Made } from '../store/programs/init-record.ts';

/** This machine, how its clients are to start Surety, and where Surety keeps its own files. */
export interface Machine extends ClientHome {
  readonly platform: NodeJS.Platform;
  readonly config: string;
  readonly start: Start;
}

/** A file of a client's, and what would become of it; `after` undefined removes it. */
export interface Change {
  /** The name the client knows it by; `file` is where that leads. */
  readonly path: string;
  readonly file: ForeignFile;
  readonly after: Buffer | undefined;
  readonly made: Made;
}

export interface Plan {
  readonly changes: readonly Change[];
  /** Files that cannot be changed safely, and why. */
  readonly leftAlone: readonly { readonly path: string; readonly why: string }[];
}

/** What it takes to register Surety; no changes where it is registered already. */
export function planRegistration(client: ClientSetup, machine: Machine): Plan {
  return planned(client, machine, ({ format, entries }, path, there) => {
    const text = there ?? format.empty;
    const wanted = entries(machine.start, machine.platform);
    const made = [...(there === undefined ? [MADE_FILE] : []), ...(isThere(dirname(path)) ? [] : [MADE_FOLDER])];
    return { made: [...made, ...format.made(text, wanted)], after: format.withEntries(text, wanted) };
  });
}

/** What it takes to take out what is ours, and what `register` made for it and nothing else is in. */
export function planUndo(client: ClientSetup, machine: Machine): Plan {
  return planned(client, machine, ({ format, entries }, path, text) => {
    const made = new InitRecord(machine.config).madeFor(path);
    if (text === undefined) return { made, after: undefined };
    const after = format.withoutEntries(text, entries(machine.start, machine.platform), made);
    return { made, after: made.includes(MADE_FILE) && format.isEmpty(after) ? undefined : after };
  });
}

/** Writes what was planned, all of it or nothing, and records what was made. */
export function register({ config }: Machine, { changes }: Plan): void {
  for (const { path, made } of changes) new InitRecord(config).add(path, made);
  writeAll(changes);
}

/** Writes what was planned, all of it or nothing, and drops the record of all but the files that were left alone. */
export function unregister({ files }: ClientSetup, machine: Machine, { changes, leftAlone }: Plan): void {
  writeAll(changes);
  const paths = files.map((file) => pathOf(file, machine)).concat(changes.map(({ path }) => path));
  for (const path of new Set(paths)) {
    if (!leftAlone.some((left) => left.path === path)) new InitRecord(machine.config).forget(path);
  }
}

function planned(
  { files }: ClientSetup,
  machine: Machine,
  become: (file: ClientFile, path: string, text: string | undefined) => { made: Made; after: string | undefined },
): Plan {
  const changes: Change[] = [];
  const leftAlone: { path: string; why: string }[] = [];
  for (const each of files) {
    const path = pathOf(each, machine);
    try {
      const file = readForeign(path);
      const text = textOf(file.bytes);
      const { made, after } = become(each, path, text);
      if (after !== text) changes.push({ path, file, after: after === undefined ? after : Buffer.from(after), made });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      leftAlone.push({ path, why: error.message });
    }
  }
  return { changes, leftAlone };
}

/** What was written is put back when the next file cannot be. */
function writeAll(changes: readonly Change[]): void {
  const done: Change[] = [];
  try {
    for (const change of changes) {
      replaceForeign(change.file, change.after);
      done.push(change);
    }
  } catch (error) {
    for (const { file, after } of done) replaceForeign({ path: file.path, bytes: after }, file.bytes);
    throw error;
  }
}

/** Undefined for a file that is not there. */
function textOf(bytes: Buffer | undefined): string | undefined {
  if (bytes === undefined) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Refusal('unreadable-file', 'it is not UTF-8 text');
  }
}
