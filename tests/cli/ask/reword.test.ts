import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { columnsOf } from '../../../src/core/text/display-width.ts';
import { NO_RIGHTS } from '../../../testkit/bad-disk.ts';
import {
  audited,
  ESCAPE,
  editor,
  filesWith,
  plain,
  storeTenDaysAgo,
  TestTerminal,
  terminalTest,
  textsInEditor,
} from '../../../testkit/terminal.ts';

const FOUR = `sed -i 's/two cores/four cores/' "$1"`;

terminalTest(
  'e: what is saved in the editor is shown whole, and a yes puts it in the place of the old text',
  async () => {
    const store = await storeTenDaysAgo();
    const id = await store.propose('build', { tags: ['ci', 'a, b'], project: 'owner/name' });
    const before = store.load(id).digest;
    const EDITOR = editor(store.home, `stat -c 'file %a' "$1"; stat -c 'folder %a' "$(dirname "$1")"; ${FOUR}`);
    const terminal = new TestTerminal(store.home, ['review'], { env: { EDITOR } });
    expect(await terminal.answer('e')).toMatch(/\[e\] say it in your own words[\s\S]*\nanswer: $/);
    const shown = await terminal.answer('y');
    // One key was the answer before, and here it is not.
    expect(shown).toContain('\nEnter sends the answer: ');
    for (const part of ['file 600', 'folder 700', id, '│ ci', '│ a, b', '│ owner/name', 'what you changed']) {
      expect(shown).toContain(part);
    }
    expect(shown).toMatch(/- │ The operator said this about build: two cores[\s\S]+\+ │ [^\n]+ four cores/);
    expect(textsInEditor(store)).toEqual([]);
    expect(await terminal.end()).toMatchObject({
      code: 0,
      shown: expect.stringContaining('1 said in your words, nothing is left.'),
    });
    expect(store.standing(id)).toBe('verified:vouched');
    expect(store.text('memories', id)).toContain('four cores are enough');
    expect([store.files('memories'), store.files('quarantine')]).toEqual([[`${id}.md`], []]);
    const [adopted] = store.vault.evidence.heads(id);
    expect(adopted).toMatchObject({ action: 'adopt', channel: 'terminal', level: 1, was: before, replaces: null });
    expect(audited(store)).toEqual([`adopt ${id} accepted`]);
  },
);

terminalTest(
  'e: where only the ways to ask for it are changed, they are saved without a yes, and nothing else',
  async () => {
    const store = await storeTenDaysAgo();
    const id = await store.propose('build', { askedAs: ['how many cores'] });
    const digest = store.load(id).digest;
    const EDITOR = editor(store.home, `sed -i 's/how many cores/how large is the machine/' "$1"`);
    const terminal = new TestTerminal(store.home, ['review'], { env: { EDITOR } });
    expect(await terminal.answer('e')).toContain('│ how many cores');
    expect(await terminal.answer('s')).toContain('The ways to ask for it are changed, and nothing else');
    await terminal.end();
    expect(store.text('memories', id)).toContain('asked-as: [how large is the machine]');
    expect([store.load(id).digest, store.standing(id)]).toEqual([digest, 'inferred:proposed']);
    expect(audited(store)).toContain(`hints ${id} accepted`);
  },
);

terminalTest(
  'a desk that cannot be cleared loses nobody’s words: it is told, and cleared by the next command',
  async () => {
    const store = await storeTenDaysAgo();
    const id = await store.propose('build');
    const EDITOR = editor(store.home, `${FOUR}; chmod 500 "$(dirname "$(dirname "$1")")"`);
    const terminal = new TestTerminal(store.home, ['review'], { env: { EDITOR }, wrap: NO_RIGHTS });
    await terminal.answer('e');
    expect(await terminal.answer('y')).toContain('a text that was in an editor could not be removed');
    expect((await terminal.end()).code).toBe(0);
    expect(store.standing(id)).toBe('verified:vouched');
    expect(textsInEditor(store)).toHaveLength(1);
    chmodSync(join(store.places.state, 'editing'), 0o700);
    await new TestTerminal(store.home, ['review', '--category', 'stale']).end();
    expect(textsInEditor(store)).toEqual([]);
  },
);

terminalTest('e: a quarantined one is rewritten, and stays where it is', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.add('build');
  await store.vault.exclusively(() => store.vault.quarantine(store.load(id), 'a check of the test failed'));
  const terminal = new TestTerminal(store.home, ['review'], { env: { EDITOR: editor(store.home, FOUR) } });
  await terminal.answer('e');
  expect(await terminal.answer('y')).toContain(`${id}, which stays in quarantine`);
  await terminal.end();
  // A no to the old text follows, so that it waits for nobody.
  const last = store.entries().findLast(({ to }) => to !== null);
  expect(last).toMatchObject({ action: 'rewrite', id: 'user_build_2', replaces: id });
  expect([store.standing('user_build_2'), store.standing(id)]).toEqual(['verified:vouched', 'quarantined:decided']);
});

