import { EVENTS } from './events.ts';
import { type Fleet, HARMS, type Harm } from './fleet.ts';

interface Run {
  readonly seed: number;
  readonly machines: number;
  readonly events: number;
  readonly seconds: number;
}

/** What `--json` prints. */
export interface Outcome extends Run {
  readonly counts: Readonly<Record<string, number>>;
  readonly harms: Readonly<Record<Harm, number>>;
  readonly harmed: boolean;
  /** Everything that happened, where there was harm. */
  readonly trail: readonly string[];
}

export function outcomeOf({ counts, harms, trail }: Fleet, run: Run): Outcome {
  const count = (kind: string) => [...harms.values()].filter((each) => each === kind).length;
  return {
    ...run,
    seconds: Math.round(run.seconds),
    counts: Object.fromEntries(counts),
    harms: Object.fromEntries(Object.keys(HARMS).map((kind) => [kind, count(kind)])) as Outcome['harms'],
    harmed: harms.size > 0,
    trail: harms.size > 0 ? trail : [],
  };
}

export function table({ seed, machines, events, seconds, counts, harms, trail }: Outcome): string {
  const row = (value: number, what: string) => `  ${String(value).padStart(6)}  ${what}`;
  const drawn = Object.keys(EVENTS).filter((each) => counts[each] !== undefined);
  const others = Object.keys(counts).filter((each) => !drawn.includes(each));
  const lines = [
    `seed ${seed}, ${machines} machines, ${events} events, ${seconds} s`,
    '',
    ...drawn.map((each) => row(counts[each] ?? 0, each)),
    '',
    ...others.sort().map((each) => row(counts[each] ?? 0, each)),
    '',
    ...Object.entries(HARMS).map(([kind, meaning]) => row(harms[kind as Harm], `${kind.padEnd(13)} ${meaning}`)),
    ...trail,
  ];
  return `${lines.join('\n')}\n`;
}
