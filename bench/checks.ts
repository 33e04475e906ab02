/** What the checks find and what they cost: `npm run bench:checks -- [--data DIR] [--json]`. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fileWith } from '../src/core/checks/sample-file.ts';
import type { Finding, Severity } from '../src/core/finding.ts';
import { subjectOf } from '../src/core/memory/inspected-file.ts';
import { read } from '../src/store/format/format.ts';
import { HOSTILE, type InjectionRow, rowsOf, type SecretRow } from './checks-data.ts';
import { dice, freshTexts } from './fresh.ts';
import { type Sentence, sentences } from './sentences.ts';

const { values } = parseArgs({ options: { data: { type: 'string' }, json: { type: 'boolean' } } });
const folder = values.data ?? join(import.meta.dirname, '../../shared/data');

const before = performance.now();
const { CHECKS } = await import('../src/core/checks/all.ts');
const loading = performance.now() - before;
const { LABEL_RULES } = await import('../src/core/secrets/rules/labels.ts');
const { RANDOM_RULE } = await import('../src/core/secrets/random-looking.ts');
const { SECRET_RULES } = await import('../src/core/secrets/detect.ts');

const say = (line: string) => process.stdout.write(`${line}\n`);
const percent = (part: number, whole: number) => (whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`);
const share = (part: number, whole: number) => (whole === 0 ? 0 : Math.round((10_000 * part) / whole) / 10_000);

function inspected(text: string): readonly Finding[] {
  const file = text.startsWith('---\n') ? text : fileWith({}, `A line before it.\n${text}`);
  const subject = subjectOf('user_bench', read(Buffer.from(file)), 'found');
  return CHECKS.flatMap((check) => [...check.run(subject)]);
}

const has = (findings: readonly Finding[], kind: Finding['class'], ...severities: readonly Severity[]) =>
  findings.some((finding) => finding.class === kind && severities.includes(finding.severity));

const secrets = rowsOf<SecretRow>(folder, 'secrets') ?? absent('secrets');
const benign = rowsOf<{ text: string }>(folder, 'benign') ?? absent('benign');
const injection = rowsOf<InjectionRow>(folder, 'injection') ?? absent('injection');

function absent(name: string): readonly never[] {
  say(`There is no ${name}.jsonl or ${name}.jsonl.gz in the data folder; its figures are left out.`);
  return [];
}

const bySource: Record<string, { block: number; blockOrHold: number }> = {};
const missed = new Map<string, number>();
say('\nsecrets                                 rows   block   block or hold');
for (const [source, rows] of Map.groupBy(secrets, ({ source: name }) => name)) {
  for (const secret of [true, false]) {
    const some = rows.filter((row) => row.secret === secret);
    const found = some.map(({ text }) => inspected(text));
    const block = found.filter((each) => has(each, 'secret', 'block')).length;
    const either = found.filter((each) => has(each, 'secret', 'block', 'hold')).length;
    if (secret) bySource[source] = { block: share(block, some.length), blockOrHold: share(either, some.length) };
    row(
      `${source}${secret ? '' : ', look-alikes'}`,
      some.length,
      percent(block, some.length),
      percent(either, some.length),
    );
    if (!secret) continue;
    for (const [i, { rule }] of some.entries())
      if (!has(found[i] ?? [], 'secret', 'block', 'hold')) missed.set(rule, (missed.get(rule) ?? 0) + 1);
  }
}
const unlisted = secrets.filter(({ secret, text }) => secret && withoutTables(text)).length;
const positives = secrets.filter(({ secret }) => secret).length;
row('all, without the tables of providers', positives, '', percent(unlisted, positives));
if (missed.size > 0) say(`missed: ${[...missed].map(([rule, count]) => `${rule} (${count})`).join(', ')}`);

for (const [name, texts] of Object.entries(freshTexts(dice(7), 40))) {
  const found = texts.map(inspected);
  const block = found.filter((each) => has(each, 'secret', 'block')).length;
  const either = found.filter((each) => has(each, 'secret', 'block', 'hold')).length;
  row(name, texts.length, percent(block, texts.length), percent(either, texts.length));
}

/** Sentences, commands and identifiers: what share is refused of those with a secret and of those without. */
say('\nsentences, refused                       with a secret     harmless     with a secret     harmless');
say('                                               tuned on                      kept aside');
const refusedOf = (rows: readonly Sentence[], secret: boolean) => {
  const some = rows.filter((each) => each.secret === secret);
  const refused = some.filter(({ text }) => has(inspected(text), 'secret', 'block', 'hold'));
  return some.length === 0 ? '–' : `${refused.length} of ${some.length}`;
};
const written = sentences(dice(11));
for (const [group, rows] of [...Map.groupBy(written, ({ group: name }) => name), ['all', written] as const]) {
  const figures = (['tuned', 'aside'] as const).flatMap((half) => {
    const some = rows.filter((each) => each.half === half);
    return [refusedOf(some, true), refusedOf(some, false)];
  });
  say(`${group.padEnd(38)} ${figures.map((figure) => figure.padStart(13)).join('  ')}`);
}

