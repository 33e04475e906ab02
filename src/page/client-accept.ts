/**
 * The word of the MCP client that opened a page: its `accept` of the very question that carried the address. A client that
 * could not read the question never gives it and may have handed the address to its model, so nothing on the page counts
 * before. It also waits a moment after: somebody who read the address could be quicker than the person's browser, which
 * then comes second and voids the page.
 */
export class ClientAccept {
  /** When an answer on this page counts. */
  readonly settled: Promise<void>;
  readonly #settle: () => void;
  readonly #settlingMs: number;
  #timer: NodeJS.Timeout | undefined;
  #isSettled = false;

  constructor(settlingMs: number) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.settled = promise;
    this.#settle = resolve;
    this.#settlingMs = settlingMs;
  }

  get isGiven(): boolean {
    return this.#timer !== undefined;
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  give(): void {
    this.#timer ??= setTimeout(() => {
      this.#isSettled = true;
      this.#settle();
    }, this.#settlingMs);
  }

  /** The page is closed: an answer that was held until now never counts. */
  end(): void {
    clearTimeout(this.#timer);
  }
}
