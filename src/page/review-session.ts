import type { Adoption } from '../actions/review/adopt.ts';
import { type Outcome, type Said, settledMeanwhile } from '../actions/review/answers.ts';
import type { Wording } from '../actions/review/edit-form.ts';
import { type MachineView, strangers } from '../actions/review/machines.ts';
import { type Case, type Item, itemsToReview, openCase } from '../actions/review/review.ts';
import type { Session } from '../actions/session.ts';
import { lastSync, tickOffSyncNotices } from '../actions/sync/sync-notices.ts';
import { Refusal } from '../core/refusal.ts';
import type { Level } from '../core/trust/consent.ts';
import type { SyncNotice } from '../store/sync/notices.ts';
import type { ClientAccept } from './client-accept.ts';
import type { Answered } from './witness.ts';

/** What they made of a machine, named by the beginning of its fingerprint. */
export interface Met {
  readonly kind: 'trusted' | 'not-trusted' | 'skipped';
  readonly id: string;
}

/** How it ended. Only `finished` and `left` were the person's doing. */
export type Ending = 'finished' | 'left' | 'idle' | 'unopened' | 'voided' | 'closed';

/** What somebody has typed into the form, kept until it is stored or left. */
export interface Writing {
  readonly stem: string;
  readonly fields: Wording;
  readonly refused: Refusal | undefined;
  readonly adoption: Adoption | undefined;
}

/** An answer that waits for the client's accept. */
export interface HeldAnswer {
  readonly answered: Answered;
  readonly form: URLSearchParams;
}

/** One person going through a queue: where they are, what they decided, what they are in the middle of. */
export class Sitting {
  readonly session: Session;
  /** What a yes here proves at most. */
  readonly level: Level;
  readonly outcomes: (Outcome | Met)[] = [];
  writing: Writing | undefined;
  /** The one answer that waits for the client's accept; while there is one, the page takes no other. */
  held: HeldAnswer | undefined;
  /** Of the client that opened the page; a page that no client opened needs none. */
  readonly accept: ClientAccept | undefined;
  /** What syncs brought up and nobody has seen: on every sheet until one is answered. */
  syncNotices: readonly SyncNotice[];
  ended: 'finished' | 'left' | undefined;
  #items: readonly Item[];
  #at = 0;
  #said: Said | undefined;
  readonly #hear: (outcome: Outcome) => void;

  /** Whether somebody who came for one thing is offered the rest of the queue. */
  readonly #offersMore: boolean;
  /** Somebody who was sent here for one memory is not asked about machines before they go on of themselves. */
  #meetsMachines: boolean;
  readonly #met = new Set<string>();

  constructor(
    session: Session,
    items: readonly Item[],
    level: Level,
    { offersMore, accept, hear }: Pick<Sitting, 'accept'> & { offersMore: boolean; hear: (outcome: Outcome) => void },
  ) {
    this.session = session;
    this.level = level;
    this.accept = accept;
    this.#offersMore = offersMore;
    this.#meetsMachines = !offersMore;
    this.#items = items;
    this.#hear = hear;
    this.syncNotices = lastSync(session)?.notices ?? [];
  }

  /** Whether an answer counts now: the client's accept covers all that is decided on its page. */
  get counts(): boolean {
    return this.accept === undefined || this.accept.isSettled;
  }

  /** Somebody has answered a sheet, so they have had on the screen what stood above it. */
  async tickOff(): Promise<void> {
    if (this.syncNotices.length === 0 || !this.counts) return;
    try {
      await tickOffSyncNotices(this.session, this.syncNotices);
      this.syncNotices = [];
    } catch (error) {
      // Their answer counts all the same; these stay for the next sheet.
      if (!(error instanceof Refusal)) throw error;
    }
  }

  get position(): { readonly at: number; readonly of: number } {
    return { at: Math.min(this.#at + 1, this.#items.length), of: this.#items.length };
  }

  /** The item in hand as it is now; what others settled meanwhile is passed over. */
  current(): Case | undefined {
    for (; this.#at < this.#items.length && this.ended === undefined; this.#at++) {
      const item = this.#items[this.#at];
      if (item === undefined) continue;
      const open = openCase(this.session, item, this.level);
      if (open !== undefined) return open;
      this.say('warning', settledMeanwhile(item));
    }
    if (this.stranger() === undefined) this.ended ??= 'finished';
    return undefined;
  }

  /** After the memories: the next machine nobody here has said anything about. */
  stranger(): MachineView | undefined {
    return this.ended === undefined && this.#meetsMachines ? this.#unmet()[0] : undefined;
  }

  met({ fingerprint }: MachineView, kind: Met['kind']): void {
    this.#met.add(fingerprint);
    this.outcomes.push({ kind, id: fingerprint.slice(0, 16) });
  }

  #unmet(): MachineView[] {
    return strangers(this.session).filter(({ fingerprint }) => !this.#met.has(fingerprint));
  }

  /** Notes what came of the item in hand and goes on, to what follows from it if anything does; a late answer to an earlier one does not skip what is shown now. */
  settle(stem: string, outcome: Outcome, then?: Item): void {
    this.outcomes.push(outcome);
    this.writing = undefined;
    if (this.#items[this.#at]?.stem === stem) this.#at++;
    if (then !== undefined) this.#items = this.#items.toSpliced(this.#at, 0, then);
    this.#hear(outcome);
  }

  leave(): void {
    this.ended = 'left';
  }

  /** What the next page says first. */
  say(tone: Said['tone'], sentence: string): void {
    this.#said = { tone, sentence };
  }

  /** Said once. */
  takeSaid(): Said | undefined {
    const said = this.#said;
    this.#said = undefined;
    return said;
  }

  /** What still waits beyond this queue. */
  more(): readonly Item[] {
    const skipped = new Set(this.outcomes.map(({ id }) => id));
    return itemsToReview(this.session).filter((item) => !skipped.has(item.id));
  }

  get goesOn(): boolean {
    // Before its client's accept the page shows what it was opened for and nothing else.
    return (
      this.#offersMore &&
      this.counts &&
      this.ended === 'finished' &&
      (this.more().length > 0 || this.#unmet().length > 0)
    );
  }

  goOn(): void {
    this.#items = this.more();
    this.#at = 0;
    this.#meetsMachines = true;
    this.ended = undefined;
  }
}
