import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The one form of import that modules here may have; `tests/layers.test.ts` refuses others. */
const IMPORT = /^import \{[^}]*\} from '(\.[^']+)';\n/gm;

/**
 * A module and all that it imports as one script, for a browser that should ask for one file. What is imported comes first.
 * All share one scope, so each name is declared once.
 */
export function joinedModules(entry: string): string {
  const parts = new Map<string, string>();
  const take = (path: string) => {
    if (parts.has(path)) return;
    const source = readFileSync(path, 'utf8');
    for (const [, from = ''] of source.matchAll(IMPORT)) take(join(dirname(path), from));
    parts.set(path, source.replaceAll(IMPORT, '').replaceAll(/^export /gm, ''));
  };
  take(entry);
  return `'use strict';\n(() => {\n${[...parts.values()].join('\n')}})();\n`;
}
