import { join } from 'node:path';
import { type Facts, MAIN, shared } from './facts.ts';
import { write, writeProgram } from './folder.ts';
import { icon } from './icon.ts';

/** A marketplace with one plugin of Codex: the server. */
export function writeCodex(folder: string, facts: Facts, built: string): void {
  const { name, author, description } = facts;
  const plugin = join(folder, 'plugins', name);
  write(folder, '.agents/plugins/marketplace.json', {
    name,
    interface: { displayName: 'Surety' },
    plugins: [
      {
        name,
        source: { source: 'local', path: `./plugins/${name}` },
        policy: { installation: 'AVAILABLE', authentication: 'ON_INSTALL' },
        category: 'Productivity',
      },
    ],
  });
  write(plugin, '.codex-plugin/plugin.json', {
    name,
    ...shared(facts),
    author: { name: author },
    mcpServers: './.mcp.json',
    interface: {
      displayName: 'Surety',
      shortDescription: 'Memory that carries trust',
      longDescription: description,
      developerName: author,
      category: 'Productivity',
      capabilities: ['Read', 'Write'],
      composerIcon: './assets/icon.png',
      logo: './assets/icon.png',
    },
  });
  // Codex expands no variable in arguments, and starts the server in the folder that `cwd` names below the plugin's.
  write(plugin, '.mcp.json', { mcpServers: { [name]: { command: 'node', args: [MAIN], cwd: '.' } } });
  write(plugin, 'assets/icon.png', icon());
  writeProgram(plugin, facts, built);
}
