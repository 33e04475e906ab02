import { join } from 'node:path';
import type { LedgerTrouble } from '../../core/ledger/replay.ts';
import { parseId } from '../../core/memory/ids.ts';
import { sha256 } from '../../core/memory/memory.ts';
import { Refusal } from '../../core/refusal.ts';
import { Disk } from '../../store/disk/disk.ts';
import { codeOf } from '../../store/disk/disk-errors.ts';
import { damagedObjects, mayBeDamage } from '../../store/git/damage.ts';
import { GitFailure } from '../../store/git/git.ts';
import { type Addresses, shownAddress } from '../../store/git/remote.ts';
import { openRepository } from '../../store/git/repository.ts';
import { keepVouchedTexts } from '../../store/maintenance/keep-vouched-texts.ts';
import { passkeysNow } from '../../store/maintenance/passkeys.ts';
import { reconcile } from '../../store/reconcile/reconcile.ts';
import { changeRecord, gathered, type SyncNotice, SyncNotices, type SyncRecord } from '../../store/sync/notices.ts';
import { takeSyncLock } from '../../store/sync/sync-lock.ts';
import { SyncRun } from '../../store/sync/sync-run.ts';
import type { Vault } from '../../store/vault/vault.ts';
import { compareFound } from '../contradictions.ts';
import { type Session, takeInFiles } from '../session.ts';
import { LoweredMemories } from './lowered-memories.ts';
import { removalsAfter, removalsOf } from './removals.ts';
import { newlyRestored } from './restored-elsewhere.ts';
import { failure, failureMidway } from './sync-failure.ts';
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

export { SYNC, type SyncCode, type Synced } from './synced.ts';

export interface SyncOptions {
  readonly dry?: boolean;
  readonly pullOnly?: boolean;
  readonly pushOnly?: boolean;
  readonly takeDeletions?: boolean;
  /** How long to wait for another sync of this store. */
  readonly waitMs?: number;
  /** Runs `work`, which can take long, and may say meanwhile what is waited for. */
  readonly whileWaiting?: WhileWaiting;
}

type WhileWaiting = <T>(what: string, work: () => Promise<T>) => Promise<T>;

const SILENTLY: WhileWaiting = (_what, work) => work();

const WAIT_MS = 30_000;
const PUSHES = 5;

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

/** Where there is none and no sync has ever been, one that was tried is told to whoever tried it, and not again later. */
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

interface SyncOutcome extends Synced {
  readonly run?: SyncRun;
  readonly takeDeletions?: boolean;
  readonly machines?: readonly string[];
  readonly displaced?: readonly string[];
  readonly remote?: string;
  readonly passkeyRequired?: boolean;
  readonly ownTrouble?: LedgerTrouble | undefined;
}

/** Also adds notices to `news`, because a sync that fails later has still done what they say. */
async function synced(
  session: Session,
  options: SyncOptions,
  before: SyncRecord | undefined,
  news: SyncNotice[],
): Promise<SyncOutcome> {
  const { vault } = session;
  const { dry = false, takeDeletions = false } = options;
  if (vault.keyTrouble !== undefined) throw vault.keyTrouble;
  const repo = await openRepository(vault);
  const { addresses } = repo.upstream;
  const stayed = new Map(Object.entries(before?.stays ?? {}));
  const sameRemote = before?.remote === sha256(addresses.push);
  const removals = removalsOf(before, vault.now());
  const run = new SyncRun(vault, repo, { stayed, takeDeletions, ...removals, sameRemote, dry });
  let outcome: SyncOutcome | undefined;
  try {
    outcome = await carriedOut(session, options, before, news, run, addresses);
    return outcome;
  } finally {
    if (!sameRemote && (dry || outcome === undefined)) await run.forgetFetch();
  }
}

