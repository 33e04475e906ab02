/**
 * Variables that coding agents set in the shells they run commands in. An agent can unset them on purpose, so this
 * check stops only accidents; that is why the terminal is the weakest channel.
 *
 * Not listed: variables a person may set (AIDER_MODEL, COPILOT_GITHUB_TOKEN, an API key), because that person could
 * then never say yes. CURSOR_TRACE_ID is listed although Cursor's own terminal may set it, because the agent's commands
 * there look like the person's.
 */
export const AGENT_MARKS: Readonly<Record<string, string>> = {
  CLAUDECODE: 'Claude Code',
  CLAUDE_CODE: 'Claude Code',
  CLAUDE_CODE_ENTRYPOINT: 'Claude Code',
  CODEX_SANDBOX: 'Codex',
  CODEX_SANDBOX_NETWORK_DISABLED: 'Codex',
  CODEX_THREAD_ID: 'Codex',
  CODEX_CI: 'Codex',
  CURSOR_AGENT: 'Cursor',
  CURSOR_TRACE_ID: 'Cursor',
  GEMINI_CLI: 'Gemini CLI',
  QWEN_CODE: 'Qwen Code',
  OPENCODE: 'opencode',
  OPENCODE_CLIENT: 'opencode',
  AIDER: 'aider',
  AUGMENT_AGENT: 'Augment',
  ANTIGRAVITY_AGENT: 'Antigravity',
  COPILOT_AGENT: 'GitHub Copilot',
  CLINE_ACTIVE: 'Cline',
  // Proposed as a common name for all agents.
  AI_AGENT: 'an agent',
  AGENT: 'an agent',
};

/** Finds the first variable that shows an agent's shell, and names the agent. */
export function agentShell(env: NodeJS.ProcessEnv): { readonly variable: string; readonly agent: string } | undefined {
  for (const [variable, agent] of Object.entries(AGENT_MARKS)) {
    // People clear a variable by making it empty.
    if (env[variable]) return { variable, agent };
  }
  return undefined;
}

/** How Claude Code calls what it starts itself, apart from what its model starts: `claude-code_2-1-325_harness`. */
const BY_CLAUDE_CODE = /^claude-code_.*_harness$/;

/**
 * Whether Claude Code started this process as a hook, for a prompt that somebody may have typed. Its variables are set for its
 * hooks as for its model's shells; older versions name the project's folder for hooks only. A model can set all of them, so what
 * rests on this is shown and decides nothing.
 */
export function isHookForPerson(env: NodeJS.ProcessEnv): boolean {
  const { AI_AGENT: by, CLAUDE_PROJECT_DIR: folder, CLAUDE_CODE_SESSION_ATTENDED: attended, ...rest } = env;
  if (attended === '0') return false;
  if (by) return BY_CLAUDE_CODE.test(by);
  const shell = agentShell(rest);
  return shell === undefined || (shell.agent === AGENT_MARKS.CLAUDECODE && Boolean(folder));
}
