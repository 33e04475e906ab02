import { refuseAdding, textOfFile } from '../../actions/review/add.ts';
import type { Wording } from '../../actions/review/edit-form.ts';
import type { Session } from '../../actions/session.ts';
import { LIMITS, TYPES } from '../../core/memory/limits.ts';
import { text } from '../../core/text/safe-text.ts';
import { MemoryForm } from '../ask/memory-form.ts';
import { storeOwnWords } from '../ask/own-words.ts';
import { withPerson } from '../ask/with-person.ts';
import type { Witness } from '../ask/witness.ts';
import { type Command, type Doors, EXIT, type Given } from '../command.ts';
import { choice } from '../options.ts';
import { complain, tell } from '../terminal/print.ts';

export const add: Command = {
  help: `usage: surety add [--type T] [--name N] [--description D] [--tags A,B] [--project P] [--root DIR] [FILE]

Writes down a memory in your own words. What is not given is asked for; the text comes from FILE or is typed, ended by a
line that holds only a dot. You are shown exactly what would be stored and what the checks say about it; your yes makes
it verified. Where a check objects, nothing you typed is lost: e opens it in your editor. Where a passkey is required,
it is stored as inferred and a page in your browser asks for your yes.

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
  run: async (given, doors) => {
    // An unknown type is refused before anything is asked.
    choice(given, 'type', TYPES);
    if (given.rest[0] === '-') {
      complain(
        'surety add does not read the text from a pipe, because its input must be the terminal you answer at; name a file instead, or type the text.',
      );
      return EXIT.failed;
    }
    return withPerson('add', given.root, (session, witness) => write(session, witness, given, doors), {
      makesStore: true,
    });
  },
};

async function write(session: Session, witness: Witness, given: Given, doors: Doors): Promise<number> {
  refuseAdding(session);
  const written = await wordingFrom(witness, given);
  if (written !== undefined) return storeOwnWords(session, witness, written, doors);
  tell(text`Nothing was stored.`);
  return EXIT.failed;
}

async function wordingFrom(witness: Witness, { options, rest }: Given): Promise<Wording | undefined> {
  const body = rest[0] === undefined ? undefined : textOfFile(rest[0]);
  const form = new MemoryForm(witness.terminal);
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
