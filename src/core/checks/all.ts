import { hidden } from './hidden-text.ts';
import { injectionCheck } from './injection/check.ts';
import type { Check } from './inspect.ts';
import { type OwnerIdentity, personalCheck } from './personal.ts';
import { secrets } from './secrets.ts';
import { semantics } from './semantics.ts';
import { structure } from './structure.ts';

/** The settings that change what a check looks for. */
export interface CheckSettings {
  readonly owner: OwnerIdentity;
  readonly injection: 'hold' | 'warn';
}

/** The checks under these settings, in the order their findings are shown. */
export function checksFor({ owner, injection }: CheckSettings): readonly Check[] {
  return [structure, secrets, injectionCheck(injection), hidden, personalCheck(owner), semantics];
}

/** The checks under the default settings. */
export const CHECKS: readonly Check[] = checksFor({ owner: { emails: [] }, injection: 'hold' });
