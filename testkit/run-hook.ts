import { spawn } from 'node:child_process';
import type { HOOKS } from '../src/core/clients/entries.ts';
import { BARE_ENV, MAIN } from './program.ts';

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  /** What Claude Code reads; undefined when nothing was said. */
  readonly answer: Answer | undefined;
}

interface Answer {
  readonly systemMessage?: string;
  readonly hookSpecificOutput?: {
    readonly hookEventName: string;
    readonly additionalContext?: string;
    readonly permissionDecision?: string;
    readonly permissionDecisionReason?: string;
  };
}

interface HookOptions {
  readonly args?: readonly string[];
  readonly env?: Record<string, string>;
  /** False where the client closes its end of stderr at once. */
  readonly hears?: boolean;
}

/** Runs a hook as Claude Code does: the real program, the input on stdin, nothing else of this environment. */
export function runHook(
  home: string,
  hook: (typeof HOOKS)[number],
  input: unknown,
  { args = [], env = {}, hears = true }: HookOptions = {},
): Promise<Ran> {
  return new Promise((done) => {
    const child = spawn(process.execPath, [MAIN, 'hook', hook, ...args], {
      cwd: home,
      env: { ...BARE_ENV, HOME: home, ...env },
    });
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text) => {
      out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      err += text;
    });
    if (!hears) child.stderr.destroy();
    child.on('close', (code) => done({ code, out, err, answer: out === '' ? undefined : JSON.parse(out) }));
    child.stdin.on('error', () => {}); // it may have read enough
    child.stdin.end(typeof input === 'string' || Buffer.isBuffer(input) ? input : JSON.stringify(input));
  });
}
