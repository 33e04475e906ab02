import { decideOne } from '../ask/decide-one.ts';
import type { Command } from '../command.ts';

export const promote: Command = {
  help: `usage: surety promote [--root DIR] MEMORY…

Makes a memory verified, or vouches again for one that is verified or has changed since. MEMORY is its id, its name or a
few words of it; where several fit, you choose. You are shown the whole text and what the checks say about it, and your
yes makes it count. With n your no is recorded for this text, and nobody is asked about it again until you vouch for it;
Enter leaves it as it was. A text that an agent proposed is observed first, for a week unless you changed that: surety
adopt takes it as your own words before.

  --root DIR   the store's folder (else SURETY_ROOT, else ~/.surety)

It needs a terminal, and there is no option that answers in your place.
exit codes: 0 done, 1 not done, 64 the command line was not understood, 130 interrupted
`,
  options: {},
  takes: Number.POSITIVE_INFINITY,
  run: async (given) => decideOne('promote', given),
};
