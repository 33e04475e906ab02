import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    readonly main: string;
    readonly child: string;
  }
}

const ROOT = resolve(import.meta.dirname, '..');
const run = promisify(execFile);

/**
 * Builds what the tests start, once for a run and into folders of their own, so that they run what people run and never
 * a stale build. They lie in the project because the native module is found from there.
 */
export default async function setup(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(ROOT, '.built-for-tests-'));
  // Some tests run it as somebody else.
  chmodSync(folder, 0o755);
  const build = async (name: string, ...entry: string[]) => {
    await run(process.execPath, [join(ROOT, 'build.ts'), join(folder, name), ...entry]);
    return join(folder, name, `${name}.js`);
  };
  // Two bundles: built together they would share parts, and main.js would not be the one that people run.
  const [main, child] = await Promise.all([build('main'), build('run-child', join(ROOT, 'testkit/run-child.ts'))]);
  project.provide('main', main);
  project.provide('child', child);
  return () => rmSync(folder, { recursive: true, force: true });
}
