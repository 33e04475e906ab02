/** At most five, because a person who left five questions open is not helped by a sixth. */
const MOST_UNANSWERED = 5;

/** Counts the questions of this process that no person has answered; when there are five, requests queue without asking. */
export class UnansweredAsks {
  #count = 0;

  /** Takes one of the five; false when all are taken. Called before anything is awaited, so that calls at once share them. */
  take(): boolean {
    if (this.#count >= MOST_UNANSWERED) return false;
    this.#count += 1;
    return true;
  }

  /** A person answered, or the question was never put. */
  giveBack(): void {
    this.#count -= 1;
  }
}
