import { type SafeText, text } from '../text/safe-text.ts';
import {
  type ClientEntry,
  type FileFormat,
  type GroupedHook,
  groupedHook,
  hasEnabled,
  listedHook,
  listedServer,
  type Start,
  serverEntry,
  shellLine,
  startsOfHooks,
  startsOfServers,
  switchedOff,
} from './entries.ts';
import { json, versioned } from './json-format.ts';
import { GUARDED_TOOLS } from './own-tools.ts';
import { toml } from './toml-format.ts';

/** A folder below the home, or the folder that an environment variable names instead. */
export interface ClientFolder {
  readonly home: string;
  readonly variable?: string;
  /** The folder inside the one that the variable names, where it is not that one. */
  readonly inside?: string;
}

/** A client's file that holds our entries. */
export interface ClientFile {
  readonly holds: 'server' | 'hooks';
  readonly format: FileFormat;
  /** The first place that has a file; if none has, the last place. */
  readonly places: readonly (readonly [folder: ClientFolder, name: string])[];
  entries(start: Start, platform: NodeJS.Platform): readonly ClientEntry[];
  /** The words of each entry that starts Surety, including entries written by hand. */
  startsIn(content: unknown): readonly (readonly string[])[];
  /** Whether these settings have Surety's plugin on, which brings the server and the hooks. */
  hasPlugin?(content: unknown): boolean;
  /** What switches the client's own memory off. It is written only if asked for, and never over what the person set. */
  readonly memoryOff?: ClientEntry & { readonly key: string };
}

/** How `surety init` sets up a client. The client is installed if its program, its folder or one of its files exists. */
export interface ClientSetup {
  readonly program: string;
  readonly folder: ClientFolder;
  readonly files: readonly ClientFile[];
  /** Where the client keeps a memory of its own, below `folder`; `*` is any one folder. */
  readonly ownMemory?: readonly string[];
  /** What the client still asks of the person once it is set up. */
  readonly afterwards?: SafeText;
}

/** An MCP client. To have `surety init` set one up, give its row a `setup`. */
export interface ClientSpec {
  readonly name: string;
  /** What a person can confirm in it, as docs/clients.md says of it. */
  readonly confirms: string;
  readonly setup?: ClientSetup;
  /** What a person does by hand: a command of the client, or lines in a file. docs/clients.md is generated from it. */
  byHand(start: Start): { readonly file?: string; readonly lines: string | object };
}

const CLAUDE = { home: '.claude', variable: 'CLAUDE_CONFIG_DIR' };
const CODEX = { home: '.codex', variable: 'CODEX_HOME' };
const GEMINI = { home: '.gemini', variable: 'GEMINI_CLI_HOME', inside: '.gemini' };
const QWEN = { home: '.qwen', variable: 'QWEN_HOME' };
const COPILOT = { home: '.copilot', variable: 'COPILOT_HOME' };
const CURSOR = { home: '.cursor' };
const OPENCODE = { home: '.config/opencode', variable: 'XDG_CONFIG_HOME', inside: 'opencode' };

/** The plugin's name, from whatever marketplace it was installed. */
const PLUGIN = /^surety@/;

/** A file in which a client keeps its servers under `key`; `written` is our entry there. */
function serverFile(
  format: FileFormat,
  places: ClientFile['places'],
  key = 'mcpServers',
  written: (start: Start) => object = (start) => start,
): ClientFile {
  return {
    holds: 'server',
    format,
    places,
    entries: (start) => [serverEntry([key], written(start), start)],
    startsIn: (config) => startsOfServers(config, key),
  };
}

type Hooks = readonly Omit<GroupedHook, 'client' | 'name'>[];

/** A file in which a client keeps its hooks in groups; `about` is what all of them have. */
function hookFile(
  folder: ClientFolder,
  name: string,
  about: Pick<GroupedHook, 'client' | 'name'>,
  hooks: Hooks,
): ClientFile {
  return {
    holds: 'hooks',
    format: json,
    places: [[folder, name]],
    entries: (start, platform) => hooks.map((each) => groupedHook({ ...each, ...about }, start, platform)),
    startsIn: startsOfHooks,
  };
}

/** A file in which a client keeps its servers and its hooks. */
function serverAndHookFile(folder: ClientFolder, name: string, client: string, hooks: Hooks): ClientFile {
  const server = serverFile(json, [[folder, name]]);
  const hooked = hookFile(folder, name, { name: 'surety', client }, hooks);
  return { ...server, entries: (...made) => [...server.entries(...made), ...hooked.entries(...made)] };
}

