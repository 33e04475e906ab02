// npm run bench:anchors [-- --json]: how well memories about this repository are recognized that no longer hold, and what a look costs.
// anchors.jsonl names a commit, and sentences about an older one: the anchors that an agent would have given, and whether the
// sentence holds at that commit, labelled by hand. The commit is checked out into a temporary folder, so any clone gives the same.
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
  const timed = (from: Checkout, some: typeof anchored, ms: number) => {
    const begin = performance.now();
    const states = some.map(([path, text]) => from.look({ path, text }, begin + ms).state);
    return { ms: performance.now() - begin, unseen: states.filter((state) => state === 'unseen').length };
  };
  const start = timed(Checkout.at(folder) ?? checkout, anchored.slice(0, 20), 30);
  const searches = Array.from({ length: 200 }, (_, n) => timed(checkout, anchored.slice(n % 40, (n % 40) + 5), 2));
  const slowest = searches.map(({ ms }) => ms).sort((a, b) => a - b);

  const judged = sentences.map((each) => ({ ...each, lost: isLostNow(each, performance.now() + 10_000) }));
  const lost = judged.filter((each) => each.lost);
  const right = lost.filter(({ holds }) => !holds);
  const all = judged.filter(({ holds }) => !holds);
  if (!values.json) {
    for (const each of judged) {
      if (each.lost === each.holds) print(`${each.lost ? 'false alarm' : 'missed'}: ${each.text}`);
    }
    print(`session start, 20 anchors: ${start.ms.toFixed(1)} ms, ${start.unseen} not looked at`);
    const part = (share: number) => (slowest[Math.floor(slowest.length * share)] ?? 0).toFixed(2);
    print(`search, 5 anchors: p50 ${part(0.5)} ms, p95 ${part(0.95)} ms`);
  }
  const share = (part: number, whole: number) => (whole === 0 ? 0 : Math.round((part / whole) * 1_000) / 1_000);
  print(
    JSON.stringify({
      precision: share(right.length, lost.length),
      recall: share(right.length, all.length),
      sentences: sentences.length,
      startMs: Math.round(start.ms * 10) / 10,
      searchMs: Math.round((slowest[Math.floor(slowest.length * 0.95)] ?? 0) * 100) / 100,
    }),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
