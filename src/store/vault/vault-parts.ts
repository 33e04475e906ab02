import type { CheckSettings } from '../../core/checks/all.ts';
import type { Check } from '../../core/checks/inspect.ts';
import type { Disk } from '../disk/disk.ts';
import type { Lock } from '../disk/lock.ts';
import type { CacheSecrets, ParseCache } from '../index/parse-cache.ts';
import type { SearchIndex } from '../index/search-index.ts';
import type { KeptCopies } from '../ledger/kept-copies.ts';
import type { Ledgers } from '../ledger/ledgers.ts';
import type { MachineKey } from '../ledger/machine-key.ts';
import type { TrustedMachines } from '../ledger/trusted-machines.ts';
import type { Places } from '../places/places.ts';
import type { Settings } from '../places/settings.ts';
import type { VouchedTexts } from './vouched-texts.ts';

/** What a vault is made of. */
export interface VaultParts {
  readonly places: Places;
  readonly disk: Disk;
  readonly key: MachineKey;
  readonly ledgers: Ledgers;
  /** For reading and naming. Which machines count is changed through `ledgers`, which needs a yes. */
  readonly machines: Pick<TrustedMachines, 'all' | 'nameOf' | 'name' | 'voidPath'>;
  /** Ledger lines that this machine keeps outside the store, where they still lower. */
  readonly kept: Pick<KeptCopies, 'setLinesAside'>;
  readonly vouched: VouchedTexts;
  readonly index: SearchIndex;
  readonly parseCache: ParseCache;
  /** What another thread needs to interpret files as this one does; undefined where it could not. */
  readonly interpreter: { readonly secrets: CacheSecrets; readonly settings: CheckSettings } | undefined;
  readonly lock: Lock;
  readonly settings: () => Settings;
  /** The settings without what a passkey requires. */
  readonly configured: Settings;
  /** Made at the first call, because a hook seldom checks anything. */
  readonly checks: () => readonly Check[];
  /** The version of the checks; see rules-version.ts. */
  readonly rules: string;
  readonly now: () => number;
  readonly complain: (line: string) => void;
}
