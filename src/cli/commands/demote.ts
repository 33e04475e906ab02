import { decideOne } from '../ask/decide-one.ts';
import type { Command } from '../command.ts';

export const demote: Command = {
  help: `usage: surety demote [--reason TEXT] [--root DIR] MEMORY…

Puts a memory into quarantine: no agent is given it any more. MEMORY is its id, its name or a few words of it; where
several fit, you choose. You are shown the memory, and your yes is carried out at once. surety restore takes it out again.

  --reason TEXT   why, in one line
  --root DIR      the store's folder (else SURETY_ROOT, else ~/.surety)

It needs a terminal, and there is no option that answers in your place.
exit codes: 0 done, 1 not done, 64 the command line was not understood, 130 interrupted
`,
  options: { reason: 'one line' },
  takes: Number.POSITIVE_INFINITY,
  run: async (given) => decideOne('demote', given),
};
