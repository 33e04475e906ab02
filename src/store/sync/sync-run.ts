import { isStillErased } from '../../core/ledger/erased.ts';
import type { MemoryId } from '../../core/memory/ids.ts';
import { Refusal } from '../../core/refusal.ts';
import { memoryIdAt, pathOfMemory, sharedAt } from '../../core/sync/shared-paths.ts';
import { hasReceipt } from '../../core/sync/text-in-place.ts';
import { timestamp } from '../../core/trust/clocks.ts';
import { interpret } from '../format/interpret.ts';
import { packRepository } from '../git/gc.ts';
import { commonBase, fetchFrom, pushTo } from '../git/remote.ts';
import { commitAt, type Repository } from '../git/repository.ts';
import { clearDeadLocks } from '../git/stale-locks.ts';
import type { CommitTree } from '../git/trees.ts';
import type { BlobContent } from '../git/writer.ts';
import { insideOf } from '../vault/inside-of-vault.ts';
import type { Vault } from '../vault/vault.ts';
import { carryOut, clearPrepared } from './apply.ts';
import { ChangedBack } from './changed-back.ts';
import { type Local, localChanges, othersFor, takeStoreFile } from './commit.ts';
import { mergeMessage, messageFor, writerIn } from './commit-message.ts';
import { mergeOthers, newStrays, notInTheFolder, refuseNoStore } from './foreign-files.ts';
import { LocalFiles, type Private } from './local-files.ts';
import { cutLedgers, keepLeftLines, type LedgerFinding } from './merge-ledgers.ts';
import type { MergeCircumstances, MergeSides } from './merge-sides.ts';
import { type Parked, type PutAside, planLedgers, planMerge, type SyncPlan, type SyncStep } from './plan.ts';
import { privateHistory } from './private-history.ts';
import { recordParked } from './record-parked.ts';

interface RunOptions {
  /** Files that stayed here at the last sync, each with the committed blob that it was made from (empty for none). */
  readonly stayed: ReadonlyMap<string, string>;
  readonly takeDeletions: boolean;
  /** Files whose removal earlier syncs did not carry out, and files that a person has taken out, with their blobs. */
  readonly spared: ReadonlyMap<string, string>;
  readonly taken: ReadonlyMap<string, string>;
  /** Whether the last sync that worked was with this address. Another remote continues no history of the former one. */
  readonly sameRemote: boolean;
  /** Only reports what a sync would do. It may write git objects, and changes no file, branch or remote. */
  readonly dry: boolean;
}

/** At most 5 tries when the store changes while a sync runs. */
const TRIES = 5;

/** The steps of one sync and their results. The process may die after any step. */
export class SyncRun {
  readonly parked: Parked[] = [];
  readonly putAside: PutAside[] = [];
  readonly ledgers: LedgerFinding[] = [];
  /** Entries of the remote that do not belong in a store and are taken out of it, each with a commit that has it. */
  readonly refused = new Map<string, string>();
  /** Files of the remote in the store's folders that are no memories and stay there as they are. */
  readonly strays = new Set<string>();
  /** Files that stay because too many were removed at once, with their blobs: removed in this folder, or elsewhere. */
  readonly spared = { here: new Map<string, string>(), elsewhere: new Map<string, string>() };
  /** Files whose removal a person took, however many they were, with their blobs. */
  readonly taken: Map<string, string>;
  /** Ledger files here that are not synced, because they are too large. */
  readonly oversized = new Set<string>();
  readonly sent = new Set<string>();
  readonly received = new Set<string>();
  /** Memories that this run took out, here or in the remote: no file of theirs is left in the store. */
  readonly removed = new Set<string>();
  stays: ReadonlyMap<string, Private> = new Map();
  /** The committed blob that each staying file was made from; empty for none. */
  stayed: ReadonlyMap<string, string>;
  /** Set if the remote's branch no longer continues its former state, or shares no commit with this one. */
  history: 'rewritten' | 'unrelated' | undefined;
  readonly #vault: Vault;
  readonly #repo: Repository;
  readonly #options: RunOptions;
  readonly #local: LocalFiles;
  readonly #changedBack: ChangedBack;
  /** Blobs that are checked and may leave. */
  readonly #clean = new Set<string>();
  /**
   * The commit that this run builds on, and the branch's commit. They differ in a dry run, and until the branch is
   * moved.
   */
  #head: string | undefined;
  #branch: string | undefined;
  #first: CommitTree | undefined;
  /** The commit that was merged last, and what it has in common with this side. */
  #merged: { readonly base: string | undefined; readonly theirs: string } | undefined;
  /** What the ref that tracks the remote's branch was before the first fetch. */
  #tracked: { readonly commit: string | undefined } | undefined;

