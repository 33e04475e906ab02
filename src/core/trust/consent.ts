import type { Assertion } from '../passkeys/assertion.ts';
import { Refusal } from '../refusal.ts';
import type { Verb } from './tiers.ts';

/** The channels through which a person can be asked, with the level of each. */
export const CHANNELS = { terminal: 1, dialog: 2, page: 3 } as const;
export type Channel = keyof typeof CHANNELS;
export type Level = (typeof CHANNELS)[Channel];
/** A channel's level, or 4 for a yes that a passkey signed. */
export type Assurance = Level | 4;

/** What needs a person's yes besides a transition: trusting another machine, a ledger in trouble, a clock that jumped, the first passkey, archiving and erasing. */
export type Matter =
  | Verb
  | 'trust-machine'
  | 'accept-ledger'
  | 'put-back-ledger'
  | 'confirm-date'
  | 'enrol-passkey'
  | 'archive'
  | 'erase';

/** What was shown and answered. The yes counts for this and nothing else. */
export interface Shown {
  readonly verb: Matter;
  /** The memory's id; for matters about a ledger, its fingerprint. */
  readonly id: string;
  /** The digest of the shown text; for matters about a ledger, the hash of its last entry. */
  readonly digest: string | null;
  /** The digest before, where the person reworded the text that was stored. */
  readonly was?: string | undefined;
  /** The shown standing, as named by `standingKey`. */
  readonly standing: string;
  /** Rules of hold findings that were on the screen when the yes was given. */
  readonly settles: readonly string[];
  /** When these words came through the person's prompt, if the screen said that they did. */
  readonly prompted?: string | undefined;
  /** The verified memory that was shown beside it and is quarantined with the same answer. */
  readonly replaces?: string | undefined;
}

/** A person's no, and how they were asked. It makes nothing count, so nothing has to prove it. */
export interface UserNo {
  readonly channel: Channel;
  readonly level: Assurance;
  /** The MCP client that relayed the question, if any. */
  readonly client: string | null;
}

const WITNESSED = Symbol('witnessed');

/**
 * A person's yes. It cannot be passed as an argument, parsed from a message or copied: only a witness makes it, for one
 * text, and the first change it allows spends it.
 */
export class UserConsent {
  readonly shown: Shown;
  readonly channel: Channel;
  readonly level: Assurance;
  /** The MCP client that relayed the question, if any. */
  readonly client: string | null;
  /** What the person's passkey signed. The ledger is not written unless it verifies. */
  readonly assertion: Assertion | undefined;
  #spent = false;

  /** @internal Witnesses call `witnessed`. */
  constructor(
    proof: typeof WITNESSED,
    shown: Shown,
    channel: Channel,
    { client = null, levelAtMost = 3, assertion }: WitnessOptions,
  ) {
    if (proof !== WITNESSED) throw new TypeError('A consent is made by a witness, after a person answered.');
    this.shown = Object.freeze({ ...shown, settles: Object.freeze([...shown.settles]) });
    this.channel = channel;
    // A passkey proves as much however the page was opened.
    this.level = assertion === undefined ? (Math.min(CHANNELS[channel], levelAtMost) as Level) : 4;
    this.client = client;
    this.assertion = assertion;
    Object.freeze(this);
  }

  /** Checks the private field, which neither a look-alike nor a copy has. */
  static isGenuine(value: unknown): value is UserConsent {
    return typeof value === 'object' && value !== null && #spent in value;
  }

  /** Uses the yes for exactly this change. A second change, or another text, needs another yes. */
  spend(for_: Pick<Shown, 'verb' | 'id' | 'digest' | 'was' | 'standing' | 'replaces'>): void {
    if (this.#spent)
      throw new Refusal('consent-spent', 'This confirmation was used already; one yes counts for one change.');
    const { verb, id, digest, was, standing, replaces } = this.shown;
    if (verb !== for_.verb || id !== for_.id || replaces !== for_.replaces) {
      throw new Refusal('consent-mismatch', 'The confirmation was given for something else. Nothing was changed.');
    }
    if (digest !== for_.digest || was !== for_.was || standing !== for_.standing) {
      throw new Refusal(
        'changed-meanwhile',
        `${for_.id} changed while the person was asked. Nothing was changed; read it again and ask again.`,
      );
    }
    this.#spent = true;
  }
}

/** One answer about two memories that cannot both hold: a yes to the one, and a yes to quarantining the other. */
export interface ConsentToBoth {
  readonly consent: UserConsent;
  readonly toRival: UserConsent;
}

/** Refuses what only looks like a person's yes. */
export function refuseLookalike(consent: unknown): void {
  if (!UserConsent.isGenuine(consent))
    throw new Refusal('needs-person', 'Only a person can do this. Nothing was changed.');
}

/** How the person was asked, besides the channel. */
interface WitnessOptions {
  readonly client?: string | null;
  /** For a page opened from a terminal: it proves no more than the terminal. */
  readonly levelAtMost?: Level;
  readonly assertion?: Assertion | undefined;
}

/**
 * Makes the yes of a person who answered through `channel`. Only the three witness files may import this (a test checks it).
 */
export function witnessed(channel: Channel, shown: Shown, options: WitnessOptions = {}): UserConsent {
  return new UserConsent(WITNESSED, shown, channel, options);
}
