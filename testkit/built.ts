import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join, parse, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');

export interface Built {
  readonly main: string;
  remove(): void;
}

/** The bin as people run it, built again unless one is named. */
export function built(main?: string): Built {
  if (main !== undefined) return { main: resolve(main), remove: () => undefined };
  return bundle(join(ROOT, 'src/main.ts'));
}

/** Anything else, built in the same way. It lies in the project because the native module is found from there. */
export function bundle(entry: string): Built {
  const folder = mkdtempSync(join(ROOT, '.built-for-tests-'));
  execFileSync(process.execPath, [join(ROOT, 'build.ts'), folder, entry], { stdio: ['ignore', 'ignore', 'inherit'] });
  return {
    main: join(folder, `${parse(entry).name}.js`),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
