import type { CommitTree, GitTrees } from '../git/trees.ts';
import type { DisplacedPair } from './changed-back.ts';

export interface MergeSides {
  readonly base: CommitTree;
  readonly ours: CommitTree;
  readonly theirs: CommitTree;
}

export interface MergeCircumstances {
  readonly trees: GitTrees;
  /** This machine's ledger, by its fingerprint, and this machine's name. */
  readonly fingerprint: string;
  readonly machine: string;
  readonly at: string;
  /** The name of the machine that wrote the other side's version of a file. */
  readonly writerOf: (path: string) => Promise<string>;
  /** Whether a receipt that counts here vouches for exactly this text, judged by the merged ledgers. */
  readonly isVouched: (id: string, digest: string) => boolean;
  /** Whether the memory was quarantined and no such decision is in force here, judged by the merged ledgers. */
  readonly isLifted: (id: string) => boolean;
  /** Whether a person erased the memory, on a machine that counts here, judged by the merged ledgers. */
  readonly isErased: (id: string) => boolean;
  /** Whether a check of this machine blocks the file of a memory. */
  readonly isBlocked: (id: string, file: Buffer) => boolean;
  readonly wasChangedBack: (pair: DisplacedPair) => boolean;
  /** Whether removals are taken however many there are at once. */
  readonly takeDeletions: boolean;
  /** Whether a person at this machine has taken the removal of exactly this file before. */
  readonly wasTaken: (path: string, blob: string) => boolean;
}
