import { join } from 'node:path';
import { thisMachine } from '../src/store/places/host.ts';
import type { Home } from './clients.ts';
import { TestStore } from './store.ts';

/** The variables that make a server use the store which `prepare` opens. */
export function sharedEnv(home: Home): Record<string, string> {
  return {
    XDG_CONFIG_HOME: join(home.folder, '.config'),
    XDG_STATE_HOME: join(home.folder, '.local', 'state'),
    XDG_CACHE_HOME: join(home.folder, '.cache'),
  };
}

/** A store in this home for a server process to find, made months ago so that observations are over. */
export function prepare(home: Home): Promise<TestStore> {
  return TestStore.open({ home: home.folder, machine: thisMachine() });
}

/** The same for several tests: it is closed when the home is removed. */
export function prepareForSeveral(home: Home): Promise<TestStore> {
  const atEnd = (end: () => void) => void home.leftovers.push(end);
  return TestStore.open({ home: home.folder, machine: thisMachine(), atEnd });
}
