import { globSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { type Collected, collect } from './pure-tests.ts';

// A test runner for Stryker. Vitest takes a third of a second for each change before the first test runs. Tests of `core` start
// nothing and change nothing of their process, so they are loaded once here, and only those that reach a change are run.

/** What the changed sources and Stryker tell each other. */
interface Switch {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage?: unknown;
}

interface MutantRun {
  readonly activeMutant: { readonly id: string };
  readonly testFilter?: readonly string[];
  readonly hitLimit?: number;
  readonly mutantActivation: 'static' | 'runtime';
}

const OWN: Readonly<Record<string, string>> = {
  vitest: import.meta.resolve('./pure-tests.ts'),
  'fast-check': import.meta.resolve('./fewer-cases.ts'),
};

const given = globalThis as { __stryker__?: Switch };
given.__stryker__ ??= {};
const state = given.__stryker__;

/** With each loading the sources and tests are other modules. */
let loading = 0;

registerHooks({
  resolve(specifier, context, next) {
    const own = OWN[specifier];
    const isOurs =
      !context.parentURL?.includes('/node_modules/') && !Object.values(OWN).includes(context.parentURL ?? '');
    if (own !== undefined && isOurs && context.parentURL !== import.meta.url) return { url: own, shortCircuit: true };
    const found = next(specifier, context);
    const here = pathToFileURL(`${process.cwd()}/`).href;
    const isLoaded = found.url.startsWith(here) && !found.url.includes('/node_modules/');
    return isLoaded && !found.url.includes('?') ? { ...found, url: `${found.url}?loading=${loading}` } : found;
  },
  load(url, context, next) {
    const found = next(url, context);
    if (!url.includes('?loading=') || !found.source) return found;
    return { ...found, source: withoutNonsense(Buffer.from(found.source as Uint8Array).toString('utf8')) };
  },
});

const NO_PATTERN = 'the change makes no pattern';

/** Stryker changes `\v` to `\V`, which is no pattern with the flag `v`: such a change would keep its whole file from loading. */
function withoutNonsense(source: string): string {
  return source.replaceAll(
    /(stryMutAct_\w+\("\d+"\) \? )(\/(?:\\.|[^\\/\n])+\/[a-z]*)(?= : )/g,
    (all, before: string, literal: string) =>
      isPattern(literal) ? all : `${before}(() => { throw new SyntaxError('${NO_PATTERN}'); })()`,
  );
}

function isPattern(literal: string): boolean {
  const end = literal.lastIndexOf('/');
  try {
    return new RegExp(literal.slice(1, end), literal.slice(end + 1)) !== undefined;
  } catch {
    return false;
  }
}

async function loaded(): Promise<Collected> {
  loading++;
  fc.configureGlobal({ seed: 1 });
  const tests: Collected = new Map();
  for (const file of globSync((process.env.MUTANTS_TESTS ?? '').split(',')).sort()) {
    const url = `${pathToFileURL(resolve(file)).href}?loading=${loading}`;
    for (const [name, body] of await collect(() => import(url))) tests.set(`${file}#${name}`, body);
  }
  return tests;
}

/** What went wrong in a test; undefined if nothing did. */
async function failureOf(body: (() => unknown) | undefined): Promise<string | undefined> {
  try {
    await body?.();
    return undefined;
  } catch (error) {
    return String(error);
  }
}

class PureRunner {
  #tests: Collected | undefined;

  capabilities() {
    return { reloadEnvironment: true };
  }

  async dryRun() {
    this.#tests = await loaded();
    const tests: object[] = [];
    for (const [id, body] of this.#tests) {
      const start = performance.now();
      state.currentTestId = id;
      const failureMessage = await failureOf(body);
      state.currentTestId = undefined;
      const timeSpentMs = performance.now() - start;
      tests.push({ id, name: id, timeSpentMs, status: failureMessage === undefined ? 0 : 1, failureMessage });
    }
    return { status: 'complete', tests, mutantCoverage: state.mutantCoverage };
  }

  async mutantRun({ activeMutant: { id }, testFilter, hitLimit, mutantActivation }: MutantRun) {
    Object.assign(state, { hitCount: 0, hitLimit });
    if (mutantActivation === 'static') return this.#onFreshSources(id, hitLimit);
    this.#tests ??= await loaded();
    const result = await this.#tried(id, this.#tests, testFilter ?? [...this.#tests.keys()], hitLimit, true);
    // What a source makes at its first use and keeps, such as a pattern, may be here since before the change, or from it.
    return result.status === 'survived' ? this.#onFreshSources(id, hitLimit) : result;
  }

  /** The change is there while the sources are loaded, and every test runs with it. */
  async #onFreshSources(id: string, hitLimit: number | undefined) {
    state.activeMutant = id;
    try {
      const tests = await loaded();
      return await this.#tried(id, tests, [...tests.keys()], hitLimit, false);
    } catch (error) {
      if (String(error).includes(NO_PATTERN)) return { status: 'error', errorMessage: NO_PATTERN };
      return { status: 'killed', killedBy: [], failureMessage: String(error), nrOfTests: 0 };
    } finally {
      state.activeMutant = undefined;
    }
  }

  async #tried(id: string, tests: Collected, chosen: readonly string[], hitLimit: number | undefined, again: boolean) {
    for (const [at, test] of chosen.entries()) {
      state.activeMutant = id;
      const failureMessage = await failureOf(tests.get(test));
      state.activeMutant = undefined;
      if (failureMessage === undefined) continue;
      if (failureMessage.includes(NO_PATTERN)) return { status: 'error', errorMessage: NO_PATTERN };
      if (Number(state.hitCount) > Number(hitLimit ?? Number.POSITIVE_INFINITY)) return { status: 'timeout' };
      // A test that fails without the change as well would say nothing about it.
      if (again && (await failureOf(tests.get(test))) !== undefined) {
        this.#tests = await loaded();
        if ((await failureOf(this.#tests.get(test))) === undefined) return { status: 'survived', nrOfTests: at };
        return { status: 'error', errorMessage: `${test} fails without the change` };
      }
      return { status: 'killed', killedBy: [test], failureMessage, nrOfTests: at + 1 };
    }
    return { status: 'survived', nrOfTests: chosen.length };
  }
}

export const strykerPlugins = [
  { kind: 'TestRunner', name: 'pure', factory: Object.assign(() => new PureRunner(), { inject: [] }) },
];
