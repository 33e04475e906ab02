import { dateOf } from '../../core/trust/clocks.ts';
import { refuseLookalike, type UserConsent } from '../../core/trust/consent.ts';
import { insideOf } from '../vault/inside-of-vault.ts';
import { byOf, ledgerDraft } from '../vault/ledger-entries.ts';
import type { Vault } from '../vault/vault.ts';

/** When this machine's last entry was made, where the clock is too far ahead of it for anything to be signed. */
export function jumpedFrom(vault: Vault): number | undefined {
  return insideOf(vault).ledgers.jumpedFrom();
}

/** Accepts the date after a clock jump, with a person's yes that it is right. */
export function confirmDate(vault: Vault, consent: UserConsent): Promise<void> {
  return vault.exclusively(() => {
    const inside = insideOf(vault);
    const { ledgers, key } = inside;
    const own = ledgers.reports().find((report) => report.own);
    refuseLookalike(consent);
    const shown = { verb: 'confirm-date', id: key.fingerprint, digest: own?.head.hash ?? null } as const;
    consent.spend({ ...shown, standing: dateOf(vault.now()) });
    ledgers.append([ledgerDraft(inside, 'dated', key.fingerprint, byOf(consent))]);
  });
}
