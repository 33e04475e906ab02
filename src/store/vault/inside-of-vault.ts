import type { Conflicts } from '../ledger/conflicts.ts';
import type { MemoryFiles } from './memory-files.ts';
import type { MissingMemories } from './missing.ts';
import type { VaultParts } from './vault-parts.ts';

/** A lowering that is carried out and that the ledger could not take. */
export interface UnrecordedLowering {
  readonly isPersons: boolean;
  write(): void;
  /** Whether a person restored or erased the memory since, here or in another process. Recorded now, the earlier word would win. */
  isOvertaken(): boolean;
}

/** A vault's parts and its memory files. */
export interface Inside extends VaultParts {
  readonly files: MemoryFiles;
  readonly missing: MissingMemories;
  readonly conflicts: Conflicts;
  /** Lowerings that the ledger could not take, in order. They are lost with this process. */
  readonly unrecorded: UnrecordedLowering[];
}

export const INSIDE = Symbol('inside of a vault');

/**
 * A vault's parts, for the other modules of `store/`. Everything else uses the vault's methods: no file outside
 * `store/` may import this one, and the property cannot be named without it.
 */
export function insideOf(vault: { readonly [INSIDE]: Inside }): Inside {
  return vault[INSIDE];
}
