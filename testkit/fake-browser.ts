import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { PATIENCE_MS } from './patience.ts';
import type { TestStore } from './store.ts';

interface FakeBrowser {
  readonly env: Record<string, string>;
  link(): Promise<string>;
  /** The process that started the browser. */
  startedBy(): number;
}

/** A browser that only records its arguments and who started it. */
export function fakeBrowser(store: TestStore): FakeBrowser {
  const bin = join(store.home, 'bin');
  const [handed, said, parent] = ['handed.html', 'arguments', 'parent'].map((name) => join(store.home, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(bin);
  writeFileSync(
    join(bin, 'xdg-open'),
    `#!/bin/sh\nstat -c %a "$1" > ${said}\necho "$@" >> ${said}\necho $PPID > ${parent}\ncp "$1" ${handed}\n`,
  );
  chmodSync(join(bin, 'xdg-open'), 0o755);
  return {
    env: { PATH: `${bin}:${process.env.PATH}` },
    link: async () => {
      for (let waited = 0; waited < PATIENCE_MS && !existsSync(handed); waited += 50) await sleep(50);
      await sleep(50);
      expect(readFileSync(said, 'utf8')).toMatch(/^600\n\S+open-review\.html\n$/);
      return /url=(http:[^"]+)"/.exec(readFileSync(handed, 'utf8'))?.[1] ?? '';
    },
    startedBy: () => Number(readFileSync(parent, 'utf8')),
  };
}