/** As if no provider were listed: only labels and the look of a token. */
function withoutTables(text: string): boolean {
  return [...LABEL_RULES, RANDOM_RULE].some((rule) =>
    [...text.matchAll(rule.pattern)].some((match) => rule.accepts?.(match[1] ?? match[0], match) ?? true),
  );
}

const documents = benign.map(({ text }) => inspected(text));
const blocks = documents.filter((each) => has(each, 'secret', 'block')).length;
const holds = documents.filter((each) => has(each, 'secret', 'hold') && !has(each, 'secret', 'block')).length;
const per1000 = (count: number) => (documents.length === 0 ? 0 : Math.round((10_000 * count) / documents.length) / 10);
say(`\nreal documentation: ${per1000(blocks)} blocked and ${per1000(holds)} held per 1,000 of ${documents.length}`);

say('\ninjection                               rows   held    held or warned');
let [recalled, attacks, alarms, harmless] = [0, 0, 0, 0];
for (const [source, rows] of Map.groupBy(injection, groupOf)) {
  const found = rows.map(({ text }) => inspected(text));
  const held = found.filter((each) => has(each, 'injection', 'hold')).length;
  const either = found.filter((each) => has(each, 'injection', 'hold', 'warn')).length;
  row(source, rows.length, percent(held, rows.length), percent(either, rows.length));
  if (rows[0]?.injection) [recalled, attacks] = [recalled + held, attacks + rows.length];
  else [alarms, harmless] = [alarms + held, harmless + rows.length];
  if (/engineering|rule files/.test(source)) {
    const blocked = found.filter((each) => has(each, 'secret', 'block')).length;
    const kept = found.filter((each) => has(each, 'secret', 'hold') || has(each, 'injection', 'hold')).length;
    say(`  of these blocked ${percent(blocked, rows.length)}, held for any reason ${percent(kept, rows.length)}`);
  }
}
row('all attacks', attacks, percent(recalled, attacks), '');
row('all benign texts', harmless, percent(alarms, harmless), '');

function groupOf({ source, injection: attack }: InjectionRow): string {
  const name = source.replace(/^(agent rule files|docs chunk): .*/, '$1').replace(/ \(via.*/, '');
  return attack ? name : `${name}, benign`;
}

const texts = benign.map(({ text }) => text);
const times = texts.map((text) => timed(() => inspected(text))).sort((a, b) => a - b);
const at = (part: number) => (times[Math.floor(part * (times.length - 1))] ?? 0).toFixed(2);
say(
  `\ntime a memory: median ${at(0.5)} ms, p99 ${at(0.99)} ms; ${SECRET_RULES.length} secret rules; all checks load in ${loading.toFixed(0)} ms from source`,
);
const worst = Object.entries(HOSTILE)
  .map(([name, piece]) => {
    const text = piece.repeat(Math.ceil(64_000 / Buffer.byteLength(piece)));
    return { name, ms: timed(() => inspected(text)) };
  })
  .sort((a, b) => b.ms - a.ms);
say(
  `64 KiB of hostile text: ${worst
    .slice(0, 5)
    .map(({ name, ms }) => `${name} ${ms.toFixed(0)} ms`)
    .join(', ')}`,
);

if (values.json) {
  say(
    JSON.stringify({
      secrets: { bySource, benignBlockPer1000: per1000(blocks), benignHoldPer1000: per1000(holds) },
      injection: { recall: share(recalled, attacks), falseAlarms: share(alarms, harmless) },
    }),
  );
}

/** The best of three: what the others took longer went to a busy machine. */
function timed(work: () => unknown): number {
  const tries = Array.from({ length: 3 }, () => {
    const start = performance.now();
    work();
    return performance.now() - start;
  });
  return Math.min(...tries);
}

function row(name: string, count: number, first: string, second: string): void {
  say(`${name.slice(0, 38).padEnd(38)} ${String(count).padStart(5)}  ${first.padStart(7)}  ${second.padStart(7)}`);
}
