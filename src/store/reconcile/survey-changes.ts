import type { Evidence } from '../../core/ledger/evidence.ts';
import { idOfStem } from '../../core/memory/ids.ts';
import { insideOf } from '../vault/inside-of-vault.ts';
import type { FilePlace } from '../vault/loaded-memory.ts';
import { type Surveyed, surveyAt } from '../vault/survey.ts';
import type { Vault } from '../vault/vault.ts';

// For a caller that has surveyed all memories and wants to know what became of some, without surveying all again.

/** What the ledgers state now. */
export function evidenceNow(vault: Vault): Evidence {
  const { ledgers } = insideOf(vault);
  ledgers.refresh();
  return ledgers.evidence;
}

/** What these memories' files are, in `memories/` and in quarantine, judged by the ledgers as they were last read. */
export function surveyIds(vault: Vault, ids: ReadonlySet<string>): Surveyed[] {
  const inside = insideOf(vault);
  const inQuarantine = [...inside.index.stems('quarantine')].filter((stem) => ids.has(idOfStem(stem) ?? ''));
  const spots: FilePlace[] = [
    ...[...ids].map((stem) => ({ place: 'memories', stem }) as const),
    ...inQuarantine.map((stem) => ({ place: 'quarantine', stem }) as const),
  ];
  return spots.flatMap((spot) => [...surveyAt(inside, spot)]);
}

/**
 * These memories, and those that may have another standing or another place in the queue because of them: the ones that say
 * the same, and the ones that they contradict.
 */
export function withDependents(vault: Vault, ids: Iterable<string>): Set<string> {
  const { conflicts, ledgers, index } = insideOf(vault);
  const found = new Set(ids);
  for (const id of [...found]) {
    for (const other of conflicts.partnersOf(id)) found.add(other);
    const sayings = new Set(ledgers.evidence.of(id).flatMap(({ saying }) => saying ?? []));
    for (const row of [...sayings].flatMap((saying) => index.saying(saying))) if (row.id !== null) found.add(row.id);
  }
  return found;
}

/** The project of each searchable memory that names one, by stem. */
export function projectsByStem(vault: Vault): Map<string, string> {
  return insideOf(vault).index.projects('memories');
}
