// npm run bench:recall [-- --conversations FILE] [--engineering FILE] [--json]: what prompts bring by themselves.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { LEAST_MATCH, WEIGHED } from '../src/actions/agent/recall.ts';
import { MOST_GIVEN } from '../src/actions/agent/recalled-memories.ts';
import { parsePrompt } from '../src/core/search/prompt.ts';
import { SEEN, UNSEEN } from './everyday-prompts.ts';
import { type Conversation, indexOf, readConversations } from './quality.ts';

const { values } = parseArgs({
  options: {
    conversations: { type: 'string', default: join(import.meta.dirname, '../../shared/data/conversations.json') },
    engineering: { type: 'string', default: join(import.meta.dirname, '../../shared/data/engineering.json') },
    least: { type: 'string', default: String(LEAST_MATCH) },
    json: { type: 'boolean', default: false },
  },
});
const say = (line: string) => process.stdout.write(`${line}\n`);
const least = Number(values.least);
/** Stores of this many notes: how rare a word is depends on the size. */
const SIZES = [25, 250];
/** What people write around a question. */
const AROUND = [
  ['Hi, quick one before I start.', 'Please keep the change small and run the tests afterwards.'],
  ['I am working on the next ticket.', 'Tell me what you would change before you touch anything.'],
  ['Let me give you some context first.', 'Then commit it with a short message.'],
] as const;

type Given = (prompt: string) => readonly string[];
interface Asked {
  readonly prompt: string;
  /** The notes that answer it; none where none does. */
  readonly evidence: readonly string[];
}

if (existsSync(values.engineering) && existsSync(values.conversations)) report();
else say('not measured, the data are not here; name files with --engineering and --conversations');

function report(): void {
  const [notes] = readConversations(values.engineering);
  if (notes === undefined) return;
  const talk = readConversations(values.conversations).flatMap(({ questions }) =>
    questions.map(({ question }) => question),
  );
  const figures: Record<string, unknown> = {};
  say(`match of at least ${least}, at most ${MOST_GIVEN} memories a prompt`);
  for (const size of SIZES) {
    for (const withHints of [false, true]) {
      const given = opened({ ...notes, memories: notes.memories.slice(0, size) }, withHints);
      const ids = new Set(notes.memories.slice(0, size).map(({ id }) => id));
      const questions = notes.questions.map(({ question, evidence }) => ({ prompt: question, evidence }));
      const answered = questions.filter(({ evidence }) => evidence.some((id) => ids.has(id)));
      const long = answered.map(({ prompt, evidence }, at) => {
        const [before, after] = AROUND[at % AROUND.length] ?? AROUND[0];
        return { prompt: `${before} ${prompt} ${after}`, evidence };
      });
      const others = questions.filter((each) => !answered.includes(each)).map(({ prompt }) => prompt);
      const name = `${size} notes${withHints ? ' with hints' : ''}`;
      const row = {
        answered: answer(answered, given),
        'answered, in a longer prompt': answer(long, given),
        unrelated: {
          'about other notes': nothing(others, given),
          'about other things': nothing(talk, given),
          'everyday prompts, seen': nothing(SEEN, given),
          'everyday prompts, unseen': nothing(UNSEEN, given),
        },
      };
      figures[name] = row;
      say(name);
      for (const [what, { prompts, right, wrong }] of [
        ['answered by a note', row.answered],
        ['the same in a longer prompt', row['answered, in a longer prompt']],
      ] as const)
        say(
          `  ${what.padEnd(28)}${prompts} prompts: the note given ${share(right)}, others given ${wrong.toFixed(2)} a prompt`,
        );
      for (const [what, { prompts, silent }] of Object.entries(row.unrelated))
        if (prompts > 0) say(`  ${what.padEnd(28)}${prompts} prompts: nothing given ${share(silent)}`);
    }
  }
  if (values.json) say(JSON.stringify(figures));
}

function share(value: number): string {
  return `${(100 * value).toFixed(1)} %`;
}

function answer(asked: readonly Asked[], given: Given) {
  let [right, wrong] = [0, 0];
  for (const { prompt, evidence } of asked) {
    const ids = given(prompt);
    if (ids.some((id) => evidence.includes(id))) right += 1;
    wrong += ids.filter((id) => !evidence.includes(id)).length;
  }
  return { prompts: asked.length, right: right / asked.length, wrong: wrong / asked.length };
}

function nothing(prompts: readonly string[], given: Given) {
  const silent = prompts.filter((prompt) => given(prompt).length === 0).length;
  return { prompts: prompts.length, silent: silent / prompts.length };
}

/** What `recall` finds in a store of these notes, all of them verified. */
function opened(notes: Conversation, withHints: boolean): Given {
  const folder = mkdtempSync(join(tmpdir(), 'surety-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const index = indexOf(notes.memories.map(named), folder, withHints);
  return (prompt) => {
    const wordings = parsePrompt(prompt);
    const found = wordings.length === 0 ? [] : index.find(wordings, WEIGHED).filter(({ match }) => match >= least);
    const best = found.toSorted((a, b) => b.match - a.match).slice(0, MOST_GIVEN);
    return best.map(({ rowid }) => index.at(rowid)?.stem ?? '');
  };
}

/** A note begins with its name and its description, a sentence each. */
function named({ text, ...note }: Conversation['memories'][number]) {
  const [name = '', about = '', ...rest] = text.split(/(?<=\.)\s+/);
  return { ...note, text: rest.join(' '), name, about };
}
