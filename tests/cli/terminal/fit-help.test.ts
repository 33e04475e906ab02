import { expect, test } from 'vitest';
import { COMMANDS } from '../../../src/cli/registry.ts';
import { temporaryFolder } from '../../../testkit/store.ts';
import { piped, TestTerminal, terminalTest } from '../../../testkit/terminal.ts';

const wordsOf = (help: string) => help.split(/\s+/).filter(Boolean);

terminalTest.each(['', ...Object.keys(COMMANDS)])(
  'surety %s --help in 80 columns: no word is broken or lost',
  async (name) => {
    const home = temporaryFolder();
    const args = [...(name === '' ? [] : [name]), '--help'];
    const { code, shown } = await new TestTerminal(home, args, { columns: 80 }).end();
    expect(code).toBe(0);
    expect(shown.split('\n').filter((row) => row.length > 79)).toEqual([]);
    expect(wordsOf(shown)).toEqual(wordsOf((await piped(home, args)).out));
  },
);

terminalTest('--version --verbose in 80 columns: no word is broken or lost', async () => {
  const home = temporaryFolder();
  const args = ['--version', '--verbose'];
  const { shown } = await new TestTerminal(home, args, { columns: 80 }).end();
  expect(shown.split('\n').filter((row) => row.length > 79)).toEqual([]);
  expect(wordsOf(shown)).toEqual(wordsOf((await piped(home, args)).out));
});

terminalTest('help in a narrow window: what an option means stays in its column, a paragraph is filled', async () => {
  const { shown } = await new TestTerminal(temporaryFolder(), ['remember', '--help'], { columns: 60 }).end();
  expect(shown).toContain(`usage: surety remember [--type T] [--name N] [--project P]
    [--root DIR] [TEXT…]

Writes down one line in your own words, such as: surety
remember "We deploy only on weekdays." Type and name are
suggested;`);
  expect(shown).toContain(`
  --root DIR    the store's folder (else SURETY_ROOT, else
                ~/.surety)

It needs a terminal,`);
});

test.each(Object.entries(COMMANDS))(
  'surety %s --help: two spaces or more stand before what an option means',
  async (_, { load }) => {
    const rows = (await load()).help.split('\n').filter((row) => row.startsWith('  --'));
    expect(rows.filter((row) => !/^ {2}--[a-z-]+(?: [^ ]+)* {2,}[^ ]/.test(row))).toEqual([]);
  },
);

terminalTest('help in a window of 30 columns: what an option means goes below it', async () => {
  const { shown } = await new TestTerminal(temporaryFolder(), ['sync', '--help'], { columns: 30 }).end();
  expect(shown).toContain('\n  --pull-only\n    take in what is there,\n    and push nothing\n');
});

terminalTest('help in a window that is wide enough is as it is written', async () => {
  const home = temporaryFolder();
  const { shown } = await new TestTerminal(home, ['sync', '--help'], { columns: 130 }).end();
  expect(shown).toBe((await piped(home, ['sync', '--help'])).out);
});
