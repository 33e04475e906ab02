import type { Adoption } from '../actions/review/adopt.ts';
import { type AnswerOutcome, isUnsignedYes, type Said, settledMeanwhile } from '../actions/review/answers.ts';
import type { Wording } from '../actions/review/edit-form.ts';
import { offersPasskey } from '../actions/review/first-passkey.ts';
import { isAsShown } from '../actions/review/is-as-shown.ts';
import { type ItemsInTurn, movedOn } from '../actions/review/items-in-turn.ts';
import { type MachineView, untrustedMachines } from '../actions/review/machines.ts';
import { type Case, itemsToReview, openCase, type ReviewItem, waitingAmong } from '../actions/review/review.ts';
import type { Session } from '../actions/session.ts';
import { lastSync, tickOffSyncNotices } from '../actions/sync/sync-notices.ts';
import { Refusal } from '../core/refusal.ts';
import type { Assurance } from '../core/trust/consent.ts';
import type { SyncNotice } from '../store/sync/notices.ts';
import type { ClientAccept } from './client-accept.ts';
import type { Held, HeldOnPage } from './held/held-on-page.ts';
import type { AnsweredSheet } from './witness.ts';

/** What the person decided about a machine. The id is the first 16 digits of its fingerprint. */
export interface MachineOutcome {
  readonly kind: 'trusted' | 'not-trusted' | 'skipped';
  readonly id: string;
}

/** How the page ended. Only `finished` and `left` are the person's doing; `declined` to `replaced` are their client's. */
export type PageEnd =
  | 'finished'
  | 'left'
  | 'idle'
  | 'expired'
  | 'unopened'
  | 'voided'
  | 'closed'
  | 'declined'
  | 'cancelled'
  | 'replaced';

/** What the person has typed into the form, kept until it is stored or abandoned. */
export interface Writing {
  readonly stem: string;
  readonly fields: Wording;
  readonly refused: Refusal | undefined;
  readonly adoption: Adoption | undefined;
}

interface AwaitedAnswer {
  readonly answered: AnsweredSheet;
  readonly form: URLSearchParams;
}

/** An answer that can be taken back. */
export interface HeldInReview {
  /** The memory's id, or the first 16 digits of a machine's fingerprint. */
  readonly id: string;
  /** The place and name of its file, because two files can have one id; of a machine the same as `id`. */
  readonly key: string;
  /** In the words of its button. */
  readonly means: string;
  /** The path of the sheet that was answered. */
  readonly path: string;
  /** Where the person stood before they answered. */
  readonly before: QueuePlace;
}

/** Where the person stands. */
interface QueuePlace {
  readonly turn: ItemsInTurn;
  readonly machines: ReadonlySet<string>;
  readonly writing: Writing | undefined;
}

export type Holding = HeldOnPage<HeldInReview>;

interface ReviewOptions extends Pick<ReviewSession, 'accept' | 'holding'> {
  readonly offersMore: boolean;
  readonly onOutcome: (outcome: AnswerOutcome) => void;
}

/** One person's way through the queue: the position, the decisions, and what is being typed. */
export class ReviewSession {
  readonly session: Session;
  /** The highest level a yes on this page has. */
  readonly level: Assurance;
  readonly outcomes: (AnswerOutcome | MachineOutcome)[] = [];
  writing: Writing | undefined;
  /** The answer that waits for the client's accept. While there is one, the page accepts no other. */
  awaited: AwaitedAnswer | undefined;
  /** The answer that can be taken back; undefined where each is carried out at once. */
  readonly holding: Holding | undefined;
  /** The accept of the client that opened the page; undefined if no client did. */
  readonly accept: ClientAccept | undefined;
  /** Unseen sync notices. They are on every sheet until one sheet is answered. */
  syncNotices: readonly SyncNotice[];
  ended: PageEnd | undefined;
  /** The page ended before the answer that waited for the client's accept was carried out. */
  lostAnswer = false;
  /** False once the page is being closed. */
  takesAnswers = true;
  turn: ItemsInTurn;
  #said: Said | undefined;
  #offer: boolean | undefined;
  readonly #onOutcome: ReviewOptions['onOutcome'];

  /** Whether a person who came for one memory is offered the rest of the queue. */
  readonly #offersMore: boolean;
  /** A person who came for one memory is asked about machines only if they continue. */
  #asksAboutMachines: boolean;
  #settledMachines: ReadonlySet<string> = new Set();

  constructor(
    session: Session,
    items: readonly ReviewItem[],
    level: Assurance,
    { offersMore, accept, holding, onOutcome }: ReviewOptions,
  ) {
    this.session = session;
    this.level = level;
    this.accept = accept;
    this.#offersMore = offersMore;
    this.#asksAboutMachines = !offersMore;
    this.turn = { items, at: 0 };
    this.holding = holding;
    this.#onOutcome = onOutcome;
    this.syncNotices = lastSync(session)?.notices ?? [];
  }

  /** Where the person came from, and where they go on. */
  get openedBy(): 'client' | 'terminal' {
    return this.accept === undefined ? 'terminal' : 'client';
  }

  /** Whether an answer counts now. The client's accept covers every decision on its page. */
  get counts(): boolean {
    return this.accept === undefined || this.accept.isSettled;
  }

  /** Marks the sync notices as seen: they stood on the sheet that was answered. */
  async tickOff(): Promise<void> {
    if (this.syncNotices.length === 0 || !this.counts) return;
    try {
      await tickOffSyncNotices(this.session, this.syncNotices);
      this.syncNotices = [];
    } catch (error) {
      // The person's answer counts anyway; the notices stay for the next sheet.
      if (!(error instanceof Refusal)) throw error;
    }
  }

