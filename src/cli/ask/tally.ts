import { type SafeText, sanitize } from '../../core/text/safe-text.ts';

/** Counts what became of a queue. */
export class Tally {
  failed = 0;
  readonly #all: number;
  readonly #done = new Map<string, number>();

  constructor(all: number) {
    this.#all = all;
  }

  /** Counts what was settled by an answer: nothing where the item still waits. */
  count(...settled: readonly string[]): void {
    for (const what of settled) this.#done.set(what, (this.#done.get(what) ?? 0) + 1);
  }

  /**
   * One line, correct at any time, because a person may stop halfway. `waits` is how many wait, where somebody counted, and
   * `fresh` how many are in observation and wait for nobody.
   */
  summary(waits = this.#all - this.#settled(), fresh = 0): SafeText {
    const done = [...this.#done].map(([what, count]) => `${count} ${what}`);
    const parts = [
      ...(done.length > 0 ? done : ['Nothing changed']),
      ...(this.failed > 0 ? [`${this.failed} could not be done`] : []),
      leftOver(waits, fresh),
    ];
    return sanitize(`${parts.join(', ')}.`, 'line');
  }

  #settled(): number {
    return [...this.#done.values()].reduce((sum, count) => sum + count, 0);
  }
}

function leftOver(waits: number, fresh: number): string {
  if (waits > 0) return `${waits} still ${waits === 1 ? 'waits' : 'wait'}`;
  if (fresh > 0) return `nothing waits, ${fresh} new ${fresh === 1 ? 'one is' : 'ones are'} in observation`;
  return 'nothing is left';
}
