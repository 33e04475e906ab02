/**
 * Variables that coding agents set in the shells they run commands in. An agent that means to can unset them, so this stops
 * habit and not intent; that is why the terminal is the weakest channel.
 *
 * Not listed: what a person may have set for themselves (AIDER_MODEL, COPILOT_GITHUB_TOKEN, an API key), because they could
 * then never say yes. CURSOR_TRACE_ID is listed although Cursor's own terminal may have it as well: what the agent runs
 * there cannot be told from what the person types there.
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
  // Proposed as the one name for all of them.
  AI_AGENT: 'an agent',
  AGENT: 'an agent',
};

/** The first variable that gives an agent's shell away, with whose it is. */
export function agentShell(env: NodeJS.ProcessEnv): { readonly variable: string; readonly agent: string } | undefined {
  for (const [variable, agent] of Object.entries(AGENT_MARKS)) {
    // An empty value is how a person clears one.
    if (env[variable]) return { variable, agent };
  }
  return undefined;
}

/**
 * Whether a person at a terminal reads what is printed. What goes into a pipe, a file or an agent's shell may be read by a
 * model, so nothing that a quarantined memory says is printed there.
 */
export function personReads(): boolean {
  return process.stdout.isTTY === true && agentShell(process.env) === undefined;
}
