// npm run bench:alike [-- --sizes 1000,100000] [--edited 200]: how many lightly edited memories are recognized, and what asking takes
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { queryWords } from '../src/core/search/query.ts';
import { likeness, NEAR_DUPLICATE } from '../src/core/search/rank.ts';
import { type Fields, termVectorOf } from '../src/core/search/term-vector.ts';
import { Disk } from '../src/store/disk/disk.ts';
import type { IndexRow } from '../src/store/index/rows.ts';
import { SearchIndex } from '../src/store/index/search-index.ts';
import { seeded } from '../testkit/seeded.ts';
import { samples, wordAt } from './corpus.ts';

type Chance = () => number;
type Words = readonly string[];

/** A memory as lists of words, which can be edited; `joined` is how they are written. */
interface Draft {
  readonly kind: string;
  readonly name: Words;
  readonly about: Words;
  readonly body: Words;
  readonly joined: string;
  readonly another: (chance: Chance) => string;
}

const USUAL = 140;
const HAN = 2_500;

const usual = (chance: Chance) => wordAt(Math.floor(chance() * USUAL));
const anyWord = (chance: Chance) => wordAt(Math.floor(60_000 ** chance()) - 1);
/** A few characters make up most of a text, as words do elsewhere. */
const han = (chance: Chance) => String.fromCodePoint(0x4e00 + Math.floor(HAN ** chance()) - 1);
const some = (many: number, one: (chance: Chance) => string, chance: Chance) =>
  Array.from({ length: many }, () => one(chance));

/** Four kinds in turn: long texts, one sentence, only usual words, a script without spaces. */
function* drafts(memories: number): Generator<Draft> {
  const chance = seeded(11);
  let at = 0;
  for (const { name, description, body } of samples(memories)) {
    const spaced = { name: name.split(' '), about: description.split(' '), joined: ' ', another: anyWord };
    const words = body.split(/\s+/);
    switch (at++ % 4) {
      case 0:
        yield { ...spaced, kind: 'long', body: words };
        break;
      case 1:
        yield { ...spaced, kind: 'one sentence', body: words.slice(0, 12) };
        break;
      case 2: {
        const [short, about] = [some(2, usual, chance), some(4, usual, chance)];
        const text = some(10 + Math.floor(chance() * 20), usual, chance);
        yield { kind: 'usual words', name: short, about, body: text, joined: ' ', another: usual };
        break;
      }
      default: {
        const [short, about] = [some(6, han, chance), some(12, han, chance)];
        const text = some(30 + Math.floor(chance() * 60), han, chance);
        yield { kind: 'without spaces', name: short, about, body: text, joined: '', another: han };
      }
    }
  }
}

const EDITS: Readonly<Record<string, (words: string[], at: number, other: string) => void>> = {
  changed: (words, at, other) => words.splice(at, 1, other),
  dropped: (words, at) => words.splice(at, 1),
  swapped: (words, at) => words.splice(at, 2, ...words.slice(at, at + 2).reverse()),
};

/** One to three words of the body changed, dropped or swapped; every second one under another name. */
function edited({ name, about, body, joined, another, kind }: Draft, n: number, chance: Chance): Draft {
  const words = [...body];
  const edit = Object.values(EDITS)[n % 3];
  for (let times = 0; times <= Math.floor(n / 3) % 3; times++)
    edit?.(words, Math.floor(chance() * words.length), another(chance));
  const title = n % 2 === 0 ? name : some(name.length, another, chance);
  return { kind, name: title, about, body: words, joined, another };
}

function fieldsOf({ name, about, body, joined }: Draft): Fields {
  return { name: name.join(joined), about: about.join(joined), body: body.join(joined) };
}

function rowOf(text: Fields, at: number): IndexRow {
  const stamp = { inode: 0n, size: 0, modified: 0n };
  const facts = {
    claim: null,
    digest: null,
    saying: null,
    rules: '',
    blocked: null,
    held: null,
    anchored: 0 as const,
    seal: null,
    reading: null,
  };
  const stem = `user_m${at}`;
  return { place: 'memories', stem, stamp, id: stem, ...facts, text: { type: 'user', project: null, ...text } };
}

const PORTION = 1_000;
/** As many are named. */
const NAMED = 3;

function measure(memories: number, many: number): void {
  const folder = mkdtempSync(join(tmpdir(), 'surety-bench-'));
  const index = new SearchIndex(folder, '', new Disk());
  try {
    const step = Math.max(1, Math.floor(memories / (many * 4)));
    const stored: (readonly [number, Draft])[] = [];
    let rows: IndexRow[] = [];
    let at = 0;
    for (const draft of drafts(memories)) {
      rows.push(rowOf(fieldsOf(draft), at++));
      if (Math.floor(at / 4) % step === 0) stored.push([at, draft]);
      if (rows.length < PORTION) continue;
      index.put(rows);
      rows = [];
    }
    index.put(rows);
    const chance = seeded(5);
    const found = new Map<string, { asked: number; named: number; ms: number }>();
    for (const [n, [rowid, draft]] of stored.entries()) {
      const fields = fieldsOf(edited(draft, n >> 2, chance));
      if (likeness(termVectorOf(fields).vector, termVectorOf(fieldsOf(draft)).vector) < NEAR_DUPLICATE) continue;
      const began = performance.now();
      const alike = index.nearDuplicates(fields, queryWords(fields.name), NEAR_DUPLICATE);
      const ms = performance.now() - began;
      const sum = found.get(draft.kind) ?? { asked: 0, named: 0, ms: 0 };
      sum.asked += 1;
      sum.ms += ms;
      if (alike.slice(0, NAMED).some((each) => each.rowid === rowid)) sum.named += 1;
      found.set(draft.kind, sum);
    }
    for (const [kind, { asked, named, ms }] of found) {
      const figures = [String(memories).padStart(7), kind.padEnd(15), `${named} of ${asked} named`.padEnd(20)];
      process.stdout.write(`${figures.join('  ')}  ${(ms / asked).toFixed(2)} ms each\n`);
    }
  } finally {
    index.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,10000,100000' },
    edited: { type: 'string', default: '200' },
  },
});
for (const size of values.sizes.split(',')) measure(Number(size), Number(values.edited));
