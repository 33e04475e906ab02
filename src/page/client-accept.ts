/**
 * The `accept` of the MCP client that opened the page, for the question that carried the page's address. A client that
 * cannot read the question may hand the address to its model and never sends the accept, so no answer counts before it.
 * Answers wait a moment after the accept too: a program that read the address could be faster than the person's browser,
 * which then comes second and voids the page.
 */
export class ClientAccept {
  /** Resolves when answers on this page count. */
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

  /** The page is closed: an answer that waits for the accept never counts. */
  end(): void {
    clearTimeout(this.#timer);
  }
}
