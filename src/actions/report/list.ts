import type { Standing } from '../../core/ledger/standing.ts';
import { typeOfId } from '../../core/memory/ids.ts';
import type { MemoryType } from '../../core/memory/limits.ts';
import type { Memory } from '../../core/memory/memory.ts';
import { projectIn, projectSlug } from '../../core/memory/project.ts';
import { sanitize } from '../../core/text/safe-text.ts';
import type { Tier } from '../../core/trust/tiers.ts';
import type { Loaded, Surveyed, Vault } from '../../store/vault/vault.ts';
import { isStaleNow } from '../memory-state.ts';
import { quarantinedAt } from '../retention.ts';

export const MARKS = ['stale', 'changed', 'held', 'declined', 'conflict', 'blocked'] as const;
export type Mark = (typeof MARKS)[number];

interface Filter {
  readonly tier?: Tier | undefined;
  readonly type?: MemoryType | undefined;
  readonly project?: string | undefined;
  readonly tag?: string | undefined;
  /** Memories with any of these marks; without marks, all memories. */
  readonly marks?: readonly Mark[] | undefined;
}

/** A memory as a list shows it. */
export interface ListedMemory {
  readonly id: string;
  /** Where its file lies in the store. */
  readonly file: string;
  readonly tier: Tier;
  readonly reason: Standing['reason'];
  readonly type: MemoryType;
  /** When it was vouched for, first seen, or quarantined. */
  readonly since: number | undefined;
  readonly marks: readonly Mark[];
  /** The text; undefined if the memory is quarantined or blocked, because a list must not show it. */
  readonly memory: Memory | undefined;
}

/**
 * Yields memories by id, quarantined ones last, one at a time, so that a large store is never loaded whole. `mayFit`
 * filters first, so that few files are read.
 */
export function* list(vault: Vault, filter: Filter = {}): Generator<ListedMemory> {
  for (const place of ['memories', 'quarantine'] as const) {
    for (const known of [...vault.survey(place)]) {
      if (!mayFit(vault, known, filter)) continue;
      const loaded = vault.loadSurveyed(known);
      if (loaded === undefined) continue;
      const listed = listedOf(vault, loaded);
      if (fits(listed, filter)) yield listed;
    }
  }
}

export function listedOf(vault: Vault, loaded: Loaded): ListedMemory {
  const { id, place, stem, standing, shown, withheld, held, firstSeen, declinedAt } = loaded;
  const silent = withheld || standing.tier === 'quarantined';
  return {
    id,
    file: `${place}/${stem}.md`,
    tier: standing.tier,
    reason: standing.reason,
    type: shown?.type ?? typeOfId(id),
    since:
      standing.tier === 'quarantined' ? quarantinedAt(loaded) : 'receipt' in standing ? standing.receipt.at : firstSeen,
    marks: [
      ...(isStaleNow(vault, standing) ? (['stale'] as const) : []),
      ...(standing.reason === 'changed' ? (['changed'] as const) : []),
      ...(held.length > 0 ? (['held'] as const) : []),
      ...(declinedAt !== undefined && standing.tier === 'inferred' ? (['declined'] as const) : []),
      ...(vault.conflicts.of(loaded) === undefined ? [] : (['conflict'] as const)),
      ...(withheld && standing.tier !== 'quarantined' ? (['blocked'] as const) : []),
    ],
    memory: silent ? undefined : shown,
  };
}

/** Filters by the index and the ledgers; held and blocked are known only from the file. */
function mayFit(vault: Vault, { id, standing }: Surveyed, { tier, type, project, tag, marks = [] }: Filter): boolean {
  if (tier !== undefined && standing.tier !== tier) return false;
  if (type !== undefined && !id.startsWith(`${type}_`)) return false;
  if ((project !== undefined || tag !== undefined) && standing.tier === 'quarantined') return false;
  if (marks.length === 0 || marks.includes('held') || marks.includes('blocked')) return true;
  return (
    (marks.includes('stale') && isStaleNow(vault, standing)) ||
    (marks.includes('changed') && standing.reason === 'changed')
  );
}

function fits(listed: ListedMemory, { tier, project, tag, marks = [] }: Filter): boolean {
  const { memory } = listed;
  const same = (stored: Memory['name'], asked: string) => sanitize(stored, 'line').toString() === asked;
  if (tier !== undefined && listed.tier !== tier) return false;
  if (project !== undefined && (!memory || projectIn(memory) !== projectSlug(project))) return false;
  if (tag !== undefined && !memory?.tags?.some((each) => same(each, tag))) return false;
  return marks.length === 0 || marks.some((mark) => listed.marks.includes(mark));
}
