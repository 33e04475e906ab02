import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Disk } from '../../../src/store/disk/disk.ts';
import { edit } from '../../../src/store/programs/editor.ts';
import { temporaryFolder } from '../../../testkit/store.ts';
import {
  audited,
  editor,
  lastEntry,
  piped,
  storeTenDaysAgo,
  TestTerminal,
  terminalTest,
  textsInEditor,
} from '../../../testkit/terminal.ts';

terminalTest('an inferred text is taken as it is, without waiting for its observation', async () => {
  const store = await storeTenDaysAgo();
  store.now = Date.now();
  const id = await store.propose('build', { tags: ['ci'] });
  const terminal = new TestTerminal(store.home, ['adopt', id]);
  const shown = await terminal.answer('y');
  for (const part of [id, 'two cores are enough', '│ ci', 'proposed by an agent', '[y] yes, these are my words'])
    expect(shown).toContain(part);
  expect(shown).not.toContain('what you changed');
  expect(await terminal.end()).toMatchObject({
    code: 0,
    shown: expect.stringContaining(`${id} is verified, in your words.`),
  });
  expect(store.standing(id)).toBe('verified:vouched');
  expect([store.files('memories'), store.files('quarantine')]).toEqual([[`${id}.md`], []]);
  expect(lastEntry(store)).toMatchObject({ action: 'adopt', id, from: 'inferred', to: 'verified' });
  expect(lastEntry(store)).not.toHaveProperty('was');
  expect(audited(store)).toEqual([`adopt ${id} accepted`]);
});

terminalTest(
  'a file beside a memory in use is called by its own name, because only the file is in quarantine',
  async () => {
    const store = await storeTenDaysAgo();
    const id = await store.add('build');
    store.write('quarantine', `${id}~2`, store.text('memories', id).replace('two cores', 'seven cores'));
    await store.reconcile();
    const terminal = new TestTerminal(store.home, ['adopt', `${id}~2`]);
    expect(await terminal.answer('y')).toContain(`${id}~2, which stays in quarantine`);
    const { code, shown } = await terminal.end();
    expect(code).toBe(0);
    expect(shown).toContain(`; ${id}~2 stays in quarantine.`);
    expect(store.standing(id)).toBe('verified:vouched');
  },
);

terminalTest('or changed first, as often as one likes', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('build');
  const EDITOR = editor(store.home, `sed -i 's/four cores/six cores/; s/two cores/four cores/' "$1"`);
  const terminal = new TestTerminal(store.home, ['adopt', id], { env: { EDITOR } });
  await terminal.answer('e');
  expect(await terminal.answer('e')).toContain('four cores');
  expect(await terminal.answer('y')).toContain('six cores');
  expect((await terminal.end()).code).toBe(0);
  expect(store.text('memories', id)).toContain('six cores');
  expect(store.standing(id)).toBe('verified:vouched');
});

terminalTest('left, it stays as it was: exit 1, and that is on record', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('build');
  const before = store.ledgerLines();
  const terminal = new TestTerminal(store.home, ['adopt', id]);
  await terminal.answer('');
  expect(await terminal.end()).toMatchObject({ code: 1, shown: expect.stringContaining('Nothing was stored.') });
  expect(store.ledgerLines()).toEqual(before);
  expect(audited(store)).toEqual([`adopt ${id} unchanged left`]);
});

terminalTest('a quarantined one is rewritten; one that fails the checks as it is has to be changed', async () => {
  const store = await storeTenDaysAgo();
  store.write('quarantine', 'user_short', '---\nname: Short\ndescription: d\ntype: user\n---\nab\n');
  await store.reconcile();
  const EDITOR = editor(store.home, `sed -i 's/^ab$/Long enough to be a memory now, at last./' "$1"`);
  const terminal = new TestTerminal(store.home, ['adopt', 'user_short'], { env: { EDITOR } });
  const told = await terminal.answer('e');
  expect(told).toContain('Body too short');
  expect(told).not.toContain('[y]');
  await terminal.answer('y');
  expect((await terminal.end()).code).toBe(0);
  // A no to the old text follows, so that it waits for nobody.
  const last = store.entries().findLast(({ to }) => to !== null);
  expect(last).toMatchObject({ action: 'rewrite', id: 'user_short_2', replaces: 'user_short' });
  expect(store.tier('user_short')).toBe('quarantined');
});

terminalTest('one in which something is hidden cannot be taken as it is', async () => {
  const store = await storeTenDaysAgo();
  const secret = 'hV9x!kq2Zr7Tn4Lw';
  store.write(
    'memories',
    'user_held',
    `---\nname: Held\ndescription: d\ntype: user\n---\nThey have the password: ${secret} there.\n`,
  );
  await store.reconcile();
  const terminal = new TestTerminal(store.home, ['adopt', 'user_held']);
  const shown = await terminal.answer('');
  expect(shown).toContain('[e] open it in your editor');
  expect(shown).not.toContain('[y]');
  expect(shown).not.toContain(secret);
  expect((await terminal.end()).code).toBe(1);
});

