import { expect, test } from 'vitest';
import { byWhom, wayOf } from '../../../src/actions/report/entry-words.ts';
import { log } from '../../../src/actions/report/log.ts';
import { shownMemory } from '../../../src/actions/report/show.ts';
import { linesOfEntry } from '../../../src/cli/ask/history.ts';
import { SoftwareAuthenticator } from '../../../testkit/authenticator.ts';
import { decideSigned, enrol, forge, forgeReceipt, requirePasskey } from '../../../testkit/passkeys.ts';
import { sessionOf } from '../../../testkit/review-page.ts';
import { TestStore } from '../../../testkit/store.ts';

const levels = ({ vault }: TestStore, id: string) =>
  log(vault, id).entries.map(({ entry, level }) => [entry.action, entry.by.level, level]);

test('the level of an entry is the one that counts, whatever the entry claims', async () => {
  const store = await TestStore.open();
  const before = await store.verified('the editor');
  const [signed, forged] = [await store.propose('the build'), await store.propose('the release')];
  store.pass(8);
  const passkey = new SoftwareAuthenticator();
  await enrol(store, passkey);
  await requirePasskey(store, passkey);
  await decideSigned(store, 'promote', signed, passkey);
  forgeReceipt(store, forged);
  forge(store, { action: 'released', id: 'passkeys', passkeys: { ledgers: [] } });

  expect(levels(store, before).at(-1)).toEqual(['promote', 3, 3]);
  expect(levels(store, signed).at(-1)).toEqual(['promote', 4, 4]);
  expect(levels(store, forged).at(-1)).toEqual(['promote', 4, 0]);
  expect(levels(store, 'passkeys')).toEqual([
    ['enrolled', 3, 3],
    ['required', 4, 4],
    ['released', 4, 0],
  ]);
  const shown = shownMemory(sessionOf(store), forged);
  expect('history' in shown && shown.history.at(-1)).toMatchObject({ level: 0 });
  const [last] = log(store.vault, forged).entries.slice(-1);
  const lines = last === undefined ? [] : linesOfEntry(last, { withReason: false });
  const words = lines.map((line) => line.map((piece) => (Array.isArray(piece) ? piece[1] : piece)).join('')).join(' ');
  expect(words.replaceAll(/\s+/g, ' ')).toContain('counts for nothing: no passkey that counts signed it (level 0))');
  const person = { actor: 'operator', channel: 'page' } as const;
  expect([0, 1, 4].map((level) => wayOf(person, level))).toEqual([
    'on the page, counts for nothing: no passkey that counts signed it (level 0)',
    'on the page, level 1',
    'on the page, level 4, signed by a passkey',
  ]);
  // Another machine's ledger may name a channel that this version does not know.
  expect([byWhom(person, 3), byWhom({ actor: 'check' }, 0)]).toEqual(['a person (on the page, level 3)', 'a check']);
});

test('an entry that claims a passkey where none was ever enrolled has the level of the page', async () => {
  const store = await TestStore.open();
  const id = await store.propose('the build');
  forgeReceipt(store, id);
  expect(levels(store, id).at(-1)).toEqual(['promote', 4, 3]);
});
