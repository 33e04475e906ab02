#!/usr/bin/env node
// No static imports: an old Node must reach the sentence below, and a new one loads only what the command needs.
import type { PasskeyRequest } from './actions/review/passkeys.ts';
import type { Session } from './actions/session.ts';
import type { Doors, OpenedPage } from './cli/command.ts';
import type { HookClient, HookEvent } from './core/clients/hook-answers.ts';
import type { Hook } from './hooks/hook.ts';

/** SQLite's native module crashes on older versions: it needs Node-API 10, which came with 22.14. */
function isNodeTooOld(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major < 22 || (major === 22 && minor < 14);
}

async function serve(root: string | undefined): Promise<void> {
  if (process.stdin.isTTY) {
    process.stderr.write(
      'surety is an MCP server and waits on stdin for a client; surety init sets up the clients on this machine and prints the lines for others (Ctrl+C ends this).\n',
    );
  }
  const server = await import('./server.ts');
  server.serve({ root });
}

const openPage: Doors['openPage'] = async (session, items, { holdsAnswers }) => {
  const page = await import('./page/serve.ts');
  return page.openPage({ session, items, levelAtMost: 1, holdsAnswers });
};

async function openOverview(session: Session): Promise<OpenedPage> {
  const page = await import('./page/overview/serve.ts');
  return page.openOverview({ session, levelAtMost: 1 });
}

async function openPasskeyPage(session: Session, task: PasskeyRequest): Promise<OpenedPage> {
  const page = await import('./page/passkeys/serve.ts');
  return page.openPasskeyPage(session, task);
}

/** These hooks are in a script of their own, with all that they load, because people wait for them. */
const WITH_STORE = ['session-start', 'user-prompt-submit'] as const;
const HOOKS: Readonly<Record<Exclude<HookEvent, (typeof WITH_STORE)[number]>, () => Promise<Hook>>> = {
  'pre-tool-use': async () => (await import('./hooks/pre-tool-use.ts')).preToolUse,
  'pre-compact': async () => (await import('./hooks/pre-compact.ts')).preCompact,
};

async function hook(name: HookEvent, client: HookClient, root: string | undefined): Promise<void> {
  await runNamed(name, client, root);
  // All is written by then (standard-streams.ts), and V8 would still collect garbage, a twentieth of a session's start.
  process.exit();
}

async function runNamed(name: HookEvent, client: HookClient, root: string | undefined): Promise<void> {
  if (name === 'session-start') {
    const { runSessionStart } = await import('./hooks/run-session-start.ts');
    return runSessionStart(client, root);
  }
  if (name === 'user-prompt-submit') {
    const { runUserPromptSubmit } = await import('./hooks/run-user-prompt-submit.ts');
    return runUserPromptSubmit(client, root);
  }
  const { runHook } = await import('./hooks/run.ts');
  return runHook(name, client, root, HOOKS[name]);
}

/** The hook in `surety hook NAME`, as Claude Code starts it. Anything else is a command line to be read. */
function plainHook([, , command, name, ...rest]: readonly string[]): HookEvent | undefined {
  if (command !== 'hook' || rest.length > 0) return undefined;
  return [...WITH_STORE, ...Object.keys(HOOKS)].includes(name ?? '') ? (name as HookEvent) : undefined;
}

/** Whether a client starts the server: with no command, or with `serve`. */
function isServing(args: readonly string[]): boolean {
  const rest = args.filter((arg, at) => !/^--root(=|$)/.test(arg) && args[at - 1] !== '--root');
  return rest.every((arg) => arg === 'serve');
}

/** Answers a client's first request with an error, because clients show that and seldom show a log. It runs on any Node. */
function answerFirstRequest(sentence: string): void {
  let read = '';
  process.stdin.setEncoding('utf8');
  process.stdin.on('data', (part) => {
    read += part;
    const lines = read.split('\n');
    read = lines.pop() || '';
    for (const line of lines) {
      const id = requestIdIn(line);
      if (id === undefined) continue;
      const error = { code: -32603, message: sentence };
      process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error })}\n`);
      process.stdin.destroy();
      return;
    }
    if (read.length > 1000000) process.stdin.destroy();
  });
}

function requestIdIn(line: string): string | number | undefined {
  try {
    const message = JSON.parse(line);
    return typeof message.method === 'string' ? message.id : undefined;
  } catch {
    return undefined;
  }
}

async function startWithOldNode(): Promise<void> {
  const { startWithOwnNode } = await import('./store/programs/own-node.ts');
  const code = startWithOwnNode(import.meta.url);
  if (code !== undefined) {
    process.exitCode = code;
    return;
  }
  const sentence = `surety needs Node 22.14 or newer; this is ${process.version}; install a newer Node and start it again.`;
  process.stderr.write(`${sentence}\n`);
  process.exitCode = 1;
  if (!process.stdin.isTTY && isServing(process.argv.slice(2))) answerFirstRequest(sentence);
}

/** The command line in `argv`, the server or a hook. */
async function start(argv: readonly string[]): Promise<void> {
  const event = plainHook(argv);
  // A client starts the server without a command line.
  if (argv.length === 2 && !process.stdin.isTTY) return await serve(undefined);
  // Sessions wait for hooks, and reading a command line takes 10 ms, a twentieth of a session's start.
  if (event !== undefined) return await hook(event, 'claude-code', undefined);
  const { run } = await import('./cli/run.ts');
  process.exitCode = await run(argv.slice(2), { serve, openPage, openOverview, openPasskeyPage, hook });
}

/** An update takes away the files of the version that starts, and this one has not read the others yet. */
function isFileOfProgramGone(thrown: unknown): boolean {
  const { code, path } = thrown instanceof Error ? (thrown as NodeJS.ErrnoException) : {};
  return code === 'ENOENT' && path?.startsWith(import.meta.dirname) === true;
}

// process.exit() would cut off output that is still being written to a pipe, so of all but hooks only the exit code is set.
if (isNodeTooOld()) {
  await startWithOldNode();
} else {
  try {
    await start(process.argv);
  } catch (thrown) {
    if (!isFileOfProgramGone(thrown)) throw thrown;
    process.stderr.write(
      'surety: The files of this program were replaced while it ran, as an update does. Nothing was done besides what is said above. Run the command again; where that does not help, install the program again.\n',
    );
    process.exitCode = 1;
  }
}
