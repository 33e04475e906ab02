// npm run bench:search [-- --conversations FILE] [--sizes 1000,10000,100000] [--json]
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Latency, latencyAt } from './latency.ts';
import { type ByCategory, measure, type Quality, readConversations, seed, surety } from './quality.ts';

const { values } = parseArgs({
  options: {
    conversations: { type: 'string', default: join(import.meta.dirname, '../../shared/data/conversations.json') },
    sizes: { type: 'string', default: '1000,10000,100000' },
    json: { type: 'boolean', default: false },
  },
});
const say = (line: string) => process.stdout.write(`${line}\n`);

const quality = retrieval(values.conversations);
const latencies: Latency[] = [];
for (const size of values.sizes.split(',').map(Number)) {
  if (!(size > 0)) continue;
  latencies.push(await latencyAt(size));
  tell(latencies.at(-1));
}
bars();
if (values.json) {
  const latency = Object.fromEntries(latencies.map(({ memories, ...rest }) => [memories, rest]));
  say(JSON.stringify({ ...figures(quality?.ours), seed: figures(quality?.theirs), latency }));
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
    say(
      `  ${(category === 'all' ? 'all' : `category ${category}`).padEnd(22)}${String(one.questions).padStart(8)} ${row(one)}     ${row(other)}`,
    );
  }
  return { ours, theirs };
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
  const { memories, rebuildMs, unchangedMs, core, coreCommon, empty, trip, tripCommon, residentMb, bareMb } = latency;
  const ms = (value: number) => value.toFixed(2);
  const both = ({ p50, p95 }: Latency['core']) => `p50 ${ms(p50)} p95 ${ms(p95)} ms`;
  say(`${memories} memories: rebuilt in ${ms(rebuildMs / 1000)} s, unchanged looked over in ${ms(unchangedMs)} ms`);
  say(`  query alone        ${both(core)}; all words common ${both(coreCommon)}`);
  say(`  empty tool         ${both(empty)}`);
  say(
    `  search_memories    ${both(trip)} (${ms(trip.p95 / empty.p95)} × empty at p95, ${ms(trip.p50 / empty.p50)} × at p50)`,
  );
  say(`  all words common   ${both(tripCommon)} (${ms(tripCommon.p95 / empty.p95)} × empty at p95)`);
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
  bar('round trip at 10,000 beside an empty tool, p95', middle && middle.trip.p95 / middle.empty.p95, 3);
  bar('round trip at 100,000 beside an empty tool, p95', large && large.trip.p95 / large.empty.p95, 8);
  bar('round trip at 100,000 beside 1,000, p95', large && small && large.trip.p95 / small.trip.p95, 5);
  bar('all words common at 100,000 beside an empty tool, p95', large && large.tripCommon.p95 / large.empty.p95, 50);
  bar('resident memory at 100,000 beside a bare server', large && large.residentMb / large.bareMb, 2);
}
