import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Ledger, readLedger } from './ledger.ts';

// Written from docs/ledger-format.md, "What this machine remembers"; no code of the store is used.

const COPY = /^([0-9a-f]{64})\.jsonl$/;
const ASIDE = /^([0-9a-f]{64})\.(lowered(?:-\w+)?|recorded-\w+|was-\w+)\.jsonl$/;

/** Ledger lines that lie in the state folder. All of them lower, and none raises. */
export interface Kept {
  /** Of each ledger the copy of its lines, by fingerprint. */
  readonly copies: ReadonlyMap<string, Ledger>;
  /** Lowerings that a ledger could not take, recorded by now or not: each file a chain of its own. */
  readonly lowerings: readonly Ledger[];
  /** Lines that are no longer in their ledger because a person had it repaired. */
  readonly replaced: readonly Ledger[];
}

/** `ledgers` are the store's own, which have the keys that kept lines are signed with. */
export function readKept(state: string, ledgers: readonly Ledger[]): Kept {
  const folder = join(state, 'ledgers');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const read = (name: string, fingerprint: string) =>
    readLedger(
      fingerprint,
      readFileSync(join(folder, name), 'utf8'),
      ledgers.find((ledger) => ledger.fingerprint === fingerprint)?.key,
    );
  const asides = names.flatMap((name) => {
    const [, fingerprint, tag] = ASIDE.exec(name) ?? [];
    return fingerprint === undefined ? [] : [{ replaced: tag?.startsWith('was-'), ledger: read(name, fingerprint) }];
  });
  return {
    copies: new Map(
      names.flatMap((name) => {
        const fingerprint = COPY.exec(name)?.[1];
        return fingerprint === undefined ? [] : [[fingerprint, read(name, fingerprint)] as const];
      }),
    ),
    lowerings: asides.flatMap(({ replaced, ledger }) => (replaced ? [] : [ledger])),
    replaced: asides.flatMap(({ replaced, ledger }) => (replaced ? [ledger] : [])),
  };
}
