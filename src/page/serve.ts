import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { findMissingTexts } from '../actions/put-back-from-copies.ts';
import type { AnswerOutcome } from '../actions/review/answers.ts';
import type { ReviewItem } from '../actions/review/review.ts';
import type { Session } from '../actions/session.ts';
import { CHANNELS, type Level } from '../core/trust/consent.ts';
import { ClientAccept } from './client-accept.ts';
import { type CameOfHeld, HeldOnPage } from './held/held-on-page.ts';
import { PageServer, SERVER_LIMITS, type ServerLimits } from './page-server.ts';
import { levelOfPage } from './passkeys/asking-page.ts';
import { type Holding, type PageEnd, ReviewSession } from './review-session.ts';
import { answerRequest, carryOutAwaited, type PageParts, type RequestOutcome } from './routes.ts';
import { Watchers } from './watchers.ts';
import { PageWitness } from './witness.ts';

export interface PageOptions {
  readonly session: Session;
  readonly items: readonly ReviewItem[];
  /** A page opened from a terminal proves no more than the terminal. */
  readonly levelAtMost?: Level;
  /** The MCP client that sent the person here, if any. */
  readonly client?: string | null;
  /** Whether answers wait for that client's accept. */
  readonly needsAccept?: boolean;
  /** Whether a person who came for one memory is offered the rest of the queue. */
  readonly offersMore?: boolean;
  /** Whether each answer can be taken back for five seconds. Not where a client waits for the answer. */
  readonly holdsAnswers?: boolean;
  readonly limits?: Partial<Limits>;
}

/** In milliseconds. */
interface Limits extends ServerLimits {
  /** Without any request from the person. */
  readonly idle: number;
  /** From the last page until the port is closed: the person may load it again. */
  readonly linger: number;
  /** How long the port stays open for a browser that has not fetched the last page yet. */
  readonly lastPage: number;
  /** How long it stays open if the person has not ended the page themselves: the open tabs load how it ended. */
  readonly lastNews: number;
  /** From the client's accept until answers count. */
  readonly settling: number;
  readonly lingerForMore: number;
}

const LIMITS: Limits = {
  ...SERVER_LIMITS,
  idle: 15 * 60_000,
  linger: 2_000,
  lastPage: 10_000,
  lastNews: 3_000,
  settling: 2_000,
  lingerForMore: 2 * 60_000,
};

interface Unanswered {
  readonly kind: 'unanswered';
  readonly how: PageEnd;
}

/**
 * Opens the page on a free port of 127.0.0.1; where passkeys are enrolled, under the name that they are bound to. It closes
 * when it is finished, voided or idle.
 */
export async function openPage(options: PageOptions): Promise<Page> {
  await findMissingTexts(options.session.vault);
  const page = new Page(options);
  await page.listen();
  return page;
}