terminalTest('an editor with arguments and a space in its name, and VISUAL before EDITOR', async () => {
  const store = await storeTenDaysAgo();
  await store.propose('build');
  const path = editor(store.home, '[ "$1" = --wait ] && sed -i "s/two cores/four cores/" "$2"', 'my editor');
  const env = { VISUAL: `"${path}" --wait`, EDITOR: editor(store.home, 'exit 1') };
  const terminal = new TestTerminal(store.home, ['review'], { env });
  await terminal.answer('e');
  await terminal.answer('yes');
  expect((await terminal.end()).code).toBe(0);
  expect(store.text('memories', 'user_build')).toContain('four cores');
});

for (const [what, script, said] of [
  ['fails', `${FOUR}; exit 3`, 'ended with an error'],
  ['is not there', '', 'could not be started'],
  ['changes nothing', 'touch "$1"', 'The text is as it was'],
  ['leaves an empty file', ': > "$1"', 'came back empty'],
  ['leaves a link', 'rm "$1"; ln -s /etc/passwd "$1"', 'no text file'],
  ['leaves what is no text', 'printf "\\377\\376" > "$1"', 'no text file'],
] as const) {
  terminalTest(`an editor that ${what}: it is said, nothing is done, and the question comes again`, async () => {
    const store = await storeTenDaysAgo();
    const id = await store.propose('build');
    const before = store.ledgerLines();
    const EDITOR = script === '' ? `${store.home}/nothing --wait` : editor(store.home, script);
    const terminal = new TestTerminal(store.home, ['review'], { env: { EDITOR } });
    await terminal.answer('e');
    const shown = await terminal.answer('q');
    expect(shown.replaceAll('\n', ' ')).toContain(said);
    expect(shown).toMatch(/Nothing was\sdone\./);
    expect(shown).toContain('[y] yes');
    expect((await terminal.end()).code).toBe(0);
    expect(store.ledgerLines()).toEqual(before);
    expect(store.tier(id)).toBe('inferred');
    expect(textsInEditor(store)).toEqual([]);
  });
}

/** Does one thing the first time it is started, and another from then on. */
function twice(home: string, first: string, then: string): string {
  return editor(home, `if [ -e "${home}/again" ]; then ${then}\nelse touch "${home}/again"; ${first}\nfi`);
}

terminalTest('a form that cannot be read is told by its line, and what was written is there again', async () => {
  const store = await storeTenDaysAgo();
  await store.propose('build');
  const EDITOR = twice(
    store.home,
    `sed -i 's/^name: .*/name: one: two/; s/two cores/four cores/' "$1"`,
    `grep -c 'name: one: two' "$1"; sed -i 's/^name: .*/name: "one: two"/' "$1"`,
  );
  const terminal = new TestTerminal(store.home, ['review'], { env: { EDITOR } });
  await terminal.answer('e');
  const told = await terminal.answer('e');
  expect(told).toContain('line 7: The frontmatter is not valid YAML.');
  expect(told).toMatch(/\[e\] change it {3}\[s\] leave it \(Enter\)/);
  expect(await terminal.answer('y')).toMatch(/^e?\n?1\n[\s\S]*│ one: two/);
  await terminal.end();
  expect(store.text('memories', 'user_build')).toContain('four cores');
});

terminalTest('what cannot be read is not lost because the editor fails the next time', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('build');
  const EDITOR = twice(store.home, `sed -i 's/^name: .*/name: one: two/; s/two cores/four cores/' "$1"`, 'exit 3');
  const terminal = new TestTerminal(store.home, ['review'], { env: { EDITOR } });
  await terminal.answer('e');
  await terminal.answer('e');
  expect(await terminal.answer('s')).toMatch(/ended with an error[\s\S]*\[e\] change it {3}\[s\] leave it \(Enter\)/);
  await terminal.answer('q');
  await terminal.end();
  expect(store.tier(id)).toBe('inferred');
});

terminalTest('a key that is not the person’s to write is a fault of the form', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('build');
  const EDITOR = editor(store.home, `sed -i 's/^type: user/type: user\\ntrust-level: verified/' "$1"`);
  const terminal = new TestTerminal(store.home, ['review'], { env: { EDITOR } });
  await terminal.answer('e');
  expect(await terminal.answer('')).toContain('Only name, description, type, tags, project, anchors, asked-as can');
  await terminal.answer('q');
  await terminal.end();
  expect(store.tier(id)).toBe('inferred');
});

