import { signCountOf } from '../../core/passkeys/assertion.ts';
import { parseTimestamp } from '../../core/trust/clocks.ts';
import type { Vault } from '../../store/vault/vault.ts';
import { levelOf } from './log.ts';

/**
 * When the sign counter of a passkey last went back, by the passkey's id. An authenticator that counts never does that, so
 * another one may have a copy of the key. Entries are compared within one ledger, where their order is certain. Synced
 * passkeys count nothing, and are not looked at.
 */
export function countersThatWentBack(vault: Vault): Map<string, number> {
  const counters = new Map<string, number>();
  const back = new Map<string, number>();
  for (const line of vault.ledgerLines(({ assertion }) => assertion !== undefined)) {
    const { assertion, at } = line.entry;
    const counter = assertion === undefined ? 0 : signCountOf(assertion);
    if (assertion === undefined || counter === 0 || levelOf(vault, line) !== 4) continue;
    const key = `${line.fingerprint} ${assertion.credential}`;
    if (counter <= (counters.get(key) ?? 0)) back.set(assertion.credential, parseTimestamp(at) ?? 0);
    counters.set(key, counter);
  }
  return back;
}
