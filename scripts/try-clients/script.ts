import type { Script, ScriptedTurn } from './model.ts';

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
  /** The call is the client's own tool, so each client gets its own from `scriptFor`. */
  guarded: { words: 'open the file with the deploy days', calls: [], last: 'Finished: opening' },
  question: { words: 'which colour do the harbour cranes have', calls: [], last: 'Finished: answering' },
} as const;

/** The script for a client with this tool for commands: with it the model tries to open a memory's file, past Surety. */
export function scriptFor(shell: readonly [tool: string, argument: string] | undefined): Script {
  const { guarded, ...others } = TURNS;
  if (shell === undefined) return Object.values(others);
  const [tool, argument] = shell;
  const args = { [argument]: `cat ~/.surety/memories/${TURNS.short.id}.md`, description: 'opens the file' };
  return [...Object.values(others), { ...guarded, calls: [{ tool, args }] }];
}
