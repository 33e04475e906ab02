import { createServer, type IncomingMessage, type Server } from 'node:http';
import { Refusal } from '../core/refusal.ts';

type Socket = IncomingMessage['socket'];

/** At most 64, because each takes a file descriptor; a browser opens six. */
const MOST = 64;

/**
 * The connections of one page. Any program on this machine can open connections and stay silent. When there are too many,
 * the oldest connection that was never served is closed: a plain limit would shut out the person's browser.
 */
export class Connections {
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

/** Listens on a free port of 127.0.0.1, and returns it. */
export function listening(server: Server): Promise<number> {
  return listen(server, '127.0.0.1', 0);
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
export function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
