import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Check } from '../../core/checks/inspect.ts';

/** Set by build.ts, because the bundle has no sources beside it. */
declare const BUILT_SOURCES_DIGEST: string | undefined;
/** Set by build.ts too: to name its own rules, no process has to load them. */
declare const BUILT_RULES: string | undefined;

/** Importing from these files reaches all code that decides how a file is read and checked. */
const ENTRIES = ['../../core/checks/all.ts', '../../core/memory/inspected-file.ts', './format.ts'];
const IMPORTED = /(?:from|import\()\s*'(\.{1,2}\/[\w./-]+\.ts)'/g;

let digest: string | undefined;

/**
 * Names the rules in force, so that a receipt says what its text was checked against, and results of other rules are
 * not reused. It is derived from the source, so that nobody has to remember to raise a number.
 */
export function rulesVersion(checks: readonly Check[]): string {
  digest ??= typeof BUILT_SOURCES_DIGEST === 'string' ? BUILT_SOURCES_DIGEST : digestOfSources();
  return [...checks.map(({ name }) => name), digest].join(' ');
}

/** The version of the program's own checks. */
export function ownRulesVersion(checks: () => readonly Check[]): string {
  return typeof BUILT_RULES === 'string' ? BUILT_RULES : rulesVersion(checks());
}

/**
 * Code without whole-line comments, empty lines and import paths. Otherwise a reworded comment or a moved file would
 * change the rules' version, and every store would be read again.
 */
export function withoutProse(source: string): string {
  return source
    .replaceAll(/^\s*(?:\/\/.*|\/\*\*(?:(?!\*\/).)*(?:\*\/\s*)?|\*(?:\s.*|\/)?)?\n/gm, '')
    .replaceAll(/\bfrom '\.[^']*'/g, 'from');
}

/** A digest of the code of the checks and of reading files. */
export function digestOfSources(read = (path: string) => fs.readFileSync(path, 'utf8')): string {
  const sources = new Map<string, string>();
  const take = (path: string) => {
    if (sources.has(path)) return;
    const source = read(path);
    sources.set(path, source);
    for (const [, relative = ''] of source.matchAll(IMPORTED)) take(resolve(dirname(path), relative));
  };
  for (const entry of ENTRIES) take(resolve(import.meta.dirname, entry));
  const texts = [...sources].map(([, source]) => withoutProse(source)).sort();
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 16);
}
