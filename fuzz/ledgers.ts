import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { search } from '../src/actions/agent/search.ts';
import { standingKey } from '../src/core/ledger/standing.ts';
import { reconcile } from '../src/store/reconcile/reconcile.ts';
import type { Vault } from '../src/store/vault/vault.ts';
import { decide, LATER, openAt, stems } from '../testkit/child.ts';
import { copyHome } from '../testkit/faults.ts';
import { add, propose } from '../testkit/sample.ts';
import { changed, changes, hostileText, memoryFile, query } from './arbitraries.ts';
import { hold, type Property } from './property.ts';

const HEIGHT: Record<string, number> = { quarantined: 0, inferred: 1, verified: 2 };

/** A store with something of every tier, a demotion and a second ledger that nobody trusts. */
async function filled(home: string): Promise<void> {
  mkdirSync(home, { recursive: true });
  const vault = await openAt(home, LATER);
  await propose(vault, 'proposed');
  await add(vault, 'vouched for');
  await decide(vault, 'demote', await add(vault, 'put away'));
  await reconcile(vault);
  vault.close();
}

function tiers(vault: Vault): Map<string, string> {
  const spots = (['memories', 'quarantine'] as const).flatMap((place) =>
    stems(vault, place).map((stem) => ({ place, stem })),
  );
  return new Map(spots.map((spot) => [spot.stem, vault.loadSpot(spot)?.standing.tier ?? 'quarantined']));
}

/** The order of a ledger's lines, which of them are there, and how often. */
const shuffling = fc.array(fc.nat(20), { maxLength: 12 });

/** The ledger reader: whatever is done to the files, nothing rises. */
export const ledgers: readonly Property[] = [
  {
    title:
      'a ledger that was changed in any way raises nothing that it did not raise before, and is never an exception',
    runs: 25,
    begin: async () => {
      const base = mkdtempSync(join(tmpdir(), 'surety-fuzz-'));
      await filled(join(base, 'first'));
      const before = await openAt(join(base, 'first'), LATER);
      const [known, name] = [tiers(before), `${before.self.fingerprint}.jsonl`];
      before.close();
      let count = 0;
      const property = fc.asyncProperty(changes, fc.option(shuffling), fc.boolean(), async (how, order, kept) => {
        const home = join(base, String(count++));
        copyHome(join(base, 'first'), home);
        const vault = await openAt(home, LATER);
        try {
          const path = join(vault.places.ledger, name);
          const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
          const mixed = order === null ? lines : order.map((at) => lines[at % lines.length] ?? '');
          const bytes = changed(Buffer.from(`${mixed.join('\n')}\n`), how);
          writeFileSync(path, bytes);
          if (!kept) rmSync(join(vault.places.state, 'ledgers'), { recursive: true, force: true });
          // Once by a process that has read it before, once by one that has not.
          for (const reader of [vault, await openAt(home, LATER)]) {
            for (const [stem, tier] of tiers(reader)) {
              const most = HEIGHT[known.get(stem) ?? 'inferred'] ?? 1;
              // What lies in quarantine by its folder stays; what was lowered only by lost lines may be plain inferred.
              hold((HEIGHT[tier] ?? 0) <= Math.max(most, 1), `${stem} rose to ${tier}`);
              if (tier === 'verified') hold(known.get(stem) === 'verified', `${stem} is verified`);
              if (kept && known.get(stem) === 'quarantined') hold(tier === 'quarantined', `${stem} left quarantine`);
            }
            reader.reports();
            if (reader !== vault) reader.close();
          }
        } finally {
          vault.close();
          rmSync(home, { recursive: true, force: true });
        }
      });
      return { property, end: async () => rmSync(base, { recursive: true, force: true }) };
    },
  },
  {
    title: 'any files in the folders are looked over without an exception, none is lost, and none is verified',
    runs: 25,
    begin: async () => {
      const base = mkdtempSync(join(tmpdir(), 'surety-fuzz-'));
      let count = 0;
      const stem = fc.constantFrom(
        'user_a',
        'user_b',
        'reference_c',
        'user_a~2',
        'Not an id',
        'user_',
        '.hidden',
        'MEMORY',
      );
      const files = fc.array(fc.tuple(fc.constantFrom('memories', 'quarantine'), stem, memoryFile, changes), {
        maxLength: 5,
      });
      const property = fc.asyncProperty(files, query, async (planted, typed) => {
        const home = join(base, String(count++));
        mkdirSync(home);
        const vault = await openAt(home, LATER);
        try {
          const { places } = vault;
          for (const [place, name, file, how] of planted)
            writeFileSync(join(places[place as 'memories'], `${name}.md`), changed(file, how));
          const texts = () =>
            (['memories', 'quarantine'] as const)
              .flatMap((place) =>
                stems(vault, place).map((each) => readFileSync(join(places[place], `${each}.md`), 'base64')),
              )
              .sort()
              .join();
          const before = texts();
          await reconcile(vault);
          await reconcile(vault);
          hold(texts() === before, 'a file is lost or changed');
          for (const tier of tiers(vault).values()) hold(tier !== 'verified', 'a planted file is verified');
          const { hits } = await search(vault, { query: typed.slice(0, 400) || 'x', limit: 20 });
          for (const { facts } of hits) {
            const standing = vault.load(facts.id)?.standing;
            hold(standing !== undefined && standing.tier === facts.tier, `found as ${facts.tier}`);
            hold(standingKey(standing) !== 'quarantined:claim', 'a quarantined file was found');
          }
        } finally {
          vault.close();
          rmSync(home, { recursive: true, force: true });
        }
      });
      return { property, end: async () => rmSync(base, { recursive: true, force: true }) };
    },
  },
  {
    title: 'this machine’s own files may hold anything: settings, heads, trusted machines, requests, index',
    runs: 25,
    begin: async () => {
      const base = mkdtempSync(join(tmpdir(), 'surety-fuzz-'));
      await filled(join(base, 'first'));
      let count = 0;
      const which = fc.constantFrom(
        'config.json',
        'machines.json',
        'heads.json',
        'requests.jsonl',
        'index.db',
        'audit.key',
      );
      const content = fc.oneof(hostileText, fc.json(), fc.constant(null));
      const property = fc.asyncProperty(which, content, changes, async (name, text, how) => {
        const home = join(base, String(count++));
        copyHome(join(base, 'first'), home);
        const first = await openAt(home, LATER);
        const { config, state, cache } = first.places;
        first.close();
        const path = join(
          name === 'index.db' ? cache : name === 'config.json' || name === 'machines.json' ? config : state,
          name === 'index.db' ? (globSync('index-*.db', { cwd: cache })[0] ?? name) : name,
        );
        try {
          // Without a text of its own the file is changed; else it is replaced.
          const bytes = text === null ? readOr(path) : Buffer.from(text);
          writeFileSync(path, changed(bytes, how));
          const vault = await openAt(home, LATER);
          await reconcile(vault);
          await search(vault, { query: 'proposed', limit: 5 });
          for (const [stem, tier] of tiers(vault)) {
            if (tier === 'verified') hold(stem === 'user_vouched_for', `${stem} is verified`);
            if (stem === 'user_put_away') hold(tier === 'quarantined', 'a quarantine ended');
          }
          vault.close();
        } finally {
          rmSync(home, { recursive: true, force: true });
        }
      });
      return { property, end: async () => rmSync(base, { recursive: true, force: true }) };
    },
  },
];

function readOr(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}
