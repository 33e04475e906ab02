import { expect as vitestExpect } from 'vitest';

// What tests import as `vitest` where they run without it: the same `expect`, and tests that are collected to be run by hand.

type Body = () => unknown;
/** A test by its name, which is its own among all of a file. */
export type Collected = Map<string, Body>;

let suites: readonly string[] = [];
let collected: Collected = new Map();

/** The tests that a file declares while it is loaded. */
export async function collect(load: () => Promise<unknown>): Promise<Collected> {
  collected = new Map();
  await load();
  return collected;
}

export function describe(name: string, body: Body): void {
  suites = [...suites, name];
  body();
  suites = suites.slice(0, -1);
}

function declare(name: string, body: Body): void {
  const path = [...suites, name].join(' > ');
  collected.set(collected.has(path) ? `${path} (${collected.size})` : path, body);
}

export const test = Object.assign(declare, {
  each:
    (cases: readonly unknown[]) =>
    (name: string, body: (...given: unknown[]) => unknown): void => {
      for (const each of cases) declare(name, () => (Array.isArray(each) ? body(...each) : body(each)));
    },
});

/** The inline snapshots of vitest need a file to write to; here they are compared. */
export const expect = new Proxy(vitestExpect, {
  apply: (target, _, [given]: [unknown]) => {
    const toMatchInlineSnapshot = (wanted: string) => target(`"${given}"`).toBe(unindented(wanted));
    return Object.defineProperty(target(given), 'toMatchInlineSnapshot', { value: toMatchInlineSnapshot });
  },
});

/** A snapshot of several lines stands indented between a first and a last line that are empty. */
function unindented(snapshot: string): string {
  const [, indent] = /^\n( *)/.exec(snapshot) ?? [];
  if (indent === undefined) return snapshot;
  const lines = snapshot.split('\n').slice(1, -1);
  return lines.map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line)).join('\n');
}
