import { setTimeout as sleep } from 'node:timers/promises';
import type { Text } from './checker/file.ts';
import type { Tier } from './checker/standing.ts';
import type { Verb } from './journal.ts';
import type { Lane } from './lane.ts';
import { Life } from './life.ts';
import type { Mood } from './person.ts';

const WIDTH = 3;
/** A life that does not get to its end is ended: nothing may hold up a run. */
const LONGEST_MS = 20_000;

/** One server at work until it is killed: at a moment of its start, or some calls later at a moment within the next ones. */
export async function liveAndDie(lane: Lane): Promise<void> {
  const { chance } = lane;
  const atStart = chance() < 0.15;
  const modern = chance() < 0.5;
  const calls = 2 + Math.floor(chance() * 25);
  const after = chance() * 25;
  const began = Life.start(lane, modern, atStart ? chance() * 400 : undefined);
  const life = await began;
  lane.lives.add(life);
  const late = setTimeout(() => life.kill(), LONGEST_MS);
  let done = 0;
  const worker = async () => {
    while (!life.isOver) {
      await act(lane, life);
      done += 1;
      if (done === calls) setTimeout(() => life.kill(), after);
    }
  };
  await Promise.all(Array.from({ length: WIDTH }, worker));
  clearTimeout(late);
  lane.lives.delete(life);
  lane.kills += 1;
}

async function act(lane: Lane, life: Life): Promise<void> {
  const dice = lane.chance();
  if (dice < 0.05) return proposeAgain(lane, life);
  if (dice < 0.45) return propose(lane, life, lane.newText());
  if (dice < 0.65) return search(lane, life);
  if (dice < 0.68) return void (await life.call('review_queue', { limit: 50 }));
  if (dice < 0.76) return decide(lane, life, 'promote', 'inferred');
  if (dice < 0.83) return decide(lane, life, 'adopt', 'inferred', life.proposed);
  if (dice < 0.93) return decide(lane, life, 'demote', lane.pick(['inferred', 'verified']));
  if (dice < 0.97) return decide(lane, life, 'restore', 'quarantined');
  return decide(lane, life, 'reaffirm', 'verified');
}

export async function propose(lane: Lane, life: Life, text: Text): Promise<void> {
  const { journal } = lane;
  const reply = await life.call('propose_memory', { ...text });
  switch (reply.kind) {
    case 'said':
      life.proposed.add(String(reply.said.id));
      return journal.proposed(String(reply.said.id), text, reply.said.outcome as 'created' | 'existing');
    case 'gone':
      // What was acknowledged before may be edited by now, and is not sent again.
      if (!journal.isAcknowledged(text)) journal.unanswered.push(text);
      return;
    case 'refused':
      // It was written, and may be found and taken in: it is sent again as if nobody had answered.
      if (reply.code === 'unfinished') journal.unanswered.push(text);
      if (reply.code === 'budget-spent' || reply.code === 'lock-busy') await sleep(20);
  }
}

/** A text that is stored already, or that a server took with it into death: however it is, there must be one of it. */
async function proposeAgain(lane: Lane, life: Life): Promise<void> {
  const { unanswered, acknowledged, typed, reworded, strangers } = lane.journal;
  const stored = [...lane.journal.certainly('inferred'), ...lane.journal.certainly('verified')];
  const isAsProposed = (each: string) => ![typed, reworded, strangers].some((changed) => changed.has(each));
  const id = lane.pick(stored.filter(isAsProposed)) ?? `nobody ${lane.nextNumber()}`;
  const text = lane.chance() < 0.5 ? unanswered.pop() : acknowledged.get(id);
  // Nobody edits it meanwhile: then it would rightly be stored once more.
  lane.journal.busy.add(id);
  await propose(lane, life, text ?? lane.newText());
  lane.journal.busy.delete(id);
}

/** Whatever is found must be neither quarantined before the question was sent nor verified without anybody's yes. */
async function search(lane: Lane, life: Life): Promise<void> {
  const { journal } = lane;
  const texts = [...journal.acknowledged.values()];
  const words = texts.length === 0 ? 'branch' : (lane.pick(texts).body.split(' ').slice(1, 8).join(' ') ?? '');
  const quarantined = new Set(journal.certainly('quarantined'));
  const reply = await life.call('search_memories', { query: words.slice(0, 400), limit: 20 });
  if (reply.kind !== 'said') return;
  journal.counts.searches += 1;
  for (const { id, tier } of reply.said.hits as { id: string; tier: string }[]) {
    // A person may have restored it since.
    if (quarantined.has(id) && journal.certainly('quarantined').includes(id))
      journal.wrong.push({ kind: 'leaked', what: `${id} is quarantined and was found` });
    if (tier === 'verified' && !journal.wasVouchedFor(id))
      journal.wrong.push({ kind: 'above', what: `${id} was found as verified and nobody said yes` });
  }
}

async function decide(lane: Lane, life: Life, verb: Verb, tier: Tier, among?: ReadonlySet<string>): Promise<void> {
  const { journal } = lane;
  // Before anything is waited for: nobody else decides on it meanwhile.
  const certain = journal.certainly(tier);
  const ids = (among === undefined ? certain : certain.filter((id) => among.has(id))).slice(-40);
  if (ids.length === 0) return propose(lane, life, lane.newText());
  const contradicting = ids.filter((id) => journal.acknowledged.get(id)?.body.includes(' listens on port '));
  const isAboutTwo = verb !== 'demote' && lane.chance() < 0.4 && contradicting.length > 0;
  const asked = journal.begin(verb, lane.pick(isAboutTwo ? contradicting : ids));
  const dice = lane.chance();
  const mood: Mood = dice < 0.8 ? 'yes' : dice < 0.88 ? 'no' : dice < 0.95 ? 'cancel' : 'nonsense';
  const reply = await life.decide(asked, mood);
  journal.note(asked.id, `${mood}: ${JSON.stringify(reply)}`);
  if (reply.kind === 'gone' || (reply.kind === 'refused' && reply.code === 'unfinished')) journal.inDoubt(asked);
  else if (reply.kind === 'said' && reply.said.outcome === 'done') {
    const recorded = !String(reply.said.note).includes('The ledger could not take it yet');
    journal.ended(asked, reply.said.tier as Tier, recorded);
  } else {
    const isNo = reply.kind === 'said' && String(reply.said.note).endsWith('unless they ask you to.');
    if (isNo && mood === 'no' && verb !== 'demote') journal.refused.add(asked.id);
    journal.ended(asked);
  }
}
