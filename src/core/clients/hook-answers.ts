import type { SafeText } from '../text/safe-text.ts';
import type { HOOKS } from './entries.ts';

export type HookEvent = (typeof HOOKS)[number];

/** What a hook has to say, before it is put into a client's own form. It is safe text, because no check of the server's comes after. */
export interface HookAnswer {
  /** For the model. */
  readonly context?: SafeText | undefined;
  /** One line for the person. */
  readonly message?: SafeText | undefined;
  /** Why a tool is refused, for the model. */
  readonly refusal?: SafeText | undefined;
}

type AnswerForm = (event: HookEvent, answer: HookAnswer) => object;

/** What Claude Code calls its events. Codex and VS Code use these names, and Gemini CLI some of them. */
const EVENTS: Readonly<Record<HookEvent, string>> = {
  'session-start': 'SessionStart',
  'user-prompt-submit': 'UserPromptSubmit',
  'pre-tool-use': 'PreToolUse',
  'pre-compact': 'PreCompact',
};

function likeClaudeCode(event: HookEvent, { context, message, refusal }: HookAnswer): object {
  const denies = { permissionDecision: 'deny', permissionDecisionReason: refusal };
  const isSpecific = context !== undefined || refusal !== undefined;
  return {
    ...(isSpecific && {
      hookSpecificOutput: {
        hookEventName: EVENTS[event],
        ...(context !== undefined && { additionalContext: context }),
        ...(refusal !== undefined && denies),
      },
    }),
    ...(message !== undefined && { systemMessage: message }),
  };
}

function likeGemini(event: HookEvent, { context, message, refusal }: HookAnswer): object {
  const name = event === 'user-prompt-submit' ? 'BeforeAgent' : EVENTS[event];
  return {
    ...(context !== undefined && { hookSpecificOutput: { hookEventName: name, additionalContext: context } }),
    ...(refusal !== undefined && { decision: 'deny', reason: refusal }),
    ...(message !== undefined && { systemMessage: message }),
  };
}

function likeCursor(_: HookEvent, { context, message, refusal }: HookAnswer): object {
  return {
    ...(context !== undefined && { additional_context: context }),
    ...(refusal !== undefined && { permission: 'deny', agent_message: refusal }),
    ...(message !== undefined && { user_message: message }),
  };
}

function likeCopilot(_: HookEvent, { context, refusal }: HookAnswer): object {
  return {
    ...(context !== undefined && { additionalContext: context }),
    ...(refusal !== undefined && { permissionDecision: 'deny', permissionDecisionReason: refusal }),
  };
}

/** How each client that has hooks takes an answer, by the name that `surety hook --client` takes. */
export const HOOK_CLIENTS = {
  'claude-code': likeClaudeCode,
  codex: likeClaudeCode,
  'vs-code': likeClaudeCode,
  'gemini-cli': likeGemini,
  'qwen-code': likeClaudeCode,
  cursor: likeCursor,
  'copilot-cli': likeCopilot,
} as const satisfies Readonly<Record<string, AnswerForm>>;

export type HookClient = keyof typeof HOOK_CLIENTS;

/** An answer in a client's own form; undefined where there is nothing to say to it. */
export function hookJson(client: HookClient, event: HookEvent, answer: HookAnswer): object | undefined {
  const json = HOOK_CLIENTS[client](event, answer);
  return Object.keys(json).length === 0 ? undefined : json;
}