  get #item(): ReviewItem | undefined {
    return this.turn.items[this.turn.at];
  }

  /** The current item as it is now. Items that others settled meanwhile are skipped. */
  current(): Case | undefined {
    for (let item = this.#item; item !== undefined && this.ended === undefined; item = this.#item) {
      const open = openCase(this.session, item, this.level);
      if (open !== undefined) return open;
      this.say('warning', settledMeanwhile(item));
      this.turn = movedOn(this.turn, item.stem);
    }
    // The person can still go back from the end while an answer is held.
    if (this.held === undefined && this.unknownMachine() === undefined) this.ended ??= 'finished';
    return undefined;
  }

  /** Whether this was decided here before, and another item is the current one. */
  isPast({ stem, id }: ReviewItem): boolean {
    return this.#item?.stem !== stem && this.outcomes.some(({ kind, id: other }) => kind !== 'skipped' && other === id);
  }

  /** The next machine that nobody here has decided about. Machines come after the memories. */
  unknownMachine(): MachineView | undefined {
    return this.ended === undefined && this.#asksAboutMachines ? this.#openMachines()[0] : undefined;
  }

  /** Whether this machine was answered about here. */
  isPastMachine({ fingerprint }: MachineView): boolean {
    return this.#settledMachines.has(fingerprint);
  }

  settleMachine(machine: MachineView, kind: MachineOutcome['kind']): void {
    this.passMachine(machine);
    this.outcomes.push({ kind, id: machine.fingerprint.slice(0, 16) });
  }

  passMachine({ fingerprint }: MachineView): void {
    this.#settledMachines = new Set([...this.#settledMachines, fingerprint]);
  }

  /** Asks about a machine again: its answer was not carried out. */
  askAgainAboutMachine({ fingerprint }: MachineView): void {
    this.#settledMachines = new Set([...this.#settledMachines].filter((other) => other !== fingerprint));
  }

  #openMachines(): MachineView[] {
    return untrustedMachines(this.session).filter(({ fingerprint }) => !this.#settledMachines.has(fingerprint));
  }

  /** Records the outcome and moves on, to `then` if there is one. */
  settle(stem: string, outcome: AnswerOutcome, then?: ReviewItem): void {
    this.moveOn(stem, then);
    this.record(outcome);
  }

  moveOn(stem: string, then: ReviewItem | undefined): void {
    this.writing = undefined;
    this.turn = movedOn(this.turn, stem, then);
  }

  record(outcome: AnswerOutcome): void {
    this.outcomes.push(outcome);
    this.#onOutcome(outcome);
  }

  /** Whether the person is asked about this here, with the text, the standing and the question that they saw. */
  asks(open: Case): boolean {
    return this.turn.items.some(
      (item) => item.stem === open.stem && isAsShown(open, openCase(this.session, item, this.level)),
    );
  }

  get held(): Held<HeldInReview> | undefined {
    return this.holding?.now;
  }

  get place(): QueuePlace {
    return { turn: this.turn, machines: this.#settledMachines, writing: this.writing };
  }

  goBack({ turn, machines, writing }: QueuePlace): void {
    this.turn = turn;
    this.#settledMachines = machines;
    this.writing = writing;
  }

  /** Whether the last page offers to enrol a passkey. It says so each time that it is loaded. */
  offersPasskey(): boolean {
    this.#offer ??= this.outcomes.some(isUnsignedYes) && offersPasskey(this.session.vault, 'page');
    return this.#offer;
  }

  leave(): void {
    this.ended = 'left';
  }

  /** Ends the page. An end that the person has reached stays, also if their last answer was the last that was needed. */
  close(how: PageEnd): void {
    if (this.awaited !== undefined) this.lostAnswer = true;
    else if (this.outcomes.length > 0) this.current();
    this.awaited = undefined;
    this.ended ??= how;
  }

  /** Sets the message at the top of the next page. */
  say(tone: Said['tone'], sentence: string): void {
    this.#said = { tone, sentence };
  }

  /** The message is shown once, after what came of the answer before. */
  takeSaid(): Said | undefined {
    const said = [this.holding?.takeCame(), this.#said].filter((each) => each !== undefined);
    this.#said = undefined;
    const tone = (['danger', 'warning'] as const).find((worst) => said.some((each) => each.tone === worst)) ?? 'good';
    return said.length === 0 ? undefined : { tone, sentence: said.map(({ sentence }) => sentence).join(' ') };
  }

  /** What waits and was not skipped here. */
  more(): readonly ReviewItem[] {
    const skipped = new Set(this.outcomes.map(({ id }) => id));
    return itemsToReview(this.session).filter(({ id, category }) => category !== 'new' && !skipped.has(id));
  }

  /** How many wait for a person, as every other place counts them. */
  get waits(): number {
    return waitingAmong(itemsToReview(this.session));
  }

  get goesOn(): boolean {
    // Before its client's accept, the page shows only what it was opened for.
    return (
      this.#offersMore &&
      this.counts &&
      this.takesAnswers &&
      this.ended === 'finished' &&
      (this.more().length > 0 || this.#openMachines().length > 0)
    );
  }

  goOn(): void {
    this.turn = { items: this.more(), at: 0 };
    this.#asksAboutMachines = true;
    this.ended = undefined;
  }
}
