import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { TestStore } from '../../../testkit/store.ts';
import { storeTenDaysAgo, TestTerminal, terminalTest } from '../../../testkit/terminal.ts';

const MANY = 150;

function many(store: TestStore): string {
  mkdirSync(join(store.home, 'elsewhere'));
  for (let i = 0; i < MANY; i++) {
    const body = `What was kept elsewhere about thing ${i}, word for word.`;
    const text = `---\nname: Thing ${i}\ndescription: About it\ntype: user\n---\n${body}\n`;
    writeFileSync(join(store.home, 'elsewhere', `user_thing_${i}.md`), text);
  }
  return 'elsewhere';
}

async function untilSome(store: TestStore): Promise<void> {
  while (store.files('memories').length < 20) await sleep(5);
}

for (const how of ['Ctrl+C', 'a closed window'] as const) {
  terminalTest(`an import that ${how} cuts short is finished by running it again, and nothing is doubled`, async () => {
    const store = await storeTenDaysAgo();
    const from = many(store);
    const terminal = new TestTerminal(store.home, ['import', from]);
    await terminal.answer('r');
    await untilSome(store);
    if (how === 'Ctrl+C') {
      terminal.press('\x03');
      const { code, shown } = await terminal.end();
      expect(code).toBe(130);
      const imported = Number(/Imported: 0 verified, (\d+) inferred/.exec(shown)?.[1]);
      expect(imported).toBe(store.files('memories').length);
      expect(imported).toBeLessThan(MANY);
    } else terminal.hangUp();
    const again = new TestTerminal(store.home, ['import', from]);
    await again.answer('r');
    const { code, shown } = await again.end();
    expect(code).toBe(0);
    expect(shown).toMatch(/Not imported: \d{2,3} here already, 0 refused/);
    expect(readdirSync(store.places.memories)).toHaveLength(MANY);
    const entries = store.ledgerLines().map((line) => JSON.parse(line));
    const known = new Set(entries.filter(({ action }) => action !== 'store').map(({ id }) => id));
    expect(known.size).toBe(MANY);
    expect(store.trouble()).toBeUndefined();
    expect(existsSync(store.path('memories', 'user_thing_0_2'))).toBe(false);
  });
}
