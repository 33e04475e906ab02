import type { Person } from '../../actions/review/answers.ts';
import { CHANNELS } from '../../core/trust/consent.ts';
import type { Answer } from './witness.ts';

/** The person who gave this answer at the terminal. `given` is the reason that they typed with the command. */
export function personAtTerminal({ consent, both }: Answer<string>, given?: string): Person {
  return {
    channel: 'terminal',
    yes: () => existing(consent),
    yesToBoth: () => existing(both),
    no: { channel: 'terminal', level: CHANNELS.terminal, client: null },
    reason: async (usual) => given ?? usual,
  };
}

function existing<Consent>(consent: Consent | undefined): Consent {
  if (consent === undefined) throw new TypeError('This answer was not a yes.');
  return consent;
}
