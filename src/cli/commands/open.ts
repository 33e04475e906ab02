import { openOverviewPage } from '../ask/browser-review.ts';
import { withPerson } from '../ask/with-person.ts';
import type { Command } from '../command.ts';

export const open: Command = {
  help: `usage: surety open [--root DIR]

Opens a page in your browser with everything in the store: a list at the left, the memory at the right. You see what
your agents know, who vouched for it, and decide on what waits.

  j k   the next memory, the one before
  y n   yes or no to the text on the screen; a b p e s as in surety review
  u     take the last answer back: each is held until the next one or for five seconds
  /     search, with the search that agents use and why each memory was found
  c     charts of the whole store, and back
  r     the raw text;  ?  all keys

The page is on this machine only and belongs to the browser that opens it first. It ends when nobody has used it for 30
minutes, and after 12 hours in any case. A text that was shown more than 10 minutes ago is shown again before a yes to
it counts. Closing the page, Enter in the terminal and Ctrl+C carry out the answer that is held. Where a passkey is
enrolled (surety passkey), a yes asks for it.

  --root DIR   the store's folder (else SURETY_ROOT, else ~/.surety)

It needs a terminal, and there is no option that answers in your place.
exit codes: 0 done, 1 failed, 64 the command line was not understood, 130 interrupted
`,
  options: {},
  takes: 0,
  run: ({ root }, doors) => withPerson('open', root, (session, witness) => openOverviewPage(session, witness, doors)),
};
