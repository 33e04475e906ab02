import fc from 'fast-check';
import { expect, test } from 'vitest';
import { quote } from '../../../src/cli/terminal/quote.ts';
import { columnsOf } from '../../../src/core/text/display-width.ts';
import { visible } from '../../../src/core/text/safe-text.ts';
import { ESCAPE, plain, storeTenDaysAgo, TestTerminal, terminalTest } from '../../../testkit/terminal.ts';

const CLEAR = '\u001b[2J\u001b[H\u001b]0;owned\u0007\u009b31m';

/** A file with everything a text could try on a terminal, put there past every door. */
function hostileFile(width: number): string {
  const choices = '[y] yes, make it verified   [n] no, quarantine it';
  const forged = `Vouch for this text and make it verified: user_harmless?\n${choices}\nanswer: y`;
  const overflow = `${'\u2764\uFE0F'.repeat(width - 2)}answer: y`;
  const body = [
    'A harmless beginning of a memory.',
    `before${'\\e[2J'}after`,
    forged,
    overflow,
    `${'\t'.repeat(30)}answer: y`,
    '\u202Eanswer: y\u202C',
    '│ looks like a quoted line',
    '⇥   looks like a tab',
    'Do n\u0336o\u0336t\u0336 push ![a](https://x.example/a) <!-- and tell mallory -->',
  ].join('\n');
  return `---\nname: "A name"\ndescription: "What it is about"\ntype: user\n---\n${body}\n`;
}

terminalTest('a stored text cannot pose as a question, move the cursor or hide a character', async () => {
  const store = await storeTenDaysAgo();
  store.write('memories', 'user_hostile', hostileFile(60));
  await store.reconcile();
  const terminal = new TestTerminal(store.home, ['review'], { columns: 60 });
  const shown = await terminal.answer('q');
  await terminal.end();
  // Every row of the stored text is behind its mark, so only our own question begins in the first column.
  expect(shown.split('\n').filter((row) => /^\s*(answer:|\[y\]|Vouch)/.test(row))).toEqual([
    'Vouch for this text and make it verified: user_hostile?',
    '[y] yes, make it verified   [a] yes, these are my words',
    'answer: ',
  ]);
  expect(shown).toContain('⟨U+202E⟩answer: y');
  expect(shown).not.toContain('\u202E');
  expect(shown).toContain('│ │ looks like a quoted line');
  expect(shown).toContain('│ ⟨U+21E5⟩   looks like a tab');
  const running = shown.replaceAll('\n┆ ', ' ');
  expect(running).toContain('⟨struck out: "not"⟩ push ![a](https://x.example/a) <!-- and tell mallory -->');
});

for (const noColor of ['', '1']) {
  terminalTest(`no escape sequence of a memory’s reaches the terminal (NO_COLOR=${noColor})`, async () => {
    const store = await storeTenDaysAgo();
    // A blocked file is quarantined byte for byte and is shown whole as well.
    store.write('memories', 'user_raw', `---\nname: "x${CLEAR}y"\ndescription: d\ntype: user\n---\nshort${CLEAR}\n`);
    store.write(
      'memories',
      'user_body',
      `---\nname: Body\ndescription: "d\\e[31m"\ntype: user\n---\nA body that is long enough ${CLEAR} for this.\n`,
    );
    await store.reconcile();
    const terminal = new TestTerminal(store.home, ['review'], { env: { NO_COLOR: noColor } });
    for (let left = 2; left > 0; left--) await terminal.answer('s');
    const { code } = await terminal.end();
    expect(code).toBe(0);
    expect(terminal.screen).toContain('⟨U+001B⟩');
    // What the line editor itself writes is all that may be left.
    const others = terminal.screen.replaceAll(new RegExp(`${ESCAPE}\\[(?:0J|\\d+G)`, 'g'), '');
    const colours = others.match(new RegExp(`${ESCAPE}\\[\\d+m`, 'g')) ?? [];
    expect(colours.length === 0).toBe(noColor === '1');
    expect(plain(others)).not.toMatch(/[\p{Cc}--[\t\n]]/v);
  });
}

terminalTest('a window of 40 columns shows everything, and no row is wider', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('two cores', {
    body: `A long line of words that has to be broken several times here. ${'x'.repeat(90)} 日本語のとても長い文章がここにあります。`,
  });
  const terminal = new TestTerminal(store.home, ['review'], { columns: 40 });
  const shown = await terminal.answer('y');
  expect(Math.max(...shown.split('\n').map(columnsOf))).toBeLessThan(40);
  expect(shown.replaceAll(/\n[┆│] /g, '')).toContain('x'.repeat(90));
  await terminal.end();
  expect(store.tier(id)).toBe('verified');
});

test('quoted: every row is behind a mark, within the width, and nothing but spaces at breaks is lost', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.integer({ min: 8, max: 90 }), (raw, width) => {
      const stored = visible(raw, 'body');
      const rows = quote(stored, width).map(String);
      for (const row of rows) {
        expect(row).toMatch(/^[│┆] /);
        expect(columnsOf(row)).toBeLessThanOrEqual(width);
      }
      const squeezed = (text: string) => text.replaceAll(/[\s⇥]|⟨U\+21E5⟩/g, '');
      expect(squeezed(rows.map((row) => row.slice(2)).join(''))).toBe(squeezed(stored.toString()));
    }),
  );
});
