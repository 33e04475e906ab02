import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lastSync } from '../../../src/actions/sync/sync-notices.ts';
import { standingKey } from '../../../src/core/ledger/standing.ts';
import { insideOf } from '../../../src/store/vault/inside-of-vault.ts';
import { bareRemote, Machine } from '../../../testkit/fleet.ts';

const RUNS = Number(process.env.SURETY_SYNC_RUNS ?? 3);
const SEED = Number(process.env.SURETY_SYNC_SEED ?? 7);
const ABOUT = ['the build', 'the door', 'the window'];
const idOf = (n: number) => `user_${(ABOUT[n] ?? '').replaceAll(' ', '_')}`;

const machine = fc.nat(2);
const memory = fc.nat(ABOUT.length - 1);
const word = fc.constantFrom('six', 'nine', 'forty');
const event = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('sync' as const), machine }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('propose' as const), machine, memory, word }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('edit' as const), machine, memory, word }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('tag' as const), machine, memory, word }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('trust' as const), machine, other: machine }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('promote' as const), machine, memory }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('demote' as const), machine, memory }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restore' as const), machine, memory }) },
);
type Event = typeof event extends fc.Arbitrary<infer E> ? E : never;

/** What happened over all runs; a property of nothing but refused attempts would hold as well. */
const reached = { promote: 0, demote: 0, restore: 0, trust: 0, late: 0, conflict: 0, raised: 0 };

/** What is said in a file, whatever else stands in it. */
const sayingIn = (text: string) => (text.split('---\n\n')[1] ?? text).trim();

/** Three machines with a remote between them, and what each of them has had before its eyes. */
class Fleet {
  readonly machines: readonly Machine[];
  /** Every text a machine has had in its folder. */
  readonly #known = new Map<Machine, Set<string>>();
  /** What a machine wrote and has not synced yet. */
  readonly #own = new Map<Machine, Set<string>>();
  #inRemote = new Set<string>();

  private constructor(machines: readonly Machine[]) {
    this.machines = machines;
  }

  static async open(): Promise<Fleet> {
    const remote = bareRemote();
    const machines: Machine[] = [];
    for (const name of ['desk', 'laptop', 'server']) machines.push(await Machine.open(name, remote));
    const fleet = new Fleet(machines);
    for (const [n, each] of machines.entries()) await each.store.propose(ABOUT[n] ?? '');
    for (const each of [...machines, ...machines]) await fleet.sync(each);
    return fleet;
  }

  /** One sync, after which nothing this machine wrote is gone, and nothing others wrote that it had never seen. */
  async sync(at: Machine): Promise<number> {
    const before = sayings(at);
    const own = [...(this.#own.get(at) ?? [])].filter((saying) => before.has(saying));
    const known = new Set([...(this.#known.get(at) ?? []), ...before]);
    const late = lastSync(at.session)?.notices.some(({ what }) => what.includes('has not worked for'));
    const outcome = await at.sync();
    expect([0, 2, 3]).toContain(outcome.code);
    const after = sayings(at);
    for (const saying of [...own, ...[...this.#inRemote].filter((each) => !known.has(each))])
      expect(after).toContain(saying);
    expect(lastSync(at.session)?.notices.filter(({ what }) => what.includes('has not worked for'))).toEqual([]);
    if (late) reached.late += 1;
    if (outcome.notices.some(({ kind }) => kind === 'conflict')) reached.conflict += 1;
    for (const saying of after) known.add(saying);
    this.#known.set(at, known);
    this.#own.set(at, new Set());
    this.#inRemote = after;
    return outcome.code;
  }

  async happen(event: Event): Promise<void> {
    const at = this.machines[event.machine] as Machine;
    const { store } = at;
    if (event.do === 'sync') return void (await this.sync(at));
    store.pass(8);
    if (event.do === 'trust') return this.trust(at, this.machines[event.other] as Machine);
    const id = idOf(event.memory);
    const lives = store.files('memories').includes(`${id}.md`);
    const before = sayings(at);
    const say = (text: string) => text.replace(/: \w+ cores/, `: ${'word' in event ? event.word : ''} cores`);
    if (event.do === 'propose') {
      const body = say(`The operator said this about ${ABOUT[event.memory]}: two cores are enough.`);
      // A text that was quarantined is not taken again, and an id that was used is not given again.
      await store.propose(ABOUT[event.memory] ?? '', { body }).catch(() => undefined);
    } else if (event.do === 'edit' && lives) store.edit(id, say);
    else if (event.do === 'tag' && lives) {
      store.edit(id, (text) => text.replace(/^tags: .*\n/m, '').replace(/^---\n/, `---\ntags: [${event.word}]\n`));
    } else if (event.do !== 'edit' && event.do !== 'tag') {
      await store.reconcile();
      if (store.vault.load(id) === undefined) return;
      const decided = await store.decide(event.do, id).catch(() => undefined);
      if (decided !== undefined) reached[event.do] += 1;
    }
    const own = this.#own.get(at) ?? new Set();
    for (const saying of sayings(at)) if (!before.has(saying)) own.add(saying);
    this.#own.set(at, own);
  }

  /** A person at one machine lets another's word count there. */
  trust(at: Machine, other: Machine): void {
    const { ledgers } = insideOf(at.store.vault);
    ledgers.refresh();
    const there = ledgers.reports().find(({ fingerprint }) => fingerprint === other.fingerprint);
    if (at === other || there === undefined || there.trusted) return;
    const before = verified(at);
    at.trust(other);
    reached.trust += 1;
    if (verified(at) > before) reached.raised += 1;
  }
}

const sayings = (at: Machine) =>
  new Set(
    Object.entries(at.files())
      .filter(([path]) => !path.startsWith('ledger/'))
      .map(([, text]) => sayingIn(text)),
  );

const standings = ({ store }: Machine) =>
  (['memories', 'quarantine'] as const).flatMap((place) =>
    store.files(place).map((name) => {
      const stem = name.replace(/\.md$/, '');
      const loaded = store.vault.loadSpot({ place, stem });
      return `${place}/${stem} ${loaded && standingKey(loaded.standing)}`;
    }),
  );

const verified = (at: Machine) => standings(at).filter((each) => each.includes(' verified')).length;

/**
 * Whatever three machines do and in whatever order they sync and come to trust one another: once each trusts the others and
 * nobody changes anything they have the same files and the same standings, and no sync has cost anybody a text.
 */
test(`property: three machines end alike and lose no text (${RUNS} runs; SURETY_SYNC_RUNS for more)`, {
  timeout: 900_000 + RUNS * 60_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 14, maxLength: 22 }), async (events) => {
      const fleet = await Fleet.open();
      for (const each of events) await fleet.happen(each);
      for (const each of fleet.machines) await fleet.sync(each);
      for (const each of fleet.machines) for (const other of fleet.machines) fleet.trust(each, other);
      for (let round = 0; round < 3; round++) for (const each of fleet.machines) await fleet.sync(each);
      const [first, ...others] = fleet.machines as [Machine, ...Machine[]];
      for (const other of others) {
        expect(other.files()).toEqual(first.files());
        expect(standings(other)).toEqual(standings(first));
        expect(other.git('rev-parse', 'HEAD')).toBe(first.git('rev-parse', 'HEAD'));
      }
      for (const each of fleet.machines) expect(each.status()).toBe('');
    }),
    { numRuns: RUNS, seed: SEED, endOnFailure: process.env.SURETY_SYNC_RUNS === undefined },
  );
  for (const [what, times] of Object.entries(reached)) expect(times, what).toBeGreaterThan(0);
});
