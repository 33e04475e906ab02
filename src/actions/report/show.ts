import type { Finding } from '../../core/finding.ts';
import { idOfStem } from '../../core/memory/ids.ts';
import type { Memory } from '../../core/memory/memory.ts';
import { Refusal } from '../../core/refusal.ts';
import { type Request, requestsOf } from '../../store/records/request-queue.ts';
import type { Loaded } from '../../store/vault/vault.ts';
import { loadStem } from '../memory-state.ts';
import { nearDuplicatesOf } from '../near-duplicates.ts';
import { findingsOf } from '../review/style-findings.ts';
import type { Session } from '../session.ts';
import { type ListedMemory, listedOf } from './list.ts';
import { type Logged, log } from './log.ts';

export interface ShownMemory {
  readonly loaded: Loaded;
  readonly findings: readonly Finding[];
  readonly listed: ListedMemory;
  readonly request: Request | undefined;
  /** The text a person vouched for, if it changed since. */
  readonly former: Memory | undefined;
  readonly similar: readonly Loaded[];
  /** Whether another text of the same id lies in quarantine, as after a conflict. */
  readonly hasParked: boolean;
  readonly history: readonly Logged[];
}

/** Finds a memory by its file's stem (`~2` for a further quarantined file); the history alone if there is no file. */
export function shownMemory(session: Session, stem: string, inQuarantine = false): ShownMemory | readonly Logged[] {
  const { vault } = session;
  const loaded = loadStem(vault, stem, inQuarantine);
  const id = idOfStem(stem);
  const history = id === undefined ? [] : log(vault, id).entries;
  if (loaded !== undefined) {
    return {
      loaded,
      findings: findingsOf(vault, loaded),
      listed: listedOf(vault, loaded),
      request: requestsOf(vault).one(loaded.id),
      former: session.vault.formerText(loaded),
      similar: nearDuplicatesOf(vault, loaded),
      hasParked: loaded.place === 'memories' && loadStem(vault, loaded.id, true) !== undefined,
      history,
    };
  }
  if (history.length > 0) return history;
  throw new Refusal('no-such-memory', 'No memory has this id, and no ledger has ever named it; surety list names all.');
}
