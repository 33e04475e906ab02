import { describe, expect, test } from 'vitest';
import { type Chart, chartsOf } from '../../../src/actions/report/charts.ts';
import { chartLines } from '../../../src/cli/terminal/chart.ts';
import { SafeText, sanitize } from '../../../src/core/text/safe-text.ts';
import { sessionOf, waitingFor } from '../../../testkit/review-page.ts';
import { TestStore } from '../../../testkit/store.ts';

/** The figures of one chart, by point, without points that are all zero. */
async function figures(store: TestStore, id: string): Promise<Record<string, readonly number[]>> {
  const { points } = await chart(store, id);
  const some = points.filter(({ values }) => values.some((value) => value > 0));
  return Object.fromEntries(some.map(({ label, values }) => [label.toString(), values]));
}

async function chart(store: TestStore, id: string): Promise<Chart> {
  const found = (await chartsOf(sessionOf(store))).find((each) => each.id === id);
  if (found === undefined) throw new Error(`no chart ${id}`);
  return found;
}

const day = (store: TestStore, ahead = 0) => new Date(store.now + ahead * 86_400_000).toISOString().slice(0, 10);

describe('charts', () => {
  test('of an empty store say in words that there is nothing', async () => {
    const store = await TestStore.open();
    const charts = await chartsOf(sessionOf(store));
    expect(charts.map(({ id }) => id)).toEqual(['tiers', 'types', 'answers', 'waiting', 'used', 'stale', 'vouching']);
    const empty = Object.fromEntries(
      charts.flatMap((each) => (each.points.length === 0 ? [[each.id, each.nothing]] : [])),
    );
    expect(empty).toMatchObject({
      tiers: 'Nothing is stored yet.',
      types: 'Nothing is stored yet.',
      answers: 'Nobody has answered yet.',
      waiting: 'Nothing waits for you.',
    });
  });

  test('memories by tier: each week has what there was then, and the last one what there is now', async () => {
    const store = await TestStore.open();
    const first = await store.propose('one');
    const weeks = [day(store, 0), day(store, 7), day(store, 14), day(store, 21)];
    store.pass(7);
    await store.decide('promote', first);
    await store.propose('two', { type: 'project' });
    store.pass(7);
    await store.decide('demote', first);
    store.pass(7);
    const [week0 = '', week1 = '', week2 = '', week3 = ''] = weeks;
    expect(await figures(store, 'tiers')).toEqual({
      [week0]: [0, 1, 0],
      [week1]: [1, 1, 0],
      [week2]: [0, 1, 1],
      [week3]: [0, 1, 1],
    });
    expect(await figures(store, 'types')).toMatchObject({ [week0]: [1, 0, 0, 0], [week3]: [1, 0, 1, 0] });
    expect(await figures(store, 'answers')).toEqual({ [week1]: [1, 0], [week2]: [0, 1] });
  });

  test('years fit into 26 columns', async () => {
    const store = await TestStore.open();
    await store.propose('old');
    for (let i = 0; i < 3; i++) {
      store.pass(390);
      await store.propose(`another ${i}`);
    }
    const { points, title } = await chart(store, 'answers');
    expect([points, title]).toEqual([[], 'Yes and no, per week']);
    const { points: spans } = await chart(store, 'tiers');
    expect(spans.length).toBeLessThanOrEqual(26);
    expect(spans[0]?.values).toEqual([0, 1, 0]);
    expect(spans.at(-1)?.values).toEqual([0, 4, 0]);
  });

  test('what waits, by why and for how long', async () => {
    const store = await TestStore.open();
    await waitingFor(store, 'ready');
    store.pass(40);
    await waitingFor(store, 'requests');
    expect(await figures(store, 'waiting')).toEqual({ requests: [1, 0, 0, 0], ready: [0, 0, 1, 0] });
  });

  test('what agents used, and what nobody asked for; quarantined memories are in neither', async () => {
    const store = await TestStore.open();
    const [used, old] = [await store.propose('used'), await store.propose('old')];
    await store.verified('never');
    await store.decide('demote', await store.propose('away'));
    const uses = await store.vault.uses();
    expect((await chart(store, 'used')).points).toEqual([]);
    uses.note([old]);
    uses.writeDown();
    store.pass(20);
    uses.note([used]);
    uses.writeDown();
    expect(await figures(store, 'used')).toEqual({
      'in the last week': [0, 1],
      'in the last month': [0, 1],
      never: [1, 0],
    });
  });

  test('stale dates ahead, and what is stale today', async () => {
    const store = await TestStore.open();
    await store.verified('old');
    store.pass(80);
    await store.verified('fresh');
    expect(await figures(store, 'stale')).toEqual({ [day(store, 7)]: [1], [day(store, 91)]: [1] });
    store.pass(4);
    expect(await figures(store, 'stale')).toEqual({ today: [1], [day(store, 91)]: [1] });
  });

  test('who vouches: the machine, the channel and the level', async () => {
    const store = await TestStore.open();
    await store.verified('one');
    await store.decide('promote', await store.propose('two', { type: 'reference' })).catch(() => {});
    store.pass(8);
    await store.decide('promote', 'reference_two', undefined, 'terminal');
    const print = store.vault.self.fingerprint.slice(0, 8);
    expect(await figures(store, 'vouching')).toEqual({
      [`here ${print}, page, level 3`]: [1, 0, 0, 0],
      [`here ${print}, terminal, level 1`]: [0, 0, 0, 1],
    });
  });

  test('a hostile name of a machine is no more than text in a chart', async () => {
    const store = await TestStore.open({ machine: { name: 'x\u001b[2J<script>\n', identity: 'machine-one' } });
    await store.verified('one');
    const { points } = await chart(store, 'vouching');
    expect(points[0]?.label.toString()).toContain('<script>');
    expect(/\p{Cc}/u.test(points[0]?.label.toString() ?? '')).toBe(false);
  });

  test('in the terminal: a row of columns for each part, a bar for each thing, and a value above zero always shows', () => {
    const point = (label: string, ...values: number[]) => ({ label: sanitize(label, 'line'), values });
    const drawn = (drawing: Pick<Chart, 'kind' | 'parts' | 'points'>) =>
      chartLines({ id: 'x', title: 'A title', nothing: 'Nothing is there.', ...drawing }).map((line) =>
        line.map((piece) => (piece instanceof SafeText ? piece : piece[1]).toString()).join(''),
      );
    const parts = ['yes', 'no'];
    const weeks = [point('May', 100, 0), point('June', 50, 1)];
    expect(drawn({ kind: 'over-time', parts, points: weeks })).toEqual([
      'A title',
      '  yes █▄  50 at the end, at most 100',
      '  no   ▁  1 at the end, at most 1',
      '      May to June',
    ]);
    const things = [point('ready', 100, 100), point('held', 0, 1), point('new', 0, 0)];
    expect(drawn({ kind: 'side-by-side', parts, points: things })).toEqual([
      'A title',
      `  ready ${'█'.repeat(40)} 200`,
      '        100 yes, 100 no',
      '  held  ▎ 1',
      '        1 no',
      '  new   0',
    ]);
    expect(drawn({ kind: 'over-time', parts, points: [] })).toEqual(['A title', '  Nothing is there.']);
  });
});
