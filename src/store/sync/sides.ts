import type { GitTrees, Tree } from '../git/trees.ts';
import type { Pair } from './changed-back.ts';

export interface Sides {
  readonly base: Tree;
  readonly ours: Tree;
  readonly theirs: Tree;
}

export interface Circumstances {
  readonly trees: GitTrees;
  /** This machine's ledger and name. */
  readonly fingerprint: string;
  readonly machine: string;
  readonly at: string;
  /** Whose version of a file the other side has. */
  readonly writerOf: (path: string) => Promise<string>;
  /** Whether a receipt that counts here vouches for exactly this text, by the ledgers as they are after the merge. */
  readonly isVouched: (id: string, digest: string) => boolean;
  readonly wasChangedBack: (pair: Pair) => boolean;
  /** Whether memories may go however many go at once. */
  readonly takeDeletions: boolean;
}
