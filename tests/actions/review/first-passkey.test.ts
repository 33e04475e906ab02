import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { whyNoFirstPasskey, whyPasskeysContested } from '../../../src/actions/review/first-passkey.ts';
import { SoftwareAuthenticator } from '../../../testkit/authenticator.ts';
import { bareRemote, Machine } from '../../../testkit/fleet.ts';
import { CODE, enrol, requirePasskey, reset } from '../../../testkit/passkeys.ts';
import { piped } from '../../../testkit/piped.ts';
import { pageOf, Visitor } from '../../../testkit/review-page.ts';
import { TestStore, temporaryFolder } from '../../../testkit/store.ts';
import { storeTenDaysAgo, TestTerminal, terminalTest } from '../../../testkit/terminal.ts';

const plain = (shown: string) => shown.replaceAll(/\s+/g, ' ');

/** This machine with its passkey, and the ledger of another one that enrolled a first passkey too. */
async function twoFirst() {
  const here = await storeTenDaysAgo();
  const there = await TestStore.open({ machine: { name: 'desk', identity: 'another-machine' } });
  there.now = here.now;
  const id = await here.propose('the build');
  await there.propose('the door');
  here.pass(8);
  const passkey = new SoftwareAuthenticator();
  await enrol(here, passkey);
  await enrol(there, new SoftwareAuthenticator());
  cpSync(there.places.ledger, here.places.ledger, { recursive: true });
  return { here, there, passkey, id };
}

terminalTest(
  'trusting a machine says before the question that no passkey will count, and what to do first',
  async () => {
    const { here } = await twoFirst();
    const terminal = new TestTerminal(here.home, ['machines', 'trust', 'desk']);
    const shown = plain(await terminal.answer('n'));
    expect(shown).toContain('This machine and that one each have a first passkey.');
    expect(shown).toContain('surety passkey require, then surety passkey reset with the code');
    await terminal.end();
    expect((await piped(here.home, ['doctor'])).out).not.toContain('first passkey');
  },
);

terminalTest(
  'after the yes status and doctor say that no passkey counts, until the machine is distrusted',
  async () => {
    const { here } = await twoFirst();
    const terminal = new TestTerminal(here.home, ['machines', 'trust', 'desk']);
    await terminal.answer('y');
    expect((await terminal.end()).code).toBe(0);
    const status = () => piped(here.home, ['status']);
    expect(plain((await status()).out)).toContain('so none counts here. surety machines distrust');
    const doctor = await piped(here.home, ['doctor', '--json']);
    expect(doctor.code).toBe(3);
    expect(doctor.out).toContain('"code":"passkeys-contested"');
    await piped(here.home, ['machines', 'distrust', 'desk']);
    expect((await status()).out).not.toContain('none counts');
  },
);

terminalTest('where settings take a yes only with a passkey and none is enrolled, enrolling one is named', async () => {
  const store = await storeTenDaysAgo();
  const id = await store.propose('the build');
  writeFileSync(join(store.places.config, 'config.json'), '{"minimumAssurance": 4}');
  for (const args of [
    ['promote', id],
    ['adopt', id],
    ['remember', 'We deploy only on weekdays.'],
  ]) {
    const { code, shown } = await new TestTerminal(store.home, args).end();
    expect(plain(shown)).toContain('and none is enrolled. surety passkey add enrols one.');
    expect(plain(shown)).not.toContain('that has the passkey');
    expect(code).toBe(1);
  }
  const review = new TestTerminal(store.home, ['review']);
  expect(plain(await review.answer('q'))).toContain('and none is enrolled. surety passkey add enrols one.');
  await review.end();
  // What waits for the passkey does not refuse the first one.
  const adding = new TestTerminal(store.home, ['passkey', 'add']);
  await adding.reply('q leaves: ', 'q');
  expect((await adding.end()).code).toBe(0);
});

