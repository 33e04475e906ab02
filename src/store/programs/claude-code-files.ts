import { lstatSync } from 'node:fs';
import { join } from 'node:path';

/** The files of Claude Code's that Surety stands in: the servers of the user, and the settings with the hooks. */
export interface ClaudeFiles {
  readonly folder: string;
  readonly server: string;
  readonly hooks: string;
}

export function claudeFiles(home: string, { CLAUDE_CONFIG_DIR: moved }: NodeJS.ProcessEnv): ClaudeFiles {
  const folder = moved || join(home, '.claude');
  // Where an early version of Claude Code left its file, it still reads that one.
  const early = join(folder, '.config.json');
  const isEarly = lstatSync(early, { throwIfNoEntry: false }) !== undefined;
  return {
    folder,
    server: isEarly ? early : join(moved || home, '.claude.json'),
    hooks: join(folder, 'settings.json'),
  };
}
