import { LIMITS } from '../../core/memory/limits.ts';
import { lengthOf } from '../../core/memory/memory.ts';
import { Refusal } from '../../core/refusal.ts';
import { shortLine } from '../../core/text/short-line.ts';
import {
  changePasskeys,
  type EnrolledPasskey,
  lastPasskey,
  passkeysNow,
  planChange,
} from '../../store/maintenance/passkeys.ts';
import type { Session } from '../session.ts';

/** What a person goes to the page for passkeys for. */
export type PasskeyRequest =
  | { readonly kind: 'add'; readonly name: string }
  | { readonly kind: 'remove'; readonly credential: string; readonly name: string }
  | { readonly kind: 'require' | 'release' };

/** A passkey's name as it stands in ledgers, in lists and on the page. It is refused rather than cut: a person types it again to remove one. */
export function passkeyName(given: string): string {
  const { max } = LIMITS.tags;
  const clean = oneLine(given);
  if (clean !== '' && lengthOf(clean) <= max) return clean;
  throw new Refusal(
    'invalid-input',
    `A passkey’s name has 1 to ${max} characters that show; without a name it is called like this machine. Nothing was changed.`,
  );
}

function oneLine(name: string): string {
  return shortLine(name, Number.POSITIVE_INFINITY);
}

/** At least 8 characters of an id, because two passkeys hardly share so many. */
const SHORTEST = 8;

/** The passkey of this name, typed as it shows or as it was given, or whose id begins so. */
export function passkeyCalled(
  { vault }: Pick<Session, 'vault'>,
  which: string,
): Pick<EnrolledPasskey, 'credential' | 'name'> {
  const { passkeys } = passkeysNow(vault);
  const found = passkeys.filter(
    ({ credential, name }) =>
      oneLine(name) === oneLine(which) || (which.length >= SHORTEST && credential.startsWith(which)),
  );
  const [one, ...others] = found;
  if (one === undefined)
    throw new Refusal('invalid-input', 'No passkey of this store is called so; surety passkey lists them.');
  if (others.length > 0)
    throw new Refusal('invalid-input', 'Several passkeys are called so; name one by the first characters of its id.');
  return one;
}

/** Refuses before a person is asked for a touch that could not count. */
export function refuseRemovingLast({ vault }: Session): void {
  if (passkeysNow(vault).passkeys.length === 1) throw lastPasskey(vault);
}

/** Refuses before a person looks for a code that was never given out, or is asked for a touch that changes nothing. */
export function refuseTakingBack({ vault }: Session): void {
  if (passkeysNow(vault).isRequired) return;
  throw new Refusal(
    'not-allowed',
    'No passkey is required in this store, so there is no recovery code and nothing to take back. surety passkey require gives one out.',
  );
}

/** Ends the requirement, and every passkey, with the recovery code as a person typed it: with or without spaces. */
export async function resetWithCode({ vault, audit }: Session, typed: string): Promise<void> {
  const code = typed.replaceAll(/[\s-]/g, '').toLowerCase();
  await audit.runAndRecord({ channel: 'terminal', action: 'passkey-reset' }, () =>
    changePasskeys(vault, planChange(vault, 'reset', { code }), 'recovery-code'),
  );
}
