import type fc from 'fast-check';

/** Something that holds whatever comes in. Tests run it a little, `npm run fuzz` for as long as it is told to. */
export interface Property {
  readonly title: string;
  /** How often the tests try it. */
  readonly runs: number;
  /** Makes what it needs, a server or a store, and takes it away again when `end` is called. */
  begin(main: string): Promise<Begun>;
}

export interface Begun {
  readonly property: fc.IAsyncProperty<unknown> | fc.IProperty<unknown>;
  end(): Promise<void>;
}

/** For what needs nothing. */
export function pure(title: string, runs: number, property: fc.IProperty<unknown>): Property {
  return { title, runs, begin: async () => ({ property, end: async () => undefined }) };
}

/** Says what does not hold. */
export function hold(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(what);
}