/** A review page: a person's way through the queue, the server that shows it, and when that closes. */
export class Page {
  readonly #limits: Limits;
  readonly #watchers = new Watchers();
  readonly #accept: ClientAccept | undefined;
  readonly #holding: Holding | undefined;
  readonly #review: ReviewSession;
  readonly #server: PageServer<RequestOutcome>;
  readonly #parts: PageParts;
  readonly #first = Promise.withResolvers<AnswerOutcome | Unanswered>();
  readonly #over = Promise.withResolvers<{
    readonly how: PageEnd;
    readonly outcomes: ReviewSession['outcomes'];
    readonly lost?: string | undefined;
  }>();
  readonly #lastPage = Promise.withResolvers<void>();
  /** Resolves when somebody has followed the link. */
  readonly entered: Promise<void>;
  /** The first outcome, or how the page ended without one. */
  readonly answered = this.#first.promise;
  readonly ended = this.#over.promise;
  readonly closed: Promise<void>;

  constructor(options: PageOptions) {
    const { session, items, levelAtMost = CHANNELS.page, client = null, offersMore = false } = options;
    this.#limits = { ...LIMITS, ...options.limits };
    this.#accept = options.needsAccept ? new ClientAccept(this.#limits.settling) : undefined;
    this.#holding = options.holdsAnswers ? new HeldOnPage((came) => this.#carriedOut(came)) : undefined;
    this.#review = new ReviewSession(session, items, levelOfPage(session, levelAtMost), {
      offersMore,
      accept: this.#accept,
      holding: this.#holding,
      onOutcome: this.#first.resolve,
    });
    this.#server = new PageServer<RequestOutcome>(session.vault, this.#limits, {
      answer: (request, response) => answerRequest(this.#parts, request, response),
      answered: (outcome, response) => this.#answered(outcome, response),
      end: (how) => this.#endAndDeliver(how),
    });
    this.entered = this.#server.entered;
    this.closed = this.#server.closed;
    const witness = new PageWitness(levelAtMost, client);
    this.#parts = { access: this.#server.access, review: this.#review, witness, watchers: this.#watchers };
    void this.#accept?.settled.then(() => this.#accepted());
  }

  listen(): Promise<void> {
    return this.#server.listen(this.#review.level);
  }

  /** For the browser or a URL elicitation only: the first visitor is taken for the person. */
  get url(): string {
    return this.#parts.access.url;
  }

  /** Records the client's accept. No answer counts before it. */
  accepted(): void {
    this.#accept?.give();
  }

  /** Resolves when the port is closed, after the browser got the last page. */
  close(how?: PageEnd): Promise<void> {
    return this.#server.close(how);
  }

  get #isVoid(): boolean {
    return this.#parts.access.isVoid;
  }

  /** After a request. */
  #answered(outcome: RequestOutcome, response: ServerResponse): void {
    if (outcome === 'voided') {
      void this.#end('voided');
      this.#server.closeIn(this.#limits.linger, 'voided');
    }
    if (outcome === 'denied' || outcome === 'voided') return;
    if (outcome === 'last') afterwards(response, this.#lastPage.resolve);
    // A tab that only watches, or waits for its client, is no use of the page.
    if (outcome !== 'watched' && this.#review.awaited === undefined && !this.#isVoid) this.#used();
  }

  /** After an answer that was held. Returns whether a tab says what came of it. */
  #carriedOut({ said, byItself }: CameOfHeld): boolean {
    this.#watchers.tell('settled', said);
    if (byItself && this.#review.takesAnswers && !this.#isVoid) {
      this.#review.current();
      this.#used();
    }
    return byItself && !this.#watchers.isNobodyThere;
  }

  /** After the client's accept counts. */
  async #accepted(): Promise<void> {
    if (this.#review.awaited === undefined || this.#isVoid) return;
    await this.#server.during(carryOutAwaited(this.#parts));
    this.#watchers.tell('settled');
    this.#used();
  }

  /** The page closes some time after its last use. */
  #used(): void {
    const { ended, goesOn, outcomes } = this.#review;
    if (ended !== undefined) this.#first.resolve({ kind: 'unanswered', how: ended });
    if (ended === undefined) this.#server.closeIn(this.#limits.idle, 'idle');
    else if (goesOn) this.#server.closeIn(this.#limits.lingerForMore, ended);
    else {
      this.#over.resolve({ how: ended, outcomes, lost: this.#holding?.lost });
      this.#watchers.tell('over');
      this.#server.closeIn(this.#limits.linger, ended);
    }
  }

  /**
   * Resolves after pending answers are applied: an answer that is held, or that waits for the store's lock, still counts.
   * Where the link was used twice, what is held is forgotten: nobody knows whose answer it is.
   */
  async #end(how: PageEnd): Promise<void> {
    const holding = this.#holding;
    this.#accept?.end();
    this.#review.takesAnswers = false;
    if (this.#isVoid) await holding?.drop();
    await this.#server.workDone();
    await holding?.inTurn(() => (this.#isVoid ? holding.drop() : holding.carryOut()));
    this.#review.close(how);
    this.#watchers.tell('over');
    this.#first.resolve({ kind: 'unanswered', how });
    const { ended = how, outcomes } = this.#review;
    this.#over.resolve({ how: ended, outcomes, lost: holding?.lost });
  }

  /** A process that exits right after this cuts nothing off: the browser has the last page by then. */
  async #endAndDeliver(how: PageEnd): Promise<void> {
    await this.#end(how);
    const { ended } = this.#review;
    const isTheirs = ended === 'finished' || ended === 'left';
    const delivered = Promise.all([isTheirs ? this.#lastPage.promise : undefined, this.#watchers.gone()]);
    // After an answer was held, a person who has closed the tab would wait at the terminal for a page that nobody loads.
    const isLoading = isTheirs && !(this.#holding && this.#watchers.isNobodyThere);
    const late = sleep(isLoading ? this.#limits.lastPage : this.#limits.lastNews, undefined, { ref: false });
    await Promise.race([delivered, late]);
  }
}

/** Calls back when the answer has left, or its connection broke off. */
function afterwards(response: ServerResponse, then: () => void): void {
  if (response.closed) then();
  else response.once('close', then);
}
