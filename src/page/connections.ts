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
