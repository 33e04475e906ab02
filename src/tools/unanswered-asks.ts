/** At most five, because a person who left five questions open is not helped by a sixth. */
const MOST_UNANSWERED = 5;

/** Counts this process's unanswered questions. From five on, requests are queued without asking. */
export class UnansweredAsks {
  #count = 0;

  /**
   * Takes one of the five places; false if none is free. Called before any await, so that simultaneous calls share the five.
   */
  take(): boolean {
    if (this.#count >= MOST_UNANSWERED) return false;
    this.#count += 1;
    return true;
  }

  /** Frees a place: a person answered, or the question was never asked. */
  giveBack(): void {
    this.#count -= 1;
  }
}
