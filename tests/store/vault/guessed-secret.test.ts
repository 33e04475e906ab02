import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fileWith } from '../../../src/core/checks/sample-file.ts';
import { AGENT, newMemory, TestStore } from '../../../testkit/store.ts';

const BODY = 'The password of the staging database is hunter2xQ9!vz.';

test.each(['memories', 'quarantine'] as const)(
  'a proposal that guesses a secret of a text in %s is refused like a wrong guess',
  async (place) => {
    const store = await TestStore.open();
    const right = newMemory('the database', { body: BODY });
    writeFileSync(join(store.places[place], 'user_the_database.md'), fileWith({ name: right.name }, `${BODY}\n`));
    await store.reconcile();
    const propose = (body: string) => store.vault.create('propose', { ...right, body }, AGENT);
    const wrong = propose(BODY.replace('9', '8'));
    await expect(wrong).rejects.toMatchObject({ code: 'secret-found' });
    const message = await wrong.catch((error) => error.message);
    await expect(propose(BODY)).rejects.toMatchObject({ code: 'secret-found', message });
    await expect(propose(BODY.toUpperCase())).rejects.toMatchObject({ code: 'secret-found' });
  },
);
