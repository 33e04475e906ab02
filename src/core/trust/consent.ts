import { Refusal } from '../refusal.ts';
import type { Verb } from './tiers.ts';

/** The ways a person can be asked, with how much each proves. */
export const CHANNELS = { terminal: 1, dialog: 2, page: 3 } as const;
export type Channel = keyof typeof CHANNELS;
export type Level = (typeof CHANNELS)[Channel];

/**
 * What else than a transition takes a person's yes: another machine's word, a ledger that is in trouble, and what takes a
 * memory out of sight or out of the world.
 */
export type Matter = Verb | 'trust-machine' | 'accept-ledger' | 'put-back-ledger' | 'archive' | 'erase';

/** What was shown and answered: the yes counts for this and for nothing else. */
export interface Shown {
  readonly verb: Matter;
  /** The memory's id; for the other matters the ledger's fingerprint. */
  readonly id: string;
  /** Of the text that was shown; for the other matters the hash of the ledger's last entry. */
  readonly digest: string | null;
  /** The standing the person was shown, as `standingKey` names it. */
  readonly standing: string;
  /** Rules of hold findings that were on the screen when the yes was given. */
  readonly settles: readonly string[];
}

const WITNESSED = Symbol('witnessed');

/**
 * A person's yes. It cannot be typed into an argument, parsed from a message or copied from another one: only a witness
 * makes it, for one text, and it is spent by the first change it allows.
 */
export class UserConsent {
  readonly shown: Shown;
  readonly channel: Channel;
  readonly level: Level;
  /** The MCP client that relayed the question, where one did. */
  readonly client: string | null;
  #spent = false;

  /** @internal Witnesses call `witnessed`. */
  constructor(proof: typeof WITNESSED, shown: Shown, channel: Channel, { client = null, levelAtMost = 3 }: Asked) {
    if (proof !== WITNESSED) throw new TypeError('A consent is made by a witness, after a person answered.');
    this.shown = Object.freeze({ ...shown, settles: Object.freeze([...shown.settles]) });
    this.channel = channel;
    this.level = Math.min(CHANNELS[channel], levelAtMost) as Level;
    this.client = client;
    Object.freeze(this);
  }

  /** By the private mark only a made one has: neither a look-alike nor a copy is one. */
  static isGenuine(value: unknown): value is UserConsent {
    return typeof value === 'object' && value !== null && #spent in value;
  }

  /** Takes the yes for exactly this change. A second change, or another text, needs another yes. */
  spend(for_: Pick<Shown, 'verb' | 'id' | 'digest' | 'standing'>): void {
    if (this.#spent)
      throw new Refusal('consent-spent', 'This confirmation was used already; one yes counts for one change.');
    const { verb, id, digest, standing } = this.shown;
    if (verb !== for_.verb || id !== for_.id) {
      throw new Refusal('consent-mismatch', 'The confirmation was given for something else. Nothing was changed.');
    }
    if (digest !== for_.digest || standing !== for_.standing) {
      throw new Refusal(
        'changed-meanwhile',
        `${for_.id} changed while the person was asked. Nothing was changed; read it again and ask again.`,
      );
    }
    this.#spent = true;
  }
}

/** Refuses what only looks like a person's yes. */
export function refuseLookalike(consent: unknown): void {
  if (!UserConsent.isGenuine(consent))
    throw new Refusal('needs-person', 'Only a person can do this. Nothing was changed.');
}

/** How the person was asked, beyond the channel. */
export interface Asked {
  readonly client?: string | null;
  /** For a page that was opened from a terminal: it proves no more than the terminal did. */
  readonly levelAtMost?: Level;
}

/** Makes the yes of a person who answered through `channel`. Only the three witness files may import this (a test says so). */
export function witnessed(channel: Channel, shown: Shown, asked: Asked = {}): UserConsent {
  return new UserConsent(WITNESSED, shown, channel, asked);
}
