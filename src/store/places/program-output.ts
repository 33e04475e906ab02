interface OutputOptions {
  readonly timeout: number;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
}

/**
 * What a program prints. Throws where it fails. Node's module for starting programs is loaded here, because loading it takes
 * a fiftieth of a session's start and most processes start nothing.
 */
export function programOutput(command: string, args: readonly string[], options: OutputOptions): string {
  const { execFileSync } = process.getBuiltinModule('node:child_process');
  return execFileSync(command, args, { ...options, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}
