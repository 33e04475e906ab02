import { rulesThatBlock } from '../../core/checks/inspect.ts';
import { Refusal } from '../../core/refusal.ts';
import type { Stamp } from '../disk/disk.ts';
import { asDiskRefusal, attempt, codeOf } from '../disk/disk-errors.ts';
import { sameStamp } from '../disk/reading-disk.ts';
import { type Inside, insideOf } from '../vault/inside-of-vault.ts';
import type { FilePlace, Loaded } from '../vault/loaded-memory.ts';
import { finishRewording } from '../vault/reworded.ts';
import type { Vault } from '../vault/vault.ts';
import { FolderScan, type ScannedFile, type ScanOptions, type Suspect } from './folder-scan.ts';
import type { Notice } from './notices.ts';
import { putLedgerBack } from './put-ledger-back.ts';

export { mayScanNamesOnly } from './folder-scan.ts';
export { type Notice, noticeLine } from './notices.ts';
export { scanOnce } from './scan-once.ts';

export interface Reconciled {
  readonly notices: readonly Notice[];
  /** Number of memory files in `memories/`. */
  readonly files: number;
  /** The memories whose texts were recorded as seen. */
  readonly fresh: readonly string[];
}

/**
 * At most 5 files, or 2 % of the store if that is more, are quarantined or removed at once, because more is probably a
 * faulty rule or a mistake. A person decides about those.
 */
export const SWEEP = { files: 5, share: 0.02 } as const;

/**
 * At most 256 first sights are recorded under one lock, because other processes wait for it, and because their entry is written at
 * once and must fit into an open file of the ledger.
 */
const NOTED = 256;

/**
 * Takes in changes that an editor, a git pull or an agent with file tools made to the files. New texts are recorded as
 * seen, and files that fail a blocking check are moved to quarantine unchanged. One bad file never hides or stops the
 * others.
 */
export async function reconcile(vault: Vault): Promise<Reconciled> {
  if (vault.keyTrouble !== undefined) return updateIndex(vault);
  insideOf(vault).ledgers.refresh();
  const putBack = await putLedgerBack(vault);
  const scan = await scanned(vault, { acts: true });
  if (putBack !== undefined) scan.notice('ledger-put-back', { place: 'memories', stem: '' }, putBack);
  await new ScanWriter(vault, scan).write();
  return { notices: scan.notices, files: scan.files, fresh: scan.unseen.map(({ id }) => id) };
}

/** Scans the files and changes nothing but the index. Files that belong in quarantine are reported as held back. */
export function updateIndex(vault: Vault): Promise<Reconciled> {
  return lookedThrough(vault, { acts: false });
}

/**
 * Like `updateIndex`, but in a large store it only compares names. It takes in new and removed files; the next full scan
 * finds changed ones.
 */
export function updateIndexByNames(vault: Vault): Promise<Reconciled> {
  return lookedThrough(vault, { acts: false, namesOnly: true });
}

async function lookedThrough(vault: Vault, options: ScanOptions): Promise<Reconciled> {
  const scan = await scanned(vault, options);
  holdBack(scan);
  return { notices: scan.notices, files: scan.files, fresh: [] };
}

async function scanned(vault: Vault, options: ScanOptions): Promise<FolderScan> {
  const scan = new FolderScan(vault, options);
  await scan.begin().catch((error) => Promise.reject(asDiskRefusal(error)));
  // Only once: one in memory is not moved again.
  return scan.written === 'none' ? scanned(vault, options) : scan;
}

/** Reports failing files that are not moved. They are not served, wherever they lie. */
function holdBack(scan: FolderScan): void {
  for (const each of scan.failing) scan.notice('held-back', each, each.why);
}

/** Writes what follows from a scan: first sights, quarantines, and rewordings that a kill left half done. */
class ScanWriter {
  readonly #vault: Vault;
  readonly #inside: Inside;
  readonly #scan: FolderScan;

  constructor(vault: Vault, scan: FolderScan) {
    this.#vault = vault;
    this.#inside = insideOf(vault);
    this.#scan = scan;
  }

  /** All under the lock, and only for files that are unchanged since the scan. */
  async write(): Promise<void> {
    const { failing, unseen, unrecorded, halfReworded, files } = this.#scan;
    const sweeping = failing.length > SWEEP.files && failing.length > files * SWEEP.share;
    if (sweeping) {
      const what = `${failing.length} of ${files} files would be quarantined at once; none was moved and none is served until a person looks`;
      this.#scan.notice('sweep', { place: 'memories', stem: '' }, what);
      holdBack(this.#scan);
    }
    const moving = sweeping ? [] : failing;
    const work = moving.length + unseen.length + unrecorded.length + halfReworded.length;
    if (work === 0 && !this.#inside.ledgers.hasNews) return;
    for (let from = 0; from < unseen.length; from += NOTED) {
      await this.#vault.exclusively(() => this.#noteUnseen(unseen.slice(from, from + NOTED)));
    }
    await this.#vault.exclusively(() => {
      for (const each of [...moving, ...unrecorded]) this.#quarantine(each);
      for (const each of halfReworded) this.#finish(each);
      this.#inside.ledgers.remember();
    });
  }

  #noteUnseen(some: readonly ScannedFile[]): void {
    const { evidence } = this.#vault;
    const isNew = ({ id, digest }: ScannedFile) => digest !== null && evidence.firstSeen(id, digest) === undefined;
    const still = some.filter((seen) => this.#isUnchanged(seen) && isNew(seen));
    try {
      this.#vault.note('seen', still);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#scan.notice('ledger', { place: 'memories', stem: '' }, error.message);
    }
  }

  #quarantine(suspect: Suspect): void {
    const { why } = suspect;
    const now = this.#isUnchanged(suspect) ? this.#inside.files.load(suspect) : undefined;
    // Judged again, because the scan used the ledger as it was before, and a person may have restored the memory since.
    if (now === undefined || !this.#isFailing(now)) return;
    try {
      // The ledger records the rules, which stay the same whatever their words become.
      const rules = now.place === 'memories' ? rulesThatBlock(now.inspection) : null;
      const { recorded } = this.#vault.quarantine(now, rules ?? why);
      this.#scan.notice(
        'quarantined',
        suspect,
        recorded ? why : `${why}; it will be recorded when the ledger can be written`,
      );
    } catch (error) {
      // One file that cannot be moved must not stop the others. It is not served in any case.
      const what = error instanceof Refusal ? error.message : codeOf(error) || 'unknown';
      this.#scan.notice('held-back', suspect, `${why}; it could not be moved (${what})`);
    }
  }

  /** One that cannot be finished now stays inferred, and the next scan tries again. */
  #finish(seen: FilePlace & { readonly stamp: Stamp }): void {
    const now = this.#isUnchanged(seen) ? this.#inside.files.load(seen) : undefined;
    const finished = (loaded: Loaded) => {
      if (finishRewording(this.#inside, loaded) !== undefined)
        this.#scan.notice('finished', seen, 'the words a person said yes to are in place');
    };
    if (now !== undefined) attempt(this.#inside.complain, `${now.id} waits for its new words`, () => finished(now));
  }

  #isFailing(now: Loaded): boolean {
    if (now.place === 'quarantine') return this.#scan.isUnrecorded(now);
    if (now.inspection.blocked) return true;
    return now.standing.tier === 'quarantined' && !this.#scan.isLeftInPlace(now);
  }

  #isUnchanged({ stamp, ...spot }: FilePlace & { readonly stamp: Stamp }): boolean {
    return sameStamp(stamp, this.#inside.disk.stamp(this.#inside.files.path(spot)));
  }
}
