import { createServer, type Server } from 'node:http';
import type { Outcome } from '../actions/review/answers.ts';
import type { Item } from '../actions/review/review.ts';
import type { Session } from '../actions/session.ts';
import { CHANNELS, type Level } from '../core/trust/consent.ts';
import { PageAccess } from './access.ts';
import { ClientAccept } from './client-accept.ts';
import { Connections } from './connections.ts';
import { type Ending, ReviewSession } from './review-session.ts';
import { answer, carryOutHeld } from './routes.ts';
import { PageWitness } from './witness.ts';

export interface PageOptions {
  readonly session: Session;
  readonly items: readonly Item[];
  /** A page opened from a terminal proves no more than the terminal. */
  readonly levelAtMost?: Level;
  /** The MCP client that sent the person here, if any. */
  readonly client?: string | null;
  /** Whether answers wait for that client's accept. */
  readonly needsAccept?: boolean;
  /** Whether a person who outcome for one memory is offered the rest of the queue. */
  readonly offersMore?: boolean;
  readonly limits?: Partial<Limits>;
}

/** In milliseconds. */
export interface Limits {
  /** From the start until somebody follows the link. */
  readonly open: number;
  /** Without any request from the person. */
  readonly idle: number;
  /** From the last page until the port is closed. The page's style is still loading, and the person may want to continue. */
  readonly linger: number;
  /** `linger` for a tab that waited for the client. It reloads every second. */
  readonly lingerForHeld: number;
  /** From the client's accept until answers count. */
  readonly settling: number;
  readonly lingerForMore: number;
  readonly headers: number;
  readonly request: number;
}

const LIMITS: Limits = {
  open: 5 * 60_000,
  idle: 15 * 60_000,
  linger: 2_000,
  lingerForHeld: 10_000,
  settling: 2_000,
  lingerForMore: 2 * 60_000,
  headers: 5_000,
  request: 10_000,
};

export interface Unanswered {
  readonly kind: 'unanswered';
  readonly how: Ending;
}

export interface Page {
  /** For the browser or a URL elicitation only: the first visitor is taken for the person. */
  readonly url: string;
  /** Resolves when somebody has followed the link. */
  readonly entered: Promise<void>;
  /** The first outcome, or how the page ended without one. */
  readonly answered: Promise<Outcome | Unanswered>;
  readonly ended: Promise<{ readonly how: Ending; readonly outcomes: ReviewSession['outcomes'] }>;
  /** Records the client's accept. No answer counts before it. */
  accepted(): void;
  close(): Promise<void>;
}

/** Opens the page on a free port of 127.0.0.1. It closes when it is finished, voided or idle. */
export async function openPage(options: PageOptions): Promise<Page> {
  const { session, items, levelAtMost = CHANNELS.page, client = null, offersMore = false } = options;
  const limits = { ...LIMITS, ...options.limits };
  const entered = Promise.withResolvers<void>();
  const first = Promise.withResolvers<Outcome | Unanswered>();
  const over = Promise.withResolvers<{ how: Ending; outcomes: ReviewSession['outcomes'] }>();
  const access = new PageAccess();
  const accept = options.needsAccept ? new ClientAccept(limits.settling) : undefined;
  const review = new ReviewSession(session, items, levelAtMost, { offersMore, accept, onOutcome: first.resolve });
  const witness = new PageWitness(levelAtMost, client);

  const server = createServer({ maxHeaderSize: 8 * 1024, connectionsCheckingInterval: 500 });
  server.headersTimeout = limits.headers;
  server.requestTimeout = limits.request;
  server.keepAliveTimeout = 2_000;
  const connections = new Connections(server);

  let timer: NodeJS.Timeout | undefined;
  let shut = false;
  const underWay = new Set<Promise<unknown>>();
  /** Resolves after pending answers are applied: an answer that waits for the store's lock still counts. */
  const end = async (how: Ending) => {
    await Promise.all(underWay);
    first.resolve({ kind: 'unanswered', how });
    over.resolve({ how, outcomes: review.outcomes });
  };
  const close = async (how: Ending) => {
    shut = true;
    clearTimeout(timer);
    accept?.end();
    await Promise.all([closed(server), end(how)]);
  };
  const closeIn = (ms: number, how: Ending) => {
    clearTimeout(timer);
    // A timer set by a late answer would keep the process alive after the page has closed.
    if (!shut) timer = setTimeout(() => void close(how), ms);
  };

  const parts = { access, review, witness };
  /** The page closes some time after its last use. The reloads of a tab that waits for the client are not a use. */
  const used = (linger = limits.linger) => {
    const { ended } = review;
    if (ended === undefined) return closeIn(limits.idle, 'idle');
    first.resolve({ kind: 'unanswered', how: ended });
    const { goesOn } = review;
    if (!goesOn) over.resolve({ how: ended, outcomes: review.outcomes });
    closeIn(goesOn ? limits.lingerForMore : linger, ended);
  };
  server.on('request', (request, response) => {
    const heldBefore = review.held;
    const answering = answer(parts, request, response);
    underWay.add(answering);
    void answering.then((outcome) => {
      underWay.delete(answering);
      if (outcome === 'served') {
        connections.keep(request.socket);
        entered.resolve();
      }
      if (outcome === 'voided') {
        void end('voided');
        closeIn(limits.linger, 'voided');
      } else if (outcome === 'served' && !access.isVoid && (heldBefore === undefined || review.held === undefined))
        used();
    });
  });
  void accept?.settled.then(async () => {
    if (review.held === undefined || access.isVoid) return;
    const carryingOut = carryOutHeld(parts);
    underWay.add(carryingOut);
    await carryingOut;
    underWay.delete(carryingOut);
    used(limits.lingerForHeld);
  });
  // A request that is not HTTP gets no answer.
  server.on('clientError', (_error, socket) => socket.destroy());

  access.listensOn(await listening(server));
  closeIn(limits.open, 'unopened');
  return {
    url: access.url,
    entered: entered.promise,
    answered: first.promise,
    ended: over.promise,
    accepted: () => accept?.give(),
    close: () => close('closed'),
  };
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port: 0, exclusive: true }, () => {
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('no port'));
      else resolve(address.port);
    });
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
