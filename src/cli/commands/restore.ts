import { decideOne } from '../ask/decide-one.ts';
import type { Command } from '../command.ts';

export const restore: Command = {
  help: `usage: surety restore [--root DIR] MEMORY…

Takes a memory out of quarantine. MEMORY is its id, its name or a few words of it; where several fit, you choose. You are
shown the whole text and what the checks say about it, and your yes makes it verified. With n your no is recorded for
this text, and nobody is asked about it again; Enter leaves it as it was. surety list --quarantined lists what is there;
one that a check blocks can only be rewritten, with surety adopt.

  --root DIR   the store's folder (else SURETY_ROOT, else ~/.surety)

It needs a terminal, and there is no option that answers in your place.
exit codes: 0 done, 1 not done, 64 the command line was not understood, 130 interrupted
`,
  options: {},
  takes: Number.POSITIVE_INFINITY,
  run: async (given) => decideOne('restore', given),
};
