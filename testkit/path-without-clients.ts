import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { CLIENTS } from '../src/core/clients/clients.ts';

const PROGRAMS = new Set(CLIENTS.flatMap(({ setup }) => setup?.program ?? []));

/**
 * Hides the clients that the developer has installed, because `init` and `doctor` look for them on the PATH. A folder
 * with a client is replaced by links to everything else in it: Node or git often lie beside it.
 */
export default function setup(): void {
  const folders = (process.env.PATH ?? '').split(delimiter);
  process.env.PATH = folders
    .map((folder, i) => (holdsClient(folder) ? copied(folder, `path-${i}`) : folder))
    .join(delimiter);
}

function holdsClient(folder: string): boolean {
  return [...PROGRAMS].some((program) => existsSync(join(folder, program)));
}

function copied(folder: string, name: string): string {
  const copy = join(tmpdir(), name);
  mkdirSync(copy);
  for (const entry of readdirSync(folder))
    if (!PROGRAMS.has(entry)) symlinkSync(join(folder, entry), join(copy, entry));
  return copy;
}
