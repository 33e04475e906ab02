import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { filesWith, storeTenDaysAgo, TestTerminal, terminalTest } from '../../../testkit/terminal.ts';

/** What nohup and some multiplexers do: the program outlives its window, and every use of the terminal fails. */
const OUTLIVING = ['/bin/sh', '-c', 'trap "" HUP; "$@" 2>err.txt; echo $? >code.txt', 'sh'];

for (const [command, args, question] of [
  ['remember', ['remember', 'We deploy only on weekdays.'], /answer: $/],
  ['review', ['review'], /answer: $/],
] as const)
  terminalTest(`a window that goes away at the question of ${command} is no fault of the disk`, async () => {
    const store = await storeTenDaysAgo();
    const id = await store.propose('two cores');
    store.pass(10);
    const terminal = new TestTerminal(store.home, args, { wrap: OUTLIVING });
    await terminal.until(question);
    terminal.hangUp();
    const code = join(store.home, 'code.txt');
    await expect.poll(() => existsSync(code) && readFileSync(code, 'utf8')).toMatch(/^\d+\n$/);
    expect(readFileSync(join(store.home, 'err.txt'), 'utf8')).not.toMatch(/EIO|disk|node:/);
    expect(filesWith(store.places.state, 'disk-failed')).toEqual([]);
    expect(store.standing(id)).toBe('inferred:proposed');
  });
