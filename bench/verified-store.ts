import { join } from 'node:path';
import { shownForPasskey } from '../src/actions/review/shown.ts';
import type { EntryDraft } from '../src/core/ledger/entry.ts';
import { challengeOfYes } from '../src/core/passkeys/challenge.ts';
import { recoveryHash } from '../src/core/passkeys/change.ts';
import { dateOf } from '../src/core/trust/clocks.ts';
import { witnessed } from '../src/core/trust/consent.ts';
import { changePasskeys, planChange } from '../src/store/maintenance/passkeys.ts';
import { openVault } from '../src/store/open-vault.ts';
import { resolvePlaces } from '../src/store/places/places.ts';
import { reconcile } from '../src/store/reconcile/reconcile.ts';
import { insideOf } from '../src/store/vault/inside-of-vault.ts';
import { ledgerDraft } from '../src/store/vault/ledger-entries.ts';
import { SoftwareAuthenticator } from '../testkit/authenticator.ts';
import { writeStore } from './corpus.ts';

/** Receipts in one write, because each write remembers the ledger's end. */
const AT_ONCE = 1000;
const NONCE = 'bm9uY2U';

/** Without a passkey; each receipt signed by one; and one required besides. */
export type Passkey = 'none' | 'signed' | 'required';

/** A store in which every memory is verified by a receipt of its own. */
export async function writeVerified(home: string, memories: number, how: Passkey): Promise<void> {
  writeStore(join(home, '.surety', 'memories'), memories, 1, 0, 'verified');
  const vault = await openVault(
    resolvePlaces({ root: undefined, env: {}, home, account: home, platform: process.platform }),
  );
  await reconcile(vault);
  const inside = insideOf(vault);
  const { ledgers } = inside;
  const passkey = how === 'none' ? undefined : new SoftwareAuthenticator();
  if (passkey !== undefined) {
    const { credential, publicKey: key } = passkey;
    const enrolled = planChange(vault, 'enrolled', { credential, key, name: 'a key' });
    await changePasskeys(vault, enrolled, { consent: witnessed('page', shownForPasskey(enrolled)) });
  }
  if (passkey !== undefined && how === 'required') {
    const required = planChange(vault, 'required', { recovery: recoveryHash('0'.repeat(32)) });
    const { challenge = '', nonce = '' } = required.question ?? {};
    await changePasskeys(vault, required, { assertion: passkey.sign(challenge, nonce) });
  }
  const by = { actor: 'operator', channel: 'page', level: passkey === undefined ? 3 : 4, client: null } as const;
  const drafts: EntryDraft[] = [];
  for (const { id, digest, saying } of vault.survey()) {
    const yes = { id, digest, from: 'inferred', settled: [], replaces: null, after: [] } as const;
    const { store = '', ledger, at } = ledgers.nextPlace();
    const place = { store, ledger: ledger.fingerprint, day: dateOf(at), nonce: NONCE };
    const assertion = passkey?.sign(challengeOfYes({ ...yes, ...place, verb: 'promote', was: null }), NONCE);
    drafts.push({
      ...ledgerDraft(inside, 'seen', id, by),
      ...yes,
      action: 'promote',
      to: 'verified',
      saying,
      ...(assertion && { assertion }),
    });
  }
  await vault.exclusively(() => {
    for (let at = 0; at < drafts.length; at += AT_ONCE) ledgers.append(drafts.slice(at, at + AT_ONCE));
  });
  vault.close();
}
