import { pick } from '../../testkit/seeded.ts';
import { digestWhenStored, type Found } from '../checker/file.ts';
import { filesOf, markIn } from '../checker/machines.ts';
import type { Verb } from '../journal.ts';
import { Life } from '../life.ts';
import type { Mood } from '../person.ts';
import type { Fleet } from './fleet.ts';
import type { Machine } from './machine.ts';

/** An agent proposes a text that nobody has proposed yet. */
export async function propose(fleet: Fleet, machine: Machine, chance: () => number): Promise<void> {
  const text = fleet.newText(chance);
  const life = await Life.start(machine, chance() < 0.5);
  const reply = await life.call('propose_memory', { ...text });
  await life.leave();
  const mark = markIn(text.body) ?? '';
  if (reply.kind === 'said') {
    fleet.proposed.set(mark, String(reply.said.id));
    fleet.count('proposals');
  } else if (reply.kind === 'refused') fleet.count(`refused: ${reply.code}`);
  fleet.note(`${machine.name}: propose ${mark}: ${reply.kind === 'said' ? reply.said.id : JSON.stringify(reply)}`);
}

const FOUND: Record<Verb, (file: Found) => boolean> = {
  promote: ({ place, claim }) => place === 'memories' && claim !== 'verified',
  adopt: ({ place, claim }) => place === 'memories' && claim !== 'verified',
  reaffirm: ({ place, claim }) => place === 'memories' && claim === 'verified',
  demote: ({ place }) => place === 'memories',
  restore: ({ place }) => place === 'quarantine',
};

/** An agent asks for a decision and a person answers, in the client's dialog or on the page. */
export async function decide(fleet: Fleet, machine: Machine, verb: Verb, chance: () => number): Promise<void> {
  const files = filesOf(machine.root);
  const found = files.filter((file) => file.text !== undefined && FOUND[verb](file));
  // What nobody changed needs no second yes, and is refused.
  const changed = found.filter(({ id, digest }) => !fleet.allowed.has(`${id} ${digest}`));
  const readable = verb === 'reaffirm' && changed.length > 0 ? changed : found;
  if (readable.length === 0) return propose(fleet, machine, chance);
  const { id, text } = pick(readable, chance);
  const dice = chance();
  const mood: Mood = dice < 0.85 ? 'yes' : dice < 0.95 ? 'no' : 'cancel';
  const { journal } = machine;
  show(machine, files, id);
  const life = await Life.start(machine, chance() < 0.5);
  // Only what this process was given can be adopted by an agent's call.
  if (verb === 'adopt' && text !== undefined) {
    const again = await life.call('propose_memory', { ...text, body: text.body.trim() });
    if (again.kind === 'said') fleet.proposed.set(markIn(text.body) ?? '', String(again.said.id));
  }
  const asked = journal.begin(verb, id);
  const reply = await life.decide(asked, mood);
  await life.leave();
  journal.busy.clear();
  const isYes = journal.yeses.size > 0;
  if (isYes && verb !== 'demote') allow(fleet, machine, files, id);
  const isDone = reply.kind === 'said' && reply.said.outcome === 'done';
  if (isDone && verb !== 'demote') {
    fleet.count(journal.reworded.has(id) ? 'yeses to other words' : 'yeses');
    for (const { digest, place } of filesOf(machine.root).filter((file) => file.id === id))
      if (place === 'memories' && digest !== null && fleet.allowed.has(`${id} ${digest}`))
        fleet.vouched.push({ id, digest, by: machine.name });
  } else if (isDone) fleet.count('demotions');
  else fleet.count(reply.kind === 'refused' ? `refused: ${reply.code}` : 'left undecided');
  const said = reply.kind === 'said' ? `${reply.said.outcome}, ${reply.said.tier}` : JSON.stringify(reply);
  fleet.note(`${machine.name}: ${verb} ${id}, the person means ${mood}: ${said}`);
}

/** The journal as it has to be for this question: it knows what is there now, and no yes yet. */
function show({ journal }: Machine, files: readonly Found[], asked: string): void {
  for (const known of [journal.acknowledged, journal.may, journal.yeses, journal.reworded]) known.clear();
  for (const { id, text } of files) {
    if (text === undefined || (id === asked && journal.acknowledged.has(id))) continue;
    journal.acknowledged.set(id, text);
    journal.may.set(id, new Set(['inferred']));
  }
}

/** What the person was shown is one of the files of this memory, or the words they typed themselves. */
function allow(fleet: Fleet, { journal }: Machine, files: readonly Found[], id: string): void {
  for (const file of files) if (file.id === id) fleet.allow(id, file.digest);
  for (const text of journal.reworded.get(id) ?? []) fleet.allow(id, digestWhenStored(id, text));
}
