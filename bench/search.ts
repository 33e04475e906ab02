// npm run bench:search [-- --conversations FILE] [--engineering FILE] [--sizes 1000,10000,100000] [--json]
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Latency, latencyAt } from './latency.ts';
import {
  type ByCategory,
  CELLS,
  type Cells,
  cellsOf,
  measure,
  type Quality,
  readConversations,
  seed,
  surety,
} from './quality.ts';

const { values } = parseArgs({
  options: {
    conversations: { type: 'string', default: join(import.meta.dirname, '../../shared/data/conversations.json') },
    engineering: { type: 'string', default: join(import.meta.dirname, '../../shared/data/engineering.json') },
    sizes: { type: 'string', default: '1000,10000,100000' },
    json: { type: 'boolean', default: false },
  },
});
const say = (line: string) => process.stdout.write(`${line}\n`);

const AT_LEAST = { plain: 0.56, also: 0.93, askedAs: 0.83, both: 0.97 };
const quality = retrieval(values.conversations);
const engineering = cells(values.engineering);
const latencies: Latency[] = [];
for (const size of values.sizes.split(',').map(Number)) {
  if (!(size > 0)) continue;
  latencies.push(await latencyAt(size));
  tell(latencies.at(-1));
}
bars();
if (values.json) {
  const latency = Object.fromEntries(latencies.map(({ memories, ...rest }) => [memories, rest]));
  say(
    JSON.stringify({
      ...figures(quality?.ours),
      seed: figures(quality?.theirs),
      engineering: engineering === undefined ? null : recalls(engineering, 'all'),
      latency,
    }),
  );
}

function retrieval(path: string): { ours: ByCategory; theirs: ByCategory } | undefined {
  if (!existsSync(path)) {
    say('retrieval: not measured, the conversations are not here; name a file with --conversations');
    return undefined;
  }
  const conversations = readConversations(path);
  const [ours, theirs] = [measure(conversations, surety), measure(conversations, seed)];
  say('retrieval              questions  recall@5 recall@10   MRR@10     the seed’s plain FTS5');
  for (const [category, one] of ours) {
    const other = theirs.get(category);
    say(`  ${nameOf(category).padEnd(22)}${String(one.questions).padStart(8)} ${row(one)}     ${row(other)}`);
  }
  return { ours, theirs };
}

/** Recall@5 without and with what an agent writes for finding. */
function cells(path: string): Cells | undefined {
  const measured = existsSync(path) ? cellsOf(readConversations(path)) : undefined;
  if (measured === undefined) {
    say('in other words: not measured, the notes are not here or have no wordings; name a file with --engineering');
    return undefined;
  }
  say(`in other words, recall@5 questions ${CELLS.map((cell) => cell.padStart(9)).join('')}`);
  for (const [category, { questions }] of measured.plain) {
    const values = Object.values(recalls(measured, category)).map((value) => value.toFixed(3).padStart(9));
    say(`  ${nameOf(category).padEnd(22)}${String(questions).padStart(8)}  ${values.join('')}`);
  }
  return measured;
}

function recalls(measured: Cells, category: string): Record<(typeof CELLS)[number], number> {
  const recall = (cell: (typeof CELLS)[number]) => measured[cell].get(category)?.['recall@5'] ?? 0;
  return { plain: recall('plain'), also: recall('also'), askedAs: recall('askedAs'), both: recall('both') };
}

function nameOf(category: string): string {
  return category === 'all' ? 'all' : `category ${category}`;
}

function row(quality: Quality | undefined): string {
  return Object.values(figures(new Map(quality ? [['all', quality]] : [])))
    .map((value) => (value ?? 0).toFixed(3).padStart(9))
    .join('');
}

function figures(by: ByCategory | undefined): Record<string, number | null> {
  const all = by?.get('all');
  return {
    'recall@5': all?.['recall@5'] ?? null,
    'recall@10': all?.['recall@10'] ?? null,
    'mrr@10': all?.['mrr@10'] ?? null,
  };
}

function tell(latency: Latency | undefined): void {
  if (latency === undefined) return;
  const {
    memories,
    rebuildMs,
    unchangedMs,
    core,
    coreCommon,
    empty,
    trip,
    tripCommon,
    tripWorded,
    hints,
    residentMb,
    bareMb,
  } = latency;
  const ms = (value: number) => value.toFixed(2);
  const both = ({ p50, p95 }: Latency['core']) => `p50 ${ms(p50)} p95 ${ms(p95)} ms`;
  say(`${memories} memories: rebuilt in ${ms(rebuildMs / 1000)} s, unchanged looked over in ${ms(unchangedMs)} ms`);
  say(`  query alone        ${both(core)}; all words common ${both(coreCommon)}`);
  say(`  empty tool         ${both(empty)}`);
  say(
    `  search_memories    ${both(trip)} (${ms(trip.p95 / empty.p95)} × empty at p95, ${ms(trip.p50 / empty.p50)} × at p50)`,
  );
  say(`  all words common   ${both(tripCommon)} (${ms(tripCommon.p95 / empty.p95)} × empty at p95)`);
  say(`  four wordings more ${both(tripWorded)} (${ms(tripWorded.p95 / trip.p95)} × one at p95)`);
  if (hints !== undefined) {
    const mb = (bytes: number) => (bytes / 1e6).toFixed(1);
    say(
      `  three hints each   first look ${ms(hints.rebuildMs / 1000)} s, without ${ms(hints.rebuildMsWithout / 1000)} s; index ${mb(hints.indexBytes)} MB, without ${mb(hints.indexBytesWithout)} MB`,
    );
  }
  say(
    `  resident           ${residentMb.toFixed(0)} MB, bare server ${bareMb.toFixed(0)} MB (${ms(residentMb / bareMb)} ×)`,
  );
}

function bars(): void {
  const at = (memories: number) => latencies.find((latency) => latency.memories === memories);
  const [small, middle, large] = [at(1_000), at(10_000), at(100_000)];
  const bar = (what: string, value: number | undefined, most: number) => {
    if (value !== undefined)
      say(`  ${value <= most ? 'met   ' : 'MISSED'} ${what}: ${value.toFixed(2)} × of at most ${most} ×`);
  };
  say('bars');
  const least = (what: string, value: number | null | undefined, at: number) => {
    if (typeof value === 'number')
      say(`  ${value >= at ? 'met   ' : 'MISSED'} ${what}: ${value.toFixed(3)} of at least ${at}`);
  };
  least('recall@10 on conversations', quality && figures(quality.ours)['recall@10'], 0.665);
  const inOtherWords = engineering && recalls(engineering, 'all');
  for (const cell of CELLS) least(`recall@5 on engineering notes, ${cell}`, inOtherWords?.[cell], AT_LEAST[cell]);
  bar('round trip at 10,000 beside an empty tool, p95', middle && middle.trip.p95 / middle.empty.p95, 3);
  bar('round trip at 100,000 beside an empty tool, p95', large && large.trip.p95 / large.empty.p95, 8);
  bar('round trip at 100,000 beside 1,000, p95', large && small && large.trip.p95 / small.trip.p95, 5);
  for (const { memories, trip, tripWorded } of latencies)
    bar(`four wordings more at ${memories}, p95`, tripWorded.p95 / trip.p95, 2.5);
  bar('all words common at 100,000 beside an empty tool, p95', large && large.tripCommon.p95 / large.empty.p95, 50);
  bar('resident memory at 100,000 beside a bare server', large && large.residentMb / large.bareMb, 2);
}
