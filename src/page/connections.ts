import type { IncomingMessage, Server } from 'node:http';

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
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port: 0, exclusive: true }, () => {
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
