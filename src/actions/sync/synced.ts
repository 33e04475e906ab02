import type { SyncNotice } from '../../store/sync/notices.ts';

/** Outcomes of a sync, which are also the command's exit codes. */
export const SYNC = { done: 0, stays: 1, incoming: 2, conflict: 3, rejected: 4, busy: 5, failed: 6 } as const;
export type SyncCode = (typeof SYNC)[keyof typeof SYNC];

export interface Synced {
  readonly code: SyncCode;
  readonly said: string;
  readonly sent: number;
  readonly received: number;
  /** Memories that were taken out, here because another machine did or there because this one did. */
  readonly removed: number;
  /** The push address without credentials; absent if no repository could be opened. */
  readonly pushesTo?: string;
  /** This sync's notices; unseen ones of earlier syncs are in `syncNotices`. */
  readonly notices: readonly SyncNotice[];
}
