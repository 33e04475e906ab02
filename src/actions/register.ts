import { dirname } from 'node:path';
import type { ClientFile, ClientSetup } from '../core/clients/clients.ts';
import type { Start } from '../core/clients/entries.ts';
import { Refusal } from '../core/refusal.ts';
import {
  type ForeignFile,
  foreignBytes,
  foreignText,
  isThere,
  readForeign,
  refuseReadOnly,
  replaceForeign,
} from '../store/disk/foreign-file.ts';
import { type ClientHome, pathOf, textIn } from '../store/programs/client-files.ts';
import { InitRecord, MADE_FILE, MADE_FOLDER, MADE_TEXT, type Made } from '../store/programs/init-record.ts';

/** This machine, how clients start Surety, and where Surety's own files are. */
export interface MachineSetup extends ClientHome {
  readonly platform: NodeJS.Platform;
  readonly config: string;
  readonly start: Start;
}

/** A client's file and its new content; `after` is undefined if the file is removed. */
export interface ClientFileChange {
  /** The path the client uses; `file` is the target of its symbolic links. */
  readonly path: string;
  readonly file: ForeignFile;
  readonly after: Buffer | undefined;
  readonly made: Made;
}

export interface RegisterPlan {
  readonly changes: readonly ClientFileChange[];
  /** Files that cannot be changed safely, and why. */
  readonly leftAlone: readonly LeftAlone[];
}

interface LeftAlone extends Pick<ClientFile, 'holds'> {
  readonly path: string;
  readonly why: string;
}

/** Plans the changes that register Surety; none if it is registered already. */
export function planRegistration(client: ClientSetup, machine: MachineSetup): RegisterPlan {
  return planned(client, machine, ({ format, entries }, path, there, whole) => {
    const text = there ?? format.empty;
    const wanted = entries(machine.start, machine.platform);
    const made = [...whole, ...(isThere(dirname(path)) ? [] : [MADE_FOLDER])];
    return { made: [...made, ...format.made(text, wanted)], after: format.withEntries(text, wanted) };
  });
}

/** Plans the change that switches the client's own memory off; none where the person has set it, either way. */
export function planOwnMemoryOff(client: ClientSetup, machine: MachineSetup): RegisterPlan {
  return planned(client, machine, ({ format, memoryOff }, _path, there, whole) => {
    const text = there ?? format.empty;
    if (memoryOff === undefined || Object.hasOwn(format.read(text) as object, memoryOff.key)) {
      return { made: [], after: there };
    }
    return { made: [...whole, memoryOff.key], after: format.withEntries(text, [memoryOff]) };
  });
}

/** Plans the removal of Surety's entries, and of whatever `register` created that is empty then. */
export function planUndo(client: ClientSetup, machine: MachineSetup): RegisterPlan {
  return planned(client, machine, ({ format, entries, memoryOff }, path, text, whole) => {
    const made = new InitRecord(machine.config).madeFor(path);
    if (text === undefined) return { made, after: undefined };
    // Only what `planOwnMemoryOff` wrote: the person may have set it before.
    const off = memoryOff !== undefined && made.includes(memoryOff.key) ? [memoryOff] : [];
    const after = format.withoutEntries(text, [...entries(machine.start, machine.platform), ...off], made);
    if (!format.isEmpty(after)) return { made, after };
    if (made.includes(MADE_FILE)) return { made, after: undefined };
    const isBlank = whole.includes(MADE_TEXT);
    return { made, after: made.includes(MADE_TEXT) && !isBlank ? '' : after };
  });
}

/** Writes all planned changes or none, and records what was created. */
export function register({ config }: MachineSetup, { changes }: RegisterPlan): void {
  for (const { path, made } of changes) new InitRecord(config).add(path, made);
  writeAll(changes);
}

/** Writes all planned changes or none, and forgets the record of every file that was not left alone. */
export function unregister({ files }: ClientSetup, machine: MachineSetup, { changes, leftAlone }: RegisterPlan): void {
  writeAll(changes);
  const paths = files.map((file) => pathOf(file, machine)).concat(changes.map(({ path }) => path));
  for (const path of new Set(paths)) {
    if (!leftAlone.some((left) => left.path === path)) new InitRecord(machine.config).forget(path);
  }
}

function planned(
  { files }: ClientSetup,
  machine: MachineSetup,
  become: (
    file: ClientFile,
    path: string,
    text: string | undefined,
    whole: Made,
  ) => { made: Made; after: string | undefined },
): RegisterPlan {
  const changes: ClientFileChange[] = [];
  const leftAlone: LeftAlone[] = [];
  for (const each of files) {
    const path = pathOf(each, machine);
    try {
      const file = readForeign(path);
      const text = textIn(file, each.format);
      const { made, after } = become(each, path, text, madeWhole(file));
      if (after === text) continue;
      refuseReadOnly(file);
      changes.push({ path, file, after: after === undefined ? after : foreignBytes(after, file.bytes), made });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      leftAlone.push({ path, holds: each.holds, why: error.message });
    }
  }
  return { changes, leftAlone };
}

/** What is made as a whole where a client's file has no settings yet. */
function madeWhole({ bytes }: ForeignFile): Made {
  if (bytes === undefined) return [MADE_FILE];
  return foreignText(bytes).trim() === '' ? [MADE_TEXT] : [];
}

/** If one file cannot be written, the earlier ones are restored. */
function writeAll(changes: readonly ClientFileChange[]): void {
  const done: ClientFileChange[] = [];
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
