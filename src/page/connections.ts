import type { IncomingMessage, Server } from 'node:http';

type Socket = IncomingMessage['socket'];

/** At most so many, because each takes a file descriptor; a browser opens six. */
const MOST = 64;

/**
 * The connections of one page. Any program on this machine can open some and say nothing, so where there are too many, the
 * oldest that has not been served anything gives way: a limit alone would shut the person's browser out.
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

  /** The person's own browser: it had the link or has the cookie. */
  keep(socket: Socket): void {
    if (this.#unserved.delete(socket)) this.#served.add(socket);
  }
}
