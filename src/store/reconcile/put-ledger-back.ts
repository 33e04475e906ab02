import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { mattersIfCut } from '../../core/ledger/entry.ts';
import { beginsToWrite, withSqlite } from '../disk/sqlite.ts';
import { bytesAt } from '../ledger/ledger-bytes.ts';
import type { LedgerFile } from '../ledger/ledger-file.ts';
import { RememberedHeads } from '../ledger/remembered-heads.ts';
import { pathsOf, soundCopy, writeLedger } from '../maintenance/repair-ledger.ts';
import { workTreesAround } from '../places/work-trees.ts';
import { type Inside, insideOf } from '../vault/inside-of-vault.ts';
import type { Vault } from '../vault/vault.ts';

/** Files in git's folder while git works, or while it waits for a person to finish a merge or the like. */
const GIT_AT_WORK = [
  'index.lock',
  'HEAD.lock',
  'MERGE_HEAD',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'BISECT_LOG',
  'rebase-merge',
  'rebase-apply',
];

/**
 * Puts this machine's own ledger back after a git checkout set it to an older state, and reports that. It raises
 * nothing new: the copy is whole, ends at the head that this machine signed, and begins with every byte that the ledger
 * has now. In every other case the operator decides in `surety doctor`.
 */
export async function putLedgerBack(vault: Vault): Promise<string | undefined> {
  const inside = insideOf(vault);
  if (!isSetBack(inside) || isOthersTurn(inside)) return undefined;
  return vault.exclusively(() => {
    const copy = isSetBack(inside) && !isOthersTurn(inside) ? copyToPutBack(inside) : undefined;
    const bytes = copy?.bytes.readFrom(0, copy.size);
    const { fingerprint } = inside.key;
    const present = bytesAt(inside.disk, pathsOf(inside, fingerprint)).readFrom(0, copy?.size ?? 0);
    if (bytes === undefined || present === undefined || present.length === 0) return undefined;
    if (present.length >= bytes.length || !bytes.subarray(0, present.length).equals(present)) return undefined;
    writeLedger(inside, fingerprint, bytes);
    inside.ledgers.refresh();
    return 'this machine’s own ledger was set back, as a git checkout does; it was put back from the kept copy';
  });
}

function isSetBack({ ledgers }: Inside): boolean {
  return ledgers.reports().some(({ own, trouble }) => own && trouble === 'shorter');
}

/**
 * The kept copy, if it reaches the remembered head. Entries after that head must be of the kinds for which no head is
 * remembered.
 */
function copyToPutBack(inside: Inside): LedgerFile | undefined {
  const { places, disk, key } = inside;
  const remembered = new RememberedHeads(places, disk, key).all().get(key.fingerprint);
  const copy = soundCopy(inside, key.fingerprint);
  if (remembered === undefined || copy === undefined) return undefined;
  for (let row = copy.statements.rows - 1; row >= 0; row--) {
    const statement = copy.statements.at(row);
    if (statement.line < remembered.count) break;
    if (mattersIfCut(statement)) return undefined;
  }
  return copy;
}

/** Whether git or a sync is working on the files: then the shorter ledger may be one of their steps. */
function isOthersTurn({ places }: Inside): boolean {
  const folders = workTreesAround(places.root).map(({ top }) => join(top, '.git'));
  return folders.some((git) => GIT_AT_WORK.some((name) => existsSync(join(git, name)))) || isSyncing(places.guard);
}

function isSyncing(guard: string): boolean {
  const path = join(guard, 'sync.db');
  return existsSync(path) && withSqlite(path, 0, (db) => !beginsToWrite(db));
}
