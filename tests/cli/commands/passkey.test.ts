import { execFile } from 'node:child_process';
import { expect, test } from 'vitest';
import { PASSKEYS, recoveryHash } from '../../../src/core/passkeys/change.ts';
import { passkeysNow, planChange } from '../../../src/store/maintenance/passkeys.ts';
import { SoftwareAuthenticator } from '../../../testkit/authenticator.ts';
import { answered, CODE, decideSigned, enrol, forge, forgeReceipt, requirePasskey } from '../../../testkit/passkeys.ts';
import { BARE_ENV, MAIN } from '../../../testkit/program.ts';
import { audited, openOverSsh, storeTenDaysAgo, TestTerminal, terminalTest } from '../../../testkit/terminal.ts';

function surety(home: string, ...args: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((done) => {
    const env = { ...BARE_ENV, HOME: home };
    execFile(process.execPath, [MAIN, 'passkey', ...args], { env, cwd: home }, (error, out, err) =>
      done({ code: error ? Number(error.code) : 0, out, err }),
    );
  });
}

test('lists the passkeys, and whether one is required', async () => {
  const store = await storeTenDaysAgo();
  await store.propose('something');
  expect((await surety(store.home)).out).toContain('surety passkey add enrols one');
  const passkey = new SoftwareAuthenticator();
  await enrol(store, passkey);
  await requirePasskey(store, passkey);
  const { out } = await surety(store.home, 'list');
  expect(out).toContain(passkey.credential.slice(0, 16));
  expect(out).toContain('a yes counts only with a passkey');
  expect(out).toContain('If you have none of them any more, surety passkey reset takes the recovery code.');
  expect(JSON.parse((await surety(store.home, '--json')).out)).toMatchObject({
    required: true,
    contested: false,
    passkeys: [{ id: passkey.credential, name: 'a key' }],
  });
});

test('says which passkey may have been copied, because its counter went back', async () => {
  const store = await storeTenDaysAgo();
  const ids = [await store.propose('one'), await store.propose('two'), await store.propose('three')] as const;
  store.pass(8);
  const passkey = new SoftwareAuthenticator();
  await enrol(store, passkey);
  const listed = async () => JSON.parse((await surety(store.home, '--json')).out).passkeys[0].counterWentBack;
  await decideSigned(store, 'promote', ids[0], passkey, { counter: 7 });
  await decideSigned(store, 'promote', ids[1], passkey, { counter: 8 });
  // Somebody without the passkey cannot raise this notice: what nobody signed is not looked at.
  forgeReceipt(store, ids[2], { assertion: passkey.sign('bm9uZQ', 'bm9uZQ', { counter: 2 }) });
  expect(await listed()).toBeNull();
  expect((await surety(store.home)).out).not.toContain('counter');
  await decideSigned(store, 'reaffirm', ids[1], passkey, { counter: 8 });
  expect(await listed()).toMatch(/^\d{4}-\d\d-\d\d$/);
  const { out, err } = await surety(store.home);
  expect(out + err).toContain('another authenticator may have a copy');
  expect(store.tier(ids[1])).toBe('verified');
});

test.each(['add', 'remove', 'require', 'release', 'reset'])(
  '%s asks a person, and does not run in a pipe',
  async (verb) => {
    const store = await storeTenDaysAgo();
    await store.propose('something');
    const { code, err } = await surety(store.home, verb, ...(verb === 'remove' ? ['a key'] : []));
    expect([code, err]).toEqual([1, expect.stringContaining('must be a terminal')]);
  },
);

test('says which words it knows', async () => {
  const store = await storeTenDaysAgo();
  await store.propose('something');
  expect(await surety(store.home, 'enable')).toMatchObject({
    code: 64,
    err: expect.stringContaining('knows list, add'),
  });
  expect(await surety(store.home, 'remove')).toMatchObject({ code: 64 });
  expect(await surety(store.home, 'require', 'now')).toMatchObject({ code: 64 });
  expect(await surety(store.home, 'add', '--json')).toMatchObject({ code: 64 });
});