terminalTest('one that is verified counts already, and one that changed is settled in the review', async () => {
  const store = await storeTenDaysAgo();
  const [verified, changed] = [await store.add('build'), await store.add('other')];
  store.edit(changed, (text) => text.replace('two cores', 'no cores'));
  const before = store.ledgerLines();
  for (const [id, why] of [
    [verified, 'is verified already'],
    [changed, 'changed since a person vouched for it'],
  ] as const) {
    const { code, shown } = await new TestTerminal(store.home, ['adopt', id]).end();
    expect({ code, shown: shown.replaceAll('\n', ' ') }).toMatchObject({
      code: 1,
      shown: expect.stringContaining(why),
    });
  }
  expect(store.ledgerLines().filter((line) => !line.includes('"seen"'))).toEqual(before);
});

terminalTest('its type stays, because its id begins with it', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('build');
  const EDITOR = editor(store.home, `sed -i 's/^type: user/type: project/' "$1"`);
  const terminal = new TestTerminal(store.home, ['adopt', id], { env: { EDITOR } });
  await terminal.answer('e');
  expect(await terminal.answer('s')).toContain('The type stays user');
  await terminal.answer('s');
  expect((await terminal.end()).code).toBe(1);
  expect(store.standing(id)).toBe('inferred:proposed');
});

terminalTest(
  'a memory edited while its text is shown: the yes is void, and the text is shown as it is now',
  async () => {
    const store = await storeTenDaysAgo();
    const id = await store.propose('build');
    const terminal = new TestTerminal(store.home, ['adopt', id]);
    await terminal.until(/answer: $/);
    store.edit(id, (text) => text.replace('two cores', 'no cores'));
    terminal.press('y\r');
    const again = await terminal.answer('y');
    expect(again).toContain('It changed while you were looking at it');
    expect(again).toContain('no cores are enough');
    expect((await terminal.end()).code).toBe(0);
    expect(store.text('memories', id)).toContain('no cores');
    expect(store.standing(id)).toBe('verified:vouched');
  },
);

terminalTest('where the settings ask for more than a terminal, it says so and asks nothing', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('build');
  writeFileSync(join(store.places.config, 'config.json'), '{"minimumAssurance": 2}');
  const { code, shown } = await new TestTerminal(store.home, ['adopt', id]).end();
  expect(code).toBe(1);
  expect(shown).toContain('minimumAssurance');
  expect(shown).not.toContain('answer:');
});

terminalTest('an id that no memory has', async () => {
  const store = await storeTenDaysAgo();
  const { code, shown } = await new TestTerminal(store.home, ['adopt', 'user_nobody']).end();
  expect({ code, shown }).toMatchObject({ code: 1, shown: expect.stringContaining('No memory has this id') });
  expect((await new TestTerminal(store.home, ['adopt', '../key']).end()).code).toBe(64);
});

test('without a terminal nothing is adopted', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('build');
  expect(await piped(store.home, ['adopt', id], 'y\n')).toMatchObject({ code: 1, out: '' });
  expect(audited(store)).toEqual(['adopt refused needs-person']);
  expect(store.tier(id)).toBe('inferred');
});

test('where no editor is named and none of the usual ones is there, that is what comes back', async () => {
  const folder = temporaryFolder();
  const desk = { state: folder, disk: new Disk(), platform: 'linux', complain: () => {} } as const;
  expect(await edit('user_x', 'text', { ...desk, env: { PATH: folder } })).toEqual({ kind: 'none' });
  editor(folder, 'echo "by $(basename "$0")" > "$1"', 'vi');
  const found = await edit('user_x', 'text', { ...desk, env: { PATH: `${folder}:/usr/bin:/bin`, EDITOR: '' } });
  expect(found).toEqual({ kind: 'saved', text: expect.stringMatching(/^by (vi|nano)\n$/) });
});

test('a link in the place of the folder for such texts is refused', async () => {
  const store = await storeTenDaysAgo();
  const { symlinkSync } = await import('node:fs');
  symlinkSync(temporaryFolder(), join(store.places.state, 'editing'));
  const desk = { state: store.places.state, disk: new Disk(), platform: 'linux', env: {}, complain: () => {} } as const;
  await expect(edit('user_x', 'text', desk)).rejects.toMatchObject({ code: 'disk-failed' });
  expect(textsInEditor(store)).toEqual([]);
});
