import { timestamp, wholeDays } from '../core/trust/clocks.ts';
import type { Vault } from '../store/vault/vault.ts';
import type { Session } from './session.ts';

/** What no agent has found or read for long. Null where that was not recorded for long enough to tell. */
export interface Unused {
  readonly recordedSince: string | null;
  readonly ids: readonly string[] | null;
}

/** Four weeks, as the audit this follows has it. */
export const UNUSED_DAYS = 28;

/** Remembers that an agent was handed these; written down later and in passing. */
export function noteUse({ vault }: Session, ids: readonly string[]): void {
  void vault.uses().then((uses) => uses.note(ids));
}

export async function unusedAmong(vault: Vault, ids: readonly string[]): Promise<Unused> {
  const { since, last } = (await vault.uses()).known();
  const now = vault.now();
  const longAgo = (at: number | undefined) => at === undefined || wholeDays(at, now) > UNUSED_DAYS;
  if (since === undefined) return { recordedSince: null, ids: null };
  const recordedSince = timestamp(since);
  if (!longAgo(since)) return { recordedSince, ids: null };
  const isNew = (id: string) => vault.evidence.of(id).every(({ at }) => !longAgo(at));
  return { recordedSince, ids: ids.filter((id) => longAgo(last.get(id)) && !isNew(id)) };
}
