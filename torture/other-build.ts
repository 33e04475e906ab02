import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Built } from '../testkit/built.ts';

const ROOT = resolve(import.meta.dirname, '..');
/** What build.ts writes into the bundle: the digest of the sources that the rules are made of. */
const RULES = /(built \?\?= true \? ")([0-9a-f]{16})(")/;

/** The same program as a version with other rules: it names its rules otherwise, and so its index and what it signs. */
export function otherBuild(main: string): Built {
  const folder = mkdtempSync(join(ROOT, '.built-for-torture-'));
  cpSync(dirname(main), folder, { recursive: true });
  const changed = globSync(join(folder, '*.js')).filter((file) => {
    const text = readFileSync(file, 'utf8');
    const other = text.replace(RULES, (_, before, rules, after) => before + [...rules].reverse().join('') + after);
    if (other !== text) writeFileSync(file, other);
    return other !== text;
  });
  if (changed.length !== 1) throw new Error('the bundle does not name its rules as expected');
  return { main: join(folder, basename(main)), remove: () => rmSync(folder, { recursive: true, force: true }) };
}