terminalTest('a secret typed in the editor is refused, and nothing of it stays anywhere', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('build');
  const secret = `ghp_${'x7Kq2ZbR9tLmW4vN8pYc3sHd6fGjA1eU5oTi'}`;
  writeFileSync(join(store.home, 'typed'), secret);
  const EDITOR = editor(
    store.home,
    `sed -i "s/two cores/$(cat "${store.home}/typed")/" "$1"; rm "${store.home}/typed"`,
  );
  const terminal = new TestTerminal(store.home, ['review'], { env: { EDITOR } });
  await terminal.answer('e');
  const told = await terminal.answer('s');
  expect(told).toContain('A check blocks this text');
  expect(told).not.toContain('[y]');
  await terminal.answer('q');
  const { code } = await terminal.end();
  expect(code).toBe(0);
  expect(terminal.screen).not.toContain(secret);
  expect(textsInEditor(store)).toEqual([]);
  expect(filesWith(store.home, secret)).toEqual([]);
  expect(store.tier(id)).toBe('inferred');
  expect(audited(store)).toEqual([`adopt ${id} refused checks-failed`]);
});

/** Says where it is, waits for a line from the person, then changes the text. */
const WAITS = `echo "EDITING $PPID $1"; read line; ${FOUR}; echo "heard $line"`;

terminalTest('a memory edited while the editor is open: the yes is void, and what was written is kept', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('build');
  const EDITOR = twice(store.home, WAITS, 'grep -c "four cores" "$1"');
  const terminal = new TestTerminal(store.home, ['review'], { env: { EDITOR } });
  await terminal.answer('e');
  await terminal.until('EDITING');
  store.edit(id, (text) => text.replace('two cores', 'no cores'));
  terminal.press('go on\r');
  expect(await terminal.answer('y')).toContain('heard go on');
  const again = await terminal.answer('e');
  expect(again).toContain('It changed while you were writing');
  expect(again).toContain('no cores are enough');
  expect(store.files('memories')).toEqual([`${id}.md`]);
  const draft = await terminal.answer('y');
  expect(draft).toMatch(/^e?\n?1\n/);
  expect(draft).toMatch(/- │ [^\n]+no cores[\s\S]+\+ │ [^\n]+four cores/);
  expect((await terminal.end()).code).toBe(0);
  expect(store.standing(id)).toBe('verified:vouched');
  expect(audited(store)).toEqual([`adopt ${id} refused changed-meanwhile`, `adopt ${id} accepted`]);
});

terminalTest('what is typed in the editor, or too early for the question behind it, answers nothing', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('build');
  const terminal = new TestTerminal(store.home, ['review'], { env: { EDITOR: editor(store.home, WAITS) } });
  await terminal.answer('e');
  await terminal.until('EDITING');
  terminal.press('go on\ry\ryes\r');
  await terminal.until(/Store exactly this[\s\S]*answer: $/);
  terminal.press('\r');
  await terminal.answer('q');
  await terminal.end();
  expect(store.files('memories')).toEqual([`${id}.md`]);
  expect(audited(store)).toEqual([`adopt ${id} unchanged left`]);
});

terminalTest('Ctrl+C in the editor ends both, and nothing is left of the text', async () => {
  const store = await storeTenDaysAgo();
  const ids = [
    await store.propose('build'),
    await store.propose('other', { body: 'Something else that is long enough.' }),
  ];
  const terminal = new TestTerminal(store.home, ['review'], { env: { EDITOR: editor(store.home, WAITS) } });
  await terminal.answer('n');
  await terminal.answer('e');
  await terminal.until('EDITING');
  expect(textsInEditor(store)).toHaveLength(1);
  terminal.press('\x03');
  const { code, shown } = await terminal.end();
  expect(code).toBe(130);
  expect(shown).toContain('1 quarantined, 1 still waits.');
  expect(textsInEditor(store)).toEqual([]);
  expect(ids.map((id) => store.tier(id)).sort()).toEqual(['inferred', 'quarantined']);
});

terminalTest('an editor that takes Ctrl+C for itself is not disturbed', async () => {
  const store = await storeTenDaysAgo();
  await store.propose('build');
  const EDITOR = editor(
    store.home,
    `trap 'echo caught' INT; ${WAITS.replace('read line', 'while [ -z "$line" ]; do read line; done')}`,
  );
  const terminal = new TestTerminal(store.home, ['review'], { env: { EDITOR } });
  await terminal.answer('e');
  await terminal.until('EDITING');
  terminal.press('\x03');
  await terminal.until('caught');
  terminal.press('still here\r');
  expect(await terminal.answer('y')).toContain('heard still here');
  expect((await terminal.end()).code).toBe(0);
  expect(store.standing('user_build')).toBe('verified:vouched');
});

