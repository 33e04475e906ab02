import { type HookClient, type HookEvent, hookJson } from '../core/clients/hook-answers.ts';
import { Refusal } from '../core/refusal.ts';
import { asDiskRefusal } from '../store/disk/disk-errors.ts';
import { writeTo } from '../store/disk/standard-streams.ts';
import type { Hook } from './hook.ts';
import { HookFault, readInput } from './input.ts';
import { isPluginCopy } from './plugin-copy.ts';

/**
 * Runs a hook of a client: JSON in, JSON out. It never fails a session: every error becomes a line on stderr. `load` is called once
 * there is something to do.
 */
export async function runHook(
  name: HookEvent,
  client: HookClient,
  root: string | undefined,
  load: () => Promise<Hook>,
): Promise<void> {
  try {
    const input = readInput();
    // The guard may answer twice: a tool refused twice is refused.
    if (name !== 'pre-tool-use' && (await isPluginCopy(process.env, process.argv[1]))) return;
    const hook = await load();
    const answer = await hook(input, root, client);
    const json = answer && hookJson(client, name, answer);
    if (json !== undefined) writeTo('stdout', `${JSON.stringify(json)}\n`);
  } catch (error) {
    writeTo('stderr', `surety hook ${name} did nothing: ${why(error)}.\n`);
  }
}

/** An error's message may quote a file or the input, so only the error's name is printed. */
function why(error: unknown): string {
  const refusal = asDiskRefusal(error);
  if (refusal instanceof HookFault || refusal instanceof Refusal) return refusal.message.replace(/\.$/, '');
  return error instanceof Error
    ? `it met a ${error.name}${'code' in error ? ` (${String(error.code)})` : ''}`
    : 'it failed';
}
