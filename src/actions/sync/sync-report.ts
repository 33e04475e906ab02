import { HOLDS_SECRET } from '../../core/finding.ts';
import { type LedgerTrouble, TROUBLES } from '../../core/ledger/replay.ts';
import { isContested, REASONS } from '../../core/ledger/standing.ts';
import type { Statement } from '../../core/ledger/statement.ts';
import { parseId } from '../../core/memory/ids.ts';
import { sha256 } from '../../core/memory/memory.ts';
import { maskSecrets } from '../../core/secrets/detect.ts';
import { pathOfMemory, sharedAt } from '../../core/sync/shared-paths.ts';
import { truncate, visible } from '../../core/text/safe-text.ts';
import { gitHistoryOf } from '../../store/git/history.ts';
import { shownAddress, type Upstream } from '../../store/git/remote.ts';
import type { Reconciled } from '../../store/reconcile/reconcile.ts';
import { PRIVATE } from '../../store/sync/local-files.ts';
import { NOTICES, type NoticeKind, type SyncNotice, type SyncRecord } from '../../store/sync/notices.ts';
import type { SyncRun } from '../../store/sync/sync-run.ts';
import type { Vault } from '../../store/vault/vault.ts';
import { listMachines } from '../review/machines.ts';
import type { Session } from '../session.ts';
import { SPARED_DAYS } from './removals.ts';

/** A notice without its time. */
export type UndatedNotice = Omit<SyncNotice, 'at'>;

const FAULTS = {
  cut: 'was shorter in the remote than here; what this machine has stays, and is put back there',
  unsigned: 'held lines in the remote that its key did not sign; they were left out',
  forked:
    'has two continuations signed with one key, as after a restored backup or a cloned disk; the other’s lines only lower here. docs/sync.md says what to do where a disk was cloned',
  broken: 'lacks lines in every version; it raises nothing until its file is mended',
  'too-many':
    'is one more than the 1,000 ledgers that a store takes; it was left out, so the word of its machine does not arrive here',
  'no-ledger': 'is a file in the remote that is no ledger; it was left out',
} as const;

/** The name is not always the id: where a file has that name, another text of the memory is under `<id>~2`. */
const showsIt = (path: string) => `surety show ${path.replace(/\.md$/, '')} shows it`;

/** Says which text is in place after two machines wrote a memory, and which is in quarantine. */
const CONFLICTS: Readonly<Record<SyncRun['parked'][number]['inPlace'], (machine: string, path: string) => string>> = {
  ours: (machine, path) =>
    `was changed here and on ${machine} at once; yours stays, the other is in quarantine; ${showsIt(path)}`,
  theirs: (machine, path) =>
    `was changed here and on ${machine} at once; the other stays, because a person vouched for it, and yours is in quarantine; ${showsIt(path)}`,
  'put-back': (machine, path) =>
    `was displaced by a text of ${machine}; it is back in its place, because a person vouched for it, and the other is in quarantine; ${showsIt(path)}`,
};

/** At most 20 notices of a kind, because a remote can hold thousands of odd files. */
export const MOST_OF_A_KIND = 20;

/** Keeps the first notices of each kind, and counts the rest. */
export function inFewWords(notices: readonly UndatedNotice[]): UndatedNotice[] {
  return [...Map.groupBy(notices, ({ kind }) => kind)].flatMap(([kind, all]) => {
    const more = all.length - MOST_OF_A_KIND;
    return more <= 0
      ? all
      : [...all.slice(0, MOST_OF_A_KIND), news(kind, `${more} more`, `of this kind: ${NOTICES[kind]}`)];
  });
}

/**
 * What a run did, in sentences for the operator. Those who are notified of a displaced text need no second notice: `noticed`
 * are the notices of this run about displaced texts.
 */
