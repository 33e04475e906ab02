import { inCausalOrder } from '../core/ledger/causal-order.ts';
import type { Statement } from '../core/ledger/statement.ts';
import { dateOf, wholeDays } from '../core/trust/clocks.ts';
import type { Session } from './session.ts';

const ORIGINS: Readonly<Record<string, string>> = {
  propose: 'proposed by an agent',
  import: 'imported',
  backfill: 'imported',
  add: 'written by a person',
  adopt: 'adopted by a person',
  rewrite: 'rewritten by a person',
  seen: 'found in the folder',
};

/** Who brought a memory: an agent, an import, a person, or nobody that a ledger knows of. */
export const ORIGIN_KINDS = ['agent', 'import', 'person', 'found'] as const;
export type Origin = (typeof ORIGIN_KINDS)[number];

const KINDS: Readonly<Record<string, Origin>> = {
  propose: 'agent',
  import: 'import',
  backfill: 'import',
  add: 'person',
  adopt: 'person',
  rewrite: 'person',
};

/** Who brought a memory, by its first entry. */
export function originsKind(session: Session, id: string): Origin {
  return KINDS[historyOf(session, id)[0]?.action ?? ''] ?? 'found';
}

/** Every entry of every ledger about a memory, in the order in which they happened. */
export function historyOf({ vault }: Session, id: string): Statement[] {
  return inCausalOrder(vault.evidence.of(id), ({ hash, after, ledger, clock }) => ({
    hash,
    after,
    ledger: ledger.fingerprint,
    clock,
  }));
}

/** Where a memory comes from, and when that was recorded; undefined if no ledger names it. */
export function originOf(session: Session, id: string): { readonly how: string; readonly at: number } | undefined {
  const [first] = historyOf(session, id);
  if (first === undefined) return undefined;
  return { how: `${ORIGINS[first.action] ?? 'first recorded'}${elsewhere(session, first)}`, at: first.at };
}

/** Names the machine if the entry is another machine's. */
export function elsewhere({ vault }: Session, { ledger }: Statement): string {
  if (ledger.fingerprint === vault.self.fingerprint) return '';
  return ` on another machine (ledger ${ledger.fingerprint.slice(0, 8)})`;
}

export function ago({ vault }: Session, at: number): string {
  const days = wholeDays(at, vault.now());
  const how = days < 0 ? 'in the future' : days === 0 ? 'today' : days === 1 ? 'yesterday' : `${days} days ago`;
  return `on ${dateOf(at)}, ${how}`;
}

/** When a text came through the prompt, in the person's own time zone; with the day if it is another one than `since`. */
export function promptedWords(at: number, since: number): string {
  const day = (time: number) => new Date(time).toLocaleDateString('sv');
  const time = new Date(at).toTimeString().slice(0, 5);
  return `these words came through the prompt at ${day(at) === day(since) ? time : `${time} on ${day(at)}`}`;
}
