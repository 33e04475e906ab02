import type { Check } from '../core/checks/findings.ts';
import type { Disk } from './disk.ts';
import type { IndexDb } from './index-db.ts';
import type { KeptLines } from './kept-lines.ts';
import type { MachineKey } from './keys.ts';
import type { Places } from './layout.ts';
import type { Ledgers } from './ledgers.ts';
import type { Lock } from './lock.ts';
import type { TrustedMachines } from './machines.ts';
import type { Readings } from './readings.ts';
import type { Settings } from './settings.ts';
import type { VouchedTexts } from './vouched.ts';

/** What a vault is made of. */
export interface Parts {
  readonly places: Places;
  readonly disk: Disk;
  readonly key: MachineKey;
  readonly ledgers: Ledgers;
  /** To look at, and to name; whose word counts is changed through the ledgers, where a yes is asked for. */
  readonly machines: Pick<TrustedMachines, 'all' | 'nameOf' | 'name'>;
  /** Lines of ledgers that this machine keeps for itself, where they go on lowering. */
  readonly kept: Pick<KeptLines, 'setLinesAside'>;
  readonly vouched: VouchedTexts;
  readonly index: IndexDb;
  readonly readings: Readings;
  readonly lock: Lock;
  readonly settings: () => Settings;
  readonly checks: readonly Check[];
  /** Names them; see rules.ts. */
  readonly rules: string;
  readonly now: () => number;
  readonly complain: (line: string) => void;
}
