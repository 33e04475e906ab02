import { truncate, visible } from '../core/text.ts';

/** One command of the operator's, with its whole help text beside what it does. */
export interface Command {
  /** What `surety <name> --help` prints. */
  readonly help: string;
  /** Options with a value, each with what the value is, such as `a folder`. None is a switch that answers for a person. */
  readonly options: Readonly<Record<string, string>>;
  /** The most arguments it takes besides options. */
  readonly takes: number;
  /** Does it and returns the exit code. */
  readonly run: (given: Given) => Promise<number>;
}

export interface Given {
  readonly root: string | undefined;
  readonly options: Readonly<Record<string, string | undefined>>;
  readonly rest: readonly string[];
}

/** Documented in `surety --help`; programs rely on them. */
export const EXIT = { done: 0, failed: 1, usage: 64, interrupted: 130 } as const;

/** A command line that was not understood. The sentence has no full stop: where to look is added to it. */
export class Misuse extends Error {
  override readonly name = 'Misuse';
}

/** Arguments come back in messages: without controls and not at length, so that none of them can play the terminal. */
export function printable(argument: string): string {
  return truncate(visible(argument, 'line'), 80).toString();
}