export function newsOf(
  run: SyncRun,
  blocked: readonly string[] = [],
  displaced: readonly string[] = [],
  noticed: readonly UndatedNotice[] = [],
): UndatedNotice[] {
  const parked = run.parked.filter(({ id }) => !noticed.some(({ about }) => about === id));
  const putAside = run.putAside.filter(({ id }) => !displaced.includes(id));
  return [
    ...parked.map(({ id, path, machine, inPlace }) =>
      news('conflict', id, CONFLICTS[inPlace](machine, path || pathOfMemory('quarantine', id))),
    ),
    ...putAside.map(({ id, path, machine }) =>
      news(
        'conflict',
        id,
        `has another text now, from ${machine}; the one that was here is in quarantine; ${showsIt(path)}`,
      ),
    ),
    ...[...run.refused].map(([path, commit]) =>
      news(
        'refused',
        path,
        `is in the remote and no part of a store (a link, a folder, a name that means another to some systems, or too large); sync takes it out there, and commit ${commit.slice(0, 12)} of the remote’s history keeps it`,
      ),
    ),
    ...[...run.strays].map((path) =>
      news(
        'refused',
        path,
        'is in the remote and no memory, because its name is not an id; it stays there as it is, and is not brought here',
      ),
    ),
    ...[...run.oversized].map((path) =>
      news(
        'ledger',
        path,
        'is larger than any ledger, so it is neither read nor synced; surety doctor says what to do',
      ),
    ),
    ...run.ledgers.map(({ fingerprint, fault }) => news('ledger', fingerprint.slice(0, 16), FAULTS[fault])),
    ...newsOfSpared(run),
    ...(run.history === undefined
      ? []
      : [
          news(
            'history',
            'the remote',
            run.history === 'rewritten'
              ? 'was rewritten: its history does not continue what it was; nothing of yours was dropped'
              : 'had a history of its own; both are kept, file by file',
          ),
        ]),
    ...blocked.map((path) =>
      news(
        'not-pushed',
        path,
        'is in a commit of yours that was made by hand and must not leave; nothing is pushed until it is taken out of the history: docs/sync.md says how',
      ),
    ),
  ];
}

const SPARED = {
  here: 'taken out here at once, so sync put them back',
  elsewhere: 'taken out elsewhere at once, so they stay here and in the remote',
} as const;

/** At most 5 memories are named; the others are counted. */
const MOST_NAMED = 5;

