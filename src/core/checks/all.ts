import type { Check } from '../findings.ts';
import { semantics } from './semantics.ts';
import { structure } from './structure.ts';

/** Every check in force, in the order their findings are shown. */
export const CHECKS: readonly Check[] = [structure, semantics];
