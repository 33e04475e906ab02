import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Habit } from './screen.ts';

/** How a real client is started with a model on loopback, and what a person presses in it. */
export interface TriedClient {
  readonly name: string;
  readonly program: string;
  /** Settings that make the client use the model. None of them is about Surety. */
  env(model: string): Readonly<Record<string, string>>;
  args?(model: string): readonly string[];
  /** What the client's own first start would write, where that needs the network. */
  prepare?(home: string): void;
  /** What the screen shows when a prompt can be typed. */
  readonly ready: RegExp;
  readonly habits: readonly Habit[];
  /** Its tool that runs a command, and the name of the command there; without one where it has no hooks to guard it. */
  readonly shell?: readonly [tool: string, argument: string];
  /** Whether memories come by themselves, at the start and with each prompt. */
  readonly hasHooks: boolean;
}

export const TRIED: readonly TriedClient[] = [
  {
    name: 'Claude Code',
    program: 'claude',
    env: (model) => ({
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: API_KEY,
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
    // In the mode "auto" its own server checks each call, which a scripted model cannot do.
    args: () => ['--permission-mode', 'default'],
    prepare: (home) =>
      merge(join(home, '.claude.json'), {
        hasCompletedOnboarding: true,
        customApiKeyResponses: { approved: [API_KEY.slice(-20)], rejected: [] },
      }),
    ready: /manual mode on|\? for shortcuts/,
    habits: [
      { sees: /❯ No, exit\n\s+Yes, I trust this folder/, presses: ['Down', 'Enter'] },
      { sees: /❯ 1\. Yes, I trust this folder/, presses: ['Enter'] },
      { sees: /Do you want to proceed\?/, presses: ['1'] },
      { sees: /❯ \* Your decision: ▸ not set/, presses: ['y'] },
      { sees: /❯ ◯ yes, these are my words/, presses: ['Enter'] },
      { sees: /✔ Your decision: yes[\s\S]*❯ Accept/, presses: ['Enter'] },
      { sees: /❯ Open in browser/, presses: ['Enter'] },
      { sees: /❯ I'm done, continue/, presses: ['Enter'] },
    ],
    shell: ['Bash', 'command'],
    hasHooks: true,
  },
  {
    name: 'Codex',
    program: 'codex',
    env: () => ({}),
    args: (model) => [
      ...['-m', 'gpt-5.1', '-c', 'model_provider=scripted', '-c'],
      `model_providers.scripted={name="scripted",base_url="${model}/v1",wire_api="responses"}`,
    ],
    // It draws the prompt before it asks about folder and hooks; the line with the model comes last.
    ready: /› Ask Codex to do anything\s+gpt-5\.1\b/,
    habits: [
      { sees: /Trust this folder\?/, presses: ['Enter'] },
      { sees: /Hooks need review/, presses: ['2', 'Enter'] },
      { sees: /Allow the surety MCP server/, presses: ['Enter'] },
      { sees: /2\. more: show the next part/, presses: ['2'] },
      { sees: /2\. yes, these are my words/, presses: ['2'] },
    ],
    shell: ['exec_command', 'cmd'],
    hasHooks: true,
  },
  {
    name: 'Copilot CLI',
    program: 'copilot',
    env: (model) => ({
      COPILOT_OFFLINE: 'true',
      COPILOT_AUTO_UPDATE: 'false',
      COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
      COPILOT_MODEL: 'gpt-4.1',
    }),
    ready: /❯\n[\s\S]*\/ commands · \? help/,
    habits: [
      { sees: /Do you trust the files in this folder\?/, presses: ['2'] },
      { sees: /Do you want to use this tool\?/, presses: ['1'] },
      { sees: /surety needs information/, presses: ['Down', 'Enter'] },
      { sees: /surety wants you to visit/, presses: ['Enter'] },
    ],
    shell: ['bash', 'command'],
    hasHooks: true,
  },
  {
    name: 'Gemini CLI',
    program: 'gemini',
    env: (model) => ({ GEMINI_API_KEY: API_KEY, GOOGLE_GEMINI_BASE_URL: model }),
    // Without a model's name it asks a model which one to ask.
    args: () => ['-m', 'gemini-2.5-pro'],
    ready: /1 MCP server[\s\S]*Type your message/,
    habits: [
      { sees: /Do you trust the files in this folder\?/, presses: ['Enter'] },
      { sees: /How would you like to authenticate/, presses: ['Enter'] },
      { sees: /Enter Gemini API Key/, presses: ['Enter'] },
      { sees: /Allow execution of/, presses: ['Enter'] },
    ],
    shell: ['run_shell_command', 'command'],
    hasHooks: true,
  },
  {
    name: 'Qwen Code',
    program: 'qwen',
    env: (model) => ({ OPENAI_API_KEY: API_KEY, OPENAI_BASE_URL: `${model}/v1`, OPENAI_MODEL: 'm' }),
    // In the mode "auto", its default, a model judges each call.
    args: () => ['--auth-type', 'openai', '--approval-mode', 'default'],
    ready: />\s+Type your message/,
    habits: [{ sees: /› 1\. Yes, allow once/, presses: ['Enter'] }],
    shell: ['run_shell_command', 'command'],
    hasHooks: true,
  },
  {
    name: 'opencode',
    program: 'opencode',
    env: (model) => ({
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        model: 'scripted/m',
        small_model: 'scripted/m',
        provider: {
          scripted: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${model}/v1`, apiKey: API_KEY },
            models: { m: { name: 'm' } },
          },
        },
      }),
    }),
    ready: /1 MCP/,
    habits: [],
    hasHooks: false,
  },
];

/** Any text will do: nothing leaves this machine. */
const API_KEY = 'scripted-model-has-no-key';

function merge(file: string, more: object): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...more }, null, 2));
}
