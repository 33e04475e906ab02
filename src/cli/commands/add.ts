import { type Draft, draft, recordDeclined, refuseAdding, add as store, textOfFile } from '../../actions/review/add.ts';
import { type Fact, settingsFacts } from '../../actions/review/case-facts.ts';
import { draftOnScreen } from '../../actions/review/shown.ts';
import type { Session } from '../../actions/session.ts';
import { LIMITS, TYPES } from '../../core/memory/limits.ts';
import { Refusal } from '../../core/refusal.ts';
import { sanitize, text } from '../../core/text/safe-text.ts';
import type { NewMemory } from '../../store/vault/vault.ts';
import { Form } from '../ask/memory-form.ts';
import { tellBlocks } from '../ask/tell-findings.ts';
import { attended } from '../ask/with-person.ts';
import type { Witness } from '../ask/witness.ts';
import { type Command, EXIT, type Given, Misuse } from '../command.ts';
import { complain, tell } from '../terminal/print.ts';

export const add: Command = {
  help: `usage: surety add [--type T] [--name N] [--description D] [--tags A,B] [--project P] [--root DIR] [FILE]

Writes down a memory in your own words. What is not given is asked for; the text comes from FILE or is typed, ended by a
line that holds only a dot. You are shown exactly what would be stored and what the checks say about it; your yes makes
it verified.

  --type T          ${TYPES.join(', ')}
  --name N          a short title, one line
  --description D   one line that tells when it matters
  --tags A,B        at most ${LIMITS.tags.count}, separated by commas
  --project P       owner/name of the repository it is about
  --root DIR        the store's folder (else SURETY_ROOT, else ~/.surety)

It needs a terminal, so the text cannot come from a pipe (-), and there is no option that answers in your place.
exit codes: 0 stored, 1 not stored, 64 the command line was not understood, 130 interrupted
`,
  options: {
    type: `one of ${TYPES.join(', ')}`,
    name: 'a title',
    description: 'one line',
    tags: 'words, separated by commas',
    project: 'owner/name',
  },
  takes: 1,
  run: async (given) => {
    const { type } = given.options;
    if (type !== undefined && !TYPES.some((known) => known === type))
      throw new Misuse(`--type is one of ${TYPES.join(', ')}`);
    if (given.rest[0] === '-') {
      complain(
        'surety add does not read the text from a pipe, because its input must be the terminal you answer at; name a file instead, or type the text.',
      );
      return EXIT.failed;
    }
    return attended('add', given.root, (session, witness) => write(session, witness, given), { makesStore: true });
  },
};

async function write(session: Session, witness: Witness, given: Given): Promise<number> {
  refuseAdding(session);
  const newMemory = await newMemoryFrom(witness, given);
  if (newMemory === undefined) return notStored();
  for (;;) {
    const made = drafted(session, newMemory);
    if (made === undefined) return notStored();
    const { key, consent } = await witness.ask({
      exhibit: {
        ...draftOnScreen({ ...made, id: made.newMemory.id }),
        facts: [...sameness(made), ...settingsFacts(session)],
      },
      sentence: text`Store this as verified, as your own words: ${sanitize(made.newMemory.id, 'line')}?`,
      choices: [
        { key: 'y', means: 'yes, store it', verb: 'add' },
        { key: 'n', means: 'no' },
      ],
      otherwise: 'n',
      leave: 'n',
    });
    if (key === 'n' || consent === undefined) {
      recordDeclined(session, made);
      return notStored();
    }
    try {
      const { id, standing } = await store(session, made, consent);
      tell(text`${sanitize(id, 'line')} is ${sanitize(standing.tier, 'line')}.`, 'good');
      return EXIT.done;
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'id-taken') throw error;
      tell(text`Another memory took this id meanwhile. Nothing was stored; this is how it would be now:`, 'warning');
    }
  }
}

async function newMemoryFrom(witness: Witness, { options, rest }: Given): Promise<NewMemory | undefined> {
  const body = rest[0] === undefined ? undefined : textOfFile(rest[0]);
  const form = new Form(witness.terminal);
  // If all required parts are options, optional parts are not asked for.
  const asking = [options.type, options.name, options.description].includes(undefined);
  const type = options.type ?? (await form.choice('type', TYPES));
  const name = options.name ?? (await form.required('name', LIMITS.name));
  const description = options.description ?? (await form.required('description', LIMITS.description));
  const tags = options.tags ?? (asking ? await form.optional('tags', 'separated by commas') : undefined);
  const project = options.project ?? (asking ? await form.optional('project', 'owner/name') : undefined);
  const written = body ?? (await form.text());
  const known = TYPES.find((each) => each === type);
  if (form.left || known === undefined) return undefined;
  const list = tags
    ?.split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
  return { type: known, name: name ?? '', description: description ?? '', tags: list, project, body: written ?? '' };
}

/** A blocked text is not asked about, because no yes could store it. */
function drafted(session: Session, newMemory: NewMemory): Draft | undefined {
  try {
    return draft(session, newMemory);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const blocks = error.findings.filter((finding) => finding.severity === 'block');
    if (blocks.length === 0) throw error;
    tellBlocks(blocks);
    return undefined;
  }
}

function sameness({ same }: Draft): Fact[] {
  if (same === undefined) return [];
  const ours = same === 'quarantined' ? 'this text was quarantined before' : `${same.id} says the same already`;
  return [{ label: 'note', ours }];
}

function notStored(): number {
  tell(text`Nothing was stored.`);
  return EXIT.failed;
}
