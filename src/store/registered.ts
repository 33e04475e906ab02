import { existsSync, readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { codeOf } from './failures.ts';

/** Whether Claude Code knows this server, by its own file. Only looked at: `surety init` is what changes it. */
export interface Registration {
  readonly file: string;
  /** `no-client`: it has no such file here. `gone`: the program that is registered is not there any more. */
  readonly state: 'no-client' | 'unreadable' | 'not-registered' | 'gone' | 'registered';
}

const LARGEST = 50_000_000;

export function registrationIn(home: string, env: NodeJS.ProcessEnv): Registration {
  const file = join(env.CLAUDE_CONFIG_DIR || home, '.claude.json');
  try {
    const text = readFileSync(file, 'utf8');
    if (text.length > LARGEST) return { file, state: 'unreadable' };
    const found = serversIn(JSON.parse(text));
    if (found.length === 0) return { file, state: 'not-registered' };
    return { file, state: found.some(isThere) ? 'registered' : 'gone' };
  } catch (error) {
    return { file, state: codeOf(error) === 'ENOENT' ? 'no-client' : 'unreadable' };
  }
}

/** For the account, and for single projects. */
function serversIn(config: unknown): unknown[] {
  const projects = Object.values(objectAt(config, 'projects') ?? {});
  return [config, ...projects].flatMap((scope) => objectAt(objectAt(scope, 'mcpServers'), 'surety') ?? []);
}

/** Absolute paths in the command must exist; a bare name is found by the shell, and npx brings its own. */
function isThere(server: unknown): boolean {
  const { command, args } = server as { command?: unknown; args?: unknown };
  const words = [command, ...(Array.isArray(args) ? args : [])];
  return words.every((word) => typeof word !== 'string' || !isAbsolute(word) || existsSync(word));
}

function objectAt(value: unknown, key: string): Record<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  const inner = (value as Record<string, unknown>)[key];
  return typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>) : undefined;
}
