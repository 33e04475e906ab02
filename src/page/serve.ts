import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { findMissingTexts } from '../actions/put-back-from-copies.ts';
import type { AnswerOutcome } from '../actions/review/answers.ts';
import type { ReviewItem } from '../actions/review/review.ts';
import type { Session } from '../actions/session.ts';
import { CHANNELS, type Level } from '../core/trust/consent.ts';
import { ClientAccept } from './client-accept.ts';
import { HeldOnPage } from './held/held-on-page.ts';
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
export interface Limits extends ServerLimits {
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

export interface Unanswered {
  readonly kind: 'unanswered';
  readonly how: PageEnd;
}

export interface Page {
  /** For the browser or a URL elicitation only: the first visitor is taken for the person. */
  readonly url: string;
  /** Resolves when somebody has followed the link. */
  readonly entered: Promise<void>;
  /** The first outcome, or how the page ended without one. */
  readonly answered: Promise<AnswerOutcome | Unanswered>;
  readonly ended: Promise<{ readonly how: PageEnd; readonly outcomes: ReviewSession['outcomes'] }>;
  /** Records the client's accept. No answer counts before it. */
  accepted(): void;
  /** Resolves when the port is closed, after the browser got the last page. */
  close(how?: PageEnd): Promise<void>;
  readonly closed: Promise<void>;
}

/**
 * Opens the page on a free port of 127.0.0.1; where passkeys are enrolled, under the name that they are bound to. It closes
 * when it is finished, voided or idle.
 */
export async function openPage(options: PageOptions): Promise<Page> {
  const { session, items, levelAtMost = CHANNELS.page, client = null, offersMore = false } = options;
  const limits = { ...LIMITS, ...options.limits };
  await findMissingTexts(session.vault);
  const first = Promise.withResolvers<AnswerOutcome | Unanswered>();
  const over = Promise.withResolvers<{ how: PageEnd; outcomes: ReviewSession['outcomes'] }>();
  const accept = options.needsAccept ? new ClientAccept(limits.settling) : undefined;
  const level = levelOfPage(session, levelAtMost);
  const watchers = new Watchers();
  const holding: Holding | undefined = options.holdsAnswers
    ? new HeldOnPage((came, byItself) => {
        watchers.tell('settled', came);
        if (byItself && review.takesAnswers && !access.isVoid) {
          review.current();
          used();
        }
        return byItself && !watchers.isNobodyThere;
      })
    : undefined;
  const review = new ReviewSession(session, items, level, {
    offersMore,
    accept,
    holding,
    onOutcome: first.resolve,
  });
  const witness = new PageWitness(levelAtMost, client);

  const lastPage = Promise.withResolvers<void>();
  /**
   * Resolves after pending answers are applied: an answer that is held, or that waits for the store's lock, still counts.
   * Where the link was used twice, what is held is forgotten: nobody knows whose answer it is.
   */
  const end = async (how: PageEnd) => {
    accept?.end();
    review.takesAnswers = false;
    if (access.isVoid) await holding?.drop();
    await server.workDone();
    await holding?.inTurn(() => (access.isVoid ? holding.drop() : holding.carryOut()));
    review.close(how);
    watchers.tell('over');
    first.resolve({ kind: 'unanswered', how });
    over.resolve({ how: review.ended ?? how, outcomes: review.outcomes });
  };
  /** The page closes some time after its last use. */
  const used = () => {
    const { ended, goesOn } = review;
    if (ended === undefined) return server.closeIn(limits.idle, 'idle');
    first.resolve({ kind: 'unanswered', how: ended });
    if (goesOn) return server.closeIn(limits.lingerForMore, ended);
    over.resolve({ how: ended, outcomes: review.outcomes });
    watchers.tell('over');
    server.closeIn(limits.linger, ended);
  };
  const server = new PageServer<RequestOutcome>(session.vault, limits, {
    answer: (request, response) => answerRequest(parts, request, response),
    answered: (outcome, response) => {
      if (outcome === 'voided') {
        void end('voided');
        server.closeIn(limits.linger, 'voided');
      }
      if (outcome === 'denied' || outcome === 'voided') return;
      if (outcome === 'last') afterwards(response, lastPage.resolve);
      // A tab that only watches, or waits for its client, is no use of the page.
      if (outcome !== 'watched' && review.awaited === undefined && !access.isVoid) used();
    },
    /** A process that exits right after this cuts nothing off: the browser has the last page by then. */
    end: async (how) => {
      await end(how);
      const isTheirs = review.ended === 'finished' || review.ended === 'left';
      const delivered = Promise.all([isTheirs ? lastPage.promise : undefined, watchers.gone()]);
      // After an answer was held, a person who has closed the tab would wait at the terminal for a page that nobody loads.
      const isLoading = isTheirs && !(holding && watchers.isNobodyThere);
      const late = sleep(isLoading ? limits.lastPage : limits.lastNews, undefined, { ref: false });
      await Promise.race([delivered, late]);
    },
  });
  const { access } = server;
  const parts: PageParts = { access, review, witness, watchers };
  void accept?.settled.then(async () => {
    if (review.awaited === undefined || access.isVoid) return;
    await server.during(carryOutAwaited(parts));
    watchers.tell('settled');
    used();
  });
  await server.listen(level);
  return {
    url: access.url,
    entered: server.entered,
    answered: first.promise,
    ended: over.promise,
    accepted: () => accept?.give(),
    close: (how) => server.close(how),
    closed: server.closed,
  };
}

/** Calls back when the answer has left, or its connection broke off. */
function afterwards(response: ServerResponse, then: () => void): void {
  if (response.closed) then();
  else response.once('close', then);
}
