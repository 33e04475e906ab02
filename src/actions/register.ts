import { join } from 'node:path';
import {
  type Entry,
  hookEntries,
  isBare,
  type Start,
  serverEntries,
  withEntries,
  withoutEntries,
} from '../core/clients/claude-code-config.ts';
import { Refusal } from '../core/refusal.ts';
import { type ForeignFile, isOnPath, isThere, readForeign, replaceForeign } from '../store/disk/external-file.ts';
import { KeptFiles } from '../store/programs/backups.ts';
import { type ClaudeFiles, claudeFiles } from '../store/programs/claude-code-files.ts';

/** The server and the hooks stand in two files of Claude Code's. */
export const PARTS = ['server', 'hooks'] as const;
export type Part = (typeof PARTS)[number];

/** One of the files, and what would become of it; `after` undefined removes it. */
export interface Change {
  readonly part: Part;
  readonly file: ForeignFile;
  readonly after: Buffer | undefined;
}

/** One that is left alone, and why. */
export interface LeftAlone {
  readonly part: Part;
  readonly path: string;
  readonly why: string;
}

export interface Plan {
  readonly changes: readonly Change[];
  readonly leftAlone: readonly LeftAlone[];
}

/** Claude Code on this machine, how it is to start Surety, and where Surety keeps its own files. */
export interface Setup {
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  readonly config: string;
  readonly start: Start;
}

export function hasClaudeCode(setup: Setup): boolean {
  const { folder, server } = filesOf(setup);
  return isOnPath('claude', setup.env) || isThere(server) || isThere(folder);
}

/** What it takes to register Surety; no changes where it is registered already. */
export function planRegistration(setup: Setup): Plan {
  return planned(setup, (part, { bytes }) => {
    const now = textOf(bytes) ?? '{}\n';
    const text = withEntries(now, entriesOf(part, setup));
    return text === now ? bytes : text;
  });
}

/** What it takes to take that back: the very bytes from before, where nobody has touched the file since. */
export function planUndo(setup: Setup): Plan {
  return planned(setup, (part, { bytes }) => {
    const kept = keptFiles(setup).find(part);
    const now = textOf(bytes);
    if (kept === undefined || now === undefined) return bytes;
    if (bytes?.equals(kept.after)) return kept.before;
    const text = withoutEntries(now, entriesOf(part, setup), textOf(kept.before));
    return kept.before === undefined && isBare(text) ? undefined : text;
  });
}

/** Writes what was planned, all of it or nothing, and keeps what was there for `planUndo`. */
export function register(setup: Setup, plan: Plan): void {
  const kept = keptFiles(setup);
  for (const { part, file, after } of plan.changes) {
    if (after !== undefined) kept.keep(part, { before: beforeOf(part, file, setup), after });
  }
  const folders = writeAll(plan);
  for (const [part, folder] of folders) kept.keepFolder(part, folder);
}

/** Writes what was planned and forgets what was kept for it. */
export function unregister(setup: Setup, plan: Plan): void {
  writeAll(plan);
  for (const part of PARTS) {
    if (!plan.leftAlone.some((left) => left.part === part)) keptFiles(setup).forget(part);
  }
}

/** Whether `register` has written anything that is not taken back yet. */
export function isRegistered(setup: Setup): boolean {
  return PARTS.some((part) => keptFiles(setup).find(part) !== undefined);
}

function filesOf({ home, env }: Setup): ClaudeFiles {
  return claudeFiles(home, env);
}

function entriesOf(part: Part, { start, platform }: Setup): readonly Entry[] {
  return part === 'server' ? serverEntries(start) : hookEntries(start, platform);
}

function keptFiles({ config }: Setup): KeptFiles {
  return new KeptFiles(join(config, 'claude-code'));
}

/** What `planUndo` is to bring back: of a file written here before, what was there before that. */
function beforeOf(part: Part, { bytes }: ForeignFile, setup: Setup): Buffer | undefined {
  const kept = keptFiles(setup).find(part);
  const now = textOf(bytes);
  if (kept === undefined || now === undefined) return bytes;
  if (bytes?.equals(kept.after)) return kept.before;
  return Buffer.from(withoutEntries(now, entriesOf(part, setup), textOf(kept.before)));
}

function planned(setup: Setup, become: (part: Part, file: ForeignFile) => string | Buffer | undefined): Plan {
  const changes: Change[] = [];
  const leftAlone: LeftAlone[] = [];
  for (const part of PARTS) {
    const name = filesOf(setup)[part];
    try {
      const file = readForeign(name);
      const made = become(part, file);
      const after = typeof made === 'string' ? Buffer.from(made) : made;
      const isSame = after === undefined || file.bytes === undefined ? after === file.bytes : after.equals(file.bytes);
      if (!isSame) changes.push({ part, file, after });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      leftAlone.push({ part, path: name, why: error.message });
    }
  }
  return { changes, leftAlone };
}

/** All or nothing: what was written is put back when the next file cannot be. Returns the folders that had to be made. */
function writeAll({ changes }: Plan): Map<Part, string> {
  const folders = new Map<Part, string>();
  const done: Change[] = [];
  try {
    for (const change of changes) {
      const folder = replaceForeign(change.file, change.after);
      if (folder !== undefined) folders.set(change.part, folder);
      done.push(change);
    }
  } catch (error) {
    for (const { file, after } of done) replaceForeign({ path: file.path, bytes: after }, file.bytes);
    throw error;
  }
  return folders;
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
