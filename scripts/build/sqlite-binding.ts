// Takes the place of better-sqlite3's lib/binding.js in the bundle: see sqlite.ts.
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Kept, as the package keeps it: every database that is opened asks for it, also after an update took the files away. */
let binding: unknown;

export function getBinding(): unknown {
  binding ??= load();
  return binding;
}

/**
 * The native part, from where the package is installed. To tell glibc from musl, the package asks Node for a whole report on the
 * process, which takes 3 ms; so it is asked only where a look at Node's own file does not settle it. Node's way to find and load a
 * module takes as long.
 */
function load(): unknown {
  const prebuilt = isForGlibc() ? prebuiltAbove(import.meta.dirname) : undefined;
  if (prebuilt === undefined) return asThePackageDoes();
  const module = { exports: {} };
  process.dlopen(module, prebuilt);
  return module.exports;
}

function asThePackageDoes(): unknown {
  const installed = process.getBuiltinModule('node:module').createRequire(import.meta.url);
  const folder = dirname(installed.resolve('better-sqlite3/package.json'));
  return installed(join(folder, 'lib/binding.js')).getBinding();
}

function prebuiltAbove(folder: string): string | undefined {
  const prebuilt = join(folder, 'node_modules/better-sqlite3/prebuilds', `linux-${process.arch}.node`);
  if (existsSync(prebuilt)) return prebuilt;
  return dirname(folder) === folder ? undefined : prebuiltAbove(dirname(folder));
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