for (const signal of ['SIGTERM', 'SIGHUP', 'SIGKILL'] as const) {
  terminalTest(
    `${signal} while the editor is open leaves no text behind${signal === 'SIGKILL' ? ' once surety runs again' : ''}`,
    async () => {
      const store = await storeTenDaysAgo();
      const id = await store.propose('build');
      const terminal = new TestTerminal(store.home, ['review'], { env: { EDITOR: editor(store.home, WAITS) } });
      await terminal.answer('e');
      await terminal.until(/EDITING \d+ /);
      const pid = Number(/EDITING (\d+)/.exec(plain(terminal.screen))?.[1]);
      process.kill(pid, signal);
      await terminal.exit;
      if (signal === 'SIGKILL') {
        expect(textsInEditor(store)).toHaveLength(1);
        // Somebody else's text in an editor stays: that process is alive.
        const alive = `${process.pid}-0123456789abcdef`;
        mkdirSync(join(store.places.state, 'editing', alive));
        const next = new TestTerminal(store.home, ['review']);
        await next.answer('q');
        await next.end();
        expect(textsInEditor(store)).toEqual([alive]);
      } else expect(textsInEditor(store)).toEqual([]);
      expect(store.tier(id)).toBe('inferred');
      expect(store.files('memories')).toEqual([`${id}.md`]);
    },
  );
}

const CLEAR = '\u001b[2J\u001b[H\u001b]0;owned\u0007\u009b31m';

terminalTest(
  'a hostile text reaches neither the editor nor the terminal with its escape sequences or orders',
  async () => {
    const store = await storeTenDaysAgo();
    const orders = '/* vim: set modeline shell=owned: */';
    store.write(
      'memories',
      'user_body',
      `---\nname: "Body\\e[31m"\ndescription: "d\\e[31m"\ntype: user\n---\n${orders}\nA body that is long enough ${CLEAR} for two cores.\n# ------------------------ >8 ------------------------\n${orders}\n`,
    );
    await store.reconcile();
    const EDITOR = editor(store.home, `cp "$1" "${store.home}/seen"; ${FOUR}`);
    const terminal = new TestTerminal(store.home, ['review'], { env: { EDITOR, NO_COLOR: '1' } });
    await terminal.answer('e');
    const shown = await terminal.answer('y');
    await terminal.end();
    const seen = readFileSync(join(store.home, 'seen'), 'utf8');
    expect(seen).not.toMatch(/[\p{Cc}--[\n]]/v);
    const lines = seen.trimEnd().split('\n');
    expect([...lines.slice(0, 5), ...lines.slice(-5)].filter((line) => !/^(---|#.*)$/.test(line))).toEqual([]);
    expect(shown).toContain('│ # ------------------------ >8 ------------------------');
    const others = terminal.screen.replaceAll(new RegExp(`${ESCAPE}\\[(?:0J|\\d+G)`, 'g'), '');
    expect(plain(others)).not.toMatch(/[\p{Cc}--[\t\n]]/v);
    expect(store.text('memories', 'user_body')).toContain('four cores');
  },
);

terminalTest('escape sequences that the editor saved are shown as what was taken out, and are not stored', async () => {
  const store = await storeTenDaysAgo();
  await store.propose('build');
  const EDITOR = editor(
    store.home,
    `printf 's/two cores/four \\033[31mcores/' > "${store.home}/s"; sed -i -f "${store.home}/s" "$1"`,
  );
  const terminal = new TestTerminal(store.home, ['review'], { columns: 40, env: { EDITOR, NO_COLOR: '1' } });
  await terminal.answer('e');
  const shown = await terminal.answer('y');
  expect(Math.max(...shown.split('\n').map(columnsOf))).toBeLessThan(40);
  await terminal.end();
  expect(terminal.screen).not.toContain(`${ESCAPE}[31m`);
  expect(store.text('memories', 'user_build')).toContain('four [31mcores');
});

terminalTest('where the settings ask for more than a terminal, e is not offered', async () => {
  const store = await storeTenDaysAgo();
  await store.propose('build');
  writeFileSync(join(store.places.config, 'config.json'), '{"minimumAssurance": 3}');
  const terminal = new TestTerminal(store.home, ['review'], { env: { EDITOR: editor(store.home, FOUR) } });
  expect(await terminal.answer('e')).not.toContain('[e]');
  expect(await terminal.answer('q')).toContain('none of the answers');
  await terminal.end();
});
