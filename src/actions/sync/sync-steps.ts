import type { LedgerTrouble } from '../../core/ledger/replay.ts';
import { parseId } from '../../core/memory/ids.ts';
import { sha256 } from '../../core/memory/memory.ts';
import { shownAddress, type Upstream } from '../../store/git/remote.ts';
import { keepVouchedTexts } from '../../store/maintenance/keep-vouched-texts.ts';
import { passkeysNow } from '../../store/maintenance/passkeys.ts';
import { reconcile } from '../../store/reconcile/reconcile.ts';
import { changeRecord, gathered, type SyncNotice, type SyncRecord } from '../../store/sync/notices.ts';
import type { SyncRun } from '../../store/sync/sync-run.ts';
import type { Vault } from '../../store/vault/vault.ts';
import { compareFound } from '../contradictions.ts';
import { type Session, takeInFiles } from '../session.ts';
import { LoweredMemories } from './lowered-memories.ts';
import { removalsAfter } from './removals.ts';
import { newlyRestored } from './restored-elsewhere.ts';
import { codeFor, hasConflict, isAmiss, type Pushed, sentence } from './sync-outcome.ts';
import {
  againstIncoming,
  erasedAgain,
  hasLedger,
  inFewWords,
  memoriesOf,
  newlyDisplaced,
  newlyStaying,
  newMachines,
  newRemote,
  newRequirement,
  newsOf,
  ofOwnLedger,
  ownTroubleAfter,
  type UndatedNotice,
} from './sync-report.ts';
import { SYNC, type Synced } from './synced.ts';

export interface SyncOptions {
  readonly dry?: boolean;
  readonly pullOnly?: boolean;
  readonly pushOnly?: boolean;
  readonly takeDeletions?: boolean;
  /** Whether a first sync may send the store's branch to a remote that has others only. */
  readonly newBranch?: boolean;
  /** How long to wait for another sync of this store. */
  readonly waitMs?: number;
  /** Runs `work`, which can take long, and may say meanwhile what is waited for. */
  readonly whileWaiting?: WhileWaiting;
}

type WhileWaiting = <T>(what: string, work: () => Promise<T>) => Promise<T>;

export const SILENTLY: WhileWaiting = (_what, work) => work();

/** How a sync ended, and what the next one has to remember of it. */
export interface SyncOutcome extends Synced {
  readonly run?: SyncRun;
  readonly takeDeletions?: boolean;
  readonly machines?: readonly string[];
  readonly displaced?: readonly string[];
  readonly remote?: string;
  readonly branch?: string;
  readonly passkeyRequired?: boolean;
  readonly ownTrouble?: LedgerTrouble | undefined;
}

/** What became of the push. `blocked`: commits made by hand that must not leave, by path. */
interface PushResult {
  readonly pushed: Pushed;
  readonly blocked: readonly string[];
}

const NOT_PUSHED: PushResult = { pushed: 'nothing', blocked: [] };

/** At most 5 tries, because a remote that others push to all the time would keep this sync busy. */
const PUSHES = 5;

/**
 * The steps of one sync. Each puts the notices of what is done so far into `news`, because a sync that fails later has still
 * done what they say.
 */
export class SyncSteps {
  readonly #session: Session;
  readonly #options: SyncOptions;
  readonly #before: SyncRecord | undefined;
  readonly #news: SyncNotice[];
  readonly #run: SyncRun;
  readonly #upstream: Upstream;
  readonly #whileWaiting: WhileWaiting;
  readonly #verifiedBefore: LoweredMemories;
  /** Nothing of the store changed since the last sync, so what that one found still holds. */
  #isUnchanged = false;
  /** Whether a passkey was required before this sync, and is now. */
  #passkey = { wasRequired: false, isRequired: false };
  /** The remote's last commit, as it was fetched. */
  #theirs: string | undefined;
  readonly #incoming: UndatedNotice[] = [];
  #staying: readonly UndatedNotice[] = [];
  #lowered: readonly UndatedNotice[] = [];
  #restored: readonly UndatedNotice[] = [];

  constructor(
    session: Session,
    options: SyncOptions,
    before: SyncRecord | undefined,
    news: SyncNotice[],
    run: SyncRun,
    upstream: Upstream,
  ) {
    this.#session = session;
    this.#options = options;
    this.#before = before;
    this.#news = news;
    this.#run = run;
    this.#upstream = upstream;
    this.#whileWaiting = options.whileWaiting ?? SILENTLY;
    this.#verifiedBefore = new LoweredMemories(session);
  }