test('the review page says why there is no yes', async () => {
  const { here, there, passkey } = await twoFirst();
  await requirePasskey(here, passkey);
  here.trust(there.vault.self.fingerprint, 'desk');
  const visitor = await Visitor.enter(await pageOf(here));
  const { text } = await visitor.get();
  expect(text).not.toContain('value="y"');
  expect(text).toContain('Two machines enrolled a first passkey');
  expect(text).toContain('surety passkey reset takes the recovery code');
});

terminalTest('trusting a machine that requires a passkey says before the question what that ends here', async () => {
  const here = await storeTenDaysAgo();
  const there = await TestStore.open({ machine: { name: 'desk', identity: 'another-machine' } });
  there.now = here.now;
  const id = await here.verified('the build');
  await there.propose('the door');
  const passkey = new SoftwareAuthenticator();
  await enrol(there, passkey);
  await requirePasskey(there, passkey);
  cpSync(there.places.ledger, here.places.ledger, { recursive: true });
  const said = [
    'That machine requires a passkey. From your yes on nothing becomes verified here without one.',
    '1 memory that is verified here now will be inferred, because no passkey signed your yes;',
  ];
  const visitor = await Visitor.enter(await pageOf(here));
  const { text } = await visitor.get();
  const terminal = new TestTerminal(here.home, ['machines', 'trust', 'desk']);
  const shown = plain(await terminal.answer('y'));
  for (const each of said) expect([plain(text), shown]).toEqual([0, 1].map(() => expect.stringContaining(each)));
  expect((await terminal.end()).code).toBe(0);
  expect(here.standing(id)).toBe('inferred:disputed');
});

test('a machine with a remote offers a first passkey after its first sync, and none where another machine has one', async () => {
  const remote = bareRemote();
  const [desk, laptop] = [await Machine.open('desk', remote), await Machine.open('laptop', remote)];
  const why = ({ store }: Machine) => whyNoFirstPasskey(store.vault);
  for (const each of [desk, laptop]) expect(why(each)).toContain('Run surety sync first');
  await desk.store.propose('the build');
  await desk.sync();
  expect(why(desk)).toBeUndefined();
  const passkey = new SoftwareAuthenticator();
  await enrol(desk.store, passkey);
  for (const each of [desk, laptop]) await each.sync();
  expect(why(laptop)).toContain('Another machine of this store has a passkey.');
  laptop.trust(desk);
  expect(why(laptop)).toBeUndefined();
  await enrol(laptop.store, new SoftwareAuthenticator(), passkey);
  expect(whyPasskeysContested(laptop.store.vault)).toBeUndefined();
});

test('a machine that gave its passkey up is told that another machine has one', async () => {
  const { here, passkey } = await twoFirst();
  expect(whyNoFirstPasskey(here.vault)).toBeUndefined();
  await requirePasskey(here, passkey);
  await reset(here, CODE);
  expect(whyNoFirstPasskey(here.vault)).toContain('Another machine of this store has a passkey.');
  expect(plain((await piped(here.home, ['passkey'])).out)).toContain('Trust that machine first');
});

terminalTest('init with a remote says how to add a passkey, and asks after the first sync', async () => {
  const [home, remote] = [temporaryFolder(), bareRemote()];
  const { shown } = await new TestTerminal(home, ['init', '--remote', remote]).end();
  expect(shown.split('\n').find((line) => line.startsWith('passkey'))?.length).toBeLessThan(80);
  const first = plain(shown);
  expect(first).toContain('passkey none. Run surety sync first');
  expect(first).not.toContain('Enrol one now?');
  const add = new TestTerminal(home, ['passkey', 'add']);
  expect(plain(await add.reply('q leaves: ', 'q'))).toContain('Run surety sync first');
  await add.end();
  expect((await piped(home, ['sync'])).code).toBe(0);
  const again = new TestTerminal(home, ['init']);
  expect(plain(await again.reply('Enter leaves it: ', ''))).toContain('Enrol one now?');
  await again.end();
});
