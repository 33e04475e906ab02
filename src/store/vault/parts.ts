import type { Check } from '../../core/checks/inspect.ts';
import type { Disk } from '../disk/disk.ts';
import type { Lock } from '../disk/lock.ts';
import type { ParseCache } from '../index/parse-cache.ts';
import type { SearchIndex } from '../index/search-index.ts';
import type { KeptCopies } from '../ledger/kept-copies.ts';
import type { Ledgers } from '../ledger/ledgers.ts';
import type { MachineKey } from '../ledger/machine-key.ts';
import type { TrustedMachines } from '../ledger/trusted-machines.ts';
import type { Places } from '../places/places.ts';
import type { Settings } from '../places/settings.ts';
import type { VouchedTexts } from './vouched-texts.ts';

/** What a vault is made of. */
export interface Parts {
  readonly places: Places;
  readonly disk: Disk;
  readonly key: MachineKey;
  readonly ledgers: Ledgers;
  /** To look at, and to name; whose word counts is changed through the ledgers, where a yes is asked for. */
  readonly machines: Pick<TrustedMachines, 'all' | 'nameOf' | 'name' | 'voidPath'>;
  /** Lines of ledgers that this machine keeps for itself, where they go on lowering. */
  readonly kept: Pick<KeptCopies, 'setLinesAside'>;
  readonly vouched: VouchedTexts;
  readonly index: SearchIndex;
  readonly parseCache: ParseCache;
  readonly lock: Lock;
  readonly settings: () => Settings;
  readonly checks: readonly Check[];
  /** Names them; see rules.ts. */
  readonly rules: string;
  readonly now: () => number;
  readonly complain: (line: string) => void;
}
