import { type Facts, MAIN } from './facts.ts';
import { write, writeProgram } from './folder.ts';

/** An extension of Gemini CLI: the server. */
export function writeGemini(folder: string, facts: Facts, built: string): void {
  const { name, version, description } = facts;
  const path = [`\${extensionPath}`, ...MAIN.split('/')].join(`\${/}`);
  write(folder, 'gemini-extension.json', {
    ...{ name, version, description },
    mcpServers: { [name]: { command: 'node', args: [path] } },
  });
  writeProgram(folder, facts, built);
}
