/**
 * How the names of Surety's own tools go on after `mcp__` in Claude Code and Codex: `surety__` for the server that `surety init`
 * registers, `plugin_surety_surety__` for the server of the plugin.
 */
const OWN = '(?:plugin_surety_)?surety__';

/**
 * The tools of Claude Code that the guard checks: those that name files or run commands. Surety's own tools do their own checks.
 * Other clients have no such list, because Codex takes no pattern that leaves names out.
 */
export const GUARDED_TOOLS = `^(Bash|PowerShell|Monitor|Read|Edit|Write|MultiEdit|NotebookEdit|Glob|Grep|LS|LSP|mcp__(?!${OWN}).+)$`;

const NAMES = [
  'search_memories',
  'read_memory',
  'propose_memory',
  'review_queue',
  'adopt',
  'promote',
  'demote',
  'reaffirm',
  'restore',
];

/**
 * Gemini CLI has `mcp_surety_` before a tool's name, and Copilot CLI `surety-`. So has each tool of another server that is
 * called `surety-files`: only whole names are Surety's own.
 */
const OWN_TOOL = new RegExp(`^(?:mcp__${OWN}|mcp_surety_|surety-)(?:${NAMES.join('|')})$`);

export function isOwnTool(name: string): boolean {
  return OWN_TOOL.test(name);
}
