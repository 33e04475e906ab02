import { timestamp, wholeDays } from '../core/trust/clocks.ts';
import type { Vault } from '../store/vault/vault.ts';
import type { Session } from './session.ts';

/** Memories no agent found or read for UNUSED_DAYS. Null if uses were not recorded for that long. */
export interface Unused {
  readonly recordedSince: string | null;
  readonly ids: readonly string[] | null;
}

export const UNUSED_DAYS = 28;

/** Notes that an agent got these memories; written later, without waiting. */
export function noteUse({ vault }: Session, ids: readonly string[]): void {
  void vault.uses().then((uses) => uses.note(ids));
}

/** How often agents found or read this memory, and the last day; undefined if none did, as far as this machine knows. */
export async function usesOf(
  { vault }: Session,
  id: string,
): Promise<{ readonly last: number; readonly times: number | undefined } | undefined> {
  const known = (await vault.uses()).known();
  const last = known.last.get(id);
  return last === undefined ? undefined : { last, times: known.times.get(id) };
}

export async function unusedAmong(vault: Vault, ids: readonly string[]): Promise<Unused> {
  const { recordedSince, isUnused } = await usageOf(vault);
  return { recordedSince, ids: isUnused === null ? null : ids.filter(isUnused) };
}

/** What is known of uses now. `isUnused` is null if uses were not recorded for UNUSED_DAYS. */
export async function usageOf(vault: Vault): Promise<{
  readonly recordedSince: string | null;
  readonly isUnused: ((id: string) => boolean) | null;
}> {
  const { since, last } = (await vault.uses()).known();
  const now = vault.now();
  const longAgo = (at: number | undefined) => at === undefined || wholeDays(at, now) > UNUSED_DAYS;
  if (since === undefined) return { recordedSince: null, isUnused: null };
  const isNew = (id: string) => vault.evidence.of(id).every(({ at }) => !longAgo(at));
  const isUnused = (id: string) => longAgo(last.get(id)) && !isNew(id);
  return { recordedSince: timestamp(since), isUnused: longAgo(since) ? isUnused : null };
}
