import { join } from 'node:path';
import { sha256 } from '../../core/memory/memory.ts';
import { Refusal } from '../../core/refusal.ts';
import { Disk } from '../../store/disk/disk.ts';
import { codeOf } from '../../store/disk/disk-errors.ts';
import { damagedObjects, mayBeDamage } from '../../store/git/damage.ts';
import { GitFailure } from '../../store/git/git.ts';
import { openFirstTime, openRepository } from '../../store/git/repository.ts';
import { changeRecord, gathered, type SyncNotice, SyncNotices, type SyncRecord } from '../../store/sync/notices.ts';
import { takeSyncLock } from '../../store/sync/sync-lock.ts';
import { SyncRun } from '../../store/sync/sync-run.ts';
import type { Vault } from '../../store/vault/vault.ts';
import type { Session } from '../session.ts';
import { removalsAfter, removalsOf } from './removals.ts';
import { failure, failureMidway } from './sync-failure.ts';
import { SILENTLY, type SyncOptions, type SyncOutcome, SyncSteps } from './sync-steps.ts';
import { SYNC, type Synced } from './synced.ts';

const WAIT_MS = 30_000;

/**
 * Syncs the store with its remote: commits local changes, merges remote ones by the rules, scans what came in, and
 * pushes. It raises no memory and asks nobody, so it can run unattended.
 */
export async function sync(session: Session, options: SyncOptions = {}): Promise<Synced> {
  const outcome = await inTurn(session, options).catch((error: unknown) => failure(error, []));
  if (!options.dry) record(session, outcome);
  return outcome;
}

/** Runs a whole sync under the sync lock, so that the next sync reads what this one remembered. */
async function inTurn(session: Session, options: SyncOptions): Promise<SyncOutcome> {
  const { vault } = session;
  const { waitMs = WAIT_MS, whileWaiting = SILENTLY } = options;
  const leave = await whileWaiting('another sync of this store to end', () => takeSyncLock(vault.places.guard, waitMs));
  try {
    const before = new SyncNotices(vault).read();
    const news: SyncNotice[] = [];
    const midway = (error: unknown) => (options.dry ? failure : failureMidway)(error, news);
    const outcome = await synced(session, options, before, news).catch(async (error: unknown) =>
      midway(await namingDamage(session, error)),
    );
    if (!options.dry && (before !== undefined || hasRepository(vault))) {
      const lost = (error: unknown) => vault.complain(`surety: this sync could not be remembered (${codeOf(error)})`);
      await remember(session, outcome).catch(lost);
    }
    return outcome;
  } finally {
    leave();
  }
}

/** Without a repository, the first sync says that none is set up. Nothing of that is remembered for later notices. */
function hasRepository({ places }: Vault): boolean {
  return new Disk().exists(join(places.root, '.git'));
}

/** At most 3 damaged objects are named; doctor lists more. */
const MOST_NAMED = 3;

/** Turns a git failure into advice if the repository is damaged; otherwise returns it unchanged. */
async function namingDamage({ vault }: Session, error: unknown): Promise<unknown> {
  if (!(error instanceof GitFailure) || !mayBeDamage(error)) return error;
  const damaged = await damagedObjects(vault.places).catch(() => []);
  if (damaged.length === 0) return error;
  const more = damaged.length - MOST_NAMED;
  const names = damaged.slice(0, MOST_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
  return new Refusal(
    'repository-unusable',
    `Sync could not be done: the store’s git repository is damaged, as after a power cut (${names}). No memory is harmed. ` +
      'Run surety doctor in a terminal: it offers to make a fresh repository from the files and keeps the old one.',
  );
}

/** Also adds notices to `news`, because a sync that fails later has still done what they say. */
async function synced(
  session: Session,
  options: SyncOptions,
  before: SyncRecord | undefined,
  news: SyncNotice[],
): Promise<SyncOutcome> {
  const { vault } = session;
  const { dry = false, takeDeletions = false, newBranch = false } = options;
  if (vault.keyTrouble !== undefined) throw vault.keyTrouble;
  const opened = await openRepository(vault);
  const stayed = new Map(Object.entries(before?.stays ?? {}));
  const sameRemote = before?.remote === sha256(opened.upstream.addresses.push);
  const repo = sameRemote ? opened : await openFirstTime(vault, opened, { dry, newBranch });
  const removals = removalsOf(before, vault.now());
  const run = new SyncRun(vault, repo, { stayed, takeDeletions, ...removals, sameRemote, dry });
  let outcome: SyncOutcome | undefined;
  try {
    outcome = await new SyncSteps(session, options, before, news, run, repo.upstream).all();
    return outcome;
  } finally {
    if (!sameRemote && (dry || outcome === undefined)) await run.forgetFetch();
  }
}

/** Unseen notices are read again each time, because the operator may be ticking them off. */
function remember({ vault }: Session, outcome: SyncOutcome): Promise<void> {
  const { code, said, sent, received, notices, run, takeDeletions = false, machines, displaced } = outcome;
  const at = new Date(vault.now()).toISOString();
  const worked = run !== undefined;
  const failed: SyncNotice[] = worked ? [] : [{ kind: 'failed', about: 'sync', what: said, at }];
  return changeRecord(vault, (before) => ({
    at,
    code,
    said,
    sent,
    received,
    succeededAt: worked && code !== SYNC.rejected ? at : (before?.succeededAt ?? null),
    notices: gathered(
      (before?.notices ?? []).filter(
        (notice) =>
          !(worked && (notice.kind === 'failed' || (takeDeletions && notice.kind === 'deletions'))) &&
          !(worked && isPassedAddress(notice, outcome, before)),
      ),
      [...notices, ...failed],
    ),
    stays: run === undefined ? (before?.stays ?? {}) : Object.fromEntries(run.stayed),
    machines: machines ?? before?.machines ?? [],
    displaced: displaced ?? before?.displaced ?? [],
    remote: outcome.remote ?? before?.remote,
    branch: outcome.branch ?? before?.branch,
    passkeyRequired: outcome.passkeyRequired ?? before?.passkeyRequired,
    ownTrouble: worked ? outcome.ownTrouble : before?.ownTrouble,
    ...(run === undefined
      ? { spared: before?.spared, taken: before?.taken }
      : removalsAfter(before, run, takeDeletions, vault.now())),
  }));
}

/** Whether a notice is about an address or a branch that only failed syncs went to: this one went where the last good one did. */
function isPassedAddress(
  { kind, at }: SyncNotice,
  { remote, branch }: SyncOutcome,
  before: SyncRecord | undefined,
): boolean {
  const isBack = remote === before?.remote && branch === (before?.branch ?? branch);
  return kind === 'remote' && isBack && at > (before?.succeededAt ?? at);
}

function record({ audit }: Session, { code }: Synced): void {
  const done = code !== SYNC.busy && code !== SYNC.rejected && code !== SYNC.failed;
  const outcome = done ? 'accepted' : code === SYNC.failed ? 'failed' : 'refused';
  audit.record({ channel: 'command', action: 'sync', outcome, reason: `sync-${code}` });
}
