import { projectHere } from '../../actions/project-here.ts';
import { refuseAdding } from '../../actions/review/add.ts';
import { TYPES } from '../../core/memory/limits.ts';
import { suggestWording } from '../../core/memory/suggest-wording.ts';
import { sanitize, text } from '../../core/text/safe-text.ts';
import { storeOwnWords } from '../ask/own-words.ts';
import { withPerson } from '../ask/with-person.ts';
import { type Command, EXIT } from '../command.ts';
import { choice } from '../options.ts';
import { tell } from '../terminal/print.ts';

export const remember: Command = {
  help: `usage: surety remember [--type T] [--name N] [--project P] [--root DIR] [TEXT…]

Writes down one line in your own words, such as: surety remember "We deploy only on weekdays." Type and name are
suggested; in a repository its project is taken. You are shown exactly what would be stored and what the checks say
about it; your yes makes it verified. e opens it in your editor first. Without TEXT it asks for the line. Where a
passkey is required, it is stored as inferred and a page in your browser asks for your yes.

  --type T      ${TYPES.join(', ')}
  --name N      a short title, one line
  --project P   owner/name of the repository it is about
  --root DIR    the store's folder (else SURETY_ROOT, else ~/.surety)

It needs a terminal, and there is no option that answers in your place. surety add asks for every part.
exit codes: 0 stored, 1 not stored, 64 the command line was not understood, 130 interrupted
`,
  options: { type: `one of ${TYPES.join(', ')}`, name: 'a title', project: 'owner/name' },
  takes: Number.POSITIVE_INFINITY,
  run: async (given, doors) => {
    const type = choice(given, 'type', TYPES);
    const { name, project } = given.options;
    return withPerson(
      'remember',
      given.root,
      async (session, witness) => {
        refuseAdding(session);
        const typed = given.rest.join(' ').trim() || (await witness.terminal.line('what to remember: '))?.trim();
        if (!typed) {
          tell(text`Nothing was stored.`);
          return EXIT.failed;
        }
        const here = projectHere(session.vault.places);
        const suggested = suggestWording(typed, project ?? here.name);
        const wording = { ...suggested, ...(type && { type }), ...(name && { name }), ...(project && { project }) };
        if (project === undefined && here.unconfirmed !== undefined)
          tell(
            text`This folder calls itself ${sanitize(here.unconfirmed, 'line')}, which this machine knows from another folder, so no project is suggested. surety doctor in this folder confirms it; --project gives one.`,
            'warning',
          );
        const code = await storeOwnWords(session, witness, wording, doors);
        if (code === EXIT.done && 'project' in suggested) here.use();
        return code;
      },
      { makesStore: true },
    );
  },
};