async function carriedOut(
  session: Session,
  options: SyncOptions,
  before: SyncRecord | undefined,
  news: SyncNotice[],
  run: SyncRun,
  { fetch, push }: Addresses,
): Promise<SyncOutcome> {
  const { vault } = session;
  const { dry = false, pushOnly = false, takeDeletions = false, whileWaiting = SILENTLY } = options;
  const [from, pushesTo] = [fetch, push].map(shownAddress) as [string, string];
  const fetched = () => whileWaiting(`${from} to send what is new there`, () => run.fetch());
  const elsewhere = newRemote(push, before);
  await run.begin();
  const still = run.filesLieStill();
  // Skipped if no file changed, because reading years of ledgers is slow.
  if (!still && !dry) await takeInFiles(session, (line) => vault.complain(line));
  const isRequired = (still ? before?.passkeyRequired : undefined) ?? passkeysNow(vault).isRequired;
  let theirs = run.isFresh && !pushOnly ? await fetched() : undefined;
  const joining = theirs;
  await run.commit(joining);
  const staying = newlyStaying(run, before);
  const incoming: UndatedNotice[] = [];
  const bring = (notices: readonly UndatedNotice[]) => {
    const at = new Date(vault.now()).toISOString();
    news.splice(0, news.length, ...inFewWords(notices).map((each) => ({ ...each, at })));
  };
  // The folder is changed already, and a later sync does not show why. The remote may be out of reach.
  bring([...elsewhere, ...newsOf(run), ...staying]);
  if (!dry && (takeDeletions || run.spared.here.size > 0)) await keepNotices(session, news, run, takeDeletions);
  if (joining === undefined && !pushOnly) theirs = await fetched();
  let came = false;
  const verified = new LoweredMemories(session);
  let lowered: readonly UndatedNotice[] = [];
  let restored: readonly UndatedNotice[] = [];
  let passkeyRequired = isRequired;
  const takeIn = async () => {
    if (theirs === undefined || !(await run.merge(theirs, () => dry || verified.begin())) || dry) return;
    came = true;
    incoming.push(...againstIncoming(await reconcile(vault), run.received));
    const received = memoriesOf(run.received);
    await compareFound(session, [...received]);
    await keepVouchedTexts(vault, received);
    const displaced = run.parked.length + run.putAside.length === 0 ? [] : vault.displaced().map(({ id }) => id);
    const gone = newlyDisplaced(session, displaced, before);
    passkeyRequired = passkeysNow(vault).isRequired;
    const requirement = newRequirement(session, isRequired, passkeyRequired);
    const others = [...requirement, ...newsOf(run, [], displaced, gone), ...gone, ...incoming];
    lowered = await verified.lowered(run, others);
    restored = newlyRestored(session, received);
    bring([...elsewhere, ...others, ...lowered, ...restored, ...staying]);
    // No later sync shows this merge, so its notices are stored before the push, which may be killed.
    if (news.length > 0 || takeDeletions) await keepNotices(session, news, run, takeDeletions);
    await run.commit();
  };
  if (!pushOnly) await takeIn();

  let blocked: readonly string[] = [];
  let pushed: Pushed = 'nothing';
  for (let tries = 0; !dry && !options.pullOnly && tries < PUSHES; tries++) {
    blocked = await run.mustNotLeave(theirs);
    const send = () => run.push(theirs);
    pushed = blocked.length > 0 ? 'nothing' : await whileWaiting(`${pushesTo} to take what is new here`, send);
    if (pushed !== 'rejected' || pushOnly) break;
    theirs = await fetched();
    await takeIn();
  }
  if (!dry) await run.settle();

  if (!dry) incoming.push(...(await erasedAgain(vault, run)));
  const ownTrouble = ownTroubleAfter(vault, still && !came ? before : undefined);
  const known = { fingerprints: before?.machines ?? [], news: [] };
  const machines = still && !came ? known : newMachines(session, before);
  const displaced = still && !came ? (before?.displaced ?? []) : vault.displaced().map(({ id }) => id);
  const gone = newlyDisplaced(session, displaced, before);
  const requirement = newRequirement(session, isRequired, passkeyRequired);
  bring([
    ...ofOwnLedger(vault, ownTrouble),
    ...elsewhere,
    ...requirement,
    ...newsOf(run, blocked, displaced, gone),
    ...gone,
    ...incoming,
    ...lowered,
    ...restored,
    ...staying,
    ...machines.news,
  ]);
  const found = { displaced: displaced.length, lowered: lowered.length, ownTrouble };
  const code = codeFor(run, { ...found, blocked, incoming: incoming.length, staying: staying.length, pushed });
  const left = (paths: ReadonlySet<string>) => [...memoriesOf(paths)].filter((id) => !run.removed.has(id)).length;
  const [sent, received, removed] = [left(run.sent), left(run.received), run.removed.size];
  const where = from === pushesTo ? `Remote: ${from}` : `Fetched from ${from}, pushed to ${pushesTo}`;
  const oversized = run.oversized.size > 0;
  const onlySpared = !isAmiss(run, incoming.length);
  // Asked only after a removal, because the answer takes reading the ledgers.
  const missing = dry || removed === 0 ? 0 : missingAmong(vault, run.removed);
  const ledgers = { sent: hasLedger(run.sent), received: hasLedger(run.received) };
  const counts = { sent, received, ledgers, removed, missing, dry, oversized, onlySpared };
  const said = `${sentence(code, { ...counts, ...found, hasConflict: hasConflict(run) })} ${where}`;
  const result = { code, said, sent, received, removed, pushesTo, notices: news };
  const remembered = { machines: machines.fingerprints, displaced, remote: sha256(push), passkeyRequired, ownTrouble };
  return { ...result, run, takeDeletions, ...remembered };
}

function missingAmong({ missing }: Vault, ids: ReadonlySet<string>): number {
  return [...ids].flatMap((id) => parseId(id) ?? []).filter((id) => missing.one(id) !== undefined).length;
}

/** Stores the notices of an unfinished sync; the sync's end replaces everything else in the record. */
function keepNotices(
  { vault }: Session,
  news: readonly SyncNotice[],
  run: SyncRun,
  takeDeletions: boolean,
): Promise<void> {
  const said = 'The last sync did not come to its end. Run surety sync again.';
  const unfinished = { at: new Date(vault.now()).toISOString(), code: SYNC.failed, said, sent: 0, received: 0 };
  return changeRecord(vault, (before) => ({
    succeededAt: null,
    stays: {},
    machines: [],
    ...before,
    ...unfinished,
    notices: gathered(before?.notices ?? [], news),
    ...removalsAfter(before, run, takeDeletions, vault.now()),
  }));
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
    passkeyRequired: outcome.passkeyRequired ?? before?.passkeyRequired,
    ownTrouble: worked ? outcome.ownTrouble : before?.ownTrouble,
    ...(run === undefined
      ? { spared: before?.spared, taken: before?.taken }
      : removalsAfter(before, run, takeDeletions, vault.now())),
  }));
}

/** Whether a notice is about an address that only failed syncs went to: this one went where the last good one did. */
function isPassedAddress({ kind, at }: SyncNotice, { remote }: SyncOutcome, before: SyncRecord | undefined): boolean {
  return kind === 'remote' && remote === before?.remote && at > (before?.succeededAt ?? at);
}

function record({ audit }: Session, { code }: Synced): void {
  const done = code !== SYNC.busy && code !== SYNC.rejected && code !== SYNC.failed;
  const outcome = done ? 'accepted' : code === SYNC.failed ? 'failed' : 'refused';
  audit.record({ channel: 'command', action: 'sync', outcome, reason: `sync-${code}` });
}
