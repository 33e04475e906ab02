import type { GitTrees, Tree } from '../git/trees.ts';

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
  /** Whether memories may go however many go at once. */
  readonly takeDeletions: boolean;
}
