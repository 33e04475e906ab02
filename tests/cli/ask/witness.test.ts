import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { AGENT_MARKS } from '../../../src/core/clients/agent-shells.ts';
import { temporaryFolder } from '../../../testkit/store.ts';
import { audited, piped, plain, storeTenDaysAgo, TestTerminal, terminalTest } from '../../../testkit/terminal.ts';

test('without a terminal nobody is asked: one sentence, exit 1, on record, nothing changed', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('two cores');
  const before = store.ledgerLines();
  for (const command of ['review', 'add']) {
    const { code, out, err } = await piped(store.home, [command], 'y\ny\ny\n');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(
      /^surety \w+ asks a person, so its input and output must be a terminal; run it by hand[^\n]+\n$/,
    );
  }
  expect(audited(store)).toEqual(['review refused needs-person', 'add refused needs-person']);
  expect(store.tier(id)).toBe('inferred');
  expect(store.ledgerLines()).toEqual(before);
});

test('being turned away takes no store into use', async () => {
  const home = temporaryFolder();
  mkdirSync(join(home, 'theirs', 'memories'), { recursive: true });
  mkdirSync(join(home, 'theirs', '.git'));
  expect((await piped(home, ['review', '--root', join(home, 'theirs')])).code).toBe(1);
  expect(existsSync(join(home, '.local'))).toBe(false);
});

test('add does not take its text from a pipe, and says why', async () => {
  const { code, err } = await piped(temporaryFolder(), ['add', '-'], 'A text that is long enough to be a memory.');
  expect(code).toBe(1);
  expect(err).toContain('must be the terminal you answer at; name a file instead');
});

test.each([
  [
    ['review', '--yes'],
    'surety review does not know the option at argument 2; surety review --help lists what it knows.\n',
  ],
  [['add', '--yes'], 'surety add does not know the option at argument 2; surety add --help lists what it knows.\n'],
  [['adopt', '--yes', 'user_x'], /surety adopt does not know the option at argument 2/],
  [['adopt'], 'surety adopt needs the id of a memory; surety adopt --help lists what it knows.\n'],
  [['review', '--category', 'all'], /--category is one of requests, missing, displaced, changed/],
  [['review', '--limit', '0'], /--limit is a number from 1/],
  [['review', '--limit'], '--limit needs a number; surety review --help lists what it knows.\n'],
  [
    ['review', 'user_x'],
    'surety review takes no argument besides options; surety review --help lists what it knows.\n',
  ],
  [['add', '--type', 'opinion'], /--type is one of user, feedback, project, reference/],
])('%j is not understood: exit 64', async (args, sentence) => {
  const { code, out, err } = await piped(temporaryFolder(), args);
  expect({ code, out }).toEqual({ code: 64, out: '' });
  expect(err).toMatch(sentence);
});

test.each(['review', 'add', 'remember', 'adopt', 'archive', 'erase', 'init'])(
  '%s has a help of its own',
  async (command) => {
    const { code, out, err } = await piped(temporaryFolder(), [command, '--help']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(new RegExp(`^usage: surety ${command} `));
    expect(out).not.toMatch(/--(yes|force|confirm)/);
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120);
  },
);

terminalTest('an error at a terminal is wrapped between words', async () => {
  const window = { columns: 40 };
  const { shown } = await new TestTerminal(temporaryFolder(), ['review', '--bogus'], window).end();
  expect(shown.trim()).toBe(
    'surety review does not know the option\nat argument 2; surety review --help\nlists what it knows.',
  );
});

terminalTest('an agent’s shell is refused by any of the variables that give it away', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('two cores');
  for (const variable of ['CLAUDECODE', 'CODEX_SANDBOX', 'CURSOR_AGENT', 'GEMINI_CLI', 'OPENCODE', 'AIDER']) {
    expect(Object.keys(AGENT_MARKS)).toContain(variable);
    const terminal = new TestTerminal(store.home, ['review'], { env: { [variable]: '1' } });
    const { code, shown } = await terminal.end();
    expect(code).toBe(1);
    expect(plain(shown).replaceAll('\n', ' ')).toMatch(
      new RegExp(`does not run in an agent’s shell \\(${variable} says`),
    );
  }
  expect(audited(store)).toHaveLength(6);
  expect(store.tier(id)).toBe('inferred');
});