export const CLIENTS: readonly ClientSpec[] = [
  {
    name: 'Claude Code',
    confirms: 'short texts in its dialog, the rest on the page or, where its version opens none, in surety review',
    setup: {
      program: 'claude',
      folder: CLAUDE,
      ownMemory: ['projects', '*', 'memory'],
      files: [
        serverFile(
          json,
          // Claude Code still reads the file of an early version if there is one.
          [
            [CLAUDE, '.config.json'],
            [{ ...CLAUDE, home: '' }, '.claude.json'],
          ],
          'mcpServers',
          (start) => ({ type: 'stdio', ...start, env: {} }),
        ),
        {
          ...hookFile(CLAUDE, 'settings.json', {}, [
            { event: 'SessionStart', hook: 'session-start', timeout: 30 },
            { event: 'UserPromptSubmit', hook: 'user-prompt-submit', timeout: 10 },
            { event: 'PreToolUse', hook: 'pre-tool-use', timeout: 10, matcher: GUARDED_TOOLS },
          ]),
          hasPlugin: (settings) => hasEnabled(settings, 'enabledPlugins', PLUGIN),
          memoryOff: switchedOff('autoMemoryEnabled'),
        },
      ],
    },
    byHand: (start) => ({ lines: `claude mcp add --scope user surety -- ${words(start)}` }),
  },
  {
    name: 'Codex',
    confirms: 'texts of up to twelve lines in its dialogs, the rest in surety review',
    setup: {
      program: 'codex',
      folder: CODEX,
      afterwards: text`At its next start it shows the hooks and asks whether you trust them; before that they do not run.`,
      files: [
        serverFile(toml, [[CODEX, 'config.toml']], 'mcp_servers'),
        hookFile(CODEX, 'hooks.json', { client: 'codex' }, [
          { event: 'SessionStart', hook: 'session-start', timeout: 30 },
          { event: 'UserPromptSubmit', hook: 'user-prompt-submit', timeout: 10 },
          { event: 'PreToolUse', hook: 'pre-tool-use', timeout: 10 },
        ]),
      ],
    },
    byHand: (start) => ({ lines: `codex mcp add surety -- ${words(start)}` }),
  },
  {
    name: 'Gemini CLI',
    confirms: 'all in surety review',
    setup: {
      program: 'gemini',
      folder: GEMINI,
      files: [
        serverAndHookFile(GEMINI, 'settings.json', 'gemini-cli', [
          { event: 'SessionStart', hook: 'session-start', timeout: 30_000 },
          { event: 'BeforeAgent', hook: 'user-prompt-submit', timeout: 10_000 },
          { event: 'BeforeTool', hook: 'pre-tool-use', timeout: 10_000 },
        ]),
      ],
    },
    byHand: (start) => ({ lines: `gemini mcp add --scope user surety ${words(start)}` }),
  },
  {
    name: 'Qwen Code',
    confirms: 'all in surety review',
    setup: {
      program: 'qwen',
      folder: QWEN,
      files: [
        // As in Gemini CLI, of which it was made; the hooks are called as Claude Code's.
        serverAndHookFile(QWEN, 'settings.json', 'qwen-code', [
          { event: 'SessionStart', hook: 'session-start', timeout: 30 },
          { event: 'UserPromptSubmit', hook: 'user-prompt-submit', timeout: 10 },
          { event: 'PreToolUse', hook: 'pre-tool-use', timeout: 10 },
        ]),
      ],
    },
    byHand: (start) => ({ lines: `qwen mcp add --scope user surety ${words(start)}` }),
  },
  {
    name: 'Copilot CLI',
    confirms: 'short texts in its dialog, the rest on the page',
    setup: {
      program: 'copilot',
      folder: COPILOT,
      files: [
        serverFile(json, [[COPILOT, 'mcp-config.json']], 'mcpServers', (start) => ({
          type: 'local',
          ...start,
          tools: ['*'],
        })),
        hookFile(COPILOT, 'settings.json', { client: 'copilot-cli' }, [
          { event: 'SessionStart', hook: 'session-start', timeout: 30 },
          { event: 'UserPromptSubmit', hook: 'user-prompt-submit', timeout: 10 },
          { event: 'PreCompact', hook: 'pre-compact', timeout: 10 },
          { event: 'PreToolUse', hook: 'pre-tool-use', timeout: 10 },
        ]),
      ],
    },
    byHand: ({ command, args }) => ({
      file: '~/.copilot/mcp-config.json',
      lines: { mcpServers: { surety: { type: 'local', command, args, tools: ['*'] } } },
    }),
  },
  {
    name: 'Cursor',
    confirms: 'what its version can show in its dialog, the rest in surety review',
    setup: {
      program: 'cursor',
      folder: CURSOR,
      files: [
        serverFile(json, [[CURSOR, 'mcp.json']]),
        {
          holds: 'hooks',
          format: versioned,
          places: [[CURSOR, 'hooks.json']],
          // By its documentation a prompt's hook hands no text on, so none is registered.
          entries: (start, platform) => [
            listedHook(
              { event: 'sessionStart', hook: 'session-start', timeout: 30, client: 'cursor' },
              start,
              platform,
            ),
          ],
          startsIn: startsOfHooks,
        },
      ],
    },
    byHand: ({ command, args }) => ({
      file: '~/.cursor/mcp.json',
      lines: { mcpServers: { surety: { command, args } } },
    }),
  },
  {
    name: 'VS Code',
    confirms: 'what its version can show in its dialog, the rest in surety review',
    byHand: ({ command, args }) => ({
      file: '.vscode/mcp.json',
      lines: { servers: { surety: { type: 'stdio', command, args } } },
    }),
  },
  {
    name: 'opencode',
    confirms: 'all in surety review',
    setup: {
      program: 'opencode',
      folder: OPENCODE,
      files: [
        {
          holds: 'server',
          format: json,
          places: [
            [OPENCODE, 'opencode.jsonc'],
            [OPENCODE, 'opencode.json'],
          ],
          entries: (start) => [listedServer(['mcp'], { type: 'local', enabled: true }, start)],
          startsIn: (config) => startsOfServers(config, 'mcp'),
        },
      ],
    },
    byHand: ({ command, args }) => ({
      file: '~/.config/opencode/opencode.json',
      lines: { mcp: { surety: { type: 'local', command: [command, ...args], enabled: true } } },
    }),
  },
];

function words({ command, args }: Start): string {
  return shellLine([command, ...args]);
}
