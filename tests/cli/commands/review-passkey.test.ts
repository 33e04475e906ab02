import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { noticeOnce } from '../../../src/actions/pending-notice.ts';
import { SoftwareAuthenticator } from '../../../testkit/authenticator.ts';
import { enrol, requirePasskey } from '../../../testkit/passkeys.ts';
import { sessionOf } from '../../../testkit/review-page.ts';
import { openOverSsh, storeTenDaysAgo, TestTerminal, terminalTest } from '../../../testkit/terminal.ts';

/** A store where a passkey is required and one memory waits, which an agent may answer at a pseudo-terminal. */
async function required() {
  const store = await storeTenDaysAgo();
  const id = await store.propose('two cores');
  const passkey = new SoftwareAuthenticator();
  await enrol(store, passkey);
  await requirePasskey(store, passkey);
  return { store, id };
}

const words = (shown: string) => shown.replaceAll(/\s+/g, ' ');

terminalTest(
  'review says that every yes needs a passkey and where it is asked for, and the question waits',
  async () => {
    const { store, id } = await required();
    const terminal = new TestTerminal(store.home, ['review']);
    const shown = words(await terminal.answer('q'));
    expect(shown).toContain('every yes that makes a memory count needs a passkey: surety review --web asks for it');
    await terminal.end();
    expect(store.standing(id)).toBe('inferred:proposed');
  },
);

terminalTest('what waits for a yes is named with the page that takes the passkey', async () => {
  const { store } = await required();
  const shown = words((await new TestTerminal(store.home, []).end()).shown);
  expect(shown).toContain('1 ready to be verified; surety review --web goes through it');
  expect(shown).toContain('Next: surety review --web, which goes through the one that waits for you.');
  store.now = Date.now();
  expect(noticeOnce(sessionOf(store))).toContain('they can run surety review --web,');
});

terminalTest('a new memory that no yes can verify here is asked about so that n means no', async () => {
  const { store } = await required();
  store.pass(10);
  const id = await store.propose('four cores');
  const terminal = new TestTerminal(store.home, ['review']);
  await terminal.answer('s');
  const shown = words(await terminal.answer('q'));
  expect(shown).toContain(`Leave this as it is for now: ${id}? [n] no, quarantine it`);
  await terminal.end();
  expect(store.standing(id)).toBe('inferred:proposed');
});

terminalTest('review --web over ssh prints how to reach the page through the same port', async () => {
  const { store, id } = await required();
  const terminal = new TestTerminal(store.home, ['review', '--web'], {
    env: { SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22' },
  });
  const { port, shown } = await openOverSsh(terminal);
  expect(port).toBeDefined();
  expect(shown).toContain(`http://surety.localhost:${port}/`);
  terminal.press('\r');
  await terminal.end();
  expect(store.standing(id)).toBe('inferred:proposed');
});

terminalTest('review --web where no browser can be started says which port to forward', async () => {
  const { store, id } = await required();
  const bin = join(store.home, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'xdg-open'), '#!/bin/sh\nexit 3\n');
  chmodSync(join(bin, 'xdg-open'), 0o755);
  const terminal = new TestTerminal(store.home, ['review', '--web'], {
    env: { PATH: `${bin}:${process.env.PATH}`, SSH_CONNECTION: '' },
  });
  await terminal.reply('q leaves: ', '');
  const shown = await terminal.until(/http:\/\/surety\.localhost:\d+\//);
  expect(words(shown)).toMatch(/forward its port (\d+) to port \1 of the computer .* http:\/\/surety\.localhost:\1\//);
  terminal.press('\r');
  await terminal.end();
  expect(store.standing(id)).toBe('inferred:proposed');
});

terminalTest.each(['y', 'a'])('an agent that answers %s at a pseudo-terminal verifies nothing', async (key) => {
  const { store, id } = await required();
  const terminal = new TestTerminal(store.home, ['review']);
  await terminal.answer(key);
  await terminal.answer('q');
  await terminal.end();
  expect(store.standing(id)).toBe('inferred:proposed');
  expect(store.entries().filter(({ to }) => to === 'verified')).toEqual([]);
});

terminalTest.each(['promote', 'adopt'])('nor does surety %s there', async (command) => {
  const { store, id } = await required();
  const { code, shown } = await new TestTerminal(store.home, [command, id]).end();
  expect([code, words(shown)]).toEqual([1, expect.stringContaining('only with a passkey')]);
  expect(store.standing(id)).toBe('inferred:proposed');
});
