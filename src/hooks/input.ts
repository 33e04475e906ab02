import { isAbsolute } from 'node:path';
import { isObject } from '../core/is-object.ts';
import { parsedJson } from '../core/parsed-json.ts';
import { isTypedIn, readStdin } from '../store/disk/standard-streams.ts';
import { workingFolder } from '../store/places/working-folder.ts';

/** What a client sends a hook on stdin. Any field may be missing or have another type. */
export type HookInput = Readonly<Record<string, unknown>>;

/** A hook cannot run on this input. The message is our own and quotes nothing of the input. */
export class HookFault extends Error {
  override readonly name = 'HookFault';
}

/** At most 64 MiB, because the input holds a tool's whole input, such as a file's text, and no real one is larger. */
const MOST_BYTES = 64 * 1024 * 1024;

export function readInput(): HookInput {
  if (isTypedIn()) throw new HookFault('a hook is started by a client, which hands it JSON on stdin');
  const parts: Buffer[] = [];
  let size = 0;
  for (const part of readStdin()) {
    size += part.length;
    if (size > MOST_BYTES) throw new HookFault('the input is too large to be looked at');
    parts.push(part);
  }
  const parsed = parsedJson(Buffer.concat(parts).toString('utf8'));
  if (parsed === undefined) throw new HookFault('the input is not JSON');
  if (!isObject(parsed)) throw new HookFault('the input is no JSON object');
  return parsed;
}

/** A field's value if it is a string. */
export function textIn(input: HookInput, key: string): string | undefined {
  const value = Object.hasOwn(input, key) ? input[key] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** The folder that the client works in. */
export function folderOf(input: HookInput): string {
  // Cursor names the folders of its window.
  const [root] = Array.isArray(input.workspace_roots) ? input.workspace_roots : [];
  const cwd = textIn(input, 'cwd') || (typeof root === 'string' ? root : undefined);
  return cwd !== undefined && isAbsolute(cwd) ? cwd : workingFolder();
}

/** The client's own name for its session; undefined where it gives none. */
export function sessionOf(input: HookInput): string | undefined {
  // Cursor has conversations, and versions of VS Code and Copilot CLI write the name their own way.
  return textIn(input, 'session_id') ?? textIn(input, 'sessionId') ?? textIn(input, 'conversation_id');
}
