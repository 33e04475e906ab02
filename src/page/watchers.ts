import type { ServerResponse } from 'node:http';

/** At most 4 tabs, because a browser opens six connections to one address and needs some for answers. */
const MOST = 4;

/**
 * `over`: the page has ended; `settled`: the answer that waited for the client, or that was held, was carried out or dropped;
 * `rest`: watch later; `rows` and `said`: what changed in the overview's list, and what came of an answer there.
 */
export type WatchEvent = 'over' | 'settled' | 'rest' | 'rows' | 'said';

/** The open tabs. Each keeps one request open, on which it learns that the page has ended or that the server is gone. */
export class Watchers {
  readonly #streams = new Set<ServerResponse>();
  #none = Promise.withResolvers<void>();

  /** Keeps the answer to a tab's request open. */
  add(stream: ServerResponse, news: WatchEvent | undefined, details?: unknown): void {
    const [oldest] = this.#streams;
    if (oldest !== undefined && this.#streams.size >= MOST) send(oldest, 'rest');
    if (this.#streams.size === 0) this.#none = Promise.withResolvers();
    this.#streams.add(stream);
    stream.once('close', () => {
      this.#streams.delete(stream);
      if (this.#streams.size === 0) this.#none.resolve();
    });
    // Milliseconds until the tab tries again after the connection broke off.
    stream.write('retry: 300\n\n');
    if (news !== undefined) send(stream, news, details);
  }

  tell(news: WatchEvent, details?: unknown): void {
    for (const stream of this.#streams) send(stream, news, details);
  }

  get isNobodyThere(): boolean {
    return this.#streams.size === 0;
  }

  /** Resolves when no tab watches. A tab stops when it has loaded its last page. */
  gone(): Promise<void> {
    return this.#streams.size === 0 ? Promise.resolve() : this.#none.promise;
  }
}

/** JSON has no line breaks, so that the details are one line of the stream. */
function send(stream: ServerResponse, news: WatchEvent, details: unknown = 'now'): void {
  stream.write(`event: ${news}\ndata: ${JSON.stringify(details)}\n\n`);
}
