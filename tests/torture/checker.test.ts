import { readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { nameOfSegment } from '../../src/core/ledger/segments.ts';
import { Child } from '../../testkit/child-process.ts';
import { reword } from '../../testkit/sample.ts';
import { DAY, newMemory, TestStore } from '../../testkit/store.ts';
import {
  check,
  compareServed,
  type Kind,
  notBack,
  type Store,
  type Told,
  untold,
} from '../../torture/checker/check.ts';
import { digestOf, readOne, sayingOf } from '../../torture/checker/file.ts';
import type { Tier } from '../../torture/checker/standing.ts';

// The checker of `npm run torture` is worth what it can notice. A sound store passes; every kind of damage is planted once.

const CHECKER = join(import.meta.dirname, '../../torture/checker');

let store: TestStore;
let proposed: string;
let verified: string;
let quarantined: string;
beforeEach(async () => {
  store = await TestStore.open();
  proposed = await store.propose('marka1x0a');
  verified = await store.propose('marka2x0b');
  quarantined = await store.propose('marka3x0c');
  store.pass(8);
  await store.decide('promote', verified);
  await store.decide('demote', quarantined);
  await store.reconcile();
});

const about = { marka1x0a: () => proposed, marka2x0b: () => verified, marka3x0c: () => quarantined };

function told(changes: Partial<Told> = {}): Told {
  const acknowledged = new Map(Object.entries(about).map(([name, id]) => [id(), newMemory(name)]));
  return {
    acknowledged,
    created: new Set(acknowledged.keys()),
    givenTwice: [],
    typed: new Map(),
    may: new Map<string, ReadonlySet<Tier>>([
      [proposed, new Set(['inferred'] as const)],
      [verified, new Set(['verified'] as const)],
      [quarantined, new Set(['quarantined'] as const)],
    ]),
    yeses: new Map([
      [`promote ${verified}`, 1],
      [`demote ${quarantined}`, 1],
    ]),
    reworded: new Map(),
    noes: new Map(),
    refused: new Set(),
    doubledByGit: new Set(),
    strangers: new Set(),
    deleted: new Set(),
    onceDeleted: new Set(),
    ...changes,
  };
}

function report(changes: Partial<Told> = {}, before: readonly string[] = []) {
  return check(opened(store), told(changes), before);
}

function opened({ places, vault }: TestStore): Store {
  return { root: places.root, state: places.state, own: vault.self.fingerprint, settled: true };
}

/** What is wrong, by kind, each once. */
function kinds(changes: Partial<Told> = {}, before: readonly string[] = []): Kind[] {
  return [...new Set(report(changes, before).damages.map(({ kind }) => kind))].sort();
}

test('a sound store has nothing wrong with it', () => {
  const { damages, tiers, files, leftovers } = report();
  expect(damages).toEqual([]);
  expect(Object.fromEntries(tiers)).toEqual({
    [proposed]: 'inferred',
    [verified]: 'verified',
    [quarantined]: 'quarantined',
  });
  expect([files, leftovers]).toEqual([3, 0]);
});

test('it shares no code with the store', () => {
  for (const name of readdirSync(CHECKER)) {
    const imports = [...readFileSync(join(CHECKER, name), 'utf8').matchAll(/from '([^']+)'/g)].map(([, from]) => from);
    expect(imports.filter((from) => !from?.startsWith('node:') && !from?.startsWith('./'))).toEqual([]);
  }
});

test('it reads digests and sayings as the store does, odd ones too', async () => {
  const odd = { name: 'Tabs: "yes"', description: 'null', tags: ['a, b', 'true'], project: 'owner/name' };
  const id = await store.propose('odd', { ...odd, body: 'Ｆｕｌｌ  width\tand\n\nCafé 한국어, thirty and more.' });
  const loaded = store.load(id);
  const found = readOne('memories', id, loaded.bytes);
  expect(found).toMatchObject({ torn: undefined, digest: loaded.digest, saying: loaded.saying });
  expect(digestOf(id, found.text ?? newMemory(''))).toBe(loaded.digest);
  expect(sayingOf(found.text ?? newMemory(''))).toBe(loaded.saying);
});

describe('lost', () => {
  test('an acknowledged memory whose file is gone', () => {
    rmSync(store.path('memories', proposed));
    expect(kinds()).toEqual(['lost']);
  });

  test('one that says something else', () => {
    store.edit(proposed, (text) => text.replace('two cores', 'six cores'));
    expect(kinds()).toEqual(['lost']);
  });

  test('one whose entry is missing', () => {
    expect(
      kinds({ acknowledged: new Map([['user_never', newMemory('never')]]), created: new Set(['user_never']) }),
    ).toEqual(['lost']);
    store.writeLedger(store.ledgerLines().slice(2));
    expect(kinds()).toContain('lost');
  });

  test('but not one that somebody typed another text into', () => {
    store.edit(proposed, (text) => text.replace('two cores', 'six cores'));
    const { text } = readOne('memories', proposed, Buffer.from(store.text('memories', proposed)));
    expect(kinds({ typed: new Map([[proposed, text ? [text] : []]]) })).toEqual([]);
  });
});

describe('deleted behind the servers’ backs', () => {
  const deleted = () => {
    const ids = new Set([proposed, verified]);
    return { deleted: ids, onceDeleted: ids };
  };

  test('what the ledgers have alive is missing and not lost: a file, or the whole folder', () => {
    const { digest } = store.load(verified);
    rmSync(store.places.memories, { recursive: true });
    expect(kinds()).toEqual(['lost']);
    const { damages, missing } = report(deleted());
    expect(damages).toEqual([]);
    expect(missing).toEqual([
      { id: proposed, vouched: undefined },
      { id: verified, vouched: digest },
    ]);
  });

  test('what a decision has put away is not missing, nor what is there', () => {
    rmSync(store.path('quarantine', quarantined));
    const ids = new Set([quarantined, proposed]);
    expect(report({ deleted: ids, onceDeleted: ids })).toMatchObject({ damages: [], missing: [] });
  });

  test('it is lost when nobody is told, and when a vouched text is not back after a yes', () => {
    rmSync(store.path('memories', proposed));
    rmSync(store.path('memories', verified));
    const found = report(deleted());
    const { missing } = found;
    expect(untold(found, new Set([proposed, verified]))).toEqual([]);
    expect(untold(found, new Set([proposed]))).toMatchObject([{ kind: 'lost' }]);
    expect(notBack(missing, report(deleted()))).toMatchObject([{ kind: 'lost' }]);
    store.write('memories', verified, 'another text');
    expect(notBack(missing, report(deleted()))).toMatchObject([{ kind: 'lost' }]);
  });

  test('it is back with exactly the vouched text', () => {
    const text = store.text('memories', verified);
    rmSync(store.path('memories', verified));
    const { missing } = report(deleted());
    store.write('memories', verified, text);
    expect(notBack(missing, report(deleted()))).toEqual([]);
    expect(kinds(deleted())).toEqual([]);
  });

  test('a server refuses to read it, and tells nothing else of it', () => {
    rmSync(store.path('memories', verified));
    const { tiers } = report(deleted());
    expect(compareServed(tiers, new Map([[verified, 'refused']]), new Set([verified]))).toEqual([]);
    expect(compareServed(tiers, new Map([[verified, 'refused']]))).toMatchObject([{ kind: 'lost' }]);
    expect(compareServed(tiers, new Map([[verified, 'verified']]), new Set([verified]))).toMatchObject([
      { kind: 'lost' },
    ]);
  });
});

describe('a text of a machine that nobody trusts', () => {
  const other = () => store.text('memories', verified).replace('two cores', 'six cores');

  test('may be parked beside the memory whose id it has', () => {
    store.write('quarantine', verified, other());
    expect(kinds()).toContain('duplicated');
    expect(kinds({ strangers: new Set([verified]) })).toEqual([]);
  });

  test('may not have the place of a verified one unless somebody is told', () => {
    store.write('quarantine', `${verified}~2`, store.text('memories', verified));
    expect(report({ strangers: new Set([verified]) }).displaced).toEqual([]);
    store.write('memories', verified, other());
    const found = report({ strangers: new Set([verified]) });
    expect(found.displaced).toEqual([`quarantine/${verified}~2.md`]);
    expect(untold(found, new Set(found.displaced))).toEqual([]);
    expect(untold(found, new Set())).toMatchObject([{ kind: 'lost' }]);
  });
});

describe('torn', () => {
  test('a file cut in the middle of its frontmatter', () => {
    truncateSync(store.path('memories', proposed), 20);
    expect(kinds()).toEqual(['torn']);
  });

  test('an empty file', () => {
    truncateSync(store.path('memories', proposed), 0);
    expect(kinds()).toEqual(['torn']);
  });

  test('one character of a ledger line', () => {
    store.writeLedger(store.ledgerLines().map((line, at) => (at === 1 ? line.replace('user_', 'uset_') : line)));
    expect(kinds()).toContain('torn');
  });

  test('a ledger line left out', () => {
    store.writeLedger(store.ledgerLines().filter((_, at) => at !== 1));
    expect(kinds()).toContain('torn');
  });

  test('two ledger lines changed places', () => {
    const [first = '', second = '', ...rest] = store.ledgerLines();
    store.writeLedger([second, first, ...rest]);
    expect(kinds()).toContain('torn');
  });

  test('a ledger that lost its end since the last look', () => {
    const { lines } = report();
    store.writeLedger(store.ledgerLines().slice(0, -1));
    expect(
      report({}, lines)
        .damages.map(({ what }) => what)
        .join(),
    ).toContain('does not continue');
  });

  test('a ledger that is gone', () => {
    const { lines } = report();
    rmSync(store.ledgerPath);
    expect(kinds({}, lines)).toContain('torn');
  });

  test('but not a last line that was never finished', () => {
    const lines = store.ledgerLines();
    store.writeLedger(lines);
    truncateSync(store.ledgerPath, Buffer.byteLength(lines.join('\n')) - 40);
    expect(report().leftovers).toBe(1);
    expect(report().damages.filter(({ kind }) => kind === 'torn')).toEqual([]);
  });
});

describe('a ledger in several files', () => {
  const file = (first: number) =>
    join(store.places.ledger, nameOfSegment({ fingerprint: store.vault.self.fingerprint, first }));

  test('is read as one, also where a join was cut short', () => {
    const lines = store.ledgerLines();
    const { tiers, lines: hashes } = report();
    store.layOutLedger([2, 4]);
    expect(report()).toMatchObject({ damages: [], tiers, lines: hashes });
    writeFileSync(
      file(0),
      lines
        .slice(0, 4)
        .map((line) => `${line}\n`)
        .join(''),
    );
    expect(report()).toMatchObject({ damages: [], tiers, lines: hashes });
  });

  test('is torn where one is missing, or says something else than another', () => {
    const lines = store.ledgerLines();
    store.layOutLedger([2, 4]);
    writeFileSync(file(3), `${lines[3]?.replace('"from"', '"from "')}\n`);
    expect(kinds()).toContain('torn');
    rmSync(file(3));
    rmSync(file(2));
    expect(kinds()).toContain('torn');
  });
});

describe('duplicated', () => {
  test('one text under two ids', () => {
    store.write('memories', 'user_again', store.text('memories', proposed));
    expect(kinds()).toEqual(['duplicated']);
  });

  test('one id in both folders', () => {
    store.write('quarantine', proposed, store.text('memories', proposed));
    expect(kinds()).toContain('duplicated');
  });

  test('but not what git put back beside it, which is told apart', () => {
    store.write('quarantine', verified, store.text('memories', verified));
    store.write('quarantine', `${verified}~2`, store.text('memories', verified));
    expect(kinds()).toEqual(['duplicated']);
    expect(kinds({ doubledByGit: new Set([proposed]) })).toEqual(['duplicated']);
    const { damages, doubledByGit } = report({ doubledByGit: new Set([verified]) });
    expect(damages).toEqual([]);
    expect(doubledByGit.toSorted()).toEqual([`quarantine/${verified}.md`, `quarantine/${verified}~2.md`]);
  });

  test('one id for two texts', () => {
    expect(kinds({ givenTwice: [proposed] })).toEqual(['duplicated']);
  });
});

describe('above the evidence', () => {
  test('a memory that is verified although nobody was told so', () => {
    expect(kinds({ may: new Map([[verified, new Set(['inferred'] as const)]]) })).toEqual(['above']);
  });

  test('a receipt without a yes', () => {
    expect(kinds({ yeses: new Map() })).toEqual(['above']);
  });

  test('a promotion before the observation was over', async () => {
    const eager = await TestStore.open();
    const id = await eager.propose('marka9x09');
    eager.pass(8);
    await eager.decide('promote', id);
    const lines = eager.entries();
    expect(lines.map(({ action }) => action)).toEqual(['propose', 'promote']);
    // The checker looks at times alone here, so the chain may break: what counts is that the haste is told.
    const [early = '', late = ''] = lines.map(({ at }) => at);
    eager.writeLedger(eager.ledgerLines().map((line) => line.replaceAll(early, late)));
    const { damages } = check(opened(eager), {
      ...told(),
      acknowledged: new Map(),
      may: new Map(),
      yeses: new Map([[`promote ${id}`, 1]]),
    });
    expect(damages.map(({ what }) => what).join()).toContain('promoted after 0 days');
  });

  test('an entry signed more than 400 days after the one before it, unless a person confirmed the date', () => {
    const lines = store.ledgerLines();
    const { clock } = JSON.parse(lines.at(-1) ?? '');
    const later = new Date(Date.parse(clock) + 402 * DAY).toISOString().replace('.000Z', 'Z');
    // The checker looks at clocks alone here, so the chain may break.
    const leap = (line: string) => line.replace(`"clock":"${clock}"`, `"clock":"${later}"`);
    const said = () => report().damages.map(({ what }) => what);
    store.writeLedger([...lines.slice(0, -1), leap(lines.at(-1) ?? '')]);
    expect(said().join()).toContain('nobody confirmed the date');
    const dated = leap(lines.at(-1) ?? '').replace(/"action":"[a-z]+"/, '"action":"dated"');
    store.writeLedger([...lines.slice(0, -1), dated]);
    expect(said().join()).not.toContain('nobody confirmed the date');
  });

  test('a server that tells more than files and ledgers are worth', () => {
    expect(compareServed(report().tiers, new Map([[proposed, 'verified']]))).toMatchObject([{ kind: 'above' }]);
  });
});

describe('what was set aside while the ledger could not take it', () => {
  const aside = (tag: string) => join(store.places.state, 'ledgers', `${store.vault.self.fingerprint}.${tag}.jsonl`);
  const demoted = () => ({
    may: new Map<string, ReadonlySet<Tier>>([[verified, new Set(['quarantined'] as const)]]),
  });

  /** Demoted while git had cut the ledger; then the ledger is put back, and the file carried out and marked verified. */
  beforeEach(async () => {
    const whole = store.ledgerLines();
    store.writeLedger(whole.slice(0, -2));
    await store.decide('demote', verified);
    store.writeLedger(whole);
    renameSync(store.path('quarantine', verified), store.path('memories', verified));
    store.edit(verified, (text) => text.replace('trust-level: quarantined', 'trust-level: verified'));
  });

  test('quarantines before any ledger has recorded it, whatever the file says', () => {
    expect(readdirSync(join(store.places.state, 'ledgers'))).toContain(basename(aside('lowered')));
    expect(report(demoted()).tiers.get(verified)).toBe('quarantined');
    expect(kinds(demoted())).toEqual([]);
    expect(compareServed(report().tiers, new Map([[verified, 'verified']]))).toMatchObject([{ kind: 'leaked' }]);
  });

  test('quarantines also under the name that a demote gives it which could not wait for the lock', async () => {
    await store.reconcile();
    await store.decide('restore', verified);
    const holder = new Child({ do: 'hold', folder: store.places.guard, milliseconds: 120_000 });
    onTestFinished(() => holder.kill());
    await holder.word(0);
    await store.decide('demote', verified);
    renameSync(store.path('quarantine', verified), store.path('memories', verified));
    expect(readdirSync(join(store.places.state, 'ledgers')).join()).toContain('.lowered-');
    expect(report(demoted()).tiers.get(verified)).toBe('quarantined');
  });

  test('and once it is gone, the memory stands above what was decided', () => {
    rmSync(aside('lowered'));
    expect(report(demoted()).tiers.get(verified)).toBe('verified');
    expect(kinds(demoted())).toEqual(['above']);
  });

  test('counts on under the name it has once it is recorded', async () => {
    await store.reopen();
    await store.reconcile();
    const [recorded = ''] = readdirSync(join(store.places.state, 'ledgers')).filter((name) => /recorded/.test(name));
    expect(recorded).not.toBe('');
    expect(kinds(demoted())).toEqual([]);
    renameSync(store.path('quarantine', verified), store.path('memories', verified));
    store.writeLedger(store.ledgerLines().slice(0, -1));
    expect(report(demoted()).tiers.get(verified)).toBe('quarantined');
  });

  test('is superseded by a restore that came after it', async () => {
    await store.reopen();
    await store.reconcile();
    await store.decide('restore', verified);
    expect(report().tiers.get(verified)).toBe('verified');
    expect(kinds(demoted())).toContain('above');
  });

  test('raises nothing, though it be a whole ledger', () => {
    rmSync(aside('lowered'));
    renameSync(store.ledgerPath, aside('was-0123456789ab'));
    expect(report().tiers.get(verified)).toBe('inferred');
    expect(report().tiers.get(quarantined)).toBe('quarantined');
  });

  test('is torn when one character of it is', () => {
    writeFileSync(aside('lowered'), readFileSync(aside('lowered'), 'utf8').replace('"demote"', '"demoted"'));
    expect(kinds(demoted())).toContain('torn');
  });
});

test('a ledger that ends before its kept copy raises nothing, and lowers what the copy lowers', () => {
  store.writeLedger(store.ledgerLines().slice(0, -1));
  renameSync(store.path('quarantine', quarantined), store.path('memories', quarantined));
  expect(report().tiers.get(verified)).toBe('inferred');
  expect(report().tiers.get(quarantined)).toBe('quarantined');
});

describe('below it', () => {
  test('an acknowledged promotion whose file was put back as it was', () => {
    store.edit(verified, (text) => text.replace('trust-level: verified', 'trust-level: inferred'));
    expect(kinds()).toEqual(['below']);
  });

  test('a server that tells less', () => {
    expect(compareServed(report().tiers, new Map([[verified, 'inferred']]))).toMatchObject([{ kind: 'below' }]);
  });
});

describe('quarantine', () => {
  test('holds for a file carried back and marked as verified', () => {
    renameSync(store.path('quarantine', quarantined), store.path('memories', quarantined));
    store.edit(quarantined, (text) => text.replace('trust-level: quarantined', 'trust-level: verified'));
    expect(report().tiers.get(quarantined)).toBe('quarantined');
    expect(kinds()).toEqual([]);
  });

  test('leaks when a server serves it', () => {
    const served = new Map([
      [quarantined, 'inferred'],
      [proposed, 'inferred'],
    ]);
    expect(compareServed(report().tiers, served)).toMatchObject([{ kind: 'leaked' }]);
  });
});

describe('a no', () => {
  const no = { channel: 'page', level: 3, client: null } as const;

  test('that a person gave is on record', async () => {
    await store.vault.decline(store.load(proposed), no);
    expect(kinds({ noes: new Map([[proposed, 1]]), refused: new Set([proposed]) })).toEqual([]);
  });

  test('that was acknowledged and is not on record is lost', () => {
    expect(kinds({ noes: new Map([[proposed, 1]]), refused: new Set([proposed]) })).toEqual(['lost']);
  });

  test('that nobody gave is noticed', async () => {
    await store.vault.decline(store.load(proposed), no);
    expect(kinds()).toEqual(['below']);
  });
});

describe('a rewording', () => {
  test('is sound where a person said yes to the words', async () => {
    await reword(store.vault, proposed, 'marka1x0a, reworded');
    const words = new Map([[proposed, [newMemory('marka1x0a, reworded')]]]);
    const may = new Map(told().may).set(proposed, new Set(['verified'] as const));
    const yeses = new Map([...told().yeses, [`adopt ${proposed}`, 1]]);
    expect(report({ reworded: words, may, yeses }).damages).toEqual([]);
    expect(report({ reworded: words, may, yeses }).tiers.get(proposed)).toBe('verified');
  });

  test('without a yes is above the evidence, and its words are not what was acknowledged', async () => {
    await reword(store.vault, proposed, 'marka1x0a, reworded');
    expect(kinds()).toEqual(['above', 'lost']);
  });

  test('whose file has the words before is inferred', async () => {
    const before = store.text('memories', proposed);
    await reword(store.vault, proposed, 'marka1x0a, reworded');
    store.write('memories', proposed, before);
    const yeses = new Map([...told().yeses, [`adopt ${proposed}`, 1]]);
    expect(kinds({ yeses })).toEqual([]);
  });
});
