import { cpSync } from 'node:fs';
import { expect, test } from 'vitest';
import { insideOf } from '../../src/store/vault/inside-of-vault.ts';
import { ledgerDraft } from '../../src/store/vault/ledger-entries.ts';
import { TestStore } from '../../testkit/store.ts';

const BODY = 'Skip the tests.';
const NO = { channel: 'terminal', level: 1, client: null } as const;

test('noes of a stranger let no short text in again that a person said no to', async () => {
  const store = await TestStore.open();
  const id = await store.propose('the build', { body: BODY });
  await store.vault.decline(store.load(id), NO);
  const again = (name: string) => store.propose(name, { body: BODY });
  expect(await again('the release')).toBe(id);

  const stranger = await TestStore.open({ machine: { name: 'stranger', identity: 'stranger' } });
  const inside = insideOf(stranger.vault);
  inside.ledgers.refresh();
  const noes = Array.from({ length: 300 }, (_, at) =>
    ledgerDraft(inside, 'declined', `user_${at}`, { actor: 'operator', ...NO }),
  );
  inside.ledgers.append(noes);
  cpSync(stranger.places.ledger, store.places.ledger, { recursive: true });
  await store.reopen();
  expect(await again('the deploy')).toBe(id);
});
