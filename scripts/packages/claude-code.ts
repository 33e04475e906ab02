import { join } from 'node:path';
import { CLIENTS } from '../../src/core/clients/clients.ts';
import { commands } from './commands.ts';
import { type Facts, MAIN, shared } from './facts.ts';
import { write, writeProgram } from './folder.ts';
import { icon } from './icon.ts';

/** Claude Code puts the folder of the installed plugin here. */
const PROGRAM = `\${CLAUDE_PLUGIN_ROOT}/${MAIN}`;
const START = { command: 'node', args: [PROGRAM] };

/** A marketplace with one plugin: server, hooks and commands. */
export async function writeClaudeCode(folder: string, facts: Facts, built: string): Promise<void> {
  const { name, author } = facts;
  const plugin = join(folder, 'plugins', name);
  write(folder, '.claude-plugin/marketplace.json', {
    name,
    description: facts.description,
    owner: { name: author },
    plugins: [{ name, source: `./plugins/${name}`, ...shared(facts), author: { name: author } }],
  });
  write(plugin, '.claude-plugin/plugin.json', {
    name,
    displayName: 'Surety',
    ...shared(facts),
    author: { name: author },
  });
  write(plugin, '.mcp.json', { mcpServers: { [name]: START } });
  write(plugin, 'hooks/hooks.json', hooks());
  for (const [command, text] of Object.entries(await commands())) write(plugin, `commands/${command}.md`, text);
  write(plugin, 'icon.png', icon());
  writeProgram(plugin, facts, built);
}

/** The hooks that `surety init` writes. The shell expands the folder, so it stands in double quotes. */
function hooks(): object {
  const file = CLIENTS.find(({ name }) => name === 'Claude Code')?.setup?.files.find(({ holds }) => holds === 'hooks');
  if (file === undefined) throw new Error('Claude Code has no hooks');
  const text = file.format.withEntries(file.format.empty, file.entries(START, 'linux'));
  return JSON.parse(text.replaceAll(`'${PROGRAM}'`, `\\"${PROGRAM}\\"`));
}
