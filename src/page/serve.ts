import { createServer, type Server } from 'node:http';
import type { Outcome } from '../actions/review/answers.ts';
import type { Item } from '../actions/review/review.ts';
import type { Session } from '../actions/session.ts';
import { CHANNELS, type Level } from '../core/trust/consent.ts';
import { Gate } from './access.ts';
import { ClientAccept } from './client-accept.ts';
import { Connections } from './connections.ts';
import { type Ending, Sitting } from './review-session.ts';
import { answer, carryOutHeld } from './routes.ts';
import { PageWitness } from './witness.ts';

export interface PageOptions {
  readonly session: Session;
  readonly items: readonly Item[];
  /** Opened from a terminal it proves no more than the terminal did. */
  readonly levelAtMost?: Level;
  /** The MCP client that sent the person here, where one did. */
  readonly client?: string | null;
  /** Whether answers wait for that client's accept. */
  readonly needsAccept?: boolean;
  /** Whether somebody who came for one thing is offered the rest of the queue. */
  readonly offersMore?: boolean;
  readonly limits?: Partial<Limits>;
}

/** In milliseconds. */
export interface Limits {
  /** From the first moment until somebody follows the link. */
  readonly open: number;
  /** Without any request of the person who did. */
  readonly idle: number;
  /** From the last page until the port is closed: its style has to get there, and somebody may want to go on. */
  readonly linger: number;
  /** The same for a tab that waited for the client: it looks again every second. */
  readonly lingerForHeld: number;
  /** From the client's accept until an answer counts. */
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
  /** For the browser or a URL elicitation only: whoever follows it first is the person. */
  readonly url: string;
  /** When somebody has followed the link. */
  readonly entered: Promise<void>;
  /** What was decided first, or how the page ended before anything was. */
  readonly answered: Promise<Outcome | Unanswered>;
  readonly ended: Promise<{ readonly how: Ending; readonly outcomes: Sitting['outcomes'] }>;
  /** The client says that it sent the person here; before, nothing that is answered counts. */
  accepted(): void;
  close(): Promise<void>;
}

/** Opens the page on a free port of this machine alone. It closes by itself when it is done, voided or left alone. */
export async function openPage(options: PageOptions): Promise<Page> {
  const { session, items, levelAtMost = CHANNELS.page, client = null, offersMore = false } = options;
  const limits = { ...LIMITS, ...options.limits };
  const entered = Promise.withResolvers<void>();
  const first = Promise.withResolvers<Outcome | Unanswered>();
  const over = Promise.withResolvers<{ how: Ending; outcomes: Sitting['outcomes'] }>();
  const gate = new Gate();
  const accept = options.needsAccept ? new ClientAccept(limits.settling) : undefined;
  const sitting = new Sitting(session, items, levelAtMost, { offersMore, accept, hear: first.resolve });
  const witness = new PageWitness(levelAtMost, client);

  const server = createServer({ maxHeaderSize: 8 * 1024, connectionsCheckingInterval: 500 });
  server.headersTimeout = limits.headers;
  server.requestTimeout = limits.request;
  server.keepAliveTimeout = 2_000;
  const connections = new Connections(server);

  let timer: NodeJS.Timeout | undefined;
  let shut = false;
  const underWay = new Set<Promise<unknown>>();
  /** Told once every answer that was given has come to its end: one that waits for its turn to write still counts. */
  const end = async (how: Ending) => {
    await Promise.all(underWay);
    first.resolve({ kind: 'unanswered', how });
    over.resolve({ how, outcomes: sitting.outcomes });
  };
  const close = async (how: Ending) => {
    shut = true;
    clearTimeout(timer);
    accept?.end();
    await Promise.all([closed(server), end(how)]);
  };
  const closeIn = (ms: number, how: Ending) => {
    clearTimeout(timer);
    // An answer that was still on its way must not keep the process waiting for a page that is gone.
    if (!shut) timer = setTimeout(() => void close(how), ms);
  };

  const room = { gate, sitting, witness };
  /** The page closes some time after it was last used. A tab that waits for the client asks every second and is not a use. */
  const used = (linger = limits.linger) => {
    const { ended } = sitting;
    if (ended === undefined) return closeIn(limits.idle, 'idle');
    first.resolve({ kind: 'unanswered', how: ended });
    const { goesOn } = sitting;
    if (!goesOn) over.resolve({ how: ended, outcomes: sitting.outcomes });
    closeIn(goesOn ? limits.lingerForMore : linger, ended);
  };
  server.on('request', (request, response) => {
    const heldBefore = sitting.held;
    const answering = answer(room, request, response);
    underWay.add(answering);
    void answering.then((came) => {
      underWay.delete(answering);
      if (came === 'served') {
        connections.keep(request.socket);
        entered.resolve();
      }
      if (came === 'voided') {
        void end('voided');
        closeIn(limits.linger, 'voided');
      } else if (came === 'served' && !gate.isVoid && (heldBefore === undefined || sitting.held === undefined)) used();
    });
  });
  void accept?.settled.then(async () => {
    if (sitting.held === undefined || gate.isVoid) return;
    const carryingOut = carryOutHeld(room);
    underWay.add(carryingOut);
    await carryingOut;
    underWay.delete(carryingOut);
    used(limits.lingerForHeld);
  });
  // A request that is no HTTP gets no answer.
  server.on('clientError', (_error, socket) => socket.destroy());

  gate.listensOn(await listening(server));
  closeIn(limits.open, 'unopened');
  return {
    url: gate.url,
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