terminalTest('a text longer than the window is shown a window at a time, and no yes comes before its end', async () => {
  const store = await storeTenDaysAgo();
  const body = Array.from({ length: 60 }, (_, i) => `This is line number ${i + 1} of it.`).join('\n');
  const id = await store.propose('long', { body });
  const terminal = new TestTerminal(store.home, ['review'], { rows: 24 });
  const first = await terminal.reply(/more lines; Enter shows them, q leaves: $/, 'y');
  expect(first).not.toContain('[y]');
  expect(first).not.toContain('line number 60');
  await terminal.reply(/more lines; Enter shows them, q leaves: $/, '');
  await terminal.reply(/more lines; Enter shows them, q leaves: $/, '');
  expect(await terminal.answer('y')).toContain('line number 60');
  await terminal.end();
  expect(store.tier(id)).toBe('verified');
});

terminalTest('a question never pushes the text it is about out of the window', async () => {
  const rows = 24;
  const shownAtOnce = async (lines: number) => {
    // A store of its own: beside one that is nearly the same, the text would have more rows.
    const store = await storeTenDaysAgo();
    const body = Array.from({ length: lines }, (_, i) => `This is line number ${i + 1} of it.`).join('\n');
    const id = await store.propose(`of ${lines} lines`, { body });
    const terminal = new TestTerminal(store.home, ['adopt', id], { rows });
    const first = await terminal.until(/(?:answer|leaves): $/);
    terminal.hangUp();
    await terminal.exit;
    return { rows: first.split('\n').length, asked: first.endsWith('answer: ') };
  };
  const all = [await shownAtOnce(6)];
  while (all.at(-1)?.asked) all.push(await shownAtOnce(6 + all.length));
  expect(all.map((each) => each.rows).filter((each) => each > rows)).toEqual([]);
  expect(all.at(-2)?.rows).toBe(rows);
});

terminalTest('one line that is left is called one line', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('two cores');
  const shownIn = async (rows: number) => {
    const terminal = new TestTerminal(store.home, ['adopt', id], { rows });
    const shown = await terminal.until(/(?:answer|leaves): $/);
    terminal.hangUp();
    await terminal.exit;
    return shown;
  };
  const [text = ''] = (await shownIn(70)).split('\n\n');
  expect(await shownIn(text.split('\n').length + 2)).toContain('\n1 more line; Enter shows it, q leaves: ');
});

terminalTest('in the smallest window a prompt breaks no word and pushes no line of the text out of it', async () => {
  const store = await storeTenDaysAgo();
  for (const name of ['one', 'two']) await store.propose(name);
  const window = { columns: 20, rows: 8 };
  const terminal = new TestTerminal(store.home, ['review'], window);
  const pages: string[] = [];
  for (const key of ['y', 'q']) {
    for (let page = ''; !page.endsWith('answer: '); pages.push(page)) {
      page = await terminal.until(/(?:answer|leaves): $/);
      terminal.press(page.endsWith('answer: ') ? key : '\r');
    }
  }
  await terminal.end();
  const rows = pages.flatMap((page) => page.split('\n'));
  expect(rows.filter((row) => row.trimEnd().length >= window.columns)).toEqual([]);
  const texts = pages.filter((page) => page.endsWith('leaves: '));
  const heights = texts.map(
    (page) =>
      page
        .replace(/^.*(?=\nid )/s, '')
        .trim()
        .split('\n').length,
  );
  expect(heights.filter((height) => height > window.rows)).toEqual([]);
  expect(texts.join().replaceAll('\n', ' ')).toContain('question, u takes it back, q leaves: ');
});

/** How many rows of 80 columns a terminal needs for a line; it gives format characters such as U+070F a column each. */
function rowsDrawn(line: string): number {
  const columns = [...line].map((char) => (/^[\p{Cf}--\p{DI}]$/v.test(char) ? 1 : stringWidth(char)));
  return Math.max(1, Math.ceil(columns.reduce((sum, each) => sum + each, 0) / 80));
}