function namesOf(ids: readonly string[]): string {
  const more = ids.length - MOST_NAMED;
  return ids.slice(0, MOST_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function newsOfSpared({ spared }: SyncRun): UndatedNotice[] {
  return (['here', 'elsewhere'] as const).flatMap((where) => {
    const ids = [...memoriesOf(spared[where].keys())];
    if (ids.length === 0) return [];
    const meant = `If that was meant, run surety sync --take-deletions within ${SPARED_DAYS} days: it takes out those that have not changed since`;
    const [about, were] = ids.length === 1 ? ['1 memory', 'was'] : [`${ids.length} memories`, 'were'];
    return [news('deletions', about, `${were} ${SPARED[where]}: ${namesOf(ids)}. ${meant}`)];
  });
}

/** Verified texts that another text replaced, unless the operator was notified before. */
export function newlyDisplaced(
  { vault }: Session,
  ids: readonly string[],
  before: SyncRecord | undefined,
): UndatedNotice[] {
  return ids
    .filter((id) => !before?.displaced?.includes(id))
    .map((id) => {
      const standing = vault.load(id)?.standing;
      return news('displaced', id, standing !== undefined && isContested(standing) ? CONTESTED : DISPLACED);
    });
}

const DISPLACED = 'has another text in its place; the verified one is in quarantine, and surety review puts it back';
const CONTESTED =
  'has two texts that people vouched for, so neither is verified; one is in place and one in quarantine, and surety review asks which one you keep';

const REQUIREMENTS = {
  on: 'needs a passkey for every yes from now on: that was turned on at another machine; surety passkey shows more',
  off: 'no longer needs a passkey for a yes: that was ended at another machine, with a passkey or the recovery code',
} as const;

/** That a passkey is required, or no longer required, where another machine's ledger brought it. */
export function newRequirement({ vault }: Session, before: boolean, now: boolean): UndatedNotice[] {
  if (before === now) return [];
  return [news('passkey', 'this store', now ? `${REQUIREMENTS.on}${inVain(vault)}` : REQUIREMENTS.off)];
}

/** Names the memories that a person vouched for here without a passkey after another machine required one. */
function inVain(vault: Vault): string {
  const { evidence, self } = vault;
  const isInVain = ({ actor, to, level, ledger }: Statement) =>
    actor === 'operator' && to === 'verified' && level === 0 && ledger.fingerprint === self.fingerprint;
  const ids = [...evidence.everVerified()]
    .map(({ id }) => id)
    .filter((id) => evidence.of(id).some(isInVain))
    .filter((id) => vault.load(id)?.standing.tier === 'inferred');
  if (ids.length === 0) return '';
  const were = ids.length === 1 ? '1 yes that you gave here counts' : `${ids.length} yeses that you gave here count`;
  return `. ${were} for nothing now, because no passkey signed ${ids.length === 1 ? 'it' : 'them'}: ${namesOf(ids)}. surety review --web asks again`;
}

/** That the last successful sync was with another address or branch. */
export function newRemote({ addresses: { push }, theirs }: Upstream, before: SyncRecord | undefined): UndatedNotice[] {
  const found: UndatedNotice[] = [];
  if (before?.remote !== undefined && before.remote !== sha256(push))
    found.push(news('remote', 'the remote', `is another one than at the last sync: ${shownAddress(push)}`));
  if (before?.branch !== undefined && before.branch !== theirs) {
    const [now, then] = [shownBranch(theirs), shownBranch(before.branch)];
    const what = `is another one than at the last sync: ${now} (${then} before); what is sent there reaches no machine that syncs ${then}`;
    found.push(news('remote', 'the branch', what));
  }
  return found;
}

function shownBranch(ref: string): string {
  return truncate(visible(maskSecrets(ref.replace(/^refs\/heads\//, '')), 'line'), 100).toString();
}

/**
 * Why this machine's own ledger raises nothing after a sync. `unchanged` is the record of the last sync if nothing has
 * changed since: it spares reading the ledgers, unless the ledger was in trouble then.
 */
export function ownTroubleAfter(vault: Vault, unchanged: SyncRecord | undefined): LedgerTrouble | undefined {
  if (unchanged !== undefined && unchanged.ownTrouble === undefined) return undefined;
  return vault.reports().find(({ own }) => own)?.trouble;
}

/** Said by every sync until it is settled: what this machine vouches for counts nowhere until then. */
export function ofOwnLedger({ self }: Vault, trouble: LedgerTrouble | undefined): UndatedNotice[] {
  if (trouble === undefined) return [];
  const what = `is this machine’s own ledger, and it raises nothing: ${TROUBLES[trouble]}; surety doctor says what to do`;
  return [news('own-ledger', self.fingerprint.slice(0, 16), what)];
}

/**
 * Erased memories whose texts are in the history again after the remote's was rewritten: the commits that were taken out
 * there were still here, and a merge keeps both. At most 5 are looked for, because each takes a walk through the history.
 */
export async function erasedAgain(vault: Vault, { history }: Pick<SyncRun, 'history'>): Promise<UndatedNotice[]> {
  if (history !== 'rewritten') return [];
  const ids = new Set(vault.ledgerLines(({ action }) => action === 'erased').map(({ entry }) => entry.id));
  const found: UndatedNotice[] = [];
  for (const id of [...ids].flatMap((each) => parseId(each) ?? []).slice(-MOST_NAMED)) {
    if ((await gitHistoryOf(vault.places.root, id))?.commits === 0) continue;
    found.push(news('history', id, ERASED_AGAIN));
  }
  return found;
}

const ERASED_AGAIN =
  'was erased, and its text is in the history again: this machine still had the commits that were taken out; surety erase with this id says how to take them out on every machine';

/** Files that stay here and did not at the last sync. */
export function newlyStaying({ stays }: Pick<SyncRun, 'stays'>, before: SyncRecord | undefined): UndatedNotice[] {
  return [...stays]
    .filter(([path]) => before?.stays[path] === undefined)
    .map(([path, why]) => news('stays', path, `stays on this machine: ${PRIVATE[why]}`));
}

/** What the checks or the store's rules object to in incoming files. */
export function againstIncoming({ notices }: Reconciled, received: ReadonlySet<string>): UndatedNotice[] {
  const byRule = new Set<string>(Object.values(REASONS));
  return notices
    .filter(({ kind }) => kind === 'quarantined' || kind === 'held-back')
    .filter(({ stem, what }) => received.has(pathOfMemory('memories', stem.toString())) && !byRule.has(what))
    .map(({ kind, stem, what }) => {
      const secret = what.includes(HOLDS_SECRET) ? '; the remote’s history keeps it, so change what it opens' : '';
      const where = kind === 'quarantined' ? 'was quarantined' : 'is not served';
      return news('quarantined', stem.toString(), `came in and ${where}: ${what}${secret}`);
    });
}

/** The fingerprints of all other machines, and news of those that the operator was not notified of yet. */
export function newMachines(
  session: Session,
  before: SyncRecord | undefined,
): { fingerprints: string[]; news: UndatedNotice[] } {
  const known = new Set(before?.machines ?? []);
  const others = session.vault.reports().filter(({ own }) => !own);
  const fingerprints = others.map(({ fingerprint }) => fingerprint);
  const unknown = new Set(
    others.flatMap(({ trusted, fingerprint }) => (trusted || known.has(fingerprint) ? [] : fingerprint)),
  );
  // Finding what a machine vouches for reads every memory, and usually no machine is new.
  if (unknown.size === 0) return { fingerprints, news: [] };
  const unknownMachines = listMachines(session).filter(({ fingerprint }) => unknown.has(fingerprint));
  return {
    fingerprints,
    news: unknownMachines.map(({ fingerprint, name, sameName, vouchesFor }) => {
      const short = fingerprint.slice(0, 16);
      const called = `${truncate(visible(name, 'line'), 40)} (${short})`;
      const same = sameName ? '; another machine has the same name' : '';
      return news('machine', called, `is a machine never seen here${same}; ${untilTrusted(vouchesFor, short)}`);
    }),
  };
}

/** The whole command: two machines may have one name. */
function untilTrusted(vouchesFor: number, fingerprint: string): string {
  const trust = `surety machines trust ${fingerprint}`;
  if (vouchesFor === 0) return `it vouches for nothing that is here yet; its word counts only after ${trust}`;
  const many = vouchesFor === 1 ? '1 memory it vouches for is' : `${vouchesFor} memories it vouches for are`;
  return `${many} advisory until ${trust}`;
}

/** Whether one of these paths is a ledger's. */
export function hasLedger(paths: Iterable<string>): boolean {
  return [...paths].some((path) => sharedAt(path)?.kind === 'ledger');
}

/** The ids of the memories that have one of these paths. */
export function memoriesOf(paths: Iterable<string>): ReadonlySet<string> {
  const found = [...paths].map(sharedAt);
  return new Set(found.flatMap((what) => (what?.kind === 'memory' ? what.id : [])));
}

/** A file's name is a stranger's word: it may hold a token, and notices are kept. */
export function news(kind: NoticeKind, about: string, what: string): UndatedNotice {
  return { kind, about: truncate(visible(maskSecrets(about), 'line'), 100).toString(), what };
}
