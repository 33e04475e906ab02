import { TOOLS } from '../../src/server.ts';
import { type Facts, MAIN, shared } from './facts.ts';
import { write, writeProgram } from './folder.ts';
import { icon } from './icon.ts';

/** A bundle that Claude Desktop installs by a double click. `mcpb pack` makes one file of it. */
export function writeMcpb(folder: string, facts: Facts, built: string): void {
  const { name, author, engines, repository } = facts;
  write(folder, 'manifest.json', {
    manifest_version: '0.4',
    name,
    display_name: 'Surety',
    ...shared(facts),
    author: { name: author },
    ...(repository === undefined ? {} : { repository }),
    icon: 'icon.png',
    icons: [{ src: 'icon.png', size: '512x512' }],
    server: {
      type: 'node',
      entry_point: MAIN,
      mcp_config: { command: 'node', args: [`\${__dirname}/${MAIN}`] },
    },
    tools: TOOLS.map((tool) => ({ name: tool.name, description: tool.description })),
    prompts_generated: true,
    compatibility: { platforms: ['darwin', 'linux', 'win32'], runtimes: engines },
  });
  write(folder, 'icon.png', icon());
  writeProgram(folder, facts, built);
}