for (const [what, filling] of [
  ['format characters', '\u070F'.repeat(3200)],
  ['format characters before letters of their script', '\u070F\u0710'.repeat(1600)],
  ['trigrams, which are wide', '\u2630'.repeat(1600)],
  ['skin tones, which are wide and one character to a segmenter', '\u{1F3FB}'.repeat(1600)],
  ['emoji that are joined to one character', `${'\u{1F468}\u200D'.repeat(1200)}\u{1F468}`],
] as const) {
  terminalTest(`the first line is not scrolled out of the window by ${what}`, async () => {
    const store = await storeTenDaysAgo();
    const body = `The first line is what the yes would be for.\n${filling}\nThe last line is harmless.`;
    store.write('memories', 'user_filled', `---\nname: Filled\ndescription: About\ntype: user\n---\n${body}\n`);
    await store.reconcile();
    const terminal = new TestTerminal(store.home, ['adopt', 'user_filled'], { rows: 24 });
    let shown = '';
    for (let windows = 0; !shown.endsWith('answer: '); windows++) {
      shown = await terminal.until(/(?:answer|leaves): $/);
      if (windows === 0) expect(shown).toContain('The first line is what');
      const rows = shown.replace(/^\n/, '').split('\n').map(rowsDrawn);
      expect(rows.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(24);
      terminal.press(shown.endsWith('answer: ') ? 's\r' : '\r');
    }
    await terminal.end();
  });
}

terminalTest('a window in which no text can be shown whole takes no yes', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('two cores');
  for (const window of [{ columns: 19 }, { rows: 7 }]) {
    const { code, shown } = await new TestTerminal(store.home, ['review'], window).end();
    expect(code).toBe(1);
    expect(shown.replaceAll('\n', ' ')).toContain('at least 20 columns wide and 8 rows high');
  }
  expect(store.tier(id)).toBe('inferred');
  expect(audited(store)).toEqual(['review refused needs-person', 'review refused needs-person']);
});

terminalTest('settings looser than the defaults are on the screen when a yes is asked for', async () => {
  const store = await storeTenDaysAgo();
  await store.propose('two cores');
  writeFileSync(join(store.places.config, 'config.json'), '{"observationDays": 1}');
  const terminal = new TestTerminal(store.home, ['review']);
  expect((await terminal.answer('q')).replaceAll(/\n +/g, ' ')).toContain('observationDays is 1 (default 7)');
  expect((await terminal.end()).code).toBe(0);
});

terminalTest('where the settings ask for more than a terminal, nobody is asked in vain', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('two cores');
  writeFileSync(join(store.places.config, 'config.json'), '{"minimumAssurance": 3}');
  const terminal = new TestTerminal(store.home, ['review']);
  const shown = await terminal.answer('s');
  expect(shown).toContain('minimumAssurance');
  expect(shown).not.toContain('[y]');
  await terminal.end();
  const adding = await new TestTerminal(store.home, ['add']).end();
  expect(adding).toMatchObject({ code: 1, shown: expect.stringContaining('minimumAssurance') });
  expect(store.tier(id)).toBe('inferred');
});

terminalTest(
  'a possible secret is hidden where no yes could make its text count, and shown where one could',
  async () => {
    const store = await storeTenDaysAgo();
    const secret = 'hV9x!kq2Zr7Tn4Lw';
    const text = (body: string) => `---\nname: A name\ndescription: d\ntype: user\n---\n${body}\n`;
    store.write('memories', 'user_held', text(`The build machines have the password: ${secret} on them.`));
    store.write('quarantine', 'user_short', text(`password: ${secret}`).replace('description: d\n', ''));
    await store.reconcile();
    const terminal = new TestTerminal(store.home, ['review']);
    expect(await terminal.answer('s')).toContain(secret);
    const blocked = await terminal.answer('s');
    expect(blocked).toContain('[possible secret hidden]');
    expect(blocked).not.toContain(secret);
    expect(blocked).not.toContain('[y]');
    await terminal.end();
  },
);