  async all(): Promise<SyncOutcome> {
    const { dry = false, pullOnly = false, pushOnly = false } = this.#options;
    await this.#commitHere();
    if (pushOnly) await this.#run.sendUnmerged({ isFetched: false });
    else await this.#takeIn();
    const result = pullOnly ? NOT_PUSHED : await this.#push();
    if (!dry) {
      await this.#run.settle();
      this.#incoming.push(...(await erasedAgain(this.#session.vault, this.#run)));
    }
    return this.#outcome(result);
  }

  /** Commits what changed here, and fetches. */
  async #commitHere(): Promise<void> {
    const { vault } = this.#session;
    const { dry = false, pushOnly = false, takeDeletions = false } = this.#options;
    const run = this.#run;
    await run.begin();
    this.#isUnchanged = run.filesLieStill();
    // Skipped if no file changed, because reading years of ledgers is slow.
    if (!this.#isUnchanged && !dry) {
      await takeInFiles(this.#session, (line) => vault.complain(line));
      // What was pulled with git is news here, and the merge finds nothing new.
      await keepVouchedTexts(vault);
    }
    const known = this.#isUnchanged ? this.#before?.passkeyRequired : undefined;
    const isRequired = known ?? passkeysNow(vault).isRequired;
    this.#passkey = { wasRequired: isRequired, isRequired };
    // A repository without a commit joins the remote's history with its first.
    if (run.isFresh && !pushOnly) await this.#fetch();
    await run.commit(this.#theirs);
    this.#staying = newlyStaying(run, this.#before);
    // The folder is changed already, and a later sync does not show why. The remote may be out of reach.
    this.#tell([...this.#newRemote(), ...newsOf(run), ...this.#staying]);
    if (!dry && (takeDeletions || run.spared.here.size > 0)) await this.#keepNotices();
    if (this.#theirs === undefined && !pushOnly) await this.#fetch();
  }

  async #fetch(): Promise<void> {
    const from = shownAddress(this.#upstream.addresses.fetch);
    this.#theirs = await this.#whileWaiting(`${from} to send what is new there`, () => this.#run.fetch());
  }

  /** Merges what was fetched, and checks what came in. */
  async #takeIn(): Promise<void> {
    const session = this.#session;
    const { vault } = session;
    const { dry = false, takeDeletions = false } = this.#options;
    const run = this.#run;
    if (this.#theirs === undefined) return run.sendUnmerged({ isFetched: true });
    const isNew = await run.merge(this.#theirs, () => dry || this.#verifiedBefore.begin());
    if (!isNew || dry) return;
    this.#isUnchanged = false;
    this.#incoming.push(...againstIncoming(await reconcile(vault), run.received));
    const received = memoriesOf(run.received);
    await compareFound(session, [...received]);
    await keepVouchedTexts(vault);
    const displaced = hasConflict(run) ? vault.displaced().map(({ id }) => id) : [];
    const gone = newlyDisplaced(session, displaced, this.#before);
    this.#passkey.isRequired = passkeysNow(vault).isRequired;
    const others = [...this.#newRequirement(), ...newsOf(run, [], displaced, gone), ...gone, ...this.#incoming];
    this.#lowered = await this.#verifiedBefore.lowered(run, others);
    this.#restored = newlyRestored(session, received);
    this.#tell([...this.#newRemote(), ...others, ...this.#lowered, ...this.#restored, ...this.#staying]);
    // No later sync shows this merge, so its notices are stored before the push, which may be killed.
    if (this.#news.length > 0 || takeDeletions) await this.#keepNotices();
    await run.commit();
  }

  /** Pushes; where the remote changed meanwhile, takes that in and tries again. A dry run only looks whether it may. */
  async #push(): Promise<PushResult> {
    const run = this.#run;
    const to = shownAddress(this.#upstream.addresses.push);
    for (let tries = 1; ; tries++) {
      const blocked = await run.mustNotLeave(this.#theirs);
      if (this.#options.dry || blocked.length > 0) return { pushed: 'nothing', blocked };
      const pushed = await this.#whileWaiting(`${to} to take what is new here`, () => run.push(this.#theirs));
      if (pushed !== 'rejected' || this.#options.pushOnly) return { pushed, blocked };
      await this.#fetch();
      await this.#takeIn();
      if (tries === PUSHES) return { pushed, blocked };
    }
  }

  /** The exit code, the sentence and all notices. */
  #outcome({ pushed, blocked }: PushResult): SyncOutcome {
    const session = this.#session;
    const { vault } = session;
    const { dry = false, pullOnly = false, pushOnly = false, takeDeletions = false } = this.#options;
    const run = this.#run;
    const before = this.#before;
    const { addresses, theirs } = this.#upstream;
    const ownTrouble = ownTroubleAfter(vault, this.#isUnchanged ? before : undefined);
    const machines = this.#isUnchanged
      ? { fingerprints: before?.machines ?? [], news: [] }
      : newMachines(session, before);
    const displaced = this.#isUnchanged ? (before?.displaced ?? []) : vault.displaced().map(({ id }) => id);
    const gone = newlyDisplaced(session, displaced, before);
    this.#tell([
      ...ofOwnLedger(vault, ownTrouble),
      ...this.#newRemote(),
      ...this.#newRequirement(),
      ...newsOf(run, blocked, displaced, gone),
      ...gone,
      ...this.#incoming,
      ...this.#lowered,
      ...this.#restored,
      ...this.#staying,
      ...machines.news,
    ]);
    const incoming = this.#incoming.length;
    const found = { displaced: displaced.length, lowered: this.#lowered.length, ownTrouble };
    const code = codeFor(run, { ...found, blocked, incoming, staying: this.#staying.length, pushed });
    const left = (paths: ReadonlySet<string>) => [...memoriesOf(paths)].filter((id) => !run.removed.has(id)).length;
    // What is committed here and was not pushed waits for a later sync.
    const wouldPush = dry && !pullOnly && blocked.length === 0;
    const sentPaths = pushed === 'done' || wouldPush ? run.sent : new Set<string>();
    const [sent, received, removed] = [left(sentPaths), left(run.received), run.removed.size];
    const [from, pushesTo] = [shownAddress(addresses.fetch), shownAddress(addresses.push)];
    const where = from === pushesTo ? `Remote: ${from}` : `Fetched from ${from}, pushed to ${pushesTo}`;
    const said = sentence(code, {
      ...found,
      sent,
      received,
      ledgers: { sent: hasLedger(sentPaths), received: hasLedger(run.received) },
      removed,
      // Asked only after a removal, because the answer takes reading the ledgers.
      missing: dry || removed === 0 ? 0 : missingAmong(vault, run.removed),
      dry,
      pushOnly,
      oversized: run.oversized.size > 0,
      onlySpared: !isAmiss(run, incoming),
      hasConflict: hasConflict(run),
      onlyPutAside: run.parked.length === 0,
    });
    return {
      code,
      said: `${said} ${where}`,
      sent,
      received,
      removed,
      pushesTo,
      notices: this.#news,
      run,
      takeDeletions,
      machines: machines.fingerprints,
      displaced,
      remote: sha256(addresses.push),
      branch: theirs,
      passkeyRequired: this.#passkey.isRequired,
      ownTrouble,
    };
  }

  #newRemote(): UndatedNotice[] {
    return newRemote(this.#upstream, this.#before);
  }

  #newRequirement(): UndatedNotice[] {
    return newRequirement(this.#session, this.#passkey.wasRequired, this.#passkey.isRequired);
  }

  /** Puts these notices in the place of those before. */
  #tell(notices: readonly UndatedNotice[]): void {
    const at = new Date(this.#session.vault.now()).toISOString();
    this.#news.splice(0, this.#news.length, ...inFewWords(notices).map((each) => ({ ...each, at })));
  }

  /** Stores the notices of an unfinished sync; the sync's end replaces everything else in the record. */
  #keepNotices(): Promise<void> {
    const { vault } = this.#session;
    const said = 'The last sync did not come to its end. Run surety sync again.';
    const unfinished = { at: new Date(vault.now()).toISOString(), code: SYNC.failed, said, sent: 0, received: 0 };
    return changeRecord(vault, (before) => ({
      succeededAt: null,
      stays: {},
      machines: [],
      ...before,
      ...unfinished,
      notices: gathered(before?.notices ?? [], this.#news),
      ...removalsAfter(before, this.#run, this.#options.takeDeletions ?? false, vault.now()),
    }));
  }
}

function missingAmong({ missing }: Vault, ids: ReadonlySet<string>): number {
  return [...ids].flatMap((id) => parseId(id) ?? []).filter((id) => missing.one(id) !== undefined).length;
}
