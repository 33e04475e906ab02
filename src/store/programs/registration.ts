import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { startsOfHooks } from '../../core/clients/claude-code-config.ts';
import { readForeign } from '../disk/external-file.ts';
import { claudeFiles } from './claude-code-files.ts';

/** Whether Claude Code knows this server, by its own files. Only looked at: `surety init` is what changes them. */
export interface Registration {
  readonly file: string;
  /** `no-client`: it has no such file here. `gone`: the program that is registered is not there any more. */
  readonly state: 'no-client' | 'unreadable' | 'not-registered' | 'gone' | 'registered';
}

export function serverRegistration(home: string, env: NodeJS.ProcessEnv): Registration {
  const starts = (config: unknown) =>
    serversIn(config).map((server) => {
      const { command, args } = server as { command?: unknown; args?: unknown };
      return [command, ...(Array.isArray(args) ? args : [])];
    });
  return registrationIn(claudeFiles(home, env).server, starts, 'some');
}

export function hookRegistration(home: string, env: NodeJS.ProcessEnv): Registration {
  return registrationIn(claudeFiles(home, env).hooks, startsOfHooks, 'every');
}

/** One server that starts is enough; of the hooks each that does not start fails by itself. */
function registrationIn(
  file: string,
  startsIn: (config: unknown) => readonly (readonly unknown[])[],
  enough: 'some' | 'every',
): Registration {
  try {
    const { bytes } = readForeign(file);
    if (bytes === undefined) return { file, state: 'no-client' };
    const starts = startsIn(JSON.parse(bytes.toString('utf8')));
    if (starts.length === 0) return { file, state: 'not-registered' };
    return { file, state: starts[enough](isThere) ? 'registered' : 'gone' };
  } catch {
    return { file, state: 'unreadable' };
  }
}

/** For the account, and for single projects. */
function serversIn(config: unknown): unknown[] {
  const projects = Object.values(objectAt(config, 'projects') ?? {});
  return [config, ...projects].flatMap((scope) => objectAt(objectAt(scope, 'mcpServers'), 'surety') ?? []);
}

/** Absolute paths in the command must exist; a bare name is found by the shell, and npx brings its own. */
function isThere(words: readonly unknown[]): boolean {
  return words.every((word) => typeof word !== 'string' || !isAbsolute(word) || existsSync(word));
}

function objectAt(value: unknown, key: string): Record<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  const inner = (value as Record<string, unknown>)[key];
  return typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>) : undefined;
}
