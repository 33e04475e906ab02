import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { FaultName } from './faults.ts';
import { FAULTS } from './faults.ts';
import { meddle } from './hand.ts';
import type { Lane } from './lane.ts';
import { Life, preloads } from './life.ts';
import { atTerminal, HAS_TERMINAL } from './terminal.ts';
import { liveAndDie, propose } from './work.ts';

const SERVERS = 3;

/** So many kills on one store while something else goes wrong too; then everything is looked at. */
export async function round(lane: Lane, fault: FaultName, kills: number): Promise<void> {
  lane.during = fault;
  let [left, working] = [kills, true];
  const server = async () => {
    while (left-- > 0) await liveAndDie(lane);
  };
  const stop = () => !working;
  const beside = Promise.all([FAULTS[fault](lane, stop), meddle(lane, stop), sitAtTerminal(lane, stop)]);
  await Promise.all(Array.from({ length: Math.min(SERVERS, kills) }, server));
  working = false;
  await beside;
  lane.check(false);
  await settle(lane);
  lane.passAWeek();
}

async function sitAtTerminal(lane: Lane, stop: () => boolean): Promise<void> {
  while (HAS_TERMINAL && !stop()) {
    await sleep(300 + lane.chance() * 1_500);
    if (!stop()) await atTerminal(lane);
  }
}

/** A server that nobody kills: it takes in what happened, and what it says must be what files and ledgers are worth. */
export async function settle(lane: Lane): Promise<void> {
  const { journal } = lane;
  const life = await Life.start(lane, true);
  await life.call('review_queue', {});
  const again = journal.unanswered;
  journal.unanswered = [];
  // Sent once more, as an agent would: it is there or it is stored now, and never twice.
  for (const text of again) await propose(lane, life, text);
  const served = new Map<string, string>();
  const queue = [...journal.acknowledged.keys()].slice(-LOOKED_AT);
  const reader = async () => {
    for (let id = queue.pop(); id !== undefined; id = queue.pop()) served.set(id, await standingOf(lane, life, id));
  };
  await Promise.all(Array.from({ length: 4 }, reader));
  await life.leave();
  const report = lane.check(true);
  lane.compare(report, served);
  if (report.doubledByGit.length > 0) lane.told(report.doubledByGit, await namedByDoctor(lane));
}

/** Everything that `surety doctor` has something to say about. */
async function namedByDoctor(lane: Lane): Promise<ReadonlySet<string>> {
  const args = [...preloads(lane), lane.main, 'doctor', '--json'];
  // It ends with 3 where there is a problem, whatever that is.
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: lane.home, env: lane.env }).catch(
    (failed) => failed as { stdout: string },
  );
  const { findings } = JSON.parse(stdout) as { findings: { about: string[] }[] };
  return new Set(findings.flatMap(({ about }) => about));
}

const LOOKED_AT = 150;

/** The tier a server tells, for what it lets be read; and whether a search finds it by its own word. */
async function standingOf(lane: Lane, life: Life, id: string): Promise<string> {
  const { journal } = lane;
  const reply = await life.call('read_memory', { id });
  const tier = reply.kind === 'said' ? String(reply.said.tier) : reply.kind;
  const mark = /mark\w+/.exec(journal.acknowledged.get(id)?.body ?? '')?.[0] ?? '';
  const found = await life.call('search_memories', { query: mark, limit: 20 });
  const hits = found.kind === 'said' ? (found.said.hits as { id: string }[]) : [];
  const isFound = hits.some((hit) => hit.id === id);
  if (isFound && tier === 'quarantined') journal.wrong.push({ kind: 'leaked', what: `${id} is quarantined and found` });
  if (!isFound && (tier === 'verified' || tier === 'inferred'))
    journal.wrong.push({ kind: 'unfound', what: `${id} is ${tier} and not found` });
  return tier;
}
