import type { LedgerTrouble } from '../../core/ledger/replay.ts';
import type { SyncRun } from '../../store/sync/sync-run.ts';
import { SYNC, type SyncCode } from './synced.ts';

export type Pushed = 'done' | 'rejected' | 'nothing';

export function codeFor(
  run: SyncRun,
  seen: {
    readonly blocked: readonly string[];
    readonly displaced: number;
    readonly lowered: number;
    readonly incoming: number;
    readonly staying: number;
    readonly pushed: Pushed;
    readonly ownTrouble: LedgerTrouble | undefined;
  },
): SyncCode {
  if (seen.pushed === 'rejected') return SYNC.rejected;
  if (seen.blocked.length > 0) return SYNC.stays;
  if (run.oversized.size > 0) return SYNC.failed;
  if (hasConflict(run) || seen.displaced + seen.lowered > 0) return SYNC.conflict;
  if (seen.ownTrouble !== undefined || isAmiss(run, seen.incoming) || hasSpared(run)) return SYNC.incoming;
  return seen.staying > 0 ? SYNC.stays : SYNC.done;
}

export function isAmiss({ refused, strays, ledgers }: SyncRun, incoming: number): boolean {
  return incoming + refused.size + strays.size + ledgers.length > 0;
}

/** Whether two machines changed a memory at once, and both texts are kept. */
export function hasConflict({ parked, putAside }: SyncRun): boolean {
  return parked.length + putAside.length > 0;
}

function hasSpared({ spared }: SyncRun): boolean {
  return spared.here.size + spared.elsewhere.size > 0;
}

const SENTENCES: Readonly<Record<SyncCode, string>> = {
  0: 'All is well.',
  1: 'Something of this machine must not leave and was kept here.',
  2: 'Something in the remote is not as it should be; the notice of it says what became of it.',
  3: 'A memory was changed on two machines at once; both texts are kept.',
  4: 'The remote kept changing and took nothing; what is here is committed. Run surety sync again.',
  5: 'Another process is at work on this store. Run surety sync again.',
  6: 'Sync could not be done.',
};

interface SyncCounts {
  readonly sent: number;
  readonly received: number;
  /** Whether ledgers were sent and received. */
  readonly ledgers: { readonly sent: boolean; readonly received: boolean };
  readonly removed: number;
  /** Those removed memories that the ledgers have alive. */
  readonly missing: number;
  readonly dry: boolean;
  /** Whether nothing was to be taken in. */
  readonly pushOnly: boolean;
  readonly oversized: boolean;
  readonly displaced: number;
  /** Verified memories that are not verified any more. */
  readonly lowered: number;
  /** Whether two machines changed a memory at once. */
  readonly hasConflict: boolean;
  /** Whether this machine changed nothing: another one put another text in the place of the one that was here. */
  readonly onlyPutAside: boolean;
  readonly onlySpared: boolean;
  readonly ownTrouble: LedgerTrouble | undefined;
}

export function sentence(code: SyncCode, counts: SyncCounts): string {
  const { sent, received, removed, missing, dry, oversized, displaced, lowered, onlySpared, ownTrouble } = counts;
  const many = (count: number) => (count === 1 ? '1 memory' : `${count} memories`);
  const gone = removed === 0 ? '' : `, ${many(removed)} taken out`;
  const only = sent + received + removed === 0 ? onlyEntries(counts) : '';
  const did = dry
    ? `Nothing was changed. ${many(sent)} would be sent, ${many(received)} received${gone}.${only}`
    : `${many(sent)} sent, ${many(received)} received${gone}.${only}`;
  const left = 'A ledger file here is larger than any ledger and was left out. Run surety doctor: it says what to do.';
  if (code === SYNC.rejected && counts.pushOnly) return `${did} ${MOVED_ON}`;
  if (code === SYNC.failed && oversized) return `${did} ${left}`;
  if (code === SYNC.conflict && displaced > 0) return `${did} ${displacedSentence(displaced)}`;
  if (code === SYNC.conflict && !counts.hasConflict) return `${did} ${loweredSentence(lowered)}`;
  if (code === SYNC.conflict && counts.onlyPutAside) return `${did} ${PUT_ASIDE}`;
  if (code === SYNC.incoming && ownTrouble !== undefined) return `${did} ${OWN_TROUBLE}`;
  if (code === SYNC.incoming && onlySpared) return `${did} Many memories were taken out at once; they stay.`;
  if (code === SYNC.done && missing > 0) return `${did} ${missingSentence(missing)}`;
  return `${did} ${SENTENCES[code]}`;
}

/** A decision can leave every file as it was, and then it travels in the ledgers alone. */
function onlyEntries({ ledgers, dry }: SyncCounts): string {
  const ways = [...(ledgers.sent ? ['sent'] : []), ...(ledgers.received ? ['received'] : [])].join(' and ');
  if (ways === '') return '';
  return ` Only entries of the ledgers, such as decisions, ${dry ? 'would be' : 'were'} ${ways}.`;
}

/** The same command again would end the same way. */
const MOVED_ON =
  'The remote has something that is not here yet, so it took nothing; what is here is committed. Run surety sync without --push-only: it takes that in first.';

const PUT_ASIDE = 'Another machine put another text in the place of one that was here; both texts are kept.';

const OWN_TROUBLE =
  'This machine’s own ledger is in trouble, so what you vouched for here is advisory. Run surety doctor: it says what to do.';

function displacedSentence(count: number): string {
  return count === 1
    ? 'A text that a person vouched for has another one in its place. Run surety review: it can put it back.'
    : `${count} texts that people vouched for have others in their places. Run surety review: it can put them back.`;
}

function loweredSentence(count: number): string {
  return count === 1
    ? '1 memory that was verified here is not any more; the notice of it says why.'
    : `${count} memories that were verified here are not any more; the notices of them say why.`;
}

/** The next command reports these memories as missing, and a person took them out on purpose. */
function missingSentence(count: number): string {
  return count === 1
    ? 'The ledger still has 1 memory that is gone. surety review asks whether it was meant to go.'
    : `The ledger still has ${count} memories that are gone. surety review asks of each whether it was meant to go.`;
}
