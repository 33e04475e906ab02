import type { Statement } from './statement.ts';

/** The fields that many rows of a ledger share. */
export type Common = Pick<Statement, 'action' | 'level' | 'channel' | 'rules' | 'store'>;

/** The combinations of fields that occur in a ledger, each kept once and known by its number. There are few. */
export class CommonFields {
  readonly #all: Common[] = [];
  readonly #numbers = new Map<string, number>();
  /** The number of the last combination, because neighbouring rows often share one. */
  #last = 0;

  constructor(all: readonly Common[] = []) {
    for (const common of all) this.numberOf(common);
  }

  get all(): readonly Common[] {
    return this.#all;
  }

  at(number: number): Common {
    return this.#all[number] as Common;
  }

  numberOf({ action, level, channel, rules, store }: Common): number {
    const last = this.#all[this.#last];
    const isLast = last?.action === action && last.level === level && last.channel === channel;
    if (isLast && last.rules === rules && last.store === store) return this.#last;
    this.#last = this.#numberInMap({ action, level, channel, rules, store });
    return this.#last;
  }

  #numberInMap({ action, level, channel, rules, store }: Common): number {
    const key = JSON.stringify([action, level, channel, rules, store]);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.#all.length);
    return this.#all.push({ action, level, channel, rules, store }) - 1;
  }
}
