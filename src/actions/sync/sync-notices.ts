import { parseId } from '../../core/memory/ids.ts';
import { sharedAt } from '../../core/sync/shared-paths.ts';
import { type SafeText, sanitize } from '../../core/text/safe-text.ts';
import { wholeDays } from '../../core/trust/clocks.ts';
import { changeRecord, NOTICES, type SyncNotice, SyncNotices, type SyncRecord } from '../../store/sync/notices.ts';
import type { Session } from '../session.ts';

/** How the last sync went, with the notices that the operator has not seen yet. */
export type LastSync = Pick<SyncRecord, 'at' | 'code' | 'said' | 'notices'>;

/** A store that syncs should sync every day. */
const LATE_DAYS = 1;

/** The last sync, and all notices that nobody has seen; undefined if the store never synced. */
export function lastSync({ vault }: Pick<Session, 'vault'>): LastSync | undefined {
  const record = new SyncNotices(vault).read();
  if (record === undefined) return undefined;
  const { at, code, said, succeededAt } = record;
  const reports = vault.reports();
  const trusted = reports.filter((ledger) => ledger.trusted);
  // Looked for only where it is needed, because it reads what lies in quarantine.
  const asks = record.notices.some(({ kind }) => kind === 'displaced');
  const displaced = new Set<string>(asks ? vault.displaced().map(({ id }) => id) : []);
  const isSettled = ({ kind, about, at: noticed }: SyncNotice) => {
    if (kind === 'machine') return trusted.some(({ fingerprint }) => isAboutMachine(about, fingerprint));
    if (kind === 'own-ledger') return reports.every(({ own, trouble }) => !own || trouble === undefined);
    // A notice that counts several names no memory.
    if (parseId(about) === undefined) return false;
    if (kind === 'displaced') return !displaced.has(about);
    if (kind !== 'lowered' && kind !== 'restored' && kind !== 'conflict') return false;
    const { place, standing } = vault.load(about) ?? {};
    // It waits while its file lies in `memories/` and it is quarantined.
    if (kind === 'restored') return place !== 'memories' || standing?.tier !== 'quarantined';
    // After a conflict, only if a person has vouched for the text in place since.
    return standing?.tier === 'verified' && (kind === 'lowered' || standing.receipt.at > Date.parse(noticed));
  };
  const notices = record.notices.filter((notice) => !isSettled(notice));
  const worked = succeededAt ?? at;
  const days = wholeDays(Date.parse(worked), vault.now());
  const since =
    days > 0
      ? `has not worked for ${days} days`
      : `is dated ${worked.slice(0, 10)}, which is still to come, so a clock was wrong`;
  const what = `${since}; run surety sync, or see to its timer`;
  // Said until it was seen once: somebody who has stopped syncing knows it.
  const isLate = Math.abs(days) > LATE_DAYS && record.lateSeen !== at;
  const late: SyncNotice[] = isLate ? [{ kind: 'failed', about: 'sync', what, at }] : [];
  return {
    at,
    code,
    said,
    notices: [...notices.filter(({ kind }) => late.length === 0 || kind !== 'failed'), ...late],
  };
}

function isAboutMachine(about: string, fingerprint: string): boolean {
  return about.endsWith(`(${fingerprint.slice(0, 16)})`);
}

/** One line for the person at the start of a session; null if they have seen every notice. */
export function syncLine(session: Pick<Session, 'vault'>): string | null {
  const count = lastSync(session)?.notices.length ?? 0;
  if (count === 0) return null;
  const [things, them] = count === 1 ? ['one thing', 'it'] : [`${count} things`, 'them'];
  return `Surety: syncing brought up ${things} you have not seen; surety status shows ${them}, surety review marks ${them} as seen.`;
}

/** A sync notice in Surety's own words only. */
type SyncNews = {
  readonly kind: SafeText;
  /** The memory's id, or the first 16 characters of a machine's fingerprint. */
  readonly about?: SafeText;
  readonly what: SafeText;
  readonly at: SafeText;
};

const MOST_NEWS = 20;

/**
 * The newest unseen notices for a model, without names other machines chose, paths, branches or answers of the remote.
 * They stay unseen, because only the operator ticks them off.
 */
export function syncNews(session: Pick<Session, 'vault'>): {
  readonly news: readonly SyncNews[];
  readonly more: number;
} {
  const notices = lastSync(session)?.notices ?? [];
  const line = (ours: string) => sanitize(ours, 'line');
  const news = notices.slice(-MOST_NEWS).map(({ kind, about, at }) => {
    const known = idIn(about) ?? /(?:^|\()([0-9a-f]{16})\)?$/.exec(about)?.[1];
    return {
      kind: line(kind),
      ...(known !== undefined && { about: line(known) }),
      what: line(NOTICES[kind]),
      at: line(at),
    };
  });
  return { news, more: notices.length - news.length };
}

function idIn(about: string): string | undefined {
  const what = sharedAt(about);
  return what?.kind === 'memory' ? what.id : parseId(about);
}

/** Removes notices the operator saw on the screen; newer ones stay. */
export function tickOffSyncNotices({ vault }: Pick<Session, 'vault'>, seen: readonly SyncNotice[]): Promise<void> {
  const isSeen = (notice: SyncNotice) =>
    seen.some(({ kind, about, at }) => kind === notice.kind && about === notice.about && at === notice.at);
  return changeRecord(vault, (before) => {
    if (before === undefined) return undefined;
    const left = before.notices.filter((notice) => !isSeen(notice));
    const lateSeen = isSeen({ kind: 'failed', about: 'sync', what: '', at: before.at }) ? before.at : before.lateSeen;
    const isSame = left.length === before.notices.length && lateSeen === before.lateSeen;
    return isSame ? undefined : { ...before, notices: left, lateSeen };
  });
}

/**
 * A person decided about this machine, so it is not one that was never seen here. Without this the notice, which is settled
 * while the machine is trusted, would come back with the distrust and advise to trust a machine that may be lost.
 */
export function tickOffMachine(session: Pick<Session, 'vault'>, fingerprint: string): Promise<void> {
  const { notices = [] } = new SyncNotices(session.vault).read() ?? {};
  const isAbout = ({ kind, about }: SyncNotice) => kind === 'machine' && isAboutMachine(about, fingerprint);
  return tickOffSyncNotices(session, notices.filter(isAbout));
}