terminalTest('reset lets a person who mistyped the code type it again, three times at most', async () => {
  const store = await storeTenDaysAgo();
  await store.propose('something');
  const passkey = new SoftwareAuthenticator();
  await enrol(store, passkey);
  await requirePasskey(store, passkey);
  const mistyped = `1${CODE.slice(1)}`;
  const thrice = new TestTerminal(store.home, ['passkey', 'reset']);
  await thrice.reply('to leave: ', mistyped);
  await thrice.reply(/2\s+tries\s+are\s+left\.\s[\s\S]*to leave: $/, mistyped);
  await thrice.reply(/1\s+try\s+is\s+left\.\s[\s\S]*to leave: $/, mistyped);
  expect((await thrice.end()).code).toBe(1);
  expect(passkeysNow(store.vault).isRequired).toBe(true);
  expect(audited(store).filter((line) => line.startsWith('passkey-reset'))).toHaveLength(3);
  const second = new TestTerminal(store.home, ['passkey', 'reset']);
  await second.reply('to leave: ', mistyped);
  await second.reply(/left\.\s[\s\S]*to leave: $/, CODE);
  expect(await second.end()).toMatchObject({ code: 0, shown: expect.stringContaining('Done.') });
  expect(passkeysNow(store.vault).isRequired).toBe(false);
});

terminalTest('reset takes the recovery code, and nothing else', async () => {
  const store = await storeTenDaysAgo();
  await store.propose('something');
  const passkey = new SoftwareAuthenticator();
  await enrol(store, passkey);
  await requirePasskey(store, passkey);
  const left = new TestTerminal(store.home, ['passkey', 'reset']);
  await left.reply('to leave: ', '');
  expect(await left.end()).toMatchObject({ code: 1, shown: expect.stringContaining('Nothing was changed.') });
  const wrong = new TestTerminal(store.home, ['passkey', 'reset']);
  await wrong.reply('to leave: ', '0'.repeat(32));
  await wrong.reply(/left\.\s[\s\S]*to leave: $/, '');
  expect((await wrong.end()).code).toBe(1);
  expect(passkeysNow(store.vault).isRequired).toBe(true);
  const right = new TestTerminal(store.home, ['passkey', 'reset']);
  // As the page shows it: in groups of four.
  await right.reply('to leave: ', CODE.toUpperCase().replaceAll(/.{4}/g, '$& '));
  expect((await right.end()).code).toBe(0);
  expect(passkeysNow(store.vault)).toMatchObject({ isRequired: false, passkeys: [] });
  const none = await new TestTerminal(store.home, ['passkey', 'reset']).end();
  expect([none.code, none.shown]).toEqual([1, expect.stringContaining('No passkey is required in this store')]);
  expect(none.shown).not.toContain('to leave: ');
});

terminalTest('release is refused before a page asks for a touch where no passkey is required', async () => {
  const store = await storeTenDaysAgo();
  await store.propose('something');
  await enrol(store, new SoftwareAuthenticator());
  const { code, shown } = await new TestTerminal(store.home, ['passkey', 'release']).end();
  expect([code, shown]).toEqual([1, expect.stringContaining('No passkey is required in this store')]);
  expect(shown).not.toContain('opens the page');
});

terminalTest(
  'removing the only passkey is refused before a page asks for a touch, with the way to have none',
  async () => {
    const store = await storeTenDaysAgo();
    await store.propose('something');
    await enrol(store, new SoftwareAuthenticator());
    const { code, shown } = await new TestTerminal(store.home, ['passkey', 'remove', 'a key']).end();
    expect(code).toBe(1);
    expect(shown.replaceAll(/\s+/g, ' ')).toContain('This is the only passkey. Enrol another one first');
    expect(shown).not.toContain('opens the page');
  },
);

terminalTest('what was verified before a passkey was required is shown as such', async () => {
  const store = await storeTenDaysAgo();
  const [before, after] = [await store.add('the build'), await store.propose('the door')];
  const shown = async (id: string) => (await new TestTerminal(store.home, ['show', id]).end()).shown;
  expect(await shown(before)).not.toContain('before a passkey was required');
  const passkey = new SoftwareAuthenticator();
  await enrol(store, passkey);
  await requirePasskey(store, passkey);
  store.pass(8);
  await decideSigned(store, 'promote', after, passkey);
  expect([store.tier(before), store.tier(after)]).toEqual(['verified', 'verified']);
  expect((await shown(before)).replaceAll(/\s+/g, ' ')).toMatch(
    /vouched for on [^,]+, [^,]+, before a passkey was required/,
  );
  expect(await shown(after)).not.toContain('before a passkey was required');
});

