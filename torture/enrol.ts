import { shownForPasskey } from '../src/actions/review/shown.ts';
import { witnessed } from '../src/core/trust/consent.ts';
import { changePasskeys, planChange } from '../src/store/maintenance/passkeys.ts';
import { openVault } from '../src/store/open-vault.ts';
import { resolvePlaces } from '../src/store/places/places.ts';
import type { SoftwareAuthenticator } from '../testkit/authenticator.ts';

/** Enrols the person's passkey in the store of this home, before anything goes wrong there. */
export async function enrolIn(home: string, { credential, publicKey }: SoftwareAuthenticator): Promise<void> {
  const places = resolvePlaces({ root: undefined, env: {}, home, account: home, platform: process.platform });
  const vault = await openVault(places);
  try {
    const planned = planChange(vault, 'enrolled', { credential, key: publicKey, name: 'torture' });
    await changePasskeys(vault, planned, { consent: witnessed('page', shownForPasskey(planned)) });
  } finally {
    vault.close();
  }
}
