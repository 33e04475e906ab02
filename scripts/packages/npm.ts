import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { type Facts, ROOT } from './facts.ts';
import { write } from './folder.ts';
import { manifestFor } from './manifest.ts';

export function writeNpm(folder: string, facts: Facts, built: string): void {
  write(folder, 'package.json', manifestFor(facts));
  cpSync(built, join(folder, 'dist'), { recursive: true });
  // npm adds README and LICENSE to whatever `files` names.
  for (const name of [
    'README.md',
    'LICENSE',
    ...facts.files.filter((each) => each !== 'dist' && !each.startsWith('!')),
  ]) {
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  }
}
