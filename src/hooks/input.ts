/** What Claude Code hands a hook on stdin. Every field may be missing or be something else. */
export type HookInput = Readonly<Record<string, unknown>>;

/** Keeps a hook from its work; the sentence is ours and quotes nothing. */
export class HookFault extends Error {
  override readonly name = 'HookFault';
}

/** A tool's whole input is in it, such as the text of a file; nothing a person works with is larger. */
const MOST_BYTES = 64 * 1024 * 1024;

export async function readInput(stdin: NodeJS.ReadStream): Promise<HookInput> {
  // Started by hand, nobody would ever end the input.
  if (stdin.isTTY) throw new HookFault('a hook is started by Claude Code, which hands it JSON on stdin');
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of stdin) {
    size += part.length;
    if (size > MOST_BYTES) throw new HookFault('the input is too large to be looked at');
    parts.push(part);
  }
  const parsed = parse(Buffer.concat(parts));
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new HookFault('the input is no JSON object');
  }
  return parsed as HookInput;
}

/** A field that is a text; undefined for anything else. */
export function textIn(input: HookInput, key: string): string | undefined {
  const value = Object.hasOwn(input, key) ? input[key] : undefined;
  return typeof value === 'string' ? value : undefined;
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new HookFault('the input is not JSON');
  }
}
