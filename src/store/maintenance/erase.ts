import { basename, join, relative } from 'node:path';
import { isStillErased } from '../../core/ledger/erased.ts';
import { standingKey, startOf } from '../../core/ledger/standing.ts';
import { raises } from '../../core/ledger/statement.ts';
import { idOfStem, type MemoryId, parseId } from '../../core/memory/ids.ts';
import { subjectOf } from '../../core/memory/inspected-file.ts';
import { digestOf } from '../../core/memory/memory.ts';
import { Refusal } from '../../core/refusal.ts';
import { refuseLookalike, type UserConsent } from '../../core/trust/consent.ts';
import { judge, needsMet, type Tier } from '../../core/trust/tiers.ts';
import { SettledAnchors } from '../checkout/settled-anchors.ts';
import { attempt, codeOf } from '../disk/disk-errors.ts';
import { read } from '../format/format.ts';
import type { Requests } from '../records/request-queue.ts';
import { insideOf } from '../vault/inside-of-vault.ts';
import { byOf, record, recordDraft } from '../vault/ledger-entries.ts';
import type { Loaded } from '../vault/loaded-memory.ts';
import type { Vault } from '../vault/vault.ts';

/** Everything of one memory on this machine, except the index. */
interface Traces {
  /** Paths from the store's root: the memory, and quarantined or archived files under its id. */
  readonly files: readonly string[];
  /** Copies of vouched texts, by digest. */
  readonly vouched: readonly string[];
  /** Whether an agent's request about it waits. */
  readonly request: boolean;
}

export interface Erased {
  /** What could not be removed, by path; erasing again continues there. */
  readonly left: readonly { readonly path: string; readonly why: string }[];
}

/** What a person sees before erasing a memory: its file, where there is one, and all traces. */
export interface Erasable {
  readonly id: MemoryId;
  readonly seen: Loaded | undefined;
  readonly traces: Traces;
}

/** The standing in a consent for a memory whose file is gone. */
export const GONE = 'gone';

export function erasable(vault: Vault, id: MemoryId, requests: Requests): Erasable {
  const seen = vault.load(id);
  const request = requests.one(id) !== undefined;
  return { id, seen, traces: { files: filesOf(vault, id), vouched: vouchedOf(vault, id), request } };
}

/**
 * Removes a memory and every copy of it on this machine. The ledger comes first: a lowering without the text, and the
 * record of the erasure. So after a kill at any moment, a file that is left or comes back is quarantined, and erasing
 * again removes the rest. What shows that something is left goes last: `erasedAndHere` finds files and vouched texts.
 */
export function erase(vault: Vault, shown: Erasable, requests: Requests, consent: UserConsent): Promise<Erased> {
  return vault.exclusively(() => {
    refuseTrouble(vault);
    const { id } = shown;
    const { seen, traces } = erasable(vault, id, requests);
    refuseOther(shown, { id, seen, traces });
    refuseLookalike(consent);
    consent.spend({
      verb: 'erase',
      id,
      digest: seen?.digest ?? null,
      standing: seen ? standingKey(seen.standing) : GONE,
    });
    lower(vault, id, seen, consent);

    const left: { path: string; why: string }[] = [];
    const { places, disk, vouched, index, complain, conflicts } = insideOf(vault);
    const removing = (path: string, work: () => unknown) => {
      try {
        work();
      } catch (error) {
        if (codeOf(error) !== 'ENOENT') left.push({ path, why: codeOf(error) || 'unknown' });
      }
    };
    removing('requests.jsonl', () => requests.settle(id));
    removing('conflicts.json', () => conflicts.forget(id));
    removing('anchors.json', () => new SettledAnchors(vault).forget(id));
    // The whole index, because deleted rows and a text's words stay in a database's pages.
    attempt(complain, 'the search index could not be removed yet', () => index.discard());
    const paths = [...traces.files.map((file) => join(places.root, file)), ...unfinished(vault)];
    for (const path of paths) removing(path, () => disk.remove(path));
    for (const digest of traces.vouched) removing(vouched.path(digest), () => disk.remove(vouched.path(digest)));
    // Another process may have made it again while the files were there.
    removing('the search index', () => index.discard());
    return { left };
  });
}

/** Refuses while the ledger is in trouble: an unrecorded erasure could be undone by putting the file back. */
export function refuseTrouble(vault: Vault): void {
  const own = vault.reports().find((report) => report.own);
  if (own?.trouble !== undefined) throw new Refusal('ledger-trouble', `Nothing was changed. ${own.advice}`);
}

