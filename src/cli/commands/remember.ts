import { refuseAdding } from '../../actions/review/add.ts';
import { TYPES } from '../../core/memory/limits.ts';
import { suggestWording } from '../../core/memory/suggest-wording.ts';
import { projectAt } from '../../store/places/project.ts';
import { storeOwnWords } from '../ask/own-words.ts';
import { attended } from '../ask/with-person.ts';
import { type Command, EXIT, MANY_WORDS } from '../command.ts';
import { choice } from '../options.ts';

export const remember: Command = {
  help: `usage: surety remember [--type T] [--name N] [--project P] [--root DIR] [TEXT…]

Writes down one line in your own words, such as: surety remember "We deploy only on weekdays." Type and name are
suggested; in a repository its project is taken. You are shown exactly what would be stored and what the checks say about
it; your yes makes it verified. e opens it in your editor first. Without TEXT it asks for the line.

  --type T      ${TYPES.join(', ')}
  --name N      a short title, one line
  --project P   owner/name of the repository it is about
  --root DIR    the store's folder (else SURETY_ROOT, else ~/.surety)

It needs a terminal, and there is no option that answers in your place. surety add asks for every part.
exit codes: 0 stored, 1 not stored, 64 the command line was not understood, 130 interrupted
`,
  options: { type: `one of ${TYPES.join(', ')}`, name: 'a title', project: 'owner/name' },
  takes: MANY_WORDS,
  run: async (given) => {
    const type = choice(given, 'type', TYPES);
    const { name, project } = given.options;
    return attended(
      'remember',
      given.root,
      async (session, witness) => {
        refuseAdding(session);
        const typed = given.rest.join(' ').trim() || (await witness.terminal.line('what to remember: '))?.trim();
        if (!typed) return EXIT.failed;
        const suggested = suggestWording(typed, project ?? projectHere());
        const wording = { ...suggested, ...(type && { type }), ...(name && { name }), ...(project && { project }) };
        return storeOwnWords(session, witness, wording);
      },
      { makesStore: true },
    );
  },
};

/** A folder that cannot be read belongs to no project. */
function projectHere(): string | undefined {
  try {
    return projectAt(process.cwd());
  } catch {
    return undefined;
  }
}
