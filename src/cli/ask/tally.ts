import { type SafeText, sanitize } from '../../core/text/safe-text.ts';

/** Counts what became of a queue. */
export class Tally {
  failed = 0;
  readonly #all: number;
  readonly #done = new Map<string, number>();

  constructor(all: number) {
    this.#all = all;
  }

  /** Counts a settled item; undefined means it still waits. */
  count(what: string | undefined): void {
    if (what !== undefined) this.#done.set(what, (this.#done.get(what) ?? 0) + 1);
  }

  /** One line, correct at any time, because a person may stop halfway. `waits` is how many wait, where somebody counted. */
  summary(waits = this.#all - this.#settled()): SafeText {
    const done = [...this.#done].map(([what, count]) => `${count} ${what}`);
    const parts = [
      ...(done.length > 0 ? done : ['Nothing changed']),
      ...(this.failed > 0 ? [`${this.failed} could not be done`] : []),
      waits === 0 ? 'nothing is left' : `${waits} still ${waits === 1 ? 'waits' : 'wait'}`,
    ];
    return sanitize(`${parts.join(', ')}.`, 'line');
  }

  #settled(): number {
    return [...this.#done.values()].reduce((sum, count) => sum + count, 0);
  }
}
