import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Every file below a folder with what is in it, to tell that nothing was changed. The lock's ticket comes and goes. */
export function contentsOf(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {};
  const found: Record<string, string> = {};
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(folder, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined || basename(name) === 'queue') continue;
    if (stat.isFile()) found[name] = createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 12);
    else found[name] = stat.isDirectory() ? 'folder' : 'other';
  }
  return found;
}
