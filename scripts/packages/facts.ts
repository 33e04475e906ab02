import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');

/** What every package says of Surety. It stands in package.json alone. */
export interface Facts {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly author: string;
  readonly keywords: readonly string[];
  readonly engines: { readonly node: string };
  readonly bin: Readonly<Record<string, string>>;
  readonly files: readonly string[];
  readonly dependencies: Readonly<Record<string, string>>;
  // Absent until the name and a public repository are ours.
  readonly homepage?: string;
  readonly repository?: { readonly type: string; readonly url: string };
  readonly bugs?: { readonly url: string };
  /** The name in the registry of MCP servers, whose owner has to be proven. */
  readonly mcpName?: string;
}

export function readFacts(): Facts {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
}

/** The facts that a package takes over as they are: addresses only where there are any. */
export function shared({ version, description, license, homepage, keywords }: Facts) {
  return { version, description, license, keywords, ...(homepage === undefined ? {} : { homepage }) };
}

/** The file that starts the server, below a package's folder. */
export const MAIN = 'dist/main.js';