function refuseOther(shown: Erasable, now: Erasable): void {
  const key = ({ seen, traces }: Erasable) =>
    JSON.stringify([seen?.digest, seen && standingKey(seen.standing), traces.files]);
  const same = key(shown) === key(now) && (shown.seen?.bytes.equals(now.seen?.bytes ?? Buffer.of()) ?? true);
  if (same) return;
  throw new Refusal(
    'changed-meanwhile',
    `${shown.id} changed since it was read. Nothing was changed; look at it again.`,
  );
}

/** Without digest or saying: no new record reveals the text. */
function lower(vault: Vault, id: MemoryId, seen: Loaded | undefined, consent: UserConsent): void {
  const { evidence } = vault;
  const inside = insideOf(vault);
  const [by, nothing] = [byOf(consent), { id, digest: null, saying: null }];
  const heads = evidence.heads(id);
  // What a machine that is not trusted says lowers here too, and that machine can take it back.
  const lowered = heads.some((head) => head.to === 'quarantined' && raises(head));
  if (!lowered && (seen !== undefined || heads.length > 0)) {
    const claimed: Tier = seen ? startOf(seen.standing, 'demote') : (heads[0]?.to ?? 'inferred');
    const from = claimed === 'quarantined' ? 'inferred' : claimed;
    const row = judge({ verb: 'demote', from, who: 'operator', met: needsMet({ consent: true }) });
    const about = {
      ...nothing,
      inspection: { findings: [], crashed: [], blocked: false },
      settled: [],
      replaces: null,
    };
    record(inside, row, about, by, 'erased');
  }
  const isRecorded = lowered && evidence.isErased(id);
  if (!isRecorded) inside.ledgers.append([recordDraft(inside, 'erased', nothing, { by })]);
}

/** Erased memories of which a file or a vouched text is here: a process was stopped in between, or a file came back. */
export function erasedAndHere(vault: Vault): MemoryId[] {
  insideOf(vault).ledgers.refresh();
  const { evidence } = vault;
  const named = new Set(vault.ledgerLines(({ action }) => action === 'erased').map(({ entry }) => entry.id));
  const erased = [...named].flatMap((name) => parseId(name) ?? []).filter((id) => isStillErased(id, evidence));
  if (erased.length === 0) return [];
  const here = new Set(allFiles(vault).map(idAt));
  return erased.filter((id) => here.has(id) || vouchedOf(vault, id).length > 0);
}

function filesOf(vault: Vault, id: MemoryId): string[] {
  const { root } = insideOf(vault).places;
  const own = allFiles(vault).filter((path) => idAt(path) === id);
  return own.map((path) => relative(root, path)).sort();
}

/** The files of all memories, archived ones too. */
function allFiles(vault: Vault): string[] {
  const { places, disk } = insideOf(vault);
  const months = disk.isFolder(places.archive)
    ? disk.names(places.archive).map((name) => join(places.archive, name))
    : [];
  return [places.memories, places.quarantine, ...months]
    .filter((folder) => disk.isFolder(folder))
    .flatMap((folder) => disk.names(folder).map((name) => join(folder, name)))
    .filter((path) => path.endsWith('.md'));
}

function idAt(path: string): MemoryId | undefined {
  return idOfStem(basename(path, '.md'));
}

/** Files that dead writers left. Living writers hold the lock, which this process has now. */
function unfinished(vault: Vault): string[] {
  const { places, disk, vouched } = insideOf(vault);
  const isLeft = (folder: string, name: string) =>
    name.startsWith('.tmp-') || (folder === vouched.folder && name.endsWith('.new'));
  return [places.memories, places.quarantine, vouched.folder]
    .filter((folder) => disk.isFolder(folder))
    .flatMap((folder) => disk.names(folder).flatMap((name) => (isLeft(folder, name) ? [join(folder, name)] : [])));
}

/** Every vouched text under this id. A line that names another memory's digest removes nothing of that memory. */
function vouchedOf(vault: Vault, id: MemoryId): string[] {
  const { vouched, disk } = insideOf(vault);
  const digests = new Set(vault.evidence.of(id).flatMap((s) => s.digest ?? []));
  const kept = [...digests].filter((digest) => disk.exists(vouched.path(digest)));
  const isIts = (digest: string) => {
    const { memory } = subjectOf(id, read(vouched.find(digest) ?? Buffer.of()), 'found');
    return memory !== undefined && digestOf(memory) === digest;
  };
  const doubtful = new Set(kept.filter((digest) => !isIts(digest)));
  if (doubtful.size === 0) return kept;
  const others = vault.ledgerLines((entry) => entry.id !== id && doubtful.has(entry.digest ?? ''));
  const taken = new Set(others.map(({ entry }) => entry.digest));
  return kept.filter((digest) => !taken.has(digest));
}
