import { join } from 'node:path';
import { isStillErased } from '../../core/ledger/erased.ts';
import { cutText } from '../../core/ledger/segments.ts';
import { LIMITS_OF_A_FILE } from '../../core/memory/document.ts';
import { type MemoryId, quarantineStem } from '../../core/memory/ids.ts';
import { mergeLedgers } from '../../core/sync/merge-ledger.ts';
import { memoryIdAt, pathOfLedger, pathOfMemory, sharedAt } from '../../core/sync/shared-paths.ts';
import { hasReceipt, textInPlace } from '../../core/sync/text-in-place.ts';
import { timestamp } from '../../core/trust/clocks.ts';
import type { CommitTree, GitTrees, TreeEntry } from '../git/trees.ts';
import { type BlobContent, committedFile } from '../git/writer.ts';
import { LEDGER_LIMITS } from '../ledger/ledger-lines.ts';
import { STARTER_FILES } from '../places/places.ts';
import { STORE_FILE, storeFileOf, storeIdIn } from '../places/store-file.ts';
import { SWEEP } from '../reconcile/reconcile.ts';
import type { VaultParts } from '../vault/vault-parts.ts';
import { type LocalFiles, type LocalFolder, type Private, whyPrivate } from './local-files.ts';
import { mergeFiles, parkedFile, saysMore, textKey } from './merge-file.ts';
import {
  byLedger,
  committedVersion,
  type LedgerFinding,
  ledgerVersion,
  stepsBetween,
  wholeLines,
} from './merge-ledgers.ts';
import type { SyncStep } from './plan.ts';

/** What this machine has to commit. */
export interface Local {
  /** Every shared file of the next commit. */
  readonly files: ReadonlyMap<string, BlobContent>;
  /** Paths that differ from the last commit. */
  readonly changed: readonly string[];
  /** Files that stay on this machine, and why. */
  readonly stays: ReadonlyMap<string, Private>;
  /**
   * What is changed in the folder: ledgers that lost lines, memories of which too many went missing at once, and
   * memories that an earlier sync spared and that are taken out now.
   */
  readonly putBack: readonly SyncStep[];
  /** Memories that are kept because too many went missing at once. */
  readonly spared: readonly string[];
  readonly ledgers: readonly LedgerFinding[];
  /** Ledger files that are not synced, because their ledger is too large. */
  readonly oversized: readonly string[];
}

interface Committing {
  readonly parts: VaultParts;
  readonly local: LocalFiles;
  readonly trees: GitTrees;
  readonly head: CommitTree;
  /** Files that stayed here at the last sync, each with the committed blob that it was made from (empty for none). */
  readonly stayed: ReadonlyMap<string, string>;
  readonly takeDeletions: boolean;
  /** Files whose removal was not carried out before, each with its committed blob; `takeDeletions` takes them too. */
  readonly spared: ReadonlyMap<string, string>;
}

/** Compares the folder with the last commit. A changed file goes into the next commit unless it must not leave. */
export async function localChanges(work: Committing): Promise<Local> {
  const folder = work.local.look();
  const committed = new Map<string, BlobContent>();
  for (const [path, oid] of work.head.shared) committed.set(path, committedFile(oid));
  const pass = new Pass(work, folder, committed);
  const differing = [...folder.files].filter(([path, oid]) => work.head.shared.get(path) !== oid);
  if (differing.length > 0) work.parts.ledgers.refresh();
  for (const [path] of differing) await pass.differs(path);
  for (const path of work.head.shared.keys()) {
    if (!folder.files.has(path) && !folder.unread.has(path)) await pass.isGone(path);
  }
  await pass.settleGone();
  pass.takeSpared();
  await pass.settleLedgers();
  const { files, stays, putBack, spared, ledgers } = pass;
  const before = work.head.shared;
  const changed = [
    ...[...files].filter(([, content]) => Buffer.isBuffer(content)).map(([path]) => path),
    ...[...before.keys()].filter((path) => !files.has(path)),
  ];
  const isOversized = (path: string) => sharedAt(path)?.kind === 'ledger' && work.local.isFile(path);
  const oversized = [...pass.oversized, ...[...folder.unread].filter(isOversized)];
  return { files, changed, stays, putBack, spared, ledgers, oversized };
}

class Pass {
  readonly files: Map<string, BlobContent>;
  readonly stays = new Map<string, Private>();
  readonly putBack: SyncStep[] = [];
  readonly spared: string[] = [];
  readonly ledgers: LedgerFinding[] = [];
  /** Files of ledgers whose files together are too large. */
  readonly oversized: string[] = [];
  readonly #work: Committing;
  readonly #folder: LocalFolder;
  readonly #gone: string[] = [];
  /** Ledgers with a file that differs from the last commit or is missing. */
  readonly #differing = new Set<string>();

  constructor(work: Committing, folder: LocalFolder, files: Map<string, BlobContent>) {
    this.#work = work;
    this.#folder = folder;
    this.files = files;
  }

