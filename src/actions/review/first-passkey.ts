import { join } from 'node:path';
import { Refusal } from '../../core/refusal.ts';
import {
  hasPasskeyElsewhere,
  isFirstPasskeyOffer,
  passkeysIfTrusted,
  passkeysNow,
  passkeysToTrust,
} from '../../store/maintenance/passkeys.ts';
import { remotesOf } from '../../store/places/git-remotes.ts';
import { SyncNotices } from '../../store/sync/notices.ts';
import type { Vault } from '../../store/vault/vault.ts';

// A store has one first passkey. Where two machines each enrol one before they know of each other, none counts.

const FIRST_ELSEWHERE =
  'Another machine of this store has a passkey. Trust that machine first with surety machines trust; then surety passkey add enrols one here, confirmed with one that is enrolled. A first one of its own here would make all of them count for nothing.';

const SYNC_FIRST =
  'Run surety sync first: another machine of this store may have one. If none has, surety passkey add enrols the first; else trust that machine, and add one here that is confirmed with it.';

/** Why a first passkey should not be enrolled here yet; undefined where it can be, or where one counts already. */
export function whyNoFirstPasskey(vault: Vault): string | undefined {
  const { isKnown, isContested, passkeys } = passkeysNow(vault);
  if (isContested || passkeys.length > 0) return undefined;
  if (hasPasskeyElsewhere(vault)) return FIRST_ELSEWHERE;
  if (isKnown) return undefined;
  const hasRemote = remotesOf(join(vault.places.root, '.git')).size > 0;
  return hasRemote && new SyncNotices(vault).read()?.succeededAt == null ? SYNC_FIRST : undefined;
}

/** Whether a person is offered here to enrol their first passkey. Each place makes this offer once. */
export function offersPasskey(vault: Vault, place: Parameters<typeof isFirstPasskeyOffer>[1]): boolean {
  if (passkeysNow(vault).isKnown || whyNoFirstPasskey(vault) !== undefined) return false;
  return isFirstPasskeyOffer(vault, place);
}

const WHY_NONE = 'Two machines enrolled a first passkey without knowing of each other, so none counts here.';
const DISTRUST =
  'surety machines distrust takes the other machine’s word away, and this machine’s passkeys count here again';

/** Why no passkey counts, and the way out; undefined where they do. */
export function whyPasskeysContested(vault: Vault): string | undefined {
  const { isContested, isRequired } = passkeysNow(vault);
  if (!isContested) return undefined;
  const wayOut = isRequired
    ? `surety passkey reset takes the recovery code and ends the requirement and all passkeys, so that you can enrol a new one; without the code, ${DISTRUST}.`
    : `${DISTRUST}.`;
  const yes = isRequired ? ' Nothing can become verified meanwhile.' : '';
  return `${WHY_NONE}${yes} ${wayOut} docs/sync.md has all steps, under “Passkeys on two machines”.`;
}

const NONE_TRUSTED =
  'In this store a yes counts only with a passkey, and the passkeys are in a ledger that is not trusted here: another machine’s, or one that this machine wrote with a key that it lost. Nothing can become verified meanwhile. surety machines trust makes that ledger and its passkeys count; or surety passkey reset takes the recovery code and ends the requirement.';

const RELEASED_THERE =
  'In this store a yes counts only with a passkey again. That was released with a passkey of a ledger that is not trusted here: another machine’s, or one that this machine wrote with a key that it lost. So the release does not count here. Nothing can become verified meanwhile. surety machines trust makes that ledger count, and the release with it; or surety passkey reset takes the recovery code that was shown when a passkey was required.';

const NONE_COUNTS =
  'In this store a yes counts only with a passkey, and no passkey counts here. Nothing can become verified meanwhile. If a ledger is in trouble, or its file was lost or cut, put that ledger back first: surety doctor or surety sync does that, or take the file from a backup. If every passkey was removed, surety passkey reset takes the recovery code and ends the requirement.';

const WHY_MISSING = { none: NONE_COUNTS, passkeys: NONE_TRUSTED, release: RELEASED_THERE } as const;

/** Why a passkey is required and none counts, and the way out; undefined where one counts, or none is required. */
export function whyPasskeysMissing(vault: Vault): string | undefined {
  const { isContested, isRequired, passkeys } = passkeysNow(vault);
  if (isContested || !isRequired || passkeys.length > 0) return undefined;
  return WHY_MISSING[passkeysToTrust(vault)];
}

/** Why no passkey counts though one is needed, and the way out. */
export function whyNoPasskeyCounts(vault: Vault): string | undefined {
  return whyPasskeysContested(vault) ?? whyPasskeysMissing(vault);
}

/** Why no yes can count that needs a passkey: also where only the settings ask for one, and none was enrolled yet. */
export function whyNoYesCounts(vault: Vault): string | undefined {
  if (vault.settings.minimumAssurance < 4) return undefined;
  const why = whyNoPasskeyCounts(vault);
  if (why !== undefined || passkeysNow(vault).passkeys.length > 0) return why;
  return `Your settings take a yes only with a passkey (minimumAssurance in config.json), and none is enrolled. ${whyNoFirstPasskey(vault) ?? 'surety passkey add enrols one.'}`;
}

export function noPasskeyRefusal(vault: Vault): Refusal | undefined {
  const why = whyNoPasskeyCounts(vault);
  return why === undefined ? undefined : new Refusal('not-allowed', why);
}

/** What a person should know about passkeys before they trust a machine; undefined where it changes nothing. */
export function passkeysByTrust(vault: Vault, fingerprint: string): string | undefined {
  const change = passkeysIfTrusted(vault, fingerprint);
  if (change === undefined) return undefined;
  if (change === 'required') return requiredByTrust(vault, fingerprint);
  const { isRequired } = passkeysNow(vault);
  const effect = isRequired
    ? 'none of them counts any more, and nothing can become verified here'
    : 'none of them counts any more, and what they signed counts as if they had not';
  return `This machine and that one each have a first passkey. With your yes ${effect}. Let one of them go first: on that machine run surety passkey require, then surety passkey reset with the code that was shown, and surety sync on both. Then the passkey of the other counts on both. docs/sync.md has all steps, under “Passkeys on two machines”.`;
}

function requiredByTrust(vault: Vault, fingerprint: string): string {
  const ids = [...vault.evidence.everVerified()].map(({ id }) => id);
  const then = new Set(vault.verifiedIfTrusted(fingerprint, ids).map(({ id }) => id));
  const lost = vault.verifiedAmong(ids).filter(({ id }) => !then.has(id)).length;
  const many = lost === 1 ? '1 memory that is' : `${lost} memories that are`;
  const lowered =
    lost === 0
      ? ''
      : ` ${many} verified here now will be inferred, because no passkey signed your yes; surety open asks for it again.`;
  return `That machine requires a passkey. From your yes on nothing becomes verified here without one.${lowered}`;
}
