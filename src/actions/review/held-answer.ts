import { Refusal } from '../../core/refusal.ts';
import type { Said } from './answers.ts';
import type { Case } from './review.ts';

/** At most five seconds, because a person who closes the window later expects what they answered. */
const HELD_MS = 5_000;

/** An answer that is carried out with the person's next key or after five seconds. Taken back before, it leaves no trace. */
export class HeldAnswer<Done> {
  readonly #work: () => Promise<Done>;
  readonly #timer: NodeJS.Timeout;
  readonly #until = performance.now() + HELD_MS;
  #done: Promise<Done | Refusal> | undefined;

  constructor(work: () => Promise<Done>) {
    this.#work = work;
    this.#timer = setTimeout(() => {
      // The next caller that asks what became of it sees a failure; nobody may have asked yet.
      this.carriedOut().catch(() => {});
    }, HELD_MS);
  }

  /** Milliseconds until it is carried out. */
  get left(): number {
    return Math.max(0, this.#until - performance.now());
  }

  /** False where it is too late. */
  takeBack(): boolean {
    clearTimeout(this.#timer);
    return this.#done === undefined;
  }

  /** Carries it out, if nobody did yet, and says what came of it. */
  carriedOut(): Promise<Done | Refusal> {
    clearTimeout(this.#timer);
    this.#done ??= this.#work().catch((error: unknown) => {
      if (error instanceof Refusal) return error;
      throw error;
    });
    return this.#done;
  }
}

/** What a held answer is about: a memory with what was shown beside it, or a machine. */
export type HeldSubject = Pick<Case, 'id'> & Partial<Pick<Case, 'rival' | 'successor'>>;

/** Why a held answer was refused. The person may be at another memory by then, so it names the one it is about. */
export function whyRefused({ code, forPerson }: Refusal, { id, rival, successor }: HeldSubject): Said {
  if (code !== 'changed-meanwhile') return { tone: 'danger', sentence: `${id}: ${forPerson}` };
  const other = rival ?? successor;
  const what = other === undefined ? id : `${id} or ${other.id}`;
  return {
    tone: 'warning',
    sentence: `${what} changed while you were looking at it, so nothing was done about ${id}.`,
  };
}

/** Said when an answer was taken back. */
export function takenBack(id: string): string {
  return `Taken back: nothing was done about ${id}.`;
}
