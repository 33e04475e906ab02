import type { Vault } from '../../store/vault/vault.ts';

/**
 * How a person begins a new store where another one was. This machine remembers the old one, so the new one raises nothing:
 * somebody could have put it there. Undefined where there is no such trouble.
 */
export function howToStartOver(vault: Vault): string | undefined {
  const trouble = vault.reports().find(({ own }) => own)?.trouble;
  if (trouble !== 'missing' && trouble !== 'other-store') return undefined;
  return `If you removed the old store and want a new one here, also remove this machine’s records of the old store. They have copies of its texts. They are in the folder ${vault.places.state}`;
}
