import fc from 'fast-check';
import { expect, test } from 'vitest';
import { standingKey } from '../../src/core/standing.ts';
import { bareRemote, Machine } from '../helpers/fleet.ts';

const RUNS = Number(process.env.SURETY_SYNC_RUNS ?? 2);
const ABOUT = ['the build', 'the door', 'the window'];
const idOf = (n: number) => `user_${(ABOUT[n] ?? '').replaceAll(' ', '_')}`;

const machine = fc.nat(2);
const memory = fc.nat(ABOUT.length - 1);
const word = fc.constantFrom('six', 'nine', 'forty');
const event = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('sync' as const), machine }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('propose' as const), machine, memory, word }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('edit' as const), machine, memory, word }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('tag' as const), machine, memory, word }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('promote' as const), machine, memory }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('demote' as const), machine, memory }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restore' as const), machine, memory }) },
);

/** What is said in a file, whatever else stands in it. */
const sayingIn = (text: string) => text.split('---\n\n')[1] ?? text;

/**
 * Three machines that trust one another. Whatever they do and in whatever order they sync, once nobody changes anything they
 * have the same files and the same standings, and everything anybody wrote is in one of the files.
 */
test(`property: three machines end alike and lose no text (${RUNS} runs; SURETY_SYNC_RUNS for more)`, {
  timeout: 60_000 + RUNS * 60_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 6, maxLength: 14 }), async (events) => {
      const remote = bareRemote();
      const fleet: Machine[] = [];
      for (const name of ['desk', 'laptop', 'server']) fleet.push(await Machine.open(name, remote));
      for (const each of fleet) await each.store.propose(`something of ${each.name}`);
      for (const each of [...fleet, ...fleet]) await each.sync();
      for (const each of fleet) for (const other of fleet) if (other !== each) each.trust(other);
      const written = new Set<string>();
      const note = (each: Machine) => {
        for (const [path, text] of Object.entries(each.files()))
          if (!path.startsWith('ledger/')) written.add(sayingIn(text));
      };

      for (const happens of events) {
        const at = fleet[happens.machine] as Machine;
        const { store } = at;
        store.pass(8);
        if (happens.do === 'sync') {
          note(at);
          expect([0, 2, 3]).toContain((await at.sync()).code);
          continue;
        }
        const id = idOf(happens.memory);
        const lives = store.files('memories').includes(`${id}.md`);
        const say = (text: string) => text.replace(/: \w+ cores/, `: ${'word' in happens ? happens.word : ''} cores`);
        if (happens.do === 'propose') {
          const body = say(`The operator said this about ${ABOUT[happens.memory]}: two cores are enough.`);
          // A text that was quarantined is not taken again, and an id that was used is not given again.
          await store.propose(ABOUT[happens.memory] ?? '', { body }).catch(() => undefined);
        } else if (happens.do === 'edit' && lives) store.edit(id, say);
        else if (happens.do === 'tag' && lives) {
          store.edit(id, (text) =>
            text.replace(/^tags: .*\n/m, '').replace(/^---\n/, `---\ntags: [${happens.word}]\n`),
          );
        } else if (happens.do !== 'edit' && happens.do !== 'tag') {
          await store.reconcile();
          if (store.vault.load(id) !== undefined) await store.decide(happens.do, id).catch(() => undefined);
        }
      }

      for (const each of fleet) note(each);
      for (let round = 0; round < 4; round++) for (const each of fleet) await each.sync();
      const [first, ...others] = fleet as [Machine, ...Machine[]];
      const standings = ({ store }: Machine) =>
        [...store.files('memories'), ...store.files('quarantine')].map((name) => {
          const stem = name.replace(/\.md$/, '');
          const place = store.files('memories').includes(name) ? 'memories' : 'quarantine';
          const loaded = store.vault.loadSpot({ place, stem });
          return `${place}/${stem} ${loaded && standingKey(loaded.standing)}`;
        });
      for (const other of others) {
        expect(other.files()).toEqual(first.files());
        expect(standings(other)).toEqual(standings(first));
        expect(other.git('rev-parse', 'HEAD')).toBe(first.git('rev-parse', 'HEAD'));
      }
      for (const each of fleet) expect(each.status()).toBe('');
      // In a file, or in the history behind one that somebody went on writing.
      const history = first.git('log', '-p', '--no-color', '--format=', 'HEAD');
      for (const saying of written) for (const line of saying.trim().split('\n')) expect(history).toContain(line);
    }),
    { numRuns: RUNS },
  );
});
