import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    readonly main: string;
  }
}

const ROOT = resolve(import.meta.dirname, '..');

/**
 * Builds what the tests start, once for a run and into a folder of its own, so that they run what people run and never a
 * stale build. It lies in the project because the native module is found from there.
 */
export default function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(ROOT, '.built-for-tests-'));
  // Some tests run it as somebody else.
  chmodSync(folder, 0o755);
  execFileSync(process.execPath, [join(ROOT, 'build.ts'), folder], { stdio: ['ignore', 'ignore', 'inherit'] });
  project.provide('main', join(folder, 'main.js'));
  return () => rmSync(folder, { recursive: true, force: true });
}
