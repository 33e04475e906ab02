import { execFile } from 'node:child_process';
import { BARE_ENV, MAIN } from './program.ts';

interface Piped {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** The real program with its input and output in pipes, in a home of its own; `wrap` is what starts it, where something does. */
export function piped(
  home: string,
  args: readonly string[],
  env: Record<string, string> = {},
  wrap: readonly string[] = [],
  input = 'y\ny\ny\n',
): Promise<Piped> {
  return new Promise((done) => {
    const options = {
      env: { ...BARE_ENV, HOME: home, ...env },
      cwd: home,
      maxBuffer: 64 * 1024 * 1024,
    };
    const [program = '', ...rest] = [...wrap, process.execPath, MAIN, ...args];
    const child = execFile(program, rest, options, (error, out, err) =>
      done({ code: error ? Number(error.code) : 0, out, err }),
    );
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}
