import type { Facts } from './facts.ts';

/** What npm publishes. Everything but the native part of better-sqlite3 is in the bundle, and there are no scripts, so none runs on install. */
export function manifestFor({ dependencies, ...facts }: Facts): object {
  const { name, version, description, license, author, keywords, engines, bin, files } = facts;
  const { homepage, repository, bugs, mcpName } = facts;
  return {
    ...{ name, version, description, license, author, keywords, homepage, repository, bugs, mcpName },
    type: 'module',
    ...{ engines, bin, files },
    dependencies: { 'better-sqlite3': dependencies['better-sqlite3'] },
  };
}
