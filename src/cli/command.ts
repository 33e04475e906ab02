import type { Item } from '../actions/review/review.ts';
import type { Session } from '../actions/session.ts';

/** One command of the operator's, with its whole help text beside what it does. */
export interface Command {
  /** What `surety <name> --help` prints. */
  readonly help: string;
  /** Options with a value, each with what the value is, such as `a folder`. None is a switch that answers for a person. */
  readonly options: Readonly<Record<string, string>>;
  /** Options without a value. None of them answers for a person. */
  readonly switches?: readonly string[];
  /** The most arguments it takes besides options. */
  readonly takes: number;
  /** The exit code for what nobody foresaw, where 1 has another meaning. */
  readonly failed?: number;
  /** Does it and returns the exit code. */
  readonly run: (given: Given, doors: Doors) => Promise<number>;
}

/** What is not the command line's to import: doors do not import one another. */
export interface Doors {
  /** Speaks MCP until the client goes away. */
  serve(root: string | undefined): Promise<void>;
  /** Opens the review page; what is decided there counts as much as the terminal it was opened from. */
  openPage(session: Session, items: readonly Item[]): Promise<OpenedPage>;
  /** Runs a hook of Claude Code, which never fails. */
  hook(name: string, root: string | undefined): Promise<void>;
}

export interface OpenedPage {
  readonly url: string;
  readonly entered: Promise<void>;
  readonly ended: Promise<{ readonly how: string; readonly outcomes: readonly { readonly kind: string }[] }>;
  close(): Promise<void>;
}

export interface Given {
  readonly root: string | undefined;
  readonly options: Readonly<Record<string, string | undefined>>;
  readonly switches: ReadonlySet<string>;
  readonly rest: readonly string[];
}

/** Documented in `surety --help`; programs rely on them. */
export const EXIT = { done: 0, failed: 1, usage: 64, interrupted: 130 } as const;

/**
 * A command line that was not understood. The sentence has no full stop: where to look is added to it. It quotes no
 * argument, which can be a secret that was pasted in the wrong place and would stand in a log.
 */
export class Misuse extends Error {
  override readonly name = 'Misuse';
}
