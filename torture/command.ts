import { spawn } from 'node:child_process';
import { preloads, type Surroundings } from './life.ts';

/** What a command said and how it ended; no code when it was killed. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** The program with these arguments, as a script runs it; killed so many milliseconds after it began, where that is asked. */
export async function runCommand(
  where: Surroundings,
  args: readonly string[],
  killAfter: number | undefined = undefined,
): Promise<Ended> {
  const { home: cwd, env, main } = where;
  const child = spawn(process.execPath, [...preloads(where), main, ...args], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const killer = killAfter === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfter);
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  clearTimeout(killer);
  return { code, out, err };
}
