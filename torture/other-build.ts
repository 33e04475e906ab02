import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Built } from '../testkit/built.ts';

const ROOT = resolve(import.meta.dirname, '..');
/** The digest of the sources that the rules are made of, as build.ts writes it into the bundle. */
const RULES = /\bdigest \?\?= true \? "([0-9a-f]{16})"/;

/** The same program as a version with other rules: it names its rules otherwise, and so its index and what it signs. */
export function otherBuild(main: string): Built {
  const folder = mkdtempSync(join(ROOT, '.built-for-torture-'));
  cpSync(dirname(main), folder, { recursive: true });
  const files = globSync(join(folder, '*.js')).map((file) => ({ file, text: readFileSync(file, 'utf8') }));
  const rules = files.map(({ text }) => RULES.exec(text)?.[1]).find((found) => found !== undefined);
  if (rules === undefined) throw new Error('the bundle does not name its rules as expected');
  for (const { file, text } of files) writeFileSync(file, text.replaceAll(rules, [...rules].reverse().join('')));
  return { main: join(folder, basename(main)), remove: () => rmSync(folder, { recursive: true, force: true }) };
}
