import type { PasskeyRequest } from '../actions/review/passkeys.ts';
import type { ReviewItem } from '../actions/review/review.ts';
import type { Session } from '../actions/session.ts';
import type { HookClient, HookEvent } from '../core/clients/hook-answers.ts';

/** One command, with its help text. */
export interface Command {
  /** What `surety <name> --help` prints. */
  readonly help: string;
  /** Options with a value, and what the value is, such as `a folder`. No option answers for a person. */
  readonly options: Readonly<Record<string, string>>;
  /** Options without a value. No switch answers for a person. */
  readonly switches?: readonly string[];
  /** At most this many arguments besides options. */
  readonly takes: number;
  /** The exit code for an unexpected error, if 1 has another meaning. */
  readonly failed?: number;
  /** Runs the command and returns the exit code. */
  readonly run: (given: Given, doors: Doors) => Promise<number>;
}

/** A command in the list of all; loaded when it is needed. */
export interface ListedCommand {
  readonly summary: string;
  readonly load: () => Promise<Command>;
}

/** What `main.ts` hands in, because the command line may not import the server, the page or the hooks. */
export interface Doors {
  /** Serves MCP until the client disconnects. */
  serve(root: string | undefined): Promise<void>;
  /**
   * Opens the review page. A decision there has the assurance level of the terminal that opened it. `holdsAnswers`: each can
   * be taken back for five seconds.
   */
  openPage(
    session: Session,
    items: readonly ReviewItem[],
    how: { readonly holdsAnswers: boolean },
  ): Promise<OpenedPage>;
  /** Opens the overview of all memories. A decision there has the assurance level of the terminal that opened it. */
  openOverview(session: Session): Promise<OpenedPage>;
  /** Opens the page that enrols, removes and requires passkeys. */
  openPasskeyPage(session: Session, task: PasskeyRequest): Promise<OpenedPage>;
  /** Runs a hook of a client, which never fails. */
  hook(name: HookEvent, client: HookClient, root: string | undefined): Promise<void>;
  /** Every command there is. */
  readonly commands: Readonly<Record<string, ListedCommand>>;
}

export interface OpenedPage {
  readonly url: string;
  readonly entered: Promise<void>;
  /** `lost`: why answers were not carried out while the page ended. */
  readonly ended: Promise<{
    readonly how: string;
    readonly outcomes: readonly { readonly kind: string }[];
    readonly lost?: string | undefined;
  }>;
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
 * A command line that was not understood. The sentence has no full stop, because a pointer to the help follows. It
 * quotes no argument, because an argument may be a secret pasted by mistake and end up in a log.
 */
export class Misuse extends Error {
  override readonly name = 'Misuse';
}

/** The person pressed Ctrl+C, or the system ended the program. Here, because an update may take away what is loaded only when it is needed. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}
