import { type Start, shellLine } from './claude-code-config.ts';

/** How Surety is made known to an MCP client: by a command of the client's, or by lines in a file. */
export interface ClientLines {
  readonly name: string;
  /** The file the lines stand in; absent where a command writes them. */
  readonly file?: string;
  readonly lines: string | object;
}

/** Claude Code's own command, for every project of the user. */
export function claudeMcpAdd(start: Start): string {
  return `claude mcp add --scope user surety -- ${words(start)}`;
}

/** Every other client there are lines for; docs/clients.md is made from these too. */
export function otherClients(start: Start): readonly ClientLines[] {
  const { command, args } = start;
  return [
    { name: 'Codex', lines: `codex mcp add surety -- ${words(start)}` },
    { name: 'Gemini CLI', lines: `gemini mcp add --scope user surety ${words(start)}` },
    { name: 'Cursor', file: '~/.cursor/mcp.json', lines: { mcpServers: { surety: { command, args } } } },
    { name: 'VS Code', file: '.vscode/mcp.json', lines: { servers: { surety: { type: 'stdio', command, args } } } },
    {
      name: 'opencode',
      file: '~/.config/opencode/opencode.json',
      lines: { mcp: { surety: { type: 'local', command: [command, ...args], enabled: true } } },
    },
  ];
}

function words({ command, args }: Start): string {
  return shellLine([command, ...args]);
}