  constructor(vault: Vault, repo: Repository, options: RunOptions) {
    this.#vault = vault;
    this.#repo = repo;
    this.#options = options;
    this.stayed = options.stayed;
    this.taken = new Map(options.taken);
    this.#local = new LocalFiles(insideOf(vault), repo.upstream.algorithm);
    this.#changedBack = new ChangedBack(vault);
  }

  async begin(): Promise<void> {
    const { git, upstream } = this.#repo;
    if (!this.#options.dry) {
      clearPrepared(insideOf(this.#vault));
      await clearDeadLocks(insideOf(this.#vault).disk, git.folder, [upstream.branch, upstream.tracked]);
    }
    this.#branch = await commitAt(this.#repo, this.#repo.upstream.branch);
    this.#head = this.#branch;
    this.#first = await this.#repo.trees.of(this.#head);
  }

  /** Whether the store's files are unchanged since the last sync. */
  filesLieStill(): boolean {
    return this.#local.isUnchanged();
  }

  /** Whether the repository has no commit yet: then this store continues from the remote's commit, if there is one. */
  get isFresh(): boolean {
    return this.#branch === undefined;
  }

  /**
   * Commits what changed here since the last commit, except for files that must stay. In a fresh repository with a
   * remote commit to join, the branch is not moved: the merge moves it.
   */
  async commit(toJoin?: string): Promise<void> {
    const { trees, writer, upstream } = this.#repo;
    const parts = insideOf(this.#vault);
    for (let tries = 0; tries < TRIES; tries++) {
      const head = this.#head;
      const tree = await trees.of(head);
      const { takeDeletions, spared } = this.#options;
      const local = await localChanges({
        parts,
        local: this.#local,
        trees,
        head: tree,
        stayed: this.stayed,
        takeDeletions,
        spared,
      });
      if (!(await this.#carryOut(local.putBack))) continue;
      this.#note(local, tree);
      await this.#keepLeft(local.ledgers);
      const others = othersFor(parts, tree.others, this.#local);
      const news = local.changed.length > 0 || tree.refused.length > 0 || !this.#areIn(tree, others);
      if (head !== undefined && !news) return;
      const oid = await writer.tree(new Map([...local.files, ...others]));
      const message = messageFor(local, tree, parts.key);
      const commit = await writer.commit(oid, head === undefined ? [] : [head], message, upstream.who);
      if (this.isFresh && toJoin !== undefined) this.#head = commit;
      else if (!(await this.#moveTo(commit))) continue;
      for (const path of local.changed) this.sent.add(path);
      this.#noteRemoved(local.changed, local.files);
      return;
    }
    throw busy();
  }

  /** Fetches the remote's commit; undefined if the remote has none. */
  async fetch(): Promise<string | undefined> {
    const { git, upstream } = this.#repo;
    const before = await commitAt(this.#repo, upstream.tracked);
    const continues = this.#options.sameRemote || this.#tracked !== undefined;
    this.#tracked ??= { commit: before };
    const theirs = await fetchFrom(git, upstream);
    if (continues && before !== undefined && theirs !== undefined && before !== theirs) {
      const base = await commonBase(git, before, theirs);
      if (base !== before) this.history = 'rewritten';
    }
    return theirs;
  }

  /** Sets the tracking ref back, so that a remote that was only tried is not taken for the former state of the right one. */
  async forgetFetch(): Promise<void> {
    const { git, upstream } = this.#repo;
    if (this.#tracked === undefined) return;
    const { commit } = this.#tracked;
    await git.run(
      commit === undefined ? ['update-ref', '-d', upstream.tracked] : ['update-ref', upstream.tracked, commit],
    );
  }

  /**
   * Merges the remote's commit, file by file and by rule. The folder is written first and the branch moved last.
   * Returns false if the remote has nothing new; else `begin` is called before anything is changed.
   */
  async merge(theirs: string, begin: () => void): Promise<boolean> {
    const { git, trees } = this.#repo;
    const parts = insideOf(this.#vault);
    for (let tries = 0; tries < TRIES; tries++) {
      const head = this.#head;
      if (head === undefined) throw new Error('a commit comes before a merge');
      const base = await commonBase(git, head, theirs);
      const sides = { base: await trees.of(base), ours: await trees.of(head), theirs: await trees.of(theirs) };
      if (base === theirs && (head === theirs || !(await this.#isCut(sides)))) {
        await this.#noteSent(head, theirs);
        return false;
      }
      if (tries === 0) begin();
      this.#merged = { base, theirs };
      if (base === undefined && !this.isFresh) this.history ??= 'unrelated';
      refuseNoStore(sides.theirs);
      if (!this.#options.dry) await takeStoreFile(parts, trees, sides.theirs);
      const around: MergeCircumstances = {
        trees,
        fingerprint: parts.key.fingerprint,
        machine: parts.key.machine,
        at: timestamp(parts.now()),
        writerOf: (path) => writerIn(git, base, theirs, path),
        isVouched: (id, digest) => hasReceipt(id, digest, parts.ledgers.evidence),
        isLifted: (id) => {
          const { evidence } = parts.ledgers;
          return evidence.mayBeLowered(id, null) && evidence.heads(id).every(({ to }) => to !== 'quarantined');
        },
        isErased: (id) => isStillErased(id, parts.ledgers.evidence),
        isBlocked: (id, file) => interpret(id, file, parts.checks()).inspection.blocked,
        wasChangedBack: (pair) => this.#changedBack.has(pair),
        takeDeletions: this.#options.takeDeletions,
        wasTaken: (path, blob) => this.taken.get(path) === blob,
      };
      const ledgers = await planLedgers(sides, around);
      if (!(await this.#carryOut(ledgers.steps))) {
        await this.commit(theirs);
        continue;
      }
      await this.#keepLeft(ledgers.ledgers);
      parts.ledgers.refresh();
      const plan = await planMerge(sides, around, ledgers);
      const others = await mergeOthers(trees, sides, (path) => this.refused.set(path, theirs));
      if (!this.#options.dry) this.#changedBack.add(plan.changedBack);
      const isLedger = ({ path }: SyncStep) => sharedAt(path)?.kind === 'ledger';
      if (!(await this.#carryOut(plan.steps.filter((step) => !isLedger(step))))) {
        await this.commit(theirs);
        continue;
      }
      if (!this.#options.dry) await recordParked(this.#vault, plan.parked);
      const files = new Map([...plan.files, ...othersFor(parts, others, this.#local)]);
      const next = await this.#commitOf(files, base, theirs, plan.parked.length);
      if (await this.#moveTo(next)) {
        this.#took(plan, sides, theirs);
        await this.#noteSent(next, theirs);
        return true;
      }
      await this.commit(theirs);
    }
    throw busy();
  }

  /** What is sent where nothing was merged: all that the remote lacks, or lacked when it was last heard of, this run's commit or not. */
  async sendUnmerged({ isFetched }: { readonly isFetched: boolean }): Promise<void> {
    const isKnown = !isFetched && this.#options.sameRemote;
    const theirs = isKnown ? await commitAt(this.#repo, this.#repo.upstream.tracked) : undefined;
    if (this.#head !== undefined) await this.#noteSent(this.#head, theirs);
  }

  /** The name of the machine that changed a memory's file in the commit that was merged last. */
  async writerOf(id: MemoryId): Promise<string> {
    const { base, theirs = '' } = this.#merged ?? {};
    return writerIn(this.#repo.git, base, theirs, pathOfMemory('memories', id));
  }

  /** Paths that must not leave, in commits that the remote lacks. While there is one, nothing is pushed. */
  async mustNotLeave(theirs: string | undefined): Promise<readonly string[]> {
    if (this.#head === undefined || this.#head === theirs) return [];
    return privateHistory(this.#repo, insideOf(this.#vault), this.#head, theirs, this.#clean);
  }

  async push(theirs: string | undefined): Promise<'done' | 'rejected' | 'nothing'> {
    if (this.#head === undefined || this.#head === theirs) return 'nothing';
    return pushTo(this.#repo.git, this.#repo.upstream, this.#head);
  }

  /** Updates git's index to match the folder, excludes the staying files from a `git add`, and lets git clean up. */
  async settle(): Promise<void> {
    const { trees, writer } = this.#repo;
    if (this.#head === undefined) return;
    const tree = await trees.of(this.#head);
    const kept = [...this.stays.keys()];
    const elsewhere = await notInTheFolder(insideOf(this.#vault), trees, tree, this.#first, this.#local);
    await writer.settleIndex(this.#head, [...kept.filter((path) => tree.shared.has(path)), ...elsewhere]);
    writer.exclude(kept.filter((path) => !tree.shared.has(path)));
    this.#local.remember();
    await packRepository(this.#repo.git);
  }

  async #commitOf(
    files: ReadonlyMap<string, BlobContent>,
    base: string | undefined,
    theirs: string,
    conflicts: number,
  ): Promise<string> {
    const { writer, upstream, git } = this.#repo;
    const head = this.#head ?? '';
    const tree = await writer.tree(files);
    const ahead = base === head || this.isFresh;
    const treeOf = (commit: string) => git.text(['rev-parse', '--verify', `${commit}^{tree}`]);
    if (ahead && tree === (await treeOf(theirs))) return theirs;
    if (base === theirs && tree === (await treeOf(head))) return head;
    const message = mergeMessage(upstream, conflicts, insideOf(this.#vault).key);
    return writer.commit(tree, ahead ? [theirs] : [head, theirs], message, upstream.who);
  }

  async #carryOut(steps: readonly SyncStep[]): Promise<boolean> {
    if (this.#options.dry || steps.length === 0) return true;
    return carryOut(this.#vault, this.#local, steps, new Set([...this.stays.keys(), ...this.oversized]));
  }

  async #moveTo(commit: string): Promise<boolean> {
    const { writer, upstream } = this.#repo;
    if (!this.#options.dry) {
      if (!(await writer.moveBranch(upstream.branch, commit, this.#branch))) {
        this.#branch = await commitAt(this.#repo, upstream.branch);
        this.#head = this.#branch;
        return false;
      }
      this.#branch = commit;
    }
    this.#head = commit;
    return true;
  }

  async #keepLeft(news: readonly LedgerFinding[]): Promise<void> {
    const isNoted = ({ fingerprint, fault }: LedgerFinding) =>
      this.ledgers.some((known) => known.fingerprint === fingerprint && known.fault === fault);
    this.ledgers.push(...news.filter((each) => !isNoted(each)));
    if (!this.#options.dry) await keepLeftLines(this.#vault, news);
  }

  #took(plan: SyncPlan, sides: MergeSides, commit: string): void {
    this.parked.push(...plan.parked);
    this.putAside.push(...plan.putAside);
    for (const path of [...plan.tooLarge, ...sides.theirs.refused]) this.refused.set(path, commit);
    for (const path of newStrays(sides)) this.strays.add(path);
    for (const [path, blob] of plan.spared) this.spared.elsewhere.set(path, blob);
    for (const { path, before, after, from } of plan.steps) {
      if (after === undefined) this.#agree(path, before);
      this.received.add(path);
      if (from !== undefined) this.received.add(from.path);
      if (after !== undefined) this.#clean.add(this.#local.oid(after));
    }
    const changed = plan.steps.map(({ path }) => path);
    this.#noteRemoved(changed, plan.files);
  }

  /** Whether this side lost lines of a ledger, unless that was found before the last commit. */
  async #isCut(sides: MergeSides): Promise<boolean> {
    const cut = await cutLedgers(sides, this.#repo.trees);
    return [...cut].some((each) => !this.ledgers.some(({ fingerprint }) => fingerprint === each));
  }

  /**
   * What a push changes in the remote, files that earlier syncs committed included: the remote may have lost them. What it has
   * alike is not sent, as where a store that was restored without its repository commits all of its files again.
   */
  async #noteSent(head: string, theirs: string | undefined): Promise<void> {
    if (head === theirs) return;
    const [ours, remote] = [await this.#repo.trees.of(head), await this.#repo.trees.of(theirs)];
    for (const path of this.sent) if (remote.shared.get(path) === ours.shared.get(path)) this.sent.delete(path);
    for (const [path, oid] of ours.shared) if (remote.shared.get(path) !== oid) this.sent.add(path);
  }

  #noteRemoved(changed: readonly string[], files: ReadonlyMap<string, BlobContent>): void {
    if (this.removed.size === 0 && changed.every((path) => files.has(path))) return;
    const ids = new Set(changed.flatMap((path) => memoryIdAt(path) ?? []));
    const left = new Set([...files.keys()].map(memoryIdAt));
    for (const id of ids) {
      if (left.has(id)) this.removed.delete(id);
      else this.removed.add(id);
    }
  }

  #note({ stays, files, changed, spared, oversized }: Local, { shared }: CommitTree): void {
    for (const path of oversized) this.oversized.add(path);
    this.stays = stays;
    this.stayed = new Map([...stays.keys()].map((path) => [path, this.stayed.get(path) ?? shared.get(path) ?? '']));
    for (const path of spared) this.spared.here.set(path, shared.get(path) ?? '');
    for (const path of changed) {
      // A file that was written here again is wanted again.
      if (files.has(path)) this.taken.delete(path);
      else this.#agree(path, shared.get(path));
    }
    for (const content of files.values()) if (Buffer.isBuffer(content)) this.#clean.add(this.#local.oid(content));
  }

  #agree(path: string, blob: string | undefined): void {
    const isMemory = memoryIdAt(path) !== undefined;
    if (this.#options.takeDeletions && isMemory && blob !== undefined) this.taken.set(path, blob);
  }

  #areIn({ others }: CommitTree, wanted: ReadonlyMap<string, BlobContent>): boolean {
    return [...wanted].every(([path, content]) => {
      const oid = Buffer.isBuffer(content) ? this.#local.oid(content) : content.oid;
      return others.get(path)?.oid === oid;
    });
  }
}

function busy(): Refusal {
  return new Refusal('lock-busy', 'The store was changed again and again while it was synced; try again in a while.');
}
