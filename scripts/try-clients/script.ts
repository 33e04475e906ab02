import type { ScriptedTurn } from './model.ts';

/** Six rules of two lines each: four dialogs in a client that opens no page. */
const LONG = [1, 2, 3, 4, 5, 6]
  .map(
    (n) =>
      `Rule ${n}: the staging servers in Falkenberg are deployed by the green pipeline, on weekdays only, number ${n}.`,
  )
  .join('\n');

interface Remembering extends ScriptedTurn {
  readonly id: string;
}

function remembering(words: string, name: string, description: string, body: string): Remembering {
  const id = `user_${name.toLowerCase().replaceAll(' ', '_')}`;
  const proposed = { type: 'user', name, description, body };
  return {
    id,
    words,
    calls: [
      { tool: 'propose_memory', args: proposed },
      { tool: 'adopt', args: { id } },
    ],
    last: `Finished: ${name}`,
  };
}

/** What a person types in each client, and what the model does then. */
export const TURNS = {
  short: remembering('we deploy only on weekdays', 'Deploy days', 'how to deploy', 'We deploy only on weekdays.'),
  long: remembering('keep the long rules', 'Long rules', 'staging rules', LONG),
  later: remembering(
    'the harbour cranes are painted orange',
    'Crane colour',
    'harbour cranes',
    'The harbour cranes are painted orange.',
  ),
  search: {
    words: 'look up what is known of deploying',
    calls: [{ tool: 'search_memories', args: { query: 'deploy weekdays' } }],
    last: 'Finished: searching',
  },
  greeting: { words: 'good morning', calls: [], last: 'Finished: greeting' },
  question: { words: 'which colour do the harbour cranes have', calls: [], last: 'Finished: answering' },
} as const;
