import { join } from 'node:path';
import { joinedModules } from '../store/disk/joined-modules.ts';

/** Set by build.ts, because the bundle has no sources beside it. */
declare const BUILT_SCRIPTS: ReturnType<typeof scriptsOfSources> | undefined;

/** The script of each page, as its browser gets it. */
export function scriptsOfSources() {
  const from = (entry: string) => joinedModules(join(import.meta.dirname, 'browser', entry));
  return { review: from('review.js'), passkeys: from('enrol.js'), overview: from('overview/keys.js') } as const;
}

/** The only script of a page. */
export function browserScript(page: keyof ReturnType<typeof scriptsOfSources>): string {
  return (typeof BUILT_SCRIPTS === 'object' ? BUILT_SCRIPTS : scriptsOfSources())[page];
}
