import type { UserConsent } from '../../core/trust/consent.ts';
import { insideOf } from '../vault/inside-of-vault.ts';
import type { Vault } from '../vault/vault.ts';

/** When this machine's last entry was made, where the clock is too far ahead of it for anything to be signed. */
export function jumpedFrom(vault: Vault): number | undefined {
  return insideOf(vault).ledgers.jumpedFrom(vault.now());
}

/** Goes on after the clock has jumped, with a person's yes for the date. */
export function confirmDate(vault: Vault, consent: UserConsent): Promise<void> {
  return vault.exclusively(() => insideOf(vault).ledgers.confirmDate(consent, vault.now()));
}
