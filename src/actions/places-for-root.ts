import { homedir } from 'node:os';
import { accountHome } from '../store/places/base-folders.ts';
import { type Places, resolvePlaces } from '../store/places/places.ts';

/** Where the store and this machine's files are, from the flag and the environment. */
export function placesForRoot(root: string | undefined): Places {
  const { env, platform } = process;
  return resolvePlaces({ root, env, home: homedir(), account: accountHome(), platform });
}
