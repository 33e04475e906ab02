/**
 * How the names of Surety's own tools begin in Claude Code: `mcp__surety__` for the server that `surety init` registers,
 * `mcp__plugin_surety_surety__` for the server of the plugin.
 */
const OWN = '(?:plugin_surety_)?surety__';

/** The tools that the guard checks: those that name files or run commands. Surety's own tools do their own checks. */
export const GUARDED_TOOLS = `^(Bash|PowerShell|Monitor|Read|Edit|Write|MultiEdit|NotebookEdit|Glob|Grep|LS|LSP|mcp__(?!${OWN}).+)$`;

const OWN_TOOL = new RegExp(`^mcp__${OWN}`);

export function isOwnTool(name: string): boolean {
  return OWN_TOOL.test(name);
}
