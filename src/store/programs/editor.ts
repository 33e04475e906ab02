import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { LIMITS_OF_A_FILE } from '../../core/memory/document.ts';
import { Refusal } from '../../core/refusal.ts';
import { utf8Text } from '../../core/text/utf8-text.ts';
import { Disk } from '../disk/disk.ts';
import { asDiskRefusal, attempt } from '../disk/disk-errors.ts';
import { randomHex } from '../disk/random.ts';
import { hasProcess } from '../places/client-process.ts';
import { thisSystem } from '../places/system-programs.ts';
import { type EditorCommand, editorCommand, usualEditors } from './editor-command.ts';

/** What became of a text in the person's editor. Only `saved` text was written by them. */
export type Edited =
  | { readonly kind: 'saved'; readonly text: string }
  /** No editor is named, and no usual one is installed. */
  | { readonly kind: 'none' }
  | { readonly kind: 'unstarted' }
  /** The editor reported a failure. */
  | { readonly kind: 'failed' }
  /** Ctrl+C ended it. */
  | { readonly kind: 'interrupted' }
  /** The result is no ordinary text file of a possible memory's size. */
  | { readonly kind: 'unreadable' };

interface Editing {
  readonly state: string;
  readonly disk?: Disk;
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  readonly complain: (line: string) => void;
}

/** Larger than a memory, so that a text that grew too long is read and reported as too long. */
const LARGEST = LIMITS_OF_A_FILE.bytes * 4;
const NOT_CLEARED = 'a text that was in an editor could not be removed from the state folder';

/**
 * Lets the person edit a text in their own editor, in a file that nobody else can read. The file has its own folder, so
 * that backups and swap files beside it are removed with it.
 */
export async function edit(name: string, text: string, editing: Editing): Promise<Edited> {
  const { state, disk = new Disk(), env, platform, complain } = editing;
  const folder = join(editingFolder(state, disk), `${process.pid}-${randomHex(8)}`);
  const file = join(folder, `${name}.md`);
  // A folder that cannot be removed must not lose the person's text: `clearEditorFolders` tries again.
  const clear = () =>
    void attempt(complain, NOT_CLEARED, () => rmSync(folder, { recursive: true, force: true, maxRetries: 2 }));
  process.once('exit', clear);
  try {
    disk.makeFolder(folder);
    disk.create(file, text);
    const how = await opened(file, env, platform, clear);
    return how === 'ended' ? readBack(file, disk) : { kind: how };
  } catch (error) {
    throw asDiskRefusal(error);
  } finally {
    clear();
    process.off('exit', clear);
  }
}

/** Removes what a process killed during editing left behind; the next process retries what fails. */
export function clearEditorFolders({ state, disk = new Disk(), complain }: Omit<Editing, 'env' | 'platform'>): void {
  const folder = join(state, 'editing');
  if (!disk.isFolder(folder)) return;
  attempt(complain, NOT_CLEARED, () => {
    for (const name of disk.names(folder)) {
      const [, pid] = /^([0-9]{1,9})-[0-9a-f]{16}$/.exec(name) ?? [];
      if (pid !== undefined && !hasProcess(Number(pid))) rmSync(join(folder, name), { recursive: true, force: true });
    }
  });
}

function editingFolder(state: string, disk: Disk): string {
  const folder = join(state, 'editing');
  if (!disk.exists(folder)) disk.makeFolder(folder);
  if (disk.isFolder(folder)) return folder;
  throw new Refusal(
    'disk-failed',
    'The folder for texts in the editor is a link or a file (editing, in the state folder).',
  );
}

type EditorEnd = 'ended' | Exclude<Edited['kind'], 'saved' | 'unreadable'>;

async function opened(
  file: string,
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
  clear: () => void,
): Promise<EditorEnd> {
  const named = env.VISUAL || env.EDITOR;
  const system = { ...thisSystem(env), platform };
  if (named) {
    const command = editorCommand(named, file, system);
    return command === undefined ? 'unstarted' : run(command, env, clear);
  }
  for (const usual of usualEditors(file, system)) {
    const how = await run(usual, env, clear);
    if (how !== 'unstarted') return how;
  }
  return 'none';
}

/** A shell's exit codes for a command that was not found or may not be started. */
const NOT_STARTED = [126, 127];

function run(command: EditorCommand, env: NodeJS.ProcessEnv, clear: () => void): Promise<EditorEnd> {
  const { program, args, env: more, verbatim = false } = command;
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      stdio: 'inherit',
      env: { ...env, ...more },
      windowsVerbatimArguments: verbatim,
    });
    const release = endWithUs(child, clear);
    child.on('error', () => {
      release();
      resolve('unstarted');
    });
    child.on('exit', (code, signal) => {
      release();
      if (code === 0) resolve('ended');
      else if (signal === 'SIGINT' || code === 130) resolve('interrupted');
      else resolve(program === '/bin/sh' && NOT_STARTED.includes(code ?? 0) ? 'unstarted' : 'failed');
    });
  });
}

/** A closed window or a plain kill also ends the editor, and leaves no text behind. */
function endWithUs(child: ChildProcess, clear: () => void): () => void {
  const release = () => {
    process.off('SIGTERM', end);
    process.off('SIGHUP', end);
  };
  const end = (signal: NodeJS.Signals) => {
    release();
    child.kill(signal);
    clear();
    process.kill(process.pid, signal);
  };
  process.on('SIGTERM', end);
  process.on('SIGHUP', end);
  return release;
}

function readBack(file: string, disk: Disk): Edited {
  const found = disk.read(file, LARGEST);
  const text = found.kind === 'file' ? utf8Text(found.bytes) : undefined;
  return text === undefined ? { kind: 'unreadable' } : { kind: 'saved', text };
}
