import { parseId } from '../../core/memory/ids.ts';
import { sharedAt } from '../../core/sync/shared-paths.ts';
import { type SafeText, sanitize } from '../../core/text/safe-text.ts';
import { wholeDays } from '../../core/trust/clocks.ts';
import { changeRecord, NOTICES, SyncMemory, type SyncNotice } from '../../store/sync/notices.ts';
import type { Session } from '../session.ts';

/** How the last sync went, for whoever asks how the store is. */
export interface LastSync {
  readonly at: string;
  readonly code: number;
  readonly said: string;
  /** What the operator has not seen yet. */
  readonly notices: readonly SyncNotice[];
}

/** A store that syncs should do so every day. */
const LATE_DAYS = 1;

/** The last sync with what nobody has seen of it and of those before; undefined for a store that never synced. */
export function lastSync({ vault }: Pick<Session, 'vault'>): LastSync | undefined {
  const record = new SyncMemory(vault).read();
  if (record === undefined) return undefined;
  const { at, code, said, notices, succeededAt } = record;
  const days = wholeDays(Date.parse(succeededAt ?? at), vault.now());
  const what = `has not worked for ${days} days; run surety sync, or see to its timer`;
  const late: SyncNotice[] = days > LATE_DAYS ? [{ kind: 'failed', about: 'sync', what, at }] : [];
  return {
    at,
    code,
    said,
    notices: [...notices.filter(({ kind }) => late.length === 0 || kind !== 'failed'), ...late],
  };
}

/** One line for the person at the start of a session; null when there is nothing they have not seen. */
export function syncLine(session: Pick<Session, 'vault'>): string | null {
  const count = lastSync(session)?.notices.length ?? 0;
  if (count === 0) return null;
  return `Surety: syncing brought up ${count === 1 ? 'one thing' : `${count} things`} you have not seen; surety status tells, surety review ticks off.`;
}

/** Something a sync brought up, in our own words only. */
export type SyncNews = {
  readonly kind: SafeText;
  /** The memory's id, or the first 16 characters of a machine's fingerprint. */
  readonly about: SafeText | null;
  readonly what: SafeText;
  readonly at: SafeText;
};

const MOST_NEWS = 20;

/**
 * What the operator has not seen, as a model is told: the newest of it, and neither a name another machine gave itself nor a
 * path, a branch or an answer of the remote. Being told is not being seen; only the operator ticks off.
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
      about: known === undefined ? null : line(known),
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

/** The operator has had these on the screen; what came up meanwhile stays. */
export function tickOffSyncNotices({ vault }: Pick<Session, 'vault'>, seen: readonly SyncNotice[]): Promise<void> {
  const isSeen = (notice: SyncNotice) =>
    seen.some(({ kind, about, at }) => kind === notice.kind && about === notice.about && at === notice.at);
  return changeRecord(vault, (before) => {
    const left = before?.notices.filter((notice) => !isSeen(notice)) ?? [];
    return before === undefined || left.length === before.notices.length ? undefined : { ...before, notices: left };
  });
}
