import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

const FOLDER = join(import.meta.dirname, 'alternatives');

/** Installs the other servers where that was not done yet, with their own lock file; returns their folder, or why not. */
export function install(say: (line: string) => void): { modules: string } | { failed: string } {
  const modules = join(FOLDER, 'node_modules');
  if (existsSync(join(modules, '.package-lock.json'))) return { modules };
  say(
    'installing the other servers into bench/alternatives; two of them compile SQLite where no prebuilt one can be had',
  );
  try {
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], {
      cwd: FOLDER,
      env: environment(),
      stdio: ['ignore', 2, 2],
    });
    return { modules };
  } catch (error) {
    return { failed: error instanceof Error ? (error.message.split('\n')[0] ?? '') : 'npm ci failed' };
  }
}

/** What is compiled must fit the Node that will run it: its headers lie beside it, where it brought them along. */
function environment(): NodeJS.ProcessEnv {
  const above = dirname(dirname(process.execPath));
  const homes = [above, join(above, 'node_modules', `node-${process.platform}-${process.arch}`)];
  const home = homes.find((each) => existsSync(join(each, 'include/node/node.h')));
  return home === undefined ? process.env : { ...process.env, npm_config_nodedir: home };
}
