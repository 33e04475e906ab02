import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Starts the program again with the Node that a checkout brings along, and returns its exit code; undefined where there is
 * none. An old Node loads this file, so it imports nothing of ours.
 */
export function startWithOwnNode(main: string): number | undefined {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const own = fileURLToPath(new URL(`../node_modules/node/bin/${name}`, main));
  if (!existsSync(own)) return undefined;
  return spawnSync(own, process.argv.slice(1), { stdio: 'inherit' }).status ?? 1;
}
