import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { piped } from '../../../testkit/piped.ts';
import { ROOT } from '../../../testkit/program.ts';
import { temporaryFolder } from '../../../testkit/store.ts';
import { TestTerminal, terminalTest, type Window } from '../../../testkit/terminal.ts';

/** A viewer whose home and temporary folder can be looked at afterwards. */
function viewer(window: Window = {}) {
  const [home, temporary] = [temporaryFolder(), join(temporaryFolder(), 'tmp')];
  mkdirSync(temporary);
  const terminal = new TestTerminal(home, ['demo'], { ...window, env: { TMPDIR: temporary, ...window.env } });
  const leftOver = () => ({ home: readdirSync(home), temporary: readdirSync(temporary) });
  return { terminal, leftOver };
}

const NEXT = /q leaves: $/;
/** What the README shows of the tour; `…` stands for lines left out. */
function transcript(): string[] {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const block = /<!-- transcript -->\n\n```text\n([\s\S]*?)\n```/.exec(readme)?.[1] ?? 'no transcript';
  return block.split('\n').filter((line) => line !== '…');
}

/** The lines that are not in a text, or not in this order. */
function missingFrom(shown: string, lines: readonly string[]): string[] {
  const screen = shown.split('\n').map((line) => line.trimEnd());
  let at = -1;
  return lines.filter((line) => {
    const next = screen.indexOf(line, at + 1);
    if (next >= 0) at = next;
    return next < 0;
  });
}

const NOTHING = { home: [], temporary: [] };

terminalTest(
  'shows a memory proposed, found, asked about, verified, edited behind the server’s back and lowered',
  async () => {
    const { terminal, leftOver } = viewer();
    await terminal.reply(NEXT, '');
    expect(await terminal.reply(NEXT, '')).toMatch(/propose_memory[\s\S]*"tier":"inferred"/);
    const search = await terminal.reply(NEXT, '');
    expect(search).toMatch(/search_memories[\s\S]*"id":"user_merging","tier":"inferred"/);
    // The explanation names what the answer above it shows.
    for (const named of ['"stored"', '"tier":"inferred"']) expect(search.split(named).length).toBeGreaterThan(2);
    const question = await terminal.answer('2');
    expect(question).toMatch(/Did you say this\? It will count as user_merging\.[\s\S]*\[1\] no/);
    expect(await terminal.reply(NEXT, '')).toMatch(/"outcome":"done","tier":"verified"/);
    const edited = await terminal.reply(NEXT, '');
    expect(edited).toMatch(/trust-level: verified[\s\S]*squash[\s\S]*"tier":"inferred"[\s\S]*no receipt vouches/);
    const { code, shown } = await terminal.end();
    expect(code).toBe(0);
    expect(shown).toContain('It is verified: the receipt is for the text');
    expect(missingFrom(shown, transcript())).toEqual([]);
    expect(leftOver()).toEqual(NOTHING);
  },
);

terminalTest('a no is a no, and only the number of a choice is an answer', async () => {
  const { terminal, leftOver } = viewer();
  for (let step = 0; step < 3; step++) await terminal.reply(NEXT, '');
  for (const typed of ['', 'y', '3']) await terminal.answer(typed);
  await terminal.answer('1');
  const { code, shown } = await terminal.end();
  expect(code).toBe(0);
  expect(shown).toMatch(/"outcome":"declined","tier":"inferred"[\s\S]*You did not say yes/);
  expect(leftOver()).toEqual(NOTHING);
});

terminalTest('q leaves at the dialog too, as its own words say, and is no yes', async () => {
  const { terminal, leftOver } = viewer();
  for (let step = 0; step < 3; step++) await terminal.reply(NEXT, '');
  await terminal.answer('');
  expect(await terminal.answer('q')).toContain('The number of your choice, please; q leaves.');
  const { code, shown } = await terminal.end();
  expect(code).toBe(0);
  expect(shown).toContain('You did not say yes, so nothing changed');
  expect(leftOver()).toEqual(NOTHING);
});

terminalTest('can be left at any time, in a narrow window and without colours, and leaves nothing behind', async () => {
  for (const [keys, code] of [
    ['q\r', 0],
    ['\u0004', 0],
    ['\u0003', 130],
  ] as const) {
    const { terminal, leftOver } = viewer({ columns: 40, rows: 12, env: { NO_COLOR: '1' } });
    await terminal.until(NEXT);
    terminal.press(keys);
    expect(await terminal.exit).toBe(code);
    expect(leftOver()).toEqual(NOTHING);
  }
});

test('needs a terminal', async () => {
  const home = temporaryFolder();
  const { code, err } = await piped(home, ['demo'], { TMPDIR: home });
  expect(code).toBe(1);
  expect(err).toMatch(/^surety demo asks a person, so its input and output must be a terminal/);
  expect(readdirSync(home)).toEqual([]);
});
