import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Built } from '../testkit/built.ts';

const ROOT = resolve(import.meta.dirname, '..');
/** The names of the checks and the digest of the sources that they are made of, as build.ts writes them into the bundle. */
const RULES = /"(?:[a-z-]+ )+([0-9a-f]{16})"/;

/** The same program as a version with other rules: it names its rules otherwise, and so its index and what it signs. */
export function otherBuild(main: string): Built {
  const folder = mkdtempSync(join(ROOT, '.built-for-torture-'));
  // What V8 compiled is left out: it knows a file again by its length alone, and would use it for the other rules.
  cpSync(dirname(main), folder, { recursive: true, filter: (path) => basename(path) !== 'compiled' });
  const files = globSync(join(folder, '*.js')).map((file) => ({ file, text: readFileSync(file, 'utf8') }));
  const rules = files.map(({ text }) => RULES.exec(text)?.[1]).find((found) => found !== undefined);
  if (rules === undefined) throw new Error('the bundle does not name its rules as expected');
  for (const { file, text } of files) writeFileSync(file, text.replaceAll(rules, [...rules].reverse().join('')));
  return { main: join(folder, basename(main)), remove: () => rmSync(folder, { recursive: true, force: true }) };
}
