import { setTimeout as sleep } from 'node:timers/promises';
import { notBack, type Report, untold } from './checker/check.ts';
import { askDoctor } from './doctor.ts';
import type { FaultName } from './faults.ts';
import { FAULTS } from './faults.ts';
import { meddle } from './hand.ts';
import type { Lane } from './lane.ts';
import { Life } from './life.ts';
import { atDoctor, atTerminal, HAS_TERMINAL } from './terminal.ts';
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
async function settle(lane: Lane): Promise<void> {
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
  if (report.doubledByGit.length + report.missing.length + report.displaced.length === 0) return;
  const { code, about } = await askDoctor(lane);
  lane.told(report.doubledByGit, about);
  lane.note(untold(report, code === PROBLEM ? about : new Set()));
  lane.missing.told += report.missing.filter(({ id }) => about.has(id)).length;
  lane.displaced += report.displaced.length;
  if (report.missing.length > 0 && HAS_TERMINAL) await putBack(lane, report.missing);
}

/** A person says yes to the list of what is missing: whatever this machine keeps the vouched text of must be back, as it was. */
async function putBack(lane: Lane, missing: Report['missing']): Promise<void> {
  const { journal } = lane;
  for (const { id } of missing) journal.loosen(id);
  await atDoctor(lane, /Put all of these back/);
  const report = lane.check(true);
  lane.note(notBack(missing, report));
  lane.missing.back += missing.filter(({ id }) => report.digests.has(id)).length;
  for (const id of report.digests.keys()) journal.deleted.delete(id);
}

const PROBLEM = 3;

const LOOKED_AT = 150;

/** The tier a server tells, for what it lets be read; and whether a search finds it by its own word. */
async function standingOf(lane: Lane, life: Life, id: string): Promise<string> {
  const { journal } = lane;
  const reply = await life.call('read_memory', { id });
  const tier = reply.kind === 'said' ? String(reply.said.tier) : reply.kind;
  if (reply.kind === 'said') journal.note(id, `served as ${tier}: ${String(reply.said.why)}`);
  const mark = /mark\w+/.exec(journal.acknowledged.get(id)?.body ?? '')?.[0] ?? '';
  const found = await life.call('search_memories', { query: mark, limit: 20 });
  const hits = found.kind === 'said' ? (found.said.hits as { id: string }[]) : [];
  const isFound = hits.some((hit) => hit.id === id);
  if (isFound && tier === 'quarantined') journal.wrong.push({ kind: 'leaked', what: `${id} is quarantined and found` });
  // A stranger's text may have the place of one that nobody has vouched for.
  const isOurs = tier === 'verified' || (tier === 'inferred' && !journal.strangers.has(id));
  if (!isFound && isOurs) journal.wrong.push({ kind: 'unfound', what: `${id} is ${tier} and not found` });
  return tier;
}