terminalTest('leaving before the page is opened says that nothing changed', async () => {
  const store = await storeTenDaysAgo();
  const terminal = new TestTerminal(store.home, ['passkey', 'add', 'my laptop']);
  await terminal.reply('q leaves: ', 'q');
  expect((await terminal.end()).shown).toContain('No page was opened. Nothing changed.');
  expect(passkeysNow(store.vault).isKnown).toBe(false);
});

terminalTest('a passkey has a name that shows in a list, or the machine’s', async () => {
  const store = await storeTenDaysAgo();
  await store.propose('something');
  for (const name of ['', ' \u200b\n ', 'x'.repeat(41)]) {
    const terminal = new TestTerminal(store.home, ['passkey', 'add', name]);
    const shown = await terminal.until(/opens the page|characters that show/);
    expect(shown).toContain('A passkey’s name has 1 to 40 characters that show');
    expect(shown).not.toContain('xxx');
    expect(await terminal.exit).toBe(1);
  }
  const taken = new TestTerminal(store.home, ['passkey', 'add', 'x'.repeat(40)]);
  await taken.reply('q leaves: ', 'q');
  expect((await taken.end()).code).toBe(0);
});

terminalTest('over ssh it says how to reach the page through the same port', async () => {
  const store = await storeTenDaysAgo();
  await store.propose('something');
  const terminal = new TestTerminal(store.home, ['passkey', 'add', 'my laptop'], {
    env: { SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22' },
  });
  const { port, shown } = await openOverSsh(terminal);
  expect(port).toBeDefined();
  expect(shown).toContain(`http://surety.localhost:${port}/`);
  expect(shown).not.toContain('open this file');
  terminal.press('\r');
  expect((await terminal.end()).code).toBe(0);
  expect(passkeysNow(store.vault).isKnown).toBe(false);
});

terminalTest('where one is required already, require and remove say what is left to do', async () => {
  const store = await storeTenDaysAgo();
  await store.propose('something');
  const passkey = new SoftwareAuthenticator();
  await enrol(store, passkey);
  await requirePasskey(store, passkey);
  const said = async (...args: string[]) => {
    const { code, shown } = await new TestTerminal(store.home, ['passkey', ...args]).end();
    expect(code).toBe(1);
    expect(shown).not.toContain('opens the page');
    return shown.replaceAll(/\s+/g, ' ');
  };
  expect(await said('require')).toContain(
    'For another code run surety passkey release and then surety passkey require',
  );
  expect(await said('remove', 'a key')).toContain('to have none, run surety passkey reset with the recovery code.');
  // A second requirement would have a code of its own, and only both codes together would lead out.
  await expect(requirePasskey(store, passkey)).rejects.toThrow('required in this store already');
});

terminalTest('reset says that another requirement is left, which has a code of its own', async () => {
  const store = await storeTenDaysAgo();
  await store.propose('something');
  const passkey = new SoftwareAuthenticator();
  await enrol(store, passkey);
  const second = 'f'.repeat(32);
  // As two machines do that each require before they sync. The second one is planned before the first is known.
  const plan = planChange(store.vault, 'required', { recovery: recoveryHash(second) });
  await requirePasskey(store, passkey);
  const assertion = answered(passkey, plan.question);
  forge(store, { action: 'required', id: PASSKEYS, passkeys: plan.change, after: plan.after, assertion });
  const reset = async (code: string) => {
    const terminal = new TestTerminal(store.home, ['passkey', 'reset']);
    await terminal.reply('to leave: ', code);
    const ended = await terminal.end();
    return [ended.code, ended.shown.replaceAll(/\s+/g, ' ')] as const;
  };
  const [code, said] = await reset(CODE);
  expect(code).toBe(1);
  expect(said).toContain('2 requirements are in force here, each with a recovery code of its own.');
  expect(said).toContain('run surety passkey reset again, with its own code');
  expect(said).not.toContain('Done.');
  expect(await reset(second)).toEqual([0, expect.stringContaining('A yes counts again without a passkey')]);
});
