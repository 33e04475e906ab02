import type { By, Draft, RecordKind } from '../../core/ledger/entry.ts';
import type { Disk } from '../disk/disk.ts';
import type { Places } from '../places/places.ts';
import type { KeptLines } from './kept-copies.ts';
import type { PackedLedgers } from './ledger-cache.ts';
import type { MachineKey } from './machine-key.ts';
import type { RememberedHeads } from './remembered-heads.ts';
import type { TrustedMachines } from './trusted-machines.ts';

/** What the ledgers of a store are read and written with. */
export interface LedgerParts {
  readonly places: Places;
  readonly disk: Disk;
  readonly key: MachineKey;
  readonly heads: RememberedHeads;
  readonly machines: TrustedMachines;
  readonly kept: KeptLines;
  /** Ledgers as processes before this one have read them; without it each is read in full. */
  readonly packs?: PackedLedgers;
  /** An entry about a ledger that decides nothing by itself, made under the rules and settings in force. */
  readonly note: (action: RecordKind, fingerprint: string, by: By) => Draft;
  readonly complain: (line: string) => void;
}
