// node bench/hooks-store.ts HOME MEMORIES [VERIFIED]: the store that bench/hooks.ts measures, scanned as a session leaves it.
import { join } from 'node:path';
import { openVault } from '../src/store/open-vault.ts';
import { resolvePlaces } from '../src/store/places/places.ts';
import { reconcile } from '../src/store/reconcile/reconcile.ts';
import { add } from '../testkit/sample.ts';
import { writeStore } from './corpus.ts';
import { type Passkey, writeVerified } from './verified-store.ts';

const [home = '', memories, verified = ''] = process.argv.slice(2);

if (verified === '') writeStore(join(home, '.surety', 'memories'), Number(memories));
else await writeVerified(home, Number(memories), verified as Passkey);
const vault = await openVault(
  resolvePlaces({ root: undefined, env: {}, home, account: home, platform: process.platform }),
);
await reconcile(vault);
// A text that nobody signed is not verified where a passkey is required.
if (verified !== 'required')
  await add(vault, 'Frankfurt', { body: 'Frankfurt is backed up at midnight, every second day.' });
vault.close();
