import { Refusal } from '../../core/refusal.ts';
import { changePasskeys, type EnrolledPasskey, passkeysNow, planChange } from '../../store/maintenance/passkeys.ts';
import type { Session } from '../session.ts';

export { passkeysNow } from '../../store/maintenance/passkeys.ts';

/** At least 8 characters of an id, because two passkeys hardly share so many. */
const SHORTEST = 8;

/** The passkey of this name, or whose id begins so. */
export function passkeyCalled({ vault }: Session, which: string): Pick<EnrolledPasskey, 'credential' | 'name'> {
  const { passkeys } = passkeysNow(vault);
  const found = passkeys.filter(
    ({ credential, name }) => name === which || (which.length >= SHORTEST && credential.startsWith(which)),
  );
  const [one, ...others] = found;
  if (one === undefined)
    throw new Refusal('invalid-input', 'No passkey of this store is called so; surety passkey lists them.');
  if (others.length > 0)
    throw new Refusal('invalid-input', 'Several passkeys are called so; name one by the first characters of its id.');
  return one;
}

/** Ends the requirement, and every passkey, with the recovery code. */
export async function resetWithCode({ vault, audit }: Session, code: string): Promise<void> {
  await audit.runAndRecord({ channel: 'terminal', action: 'passkey-reset' }, () =>
    changePasskeys(vault, planChange(vault, 'reset', { code }), 'recovery-code'),
  );
}
