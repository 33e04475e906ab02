import type { Said } from '../../actions/review/answers.ts';
import { HeldAnswer } from '../../actions/review/held-answer.ts';
import { randomHex } from '../../store/disk/random.ts';

/** An answer that the person may still take back. `About` is what its page needs to know of it. */
export type Held<About> = About & {
  /** Names this answer, and no other, in the request that takes it back. */
  readonly undo: string;
  readonly answer: HeldAnswer<void>;
};

/** What came of a held answer. */
export interface CameOfHeld {
  readonly said: Said | undefined;
  readonly isDone: boolean;
  /** The five seconds were over. */
  readonly byItself: boolean;
}

/** Hears what came of a held answer; returns whether a tab says so. */
type OnCarriedOut<About> = (came: CameOfHeld, about: About) => boolean;

/** The answer that is held on a page, at most one. Nothing of it counts before it is carried out. */
export class HeldOnPage<About extends { readonly key: string }> {
  readonly #onCarriedOut: OnCarriedOut<About>;
  #held: Held<About> | undefined;
  #came: { readonly said: Said; readonly isHeard: boolean } | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  /** Why answers were not carried out, by the file they were about, until another answer about it is. */
  readonly #undone = new Map<string, string>();

  constructor(onCarriedOut: OnCarriedOut<About>) {
    this.#onCarriedOut = onCarriedOut;
  }

  /** Why answers were not carried out; the terminal says it at the end too, because the tabs may be gone. */
  get lost(): string | undefined {
    return this.#undone.size === 0 ? undefined : [...this.#undone.values()].join(' ');
  }

  /** An answer about this file was carried out, so one that was not is not told any more. */
  settled(key: string): void {
    this.#undone.delete(key);
  }

  get now(): Held<About> | undefined {
    return this.#held;
  }

  /** What came of the answer that was held last. */
  get came(): Said | undefined {
    return this.#came?.said;
  }

  /** What came of it, for a page that says it: it is said once. */
  takeCame(): Said | undefined {
    const came = this.#came?.said;
    this.#came = undefined;
    return came;
  }

  /** One answer at a time, in the order in which they came: none is carried out twice, and none is forgotten. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work, work);
    this.#turn = turn.catch(() => {});
    return turn;
  }

  /** Holds an answer after the one before was carried out. `undone` says why `work` did nothing. */
  hold(about: About, work: () => Promise<Said | undefined>, undone: (error: unknown) => Said): Held<About> {
    const failed = (error: unknown) => {
      const why = undone(error);
      this.#undone.set(about.key, why.sentence);
      this.#carriedOut(held, why, false);
    };
    const carryOut = () => work().then((said) => this.#carriedOut(held, said, true), failed);
    const answer = new HeldAnswer(carryOut);
    const held: Held<About> = { ...about, undo: randomHex(32), answer };
    this.#held = held;
    return held;
  }

  #carriedOut(held: Held<About>, said: Said | undefined, isDone: boolean): void {
    if (isDone) this.settled(held.key);
    const byItself = this.#held === held;
    if (byItself) this.#held = undefined;
    const isHeard = this.#onCarriedOut({ said, isDone, byItself }, held);
    this.#came = said && { said, isHeard };
  }

  /** Carries out what is held. To be called in turn. */
  async carryOut(): Promise<void> {
    const held = this.#held;
    this.#held = undefined;
    // The tab that this answer comes from has said it.
    if (this.#came?.isHeard) this.#came = undefined;
    await held?.answer.carriedOut();
  }

  /** Takes the answer with this name back, so that it leaves no trace; undefined if it is too late. To be called in turn. */
  async takeBack(undo: string): Promise<Held<About> | undefined> {
    const held = this.#held;
    if (held === undefined || held.undo !== undo) return undefined;
    if (!held.answer.takeBack()) {
      await this.carryOut();
      return undefined;
    }
    this.#held = undefined;
    return held;
  }

  /** Forgets what is held, because nobody knows any more who is the person. What is being written already is written. */
  async drop(): Promise<void> {
    if (this.#held?.answer.takeBack() === false) await this.carryOut();
    this.#held = undefined;
  }
}