  async differs(path: string): Promise<void> {
    const { local, parts, stayed } = this.#work;
    const what = sharedAt(path);
    const bytes = local.bytes(path);
    if (what === undefined || bytes === undefined) return;
    if (what.kind === 'ledger') return void this.#differing.add(what.fingerprint);
    const why = whyPrivate(parts, what.stem, bytes);
    if (why !== undefined && (why === 'secret' || !(await this.#isOutAlready(path, bytes)))) {
      this.stays.set(path, why);
      return;
    }
    this.files.set(path, bytes);
    const from = stayed.get(path);
    const now = this.#work.head.shared.get(path);
    if (from !== undefined && now !== undefined && from !== now) await this.#rejoin(path, what.id, from, bytes, now);
  }

  /**
   * Merges a file that stayed here with the version that other machines committed meanwhile. Committing the file as it
   * is would overwrite a version that nobody here has read.
   */
  async #rejoin(path: string, id: MemoryId, from: string, bytes: Buffer, now: string): Promise<void> {
    const { trees, parts, head } = this.#work;
    const blobs = await trees.blobs([now, ...(from === '' ? [] : [from])], LIMITS_OF_A_FILE.bytes);
    const theirs = blobs.get(now);
    if (theirs === undefined) return;
    const merged = mergeFiles(blobs.get(from), bytes, theirs);
    if (merged !== undefined) {
      this.files.set(path, merged);
      this.putBack.push({ path, before: this.#folder.files.get(path), after: merged });
      return;
    }
    const texts = [bytes, theirs].map((file) => ({ digest: textKey(id, file), file })) as [Text, Text];
    const stays = textInPlace(texts, (digest) => hasReceipt(id, digest, parts.ledgers.evidence)).file;
    const stem = quarantineStem(id, (taken) => {
      const there = pathOfMemory('quarantine', taken);
      return head.shared.has(there) || this.#folder.files.has(there) || this.#folder.unread.has(there);
    });
    const reason = 'sync conflict with another machine';
    const other = stays === bytes ? theirs : bytes;
    const after = parkedFile(other, timestamp(parts.now()), reason, parts.key.machine);
    this.files.set(pathOfMemory('quarantine', stem), after);
    this.putBack.push({ path: pathOfMemory('quarantine', stem), before: undefined, after });
    if (stays === bytes) return;
    this.files.set(path, committedFile(now));
    this.putBack.push({ path, before: this.#folder.files.get(path), after: stays });
  }

  /**
   * A ledger only grows. Lines that were removed, or added without the ledger's key, are repaired from the last commit.
   */
  async settleLedgers(): Promise<void> {
    const { head, trees, parts } = this.#work;
    const [here, committed] = [byLedger(this.#folder.files), byLedger(head.shared)];
    const unread = byLedger([...this.#folder.unread].map((path) => [path, ''] as const));
    for (const fingerprint of this.#differing) {
      const [now, before] = [here.get(fingerprint) ?? new Map(), committed.get(fingerprint) ?? new Map()];
      const path = (first: number) => pathOfLedger(fingerprint, first);
      if (unread.has(fingerprint)) continue;
      const bytes = [...now.keys()].map((first) => [first, this.#work.local.bytes(path(first))] as const);
      if (bytes.reduce((sum, [, file]) => sum + (file?.length ?? 0), 0) > LEDGER_LIMITS.bytes) {
        this.oversized.push(...[...now.keys()].map(path));
        continue;
      }
      const ours = ledgerVersion(new Map(bytes.map(([first, file]) => [first, wholeLines(file)])));
      const theirs = await committedVersion(trees, before);
      const own = fingerprint === parts.key.fingerprint;
      const versions = { fingerprint, base: theirs.text, ours: ours.text, theirs: theirs.text, own };
      // A ledger without any file here is put back as it was committed.
      const { text, left } = ours.text === undefined ? { text: theirs.text, left: [] } : mergeLedgers(versions);
      if (left.length > 0) this.ledgers.push({ fingerprint, fault: 'forked', left });
      if (text === undefined || text === '') continue;
      const wanted = text === theirs.text ? theirs.files : cutText(text, ours.files.keys());
      const after = text === ours.text ? ours.files : wanted;
      for (const first of before.keys()) if (!after.has(first)) this.files.delete(path(first));
      // Compared as it was committed: by hand an unfinished last line can be, and the merge would not know the file again.
      for (const [first, part] of after) {
        const file = Buffer.from(part);
        if (before.get(first) !== this.#work.local.oid(file)) this.files.set(path(first), file);
      }
      for (const [first, part] of stepsBetween(ours.files, after)) {
        const file = part === undefined ? undefined : Buffer.from(part);
        this.putBack.push({ path: path(first), before: now.get(first), after: file });
      }
    }
  }

  async isGone(path: string): Promise<void> {
    const what = sharedAt(path);
    if (what?.kind === 'ledger') this.#differing.add(what.fingerprint);
    else if (!this.#work.stayed.has(path) || this.#isErased(path)) this.#gone.push(path);
    else await this.#bringBack(path);
  }

  /**
   * A missing memory counts as removed by a person, unless too many are missing at once for a decision. An erasure is a
   * person's decision about one memory, however many there are.
   */
  async settleGone(): Promise<void> {
    if (this.#gone.length === 0) return;
    const { head, takeDeletions } = this.#work;
    // A missing memory with a new or changed file was put into quarantine and is not lost. An older quarantined text of
    // the memory says nothing about the missing one.
    const isNews = (path: string) => head.shared.get(path) !== this.#folder.files.get(path);
    const here = new Set([...this.#folder.files.keys(), ...this.#folder.unread].filter(isNews).map(memoryIdAt));
    const isLost = (path: string) =>
      path.startsWith('memories/') && !here.has(memoryIdAt(path)) && !this.#isErased(path);
    const lost = this.#gone.filter(isLost);
    const living = [...head.shared.keys()].filter((path) => path.startsWith('memories/')).length;
    const sweep = !takeDeletions && lost.length > SWEEP.files && lost.length > living * SWEEP.share;
    for (const path of this.#gone) {
      if (sweep && lost.includes(path)) {
        this.spared.push(path);
        await this.#bringBack(path);
      } else this.files.delete(path);
    }
  }

  /**
   * Takes out what an earlier sync spared, where the file is still the one that was spared. Where files are missing now,
   * the person's word is about those: what was spared before may have been an accident.
   */
  takeSpared(): void {
    const { head, takeDeletions, spared } = this.#work;
    if (!takeDeletions || this.#gone.length > 0) return;
    for (const [path, blob] of spared) {
      if (head.shared.get(path) !== blob || this.#folder.files.get(path) !== blob) continue;
      this.files.delete(path);
      this.putBack.push({ path, before: blob, after: undefined });
    }
  }

  #isErased(path: string): boolean {
    const id = memoryIdAt(path);
    return id !== undefined && isStillErased(id, this.#work.parts.ledgers.evidence);
  }

  async #bringBack(path: string): Promise<void> {
    const oid = this.#work.head.shared.get(path);
    const after = oid && (await this.#work.trees.blobs([oid], LEDGER_LIMITS.bytes)).get(oid);
    if (after) this.putBack.push({ path, before: undefined, after });
    else this.files.delete(path);
  }

  /** Whether the last commit already has this text of this memory: then keeping the file here would hide nothing. */
  async #isOutAlready(path: string, bytes: Buffer): Promise<boolean> {
    const { head, trees } = this.#work;
    const id = memoryIdAt(path);
    const oids = [...head.shared].filter(([other]) => memoryIdAt(other) === id).map(([, oid]) => oid);
    if (id === undefined || oids.length === 0) return false;
    const key = textKey(id, bytes);
    const blobs = await trees.blobs(oids, LIMITS_OF_A_FILE.bytes);
    return [...blobs.values()].some((blob) => textKey(id, blob) === key && !saysMore(bytes, blob));
  }
}

type Text = { readonly digest: string; readonly file: Buffer };

/** The files beside the shared ones: those already in the repository, and the store's own three. */
export function othersFor(
  parts: VaultParts,
  others: ReadonlyMap<string, TreeEntry>,
  local: Pick<LocalFiles, 'oid'>,
): Map<string, BlobContent> {
  const all = new Map<string, BlobContent>(others);
  // Line endings are part of a vouched text's bytes on every machine, so this file always has our content.
  all.set('.gitattributes', Buffer.from(STARTER_FILES['.gitattributes']));
  if (!all.has('.gitignore')) {
    const found = parts.disk.read(join(parts.places.root, '.gitignore'), LIMITS_OF_A_FILE.bytes);
    all.set('.gitignore', found.kind === 'file' ? found.bytes : Buffer.from(STARTER_FILES['.gitignore']));
  }
  const { id, ids } = parts.ledgers.identity;
  // Another store id in the repository belongs to another machine, and stays until both ids are known to be one store. An id
  // is replaced by a smaller one only: machines that know different ids would otherwise change it with every sync.
  const named = others.get(STORE_FILE)?.oid;
  const isKnown = [...ids].some((each) => each !== id && local.oid(Buffer.from(storeFileOf(each))) === named);
  if (id !== undefined && (named === undefined || isKnown)) all.set(STORE_FILE, Buffer.from(storeFileOf(id)));
  return all;
}

/**
 * Gives a store of format 1 the id that came in. A later format that came in is refused here, before anything is
 * merged.
 */
export async function takeStoreFile({ disk, places }: VaultParts, trees: GitTrees, theirs: CommitTree): Promise<void> {
  const oid = theirs.others.get(STORE_FILE)?.oid;
  const bytes = oid && (await trees.blobs([oid], LIMITS_OF_A_FILE.bytes)).get(oid);
  if (bytes === undefined || bytes === '') return;
  const mend = 'revert the commit in the remote that changed it (docs/sync.md says how)';
  const id = storeIdIn(bytes, () => 'that came in', mend);
  const path = join(places.root, STORE_FILE);
  if (!disk.exists(path)) disk.create(path, storeFileOf(id));
}
