import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');

/** The bin as people run it, built anew unless one is named. It lies in the project because the native module is found from there. */
export function built(main?: string): { readonly main: string; remove(): void } {
  if (main !== undefined) return { main: resolve(main), remove: () => undefined };
  const folder = mkdtempSync(join(ROOT, '.built-for-tests-'));
  execFileSync(process.execPath, [join(ROOT, 'build.ts'), folder], { stdio: ['ignore', 'ignore', 'inherit'] });
  return { main: join(folder, 'main.js'), remove: () => rmSync(folder, { recursive: true, force: true }) };
}
