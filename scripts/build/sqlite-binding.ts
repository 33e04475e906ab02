// Takes the place of better-sqlite3's lib/binding.js in the bundle: see sqlite.ts.
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const installed = createRequire(import.meta.url);
/** Kept, as the package keeps it: every database that is opened asks for it, also after an update took the files away. */
let binding: unknown;

export function getBinding(): unknown {
  binding ??= load();
  return binding;
}

/**
 * The native part, from where the package is installed. To tell glibc from musl, the package asks Node for a whole report on the
 * process, which takes 3 ms; so it is asked only where a look at Node's own file does not settle it.
 */
function load(): unknown {
  const folder = dirname(installed.resolve('better-sqlite3/package.json'));
  const prebuilt = join(folder, 'prebuilds', `linux-${process.arch}.node`);
  if (isForGlibc() && existsSync(prebuilt)) return installed(prebuilt);
  return installed(join(folder, 'lib/binding.js')).getBinding();
}

/** Whether the loader that Node's file names in its first bytes is glibc's. */
function isForGlibc(): boolean {
  if (process.platform !== 'linux') return false;
  try {
    const node = openSync(process.execPath, 'r');
    const start = Buffer.alloc(4096);
    readSync(node, start);
    closeSync(node);
    return start.includes('/ld-linux');
  } catch {
    return false;
  }
}
