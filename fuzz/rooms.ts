import { calls } from './calls.ts';
import { ledgers } from './ledgers.ts';
import { pages } from './pages.ts';
import type { Property } from './property.ts';
import { parser, queries, sanitizer } from './texts.ts';

/** What is fuzzed, by what it is about. */
export const ROOMS: Readonly<Record<string, readonly Property[]>> = {
  parser,
  sanitizer,
  query: queries,
  ledger: ledgers,
  tools: calls,
  page: pages,
};
