import { inCausalOrder } from '../core/ledger/causal-order.ts';
import { raises, type Statement } from '../core/ledger/statement.ts';
import { dateOf, wholeDays } from '../core/trust/clocks.ts';
import type { Session } from './session.ts';

/** Who brought a memory: an agent, an import, a person, or nobody that a ledger knows of. */
export const ORIGIN_KINDS = ['agent', 'import', 'person', 'found'] as const;
export type Origin = (typeof ORIGIN_KINDS)[number];

// A map, because an action is any string that somebody wrote into a ledger.
const ORIGINS: ReadonlyMap<string, { readonly by: Origin; readonly how: string }> = new Map([
  ['propose', { by: 'agent', how: 'proposed by an agent' }],
  ['import', { by: 'import', how: 'imported' }],
  ['backfill', { by: 'import', how: 'imported' }],
  ['add', { by: 'person', how: 'written by a person' }],
  ['adopt', { by: 'person', how: 'adopted by a person' }],
  ['rewrite', { by: 'person', how: 'rewritten by a person' }],
]);

/** Who brought a memory, by the first entry whose word counts here. */
export function originsKind(session: Session, id: string): Origin {
  const first = historyOf(session, id).find((each) => isBelieved(session, each));
  return ORIGINS.get(first?.action ?? '')?.by ?? 'found';
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

/**
 * Where a memory comes from, in words, and when an entry whose word counts here first recorded it; undefined if no ledger names
 * it. Anybody can date an entry of their own ledger back, so what another ledger says is shown as its account, and only where
 * no entry that counts says more than that the file was found.
 */
export function originOf(
  session: Session,
  id: string,
): { readonly how: string; readonly at: number | undefined } | undefined {
  const entries = historyOf(session, id);
  const first = entries.find((each) => isBelieved(session, each));
  const known = first && `${wordsFor(first)}${elsewhere(session, first)} ${ago(session, first.at)}`;
  const others = first === undefined || first.action === 'seen' ? entries.filter((e) => !isBelieved(session, e)) : [];
  const reported = others.find(({ action }) => ORIGINS.has(action)) ?? (first === undefined ? others[0] : undefined);
  if (known === undefined && reported === undefined) return undefined;
  return { how: [known, reported && accountOf(session, reported)].filter(Boolean).join('; '), at: first?.at };
}

/** Whether it is this machine's own entry, or one of a machine whose word counts here. */
function isBelieved({ vault }: Session, entry: Statement): boolean {
  return entry.authentic && (raises(entry) || entry.ledger.fingerprint === vault.self.fingerprint);
}

function wordsFor({ action }: Statement): string {
  return ORIGINS.get(action)?.how ?? (action === 'seen' ? 'found in the folder' : 'first recorded');
}

function accountOf(session: Session, entry: Statement): string {
  const ledger = entry.ledger.fingerprint.slice(0, 8);
  return `by the account of ledger ${ledger}, whose word does not count here, ${wordsFor(entry)} ${ago(session, entry.at)}`;
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
