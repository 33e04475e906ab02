// npm run bench:anchors [-- --json]: how well memories about this repository are recognized that no longer hold, and what a look costs.
// anchors.jsonl names a commit, and sentences about an older one: the anchors that an agent would have given, and whether the
// sentence holds at that commit, labelled by hand. The commit is checked out into a temporary folder, so any clone gives these figures.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isLost } from '../src/core/memory/anchors.ts';
import { mentionsIn } from '../src/core/memory/mentions.ts';
import { Checkout } from '../src/store/checkout/checkout.ts';
import { isLostMention } from '../src/store/checkout/look-at-mention.ts';

interface Labelled {
  readonly commit: string;
  readonly text: string;
  readonly anchors?: readonly (readonly [string, string?])[];
  readonly holds: boolean;
}

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
const print = (line: string) => process.stdout.write(`${line}\n`);
const root = join(import.meta.dirname, '..');
const [first = '', ...lines] = readFileSync(join(import.meta.dirname, 'anchors.jsonl'), 'utf8')
  .trim()
  .split('\n');
const { at } = JSON.parse(first) as { at: string };
const sentences = lines.map((line) => JSON.parse(line) as Labelled);

const folder = mkdtempSync(join(tmpdir(), 'surety-anchors-'));
try {
  const git = (...args: string[]) => execFileSync('git', ['-C', root, ...args], { stdio: 'pipe' });
  git('clone', '--quiet', '--no-checkout', '--shared', root, folder);
  execFileSync('git', ['-C', folder, 'checkout', '--quiet', '--detach', at], { stdio: 'pipe' });
  const checkout = Checkout.at(folder);
  if (checkout === undefined) throw new Error('the checkout cannot be looked at');
  const isLostNow = ({ text, anchors = [] }: Labelled, until: number) =>
    anchors.some(([path, inIt]) => isLost(checkout.look({ path, text: inIt }, until))) ||
    mentionsIn(text).some((mention) => isLostMention(checkout, mention, until));

  // What a session pays: the first look reads the index, later ones only stamps.
  const anchored = sentences.flatMap(({ anchors = [] }) => anchors);
  const costOf = <T>(work: () => T) => {
    const [begin, cpu] = [performance.now(), process.cpuUsage()];
    const value = work();
    const { user, system } = process.cpuUsage(cpu);
    return { value, ms: performance.now() - begin, cpuMs: (user + system) / 1_000 };
  };
  const timed = (from: Checkout, some: typeof anchored, ms: number) => {
    const until = performance.now() + ms;
    const { value, ...cost } = costOf(() => some.map(([path, text]) => from.look({ path, text }, until).state));
    return { ...cost, unseen: value.filter((state) => state === 'unseen').length };
  };
  const start = timed(Checkout.at(folder) ?? checkout, anchored.slice(0, 20), 30);
  // A session's first search: a server reads what is tracked after its first answer, when nobody waits.
  const ready = Checkout.at(folder) ?? checkout;
  const ahead = costOf(() => ready.readAhead());
  const first = timed(ready, anchored.slice(0, 5), 2);
  const searches = Array.from({ length: 200 }, (_, n) => timed(checkout, anchored.slice(n % 40, (n % 40) + 5), 2));
  const sorted = (cost: 'ms' | 'cpuMs') => searches.map((each) => each[cost]).sort((a, b) => a - b);
  const part = (cost: 'ms' | 'cpuMs', share: number) => sorted(cost)[Math.floor(searches.length * share)] ?? 0;

  const judged = sentences.map((each) => ({ ...each, lost: isLostNow(each, performance.now() + 10_000) }));
  const lost = judged.filter((each) => each.lost);
  const right = lost.filter(({ holds }) => !holds);
  const all = judged.filter(({ holds }) => !holds);
  if (!values.json) {
    for (const each of judged) {
      if (each.lost === each.holds) print(`${each.lost ? 'false alarm' : 'missed'}: ${each.text}`);
    }
    const cost = ({ ms, cpuMs }: { ms: number; cpuMs: number }) =>
      `${ms.toFixed(1)} ms, ${cpuMs.toFixed(1)} ms of processor time`;
    print(`session start, 20 anchors: ${cost(start)}, ${start.unseen} not looked at`);
    print(`read ahead: ${cost(ahead)}; the first search after it: ${cost(first)}, ${first.unseen} not looked at`);
    const inWords = (of: 'ms' | 'cpuMs') => `p50 ${part(of, 0.5).toFixed(2)} ms, p95 ${part(of, 0.95).toFixed(2)} ms`;
    print(`search, 5 anchors: ${inWords('ms')}; processor time ${inWords('cpuMs')}`);
  }
  const share = (part: number, whole: number) => (whole === 0 ? 0 : Math.round((part / whole) * 1_000) / 1_000);
  print(
    JSON.stringify({
      precision: share(right.length, lost.length),
      recall: share(right.length, all.length),
      sentences: sentences.length,
      startMs: Math.round(start.ms * 10) / 10,
      searchMs: Math.round(part('ms', 0.95) * 100) / 100,
      searchCpuMs: Math.round(part('cpuMs', 0.95) * 100) / 100,
      firstUnseen: first.unseen,
    }),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
