import { insideOf } from '../vault/inside-of-vault.ts';
import type { Vault } from '../vault/vault.ts';

/** The id in the store's file, where it is not one that this machine knows the store by. */
export function foreignStoreId(vault: Vault): string | undefined {
  const { isOther, named } = insideOf(vault).ledgers.identity;
  return isOther ? (named ?? '') : undefined;
}

/** Puts the id that this machine remembers back into the store's file. */
export function putBackStoreId(vault: Vault): Promise<void> {
  return vault.exclusively(() => insideOf(vault).ledgers.identity.nameAgain());
}
