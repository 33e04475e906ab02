import { resolve } from 'node:path';
import { inject } from 'vitest';

export const ROOT = resolve(import.meta.dirname, '..');

/** The bin as it was built for this run of the tests (build.ts): what people run, and quicker to start than the source. */
export const MAIN = inject('main');

/** What a test's program gets of the real environment: nothing but the PATH, so that no test can touch the real home. */
export const BARE_ENV = { PATH: process.env.PATH ?? '' };
