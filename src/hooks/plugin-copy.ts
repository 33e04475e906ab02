import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * Whether the plugin started this hook while `surety init` registered the same hook in Claude Code's settings. The
 * registered one answers then, because two answers would load every memory twice.
 */
export async function isPluginCopy(env: NodeJS.ProcessEnv, program: string | undefined): Promise<boolean> {
  const { CLAUDE_PLUGIN_ROOT: plugin } = env;
  if (!plugin || program === undefined || !program.startsWith(join(plugin, '/'))) return false;
  const [{ CLIENTS }, { registrationIn }] = await Promise.all([
    import('../core/clients/clients.ts'),
    import('../store/programs/client-files.ts'),
  ]);
  const files = CLIENTS.find(({ name }) => name === 'Claude Code')?.setup?.files ?? [];
  const at = { home: homedir(), env };
  return files.some((file) => file.holds === 'hooks' && registrationIn(file, at).state === 'registered');
}
