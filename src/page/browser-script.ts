import { join } from 'node:path';
import { joinedModules } from '../store/disk/joined-modules.ts';

/** JSON, set by build.ts, because the bundle has no sources beside it. */
declare const BUILT_SCRIPTS: string | undefined;

type Scripts = Readonly<Record<'review' | 'passkeys' | 'overview', string>>;

/** The script of each page, as its browser gets it. */
export function scriptsOfSources(): Scripts {
  const from = (entry: string) => joinedModules(join(import.meta.dirname, 'browser', entry));
  return { review: from('review.js'), passkeys: from('enrol.js'), overview: from('overview/keys.js') };
}

/** The only script of a page. */
export function browserScript(page: keyof Scripts): string {
  const scripts: Scripts = typeof BUILT_SCRIPTS === 'string' ? JSON.parse(BUILT_SCRIPTS) : scriptsOfSources();
  return scripts[page];
}
