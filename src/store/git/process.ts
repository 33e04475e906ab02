import { type ChildProcess, spawn } from 'node:child_process';
import { codeOf } from '../disk/disk-errors.ts';
import { programOnPath, thisSystem } from '../places/system-programs.ts';

interface Running {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly input: Buffer | string;
  /** In milliseconds. */
  readonly timeout: number;
  /** At most this many bytes of output are read. */
  readonly atMost: number;
}

export interface Ended {
  /** Undefined where the process did not exit by itself. */
  readonly code: number | undefined;
  /** Why it was stopped or not started. */
  readonly stopped: 'too-long' | 'too-much' | 'not-found' | 'not-started' | undefined;
  readonly out: Buffer;
  readonly said: string;
}

/**
 * Runs git until it exits, never through a shell. A signal that ends this process also ends git and what git started,
 * such as ssh: otherwise a remote that never stops sending would keep them running.
 */
export function runToEnd(args: readonly string[], { cwd, env, input, timeout, atMost }: Running): Promise<Ended> {
  return new Promise((resolve) => {
    // Git runs in the store's folder, where Windows looks first for a bare name.
    const program = programOnPath('git', thisSystem(env));
    if (program === undefined) {
      resolve({ code: undefined, stopped: 'not-found', out: Buffer.of(), said: '' });
      return;
    }
    const detached = HAVE_GROUPS && !isAtTerminal();
    const { child, release } = endsWithUs(() => spawn(program, [...args], { cwd, env, detached, windowsHide: true }));
    const [out, said]: [Buffer[], Buffer[]] = [[], []];
    let stopped: Ended['stopped'];
    let room = atMost;
    const stopBecause = (why: Ended['stopped']) => {
      stopped ??= why;
      stop(child);
      // Processes that still hold the other ends must not keep this one running.
      for (const stream of [child.stdout, child.stderr]) stream.destroy();
    };
    const clock = setTimeout(() => stopBecause('too-long'), timeout);
    const take = (into: Buffer[]) => (part: Buffer) => {
      room -= part.length;
      if (room < 0) stopBecause('too-much');
      else into.push(part);
    };
    child.stdout.on('data', take(out));
    child.stderr.on('data', take(said));
    child.on('error', (error) => {
      stopped ??= codeOf(error) === 'ENOENT' ? 'not-found' : 'not-started';
    });
    child.on('close', (code) => {
      clearTimeout(clock);
      release();
      const ended = stopped === undefined && code !== null ? code : undefined;
      resolve({ code: ended, stopped, out: Buffer.concat(out), said: Buffer.concat(said).toString('utf8') });
    });
    // Git may exit before it has read everything; its exit code reports the failure.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

const HAVE_GROUPS = process.platform !== 'win32';
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const atWork = new Set<ChildProcess>();

/** Git can ask for a password only while it belongs to the terminal, so it gets no process group there. */
function isAtTerminal(): boolean {
  return process.stdin.isTTY === true;
}

function stop(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(HAVE_GROUPS && !isAtTerminal() ? -pid : pid, 'SIGTERM');
  } catch {
    // It has just ended.
  }
}

/**
 * Starts a process that ends with this one. The signals are listened to before it starts: one that came in between would end
 * only this process.
 */
function endsWithUs<Child extends ChildProcess>(
  start: () => Child,
): { readonly child: Child; readonly release: () => void } {
  // Ctrl+C at the terminal reaches git by itself, and the prompt there handles it.
  const heard = SIGNALS.filter((signal) => signal !== 'SIGINT' || !isAtTerminal());
  if (atWork.size === 0) for (const signal of heard) process.on(signal, endAll);
  const child = start();
  atWork.add(child);
  const release = () => {
    atWork.delete(child);
    if (atWork.size === 0) letGo();
  };
  return { child, release };
}

function endAll(signal: NodeJS.Signals): void {
  for (const child of atWork) stop(child);
  letGo();
  // The signal's default effect; libraries also listen, each waiting for the others to decide.
  process.kill(process.pid, signal);
}

function letGo(): void {
  for (const signal of SIGNALS) process.off(signal, endAll);
}
