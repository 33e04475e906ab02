import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { RELYING_PARTY } from '../core/passkeys/assertion.ts';
import { Refusal } from '../core/refusal.ts';
import type { Assurance } from '../core/trust/consent.ts';
import type { Vault } from '../store/vault/vault.ts';
import { LONGEST_LIFE_MS, PageAccess } from './access.ts';
import { failed } from './replies.ts';
import type { PageEnd } from './review-session.ts';

/** In milliseconds. */
export interface ServerLimits {
  /** From the start until somebody follows the link. */
  readonly open: number;
  /** In all, whatever the person does. */
  readonly life: number;
  readonly headers: number;
  readonly request: number;
}

export const SERVER_LIMITS: ServerLimits = { open: 5 * 60_000, life: LONGEST_LIFE_MS, headers: 5_000, request: 10_000 };

/** What a page does with its requests, and before its port is closed. */
interface Serving<Outcome extends string> {
  answer(request: IncomingMessage, response: ServerResponse): Promise<Outcome>;
  /** Called after each answer. */
  answered(outcome: Outcome | 'denied', response: ServerResponse): void;
  /** Ends the page; its port is closed afterwards. */
  end(how: PageEnd): Promise<void> | void;
}

/** The HTTP server of one page, until the page is closed or its time is up. */
export class PageServer<Outcome extends string> {
  readonly access: PageAccess;
  readonly #server = createServer({ maxHeaderSize: 8 * 1024, connectionsCheckingInterval: 500 });
  readonly #connections = new Connections(this.#server);
  readonly #limits: ServerLimits;
  readonly #serving: Serving<Outcome>;
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #entered = Promise.withResolvers<void>();
  readonly #closed = Promise.withResolvers<void>();
  /** Resolves when somebody has followed the link. */
  readonly entered = this.#entered.promise;
  /** Resolves when the port is closed. */
  readonly closed = this.#closed.promise;
  #timer: NodeJS.Timeout | undefined;
  #lifeTimer: NodeJS.Timeout | undefined;
  #isClosing = false;

  constructor(vault: Vault, limits: ServerLimits, serving: Serving<Outcome>) {
    this.access = new PageAccess(limits.life);
    this.#limits = limits;
    this.#serving = serving;
    this.#server.headersTimeout = limits.headers;
    this.#server.requestTimeout = limits.request;
    this.#server.keepAliveTimeout = 2_000;
    this.#server.on('request', (request, response) => void this.#answer(vault, request, response));
    // A request that is not HTTP gets no answer.
    this.#server.on('clientError', (_error, socket) => socket.destroy());
  }

  /** Listens on a free port of 127.0.0.1; where passkeys are asked for, under the name that they are bound to. */
  async listen(level: Assurance): Promise<void> {
    if (level === 4) this.access.listensOn(await listeningOnBoth(this.#server), RELYING_PARTY);
    else this.access.listensOn(await listen(this.#server, '127.0.0.1', 0));
    this.#lifeTimer = setTimeout(() => void this.close('expired'), this.#limits.life);
    this.closeIn(this.#limits.open, 'unopened');
  }

  /** Counts something as under way until it is done. */
  async during<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work);
    try {
      return await work;
    } finally {
      this.#underWay.delete(work);
    }
  }

  /** Resolves when every request, and what else is under way, is done. */
  async workDone(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  closeIn(ms: number, how: PageEnd): void {
    clearTimeout(this.#timer);
    // A timer set by a late answer would keep the process alive after the page has closed.
    if (!this.#isClosing) this.#timer = setTimeout(() => void this.close(how), ms);
  }

  async close(how: PageEnd = 'closed'): Promise<void> {
    if (this.#isClosing) return this.closed;
    this.#isClosing = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#lifeTimer);
    await this.#serving.end(how);
    await closed(this.#server);
    this.#closed.resolve();
  }

  async #answer(vault: Vault, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answering = this.#serving.answer(request, response).catch((error: unknown) => failed(vault, error, response));
    const outcome = await this.during(answering);
    if (outcome !== 'denied' && outcome !== 'voided') {
      this.#connections.keep(request.socket);
      this.#entered.resolve();
    }
    this.#serving.answered(outcome, response);
  }
}

type Socket = IncomingMessage['socket'];

/** At most 64, because each takes a file descriptor; a browser opens six. */
const MOST = 64;

/**
 * The connections of one page. Any program on this machine can open connections and stay silent. When there are too many,
 * the oldest connection that was never served is closed: a plain limit would shut out the person's browser.
 */
class Connections {
  readonly #unserved = new Set<Socket>();
  readonly #served = new Set<Socket>();

  constructor(server: Server) {
    server.on('connection', (socket) => {
      this.#unserved.add(socket);
      socket.once('close', () => {
        this.#unserved.delete(socket);
        this.#served.delete(socket);
      });
      for (const oldest of this.#unserved) {
        if (this.#unserved.size + this.#served.size <= MOST) break;
        this.#unserved.delete(oldest);
        oldest.destroy();
      }
    });
  }

  /** Keeps a connection of the person's browser, which had the link or the cookie. */
  keep(socket: Socket): void {
    if (this.#unserved.delete(socket)) this.#served.add(socket);
  }
}

/** At most 10 ports, because a free one is free on both addresses nearly always. */
const TRIES = 10;

/**
 * Listens on one port of 127.0.0.1 and of ::1, and returns it. A browser takes `surety.localhost` for either address, so
 * a program that had the port on ::1 would get the page's link. Where the system has no ::1, nobody can listen there.
 */
export async function listeningOnBoth(server: Server): Promise<number> {
  for (let tries = 0; tries < TRIES; tries++) {
    const port = await listen(server, '127.0.0.1', 0);
    const other = createServer();
    other.removeAllListeners('connection');
    other.on('connection', (socket) => server.emit('connection', socket));
    try {
      await listen(other, '::1', port);
      server.once('close', () => other.close());
      return port;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') return port;
      await closed(server);
    }
  }
  throw new Refusal('not-allowed', 'No port was free for the page on both addresses of this computer. Try again.');
}

/** Listens on a port, 0 for a free one, and returns it. */
function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => {
      server.off('error', reject);
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('no port'));
      else resolve(address.port);
    });
  });
}

/** Ends every connection and gives the port back. */
function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
