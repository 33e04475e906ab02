import { homedir } from 'node:os';
import { CLIENTS } from '../../core/clients/clients.ts';
import { startsOfHooks } from '../../core/clients/entries.ts';
import { hasPlugin, isInstalled, type Registration, registrationIn } from '../../store/programs/client-files.ts';
import { versionOf } from '../../store/programs/client-version.ts';

type State = Exclude<Registration['state'], 'no-client'> | 'plugin';

/** A client on this machine, as its files show it. */
export interface ClientHere {
  readonly name: string;
  readonly version: string | null;
  /** Whether it starts the server. */
  readonly server: State;
  readonly hooks: State;
  /** What a person can confirm in it. */
  readonly confirms: string;
}

export function clientsHere(): ClientHere[] {
  const at = { home: homedir(), env: process.env };
  return CLIENTS.flatMap(({ name, setup, confirms }) => {
    if (setup === undefined || !isInstalled(setup, at)) return [];
    const hooks = setup.files.map((file) => registrationIn(file, at, startsOfHooks));
    const servers = setup.files.flatMap((file) => (file.holds === 'server' ? registrationIn(file, at) : []));
    const isPlugin = hasPlugin(setup, at);
    return {
      name,
      version: versionOf(setup.program, at.env) ?? null,
      server: isPlugin ? 'plugin' : stateOf(servers),
      hooks: isPlugin ? 'plugin' : stateOf(hooks),
      confirms,
    };
  });
}

/** One file of several may hold the entries. A file that is missing has none. */
function stateOf(files: readonly Registration[]): State {
  const order = ['gone', 'registered', 'unreadable', 'left-alone'] as const;
  return order.find((state) => files.some((file) => file.state === state)) ?? 'not-registered';
}
