import { describe, expect, test } from 'vitest';
import { noteContradictions } from '../../src/actions/contradictions.ts';
import { OverviewSurvey } from '../../src/actions/report/overview.ts';
import { keyOf, rowJson } from '../../src/page/overview/row-json.ts';
import { Rows } from '../../src/page/overview/rows.ts';
import { sessionOf, waitingFor } from '../../testkit/review-page.ts';
import { TestStore } from '../../testkit/store.ts';

/** The rows that a tab has, kept up to date by what it hears. */
function listOf(store: TestStore) {
  const tab = new Map<string, unknown>();
  let news = 0;
  const rows = new Rows(sessionOf(store), ({ set, gone }) => {
    news += 1;
    for (const row of set) tab.set(row[0], row);
    for (const key of gone) tab.delete(key);
  });
  return { rows, tab, news: () => news };
}

async function surveyed(store: TestStore) {
  const all = await new OverviewSurvey(sessionOf(store)).all(new AbortController().signal);
  return new Map(all.map((row) => [keyOf(row), rowJson(row)]));
}

const BODY = 'We deploy the shop on Tuesdays, after the standup.';
const RIVAL = 'We deploy the shop on Thursdays, after the standup.';

/** What can happen to a store while a list of it is open; `ids`: the files that somebody else changed. */
const EVENTS: Readonly<Record<string, (store: TestStore) => Promise<readonly string[]>>> = {
  'a proposal': async (store) => [await store.propose('another thing')],
  'a yes': async (store) => {
    await store.decide('promote', 'user_ripe');
    return [];
  },
  'a demotion': async (store) => {
    await store.decide('demote', 'user_ripe');
    return [];
  },
  'a restore': async (store) => {
    await store.decide('restore', 'user_put_away');
    return [];
  },
  'a no': async (store) => {
    await store.vault.decline(store.load('user_ripe'), { channel: 'page', level: 3, client: null });
    return [];
  },
  'a no in another process': async (store) => {
    const other = await TestStore.open({ home: store.home });
    other.now = store.now;
    await other.vault.decline(other.load('user_ripe'), { channel: 'page', level: 3, client: null });
    return [];
  },
  'an edit by hand': async (store) => {
    store.edit('user_kept', (text) => text.replace('two cores', 'three cores'));
    await store.reconcile();
    return ['user_kept'];
  },
  'a file that is removed': async (store) => {
    store.remove('user_kept');
    await store.reconcile();
    return ['user_kept'];
  },
  'a request': async (store) => {
    await waitingFor(store, 'requests');
    return [];
  },
  // The standing of the twin changes, although nobody touched it and no entry names it.
  'a demotion of a text that another file has too': async (store) => {
    await store.decide('demote', 'user_twin_one');
    return [];
  },
  // Only a verified text can be contradicted, so the other one waits from then on.
  'a yes to a text that another one contradicts': async (store) => {
    const { loaded } = await store.decide('promote', 'user_deploy_day');
    await noteContradictions(sessionOf(store), loaded);
    return [];
  },
  'the end of a contradiction': async (store) => {
    await store.decide('demote', 'user_release_day');
    return [];
  },
};

describe('after each event the list is what a survey of the whole store says, without one', () => {
  test.each(Object.keys(EVENTS))('%s', async (name) => {
    const store = await TestStore.open();
    await store.verified('kept');
    await store.decide('demote', await store.propose('put away'));
    await store.verified('release day', { body: BODY.replace('shop', 'blog') });
    const against = await store.propose('release day of the blog', { body: RIVAL.replace('shop', 'blog') });
    await noteContradictions(sessionOf(store), store.load(against));
    await store.propose('ripe');
    await store.propose('deploy day', { body: BODY });
    await store.propose('deploy day of the shop', { body: RIVAL });
    await store.propose('twin one', { body: 'A text that is in two files, word for word the same.' });
    store.write(
      'memories',
      'user_twin_two',
      '---\nname: twin two\ndescription: another one\ntype: user\n---\nA text that is in two files, word for word the same.\n',
    );
    await store.reconcile();
    store.pass(8);
    const { rows, tab, news } = listOf(store);
    await rows.survey();
    const before = await surveyed(store);
    expect(tab).toEqual(before);
    const ids = await EVENTS[name]?.(store);
    await rows.update(ids ?? []);
    const after = await surveyed(store);
    expect(after).not.toEqual(before);
    expect(tab).toEqual(after);
    expect(news()).toBe(2);
  });

  test('what changes while a survey runs is in the list when it has ended', async () => {
    const store = await TestStore.open();
    const ids = Array.from({ length: 600 }, (_, i) => `user_m${String(i).padStart(3, '0')}`);
    for (const id of ids)
      store.write('memories', id, `---\nname: ${id}\ndescription: A number\ntype: user\n---\nThe text of ${id}.\n`);
    await store.reconcile();
    store.pass(8);
    const { rows, tab } = listOf(store);
    const survey = rows.survey();
    // It pauses every few milliseconds, and has gone past the first memories when they change.
    for (const id of ids.slice(0, 5)) {
      await store.decide('promote', id);
      await rows.update([]);
    }
    await survey;
    expect(tab).toEqual(await surveyed(store));
  });

  test('a list that ended touches the store no more', async () => {
    const store = await TestStore.open();
    await store.propose('ripe');
    const { rows, news } = listOf(store);
    await rows.survey();
    rows.stop();
    store.vault.close();
    await rows.update(undefined);
    await rows.update(['user_ripe']);
    expect(news()).toBe(1);
  });
});
