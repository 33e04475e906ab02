import { LIMITS_OF_A_FILE } from '../../core/memory/document.ts';
import type { MemoryId } from '../../core/memory/ids.ts';
import { memoryIdAt, pathOfMemory, sharedAt } from '../../core/sync/shared-paths.ts';
import type { CommitTree, GitTrees } from '../git/trees.ts';
import { type BlobContent, committedFile } from '../git/writer.ts';
import { SWEEP } from '../reconcile/reconcile.ts';
import type { DisplacedPair } from './changed-back.ts';
import { backInPlace, type ChosenText, chooseTextInPlace } from './choose-text-in-place.ts';
import { parkedFile, textKey } from './merge-file.ts';
import { type LedgerFinding, mergeLedgerFiles } from './merge-ledgers.ts';
import { type Files, mergeSets } from './merge-set.ts';
import type { MergeCircumstances, MergeSides } from './merge-sides.ts';

/** One file of the store's folder to change, if it is still what the plan saw. */
export interface SyncStep {
  readonly path: string;
  /** The blob that the plan saw there; undefined for none. */
  readonly before: string | undefined;
  readonly after: Buffer | undefined;
  /**
   * The file in `memories/` that leaves when its memory goes into quarantine. It is moved, so that it is never in both
   * places.
   */
  readonly from?: { readonly path: string; readonly before: string };
}

/** The text of a memory that lies in quarantine because another text has its place in `memories/`. */
export interface Parked extends Pick<ChosenText, 'inPlace'> {
  readonly id: MemoryId;
  readonly path: string;
  readonly file: Buffer;
  readonly machine: string;
}

export type PutAside = Pick<Parked, 'id' | 'machine' | 'path'>;

export interface SyncPlan {
  /** Every shared file of the merged commit. */
  readonly files: ReadonlyMap<string, BlobContent>;
  readonly steps: readonly SyncStep[];
  readonly parked: readonly Parked[];
  /** Memories whose text here another machine put into quarantine, with another text in its place. */
  readonly putAside: readonly PutAside[];
  /** Pairs of texts that this merge changes back. */
  readonly changedBack: readonly DisplacedPair[];
  /** Files that another machine removed and that stay, because too many were removed at once, with their blobs. */
  readonly spared: ReadonlyMap<string, string>;
  /** Files of the other side that are too large for a memory. They are not taken. */
  readonly tooLarge: readonly string[];
}

interface LedgerPlan {
  /** Every shared file of this side, with the merged ledgers. */
  readonly files: ReadonlyMap<string, BlobContent>;
  readonly steps: readonly SyncStep[];
  readonly ledgers: readonly LedgerFinding[];
}

type Versions = ReadonlyMap<string, string>;
const NONE: Versions = new Map();

/**
 * Plans the merge of the ledgers. They are merged first, because their receipts decide which text of a memory keeps its
 * place.
 */
export async function planLedgers(sides: MergeSides, around: MergeCircumstances): Promise<LedgerPlan> {
  const files = new Map<string, BlobContent>();
  for (const [path, oid] of sides.ours.shared) files.set(path, committedFile(oid));
  const ledgers = await mergeLedgerFiles(sides, around, files);
  return { files, steps: stepsTo(files, sides.ours), ledgers };
}

/**
 * Plans the merge of the memories: the files of the merged commit, and the steps for the folder. Writes nothing. What only the
 * other side changed is taken, unless it removed too many. What both changed is merged. Of each of these memories it is then
 * decided which text lies in `memories/` (`settle`).
 */
export async function planMerge(sides: MergeSides, around: MergeCircumstances, ledgers: LedgerPlan): Promise<SyncPlan> {
  const { trees } = around;
  const tooLarge = await largeNews(sides, trees);
  const [base, ours] = [byMemory(sides.base.shared), byMemory(sides.ours.shared)];
  const theirs = byMemory(asIfLeftAlone(sides, tooLarge));
  const { taken, mixed } = changedElsewhere(base, ours, theirs);
  const spared = around.takeDeletions ? [] : sparedOf(taken, ours, theirs, around);
  const coming = taken.filter((id) => !spared.includes(id));

  const wanted = [
    ...coming.flatMap((id) => [ours, theirs].flatMap((side) => [...(side.get(id) ?? NONE).values()])),
    ...mixed.flatMap((id) => [base, ours, theirs].flatMap((side) => [...(side.get(id) ?? NONE).values()])),
  ];
  const blobs = await trees.blobs(wanted, LIMITS_OF_A_FILE.bytes);
  const content = (versions: Versions) =>
    new Map(
      [...versions].flatMap(([path, oid]) => (blobs.has(oid) ? [[path, blobs.get(oid) as Buffer] as const] : [])),
    );

  const files = new Map(ledgers.files);
  const replace = (id: MemoryId, merged: ReadonlyMap<string, Buffer>) => {
    const before = ours.get(id) ?? NONE;
    for (const path of before.keys()) if (!merged.has(path)) files.delete(path);
    for (const [path, file] of merged) {
      const oid = before.get(path);
      if (oid === undefined || blobs.get(oid)?.equals(file) !== true) files.set(path, file);
    }
  };
  const parked: Parked[] = [];
  const putAside: PutAside[] = [];
  const changedBack: DisplacedPair[] = [];
  const settle = async (id: MemoryId, taken: Files, conflict?: Buffer) => {
    const known = {
      isVouched: (digest: string) => around.isVouched(id, digest),
      wasChangedBack: around.wasChangedBack,
      isLifted: () => around.isLifted(id),
      isBlocked: (file: Buffer) => around.isBlocked(id, file),
    };
    const before = content(ours.get(id) ?? NONE);
    const merged = backInPlace(id, taken, before, known);
    // This asks git, so it runs only where there is more than one text.
    const several = merged.size > 1 || conflict !== undefined;
    const machine = several ? await around.writerOf(pathOfMemory('memories', id)) : '';
    const park = (file: Buffer) => parkedFile(file, around.at, `sync conflict with ${machine}`, around.machine);
    const placed = chooseTextInPlace(id, merged, conflict, before, known, park);
    const aside = several && placed.parked.length === 0 ? pathPutAside(id, before, placed.files) : undefined;
    if (aside !== undefined) putAside.push({ id, machine, path: aside });
    replace(id, placed.files);
    const { inPlace } = placed;
    for (const { path = '', file } of placed.parked) parked.push({ id, path, file, machine, inPlace });
    if (placed.changedBack !== undefined) changedBack.push(placed.changedBack);
  };
  for (const id of coming) await settle(id, content(theirs.get(id) ?? NONE));
  for (const id of mixed) {
    const textsOf = (side: ByMemory) => content(side.get(id) ?? NONE);
    const { files: merged, conflict } = mergeSets(id, textsOf(base), textsOf(ours), textsOf(theirs));
    await settle(id, merged, conflict);
  }
  const stay = new Map(spared.flatMap((id) => lostOf(ours.get(id) ?? NONE, theirs.get(id) ?? NONE)));
  const steps = stepsTo(files, sides.ours);
  return { files, steps, parked, putAside, changedBack, spared: stay, tooLarge: [...tooLarge] };
}

/** The memories that the other side changed: those that only it changed, which are taken, and those that both did. */
function changedElsewhere(base: ByMemory, ours: ByMemory, theirs: ByMemory) {
  const taken: MemoryId[] = [];
  const mixed: MemoryId[] = [];
  for (const id of new Set([...ours.keys(), ...theirs.keys()])) {
    const [b, o, t] = [base.get(id) ?? NONE, ours.get(id) ?? NONE, theirs.get(id) ?? NONE];
    if (sameVersions(t, b) || sameVersions(t, o)) continue;
    (sameVersions(o, b) ? taken : mixed).push(id);
  }
  return { taken, mixed };
}

/**
 * Where in quarantine the text is that was in place; undefined if it was there before, or if no other text is in its place.
 */
function pathPutAside(id: MemoryId, before: Files, after: Files): string | undefined {
  const living = pathOfMemory('memories', id);
  const [was, is] = [before.get(living), after.get(living)];
  if (was === undefined || is === undefined) return undefined;
  const text = textKey(id, was);
  if (textKey(id, is) === text) return undefined;
  const news = [...after].filter(([path]) => path !== living && !before.has(path));
  return news.find(([, file]) => textKey(id, file) === text)?.[0];
}

function byMemory(shared: ReadonlyMap<string, string>): Map<MemoryId, Map<string, string>> {
  const found = new Map<MemoryId, Map<string, string>>();
  for (const [path, oid] of shared) {
    const id = memoryIdAt(path);
    if (id !== undefined) found.set(id, (found.get(id) ?? new Map<string, string>()).set(path, oid));
  }
  return found;
}

async function largeNews({ base, ours, theirs }: MergeSides, trees: GitTrees): Promise<ReadonlySet<string>> {
  const news = [...theirs.shared].filter(
    ([path, oid]) => memoryIdAt(path) !== undefined && ours.shared.get(path) !== oid && base.shared.get(path) !== oid,
  );
  const fitting = await trees.fitting(
    news.map(([, oid]) => oid),
    LIMITS_OF_A_FILE.bytes,
  );
  return new Set(news.filter(([, oid]) => !fitting.has(oid)).map(([path]) => path));
}

/**
 * The other side's files, with the base version where it has a file that is too large or something that is not a file.
 */
function asIfLeftAlone({ base, theirs }: MergeSides, large: ReadonlySet<string>): ReadonlyMap<string, string> {
  const shared = new Map(theirs.shared);
  const refused = new Set(theirs.refused);
  for (const path of large) shared.delete(path);
  for (const [path, before] of base.shared) {
    const folder = path.slice(0, path.indexOf('/'));
    if (large.has(path) || refused.has(path) || refused.has(folder)) shared.set(path, before);
  }
  return shared;
}

type ByMemory = ReadonlyMap<MemoryId, Versions>;

/**
 * Memories whose removal is not taken: too many removed at once is a mistake until a person says otherwise, as by erasing
 * each. What a person at this machine took out before, and another machine's guard put back, goes again.
 */
function sparedOf(
  taken: readonly MemoryId[],
  ours: ByMemory,
  theirs: ByMemory,
  { wasTaken, isErased }: MergeCircumstances,
): readonly MemoryId[] {
  const lives = (id: MemoryId) => ours.get(id)?.has(pathOfMemory('memories', id)) === true;
  const isGone = (id: MemoryId) => lives(id) && !isLeft(id, ours.get(id) ?? NONE, theirs.get(id) ?? NONE);
  const gone = taken.filter((id) => isGone(id) && !isErased(id));
  const living = [...ours.keys()].filter(lives).length;
  if (gone.length <= SWEEP.files || gone.length <= living * SWEEP.share) return [];
  const isAgreed = (id: MemoryId) =>
    lostOf(ours.get(id) ?? NONE, theirs.get(id) ?? NONE).every(([path, blob]) => wasTaken(path, blob));
  return gone.filter((id) => !isAgreed(id));
}

function lostOf(before: Versions, after: Versions): [path: string, blob: string][] {
  return [...before].filter(([path]) => !after.has(path));
}

/**
 * Whether the other side still uses a memory or put it into quarantine. A text that was in quarantine before counts as
 * neither.
 */
function isLeft(id: MemoryId, before: Versions, after: Versions): boolean {
  if (after.has(pathOfMemory('memories', id))) return true;
  return [...after].some(([path, oid]) => before.get(path) !== oid);
}

function sameVersions(a: Versions, b: Versions): boolean {
  return a.size === b.size && [...a].every(([path, oid]) => b.get(path) === oid);
}

function stepsTo(files: ReadonlyMap<string, BlobContent>, ours: CommitTree): SyncStep[] {
  const steps: SyncStep[] = [];
  const going = new Map([...ours.shared].filter(([path]) => !files.has(path)));
  for (const [path, content] of files) {
    if (!Buffer.isBuffer(content)) continue;
    const before = ours.shared.get(path);
    const from = before === undefined ? livingOf(path, going) : undefined;
    if (from !== undefined) going.delete(from.path);
    steps.push({ path, before, after: content, ...(from && { from }) });
  }
  for (const [path, before] of going) steps.push({ path, before, after: undefined });
  const rank = ({ path, after }: SyncStep) =>
    path.startsWith('ledger/') ? 0 : after === undefined ? 3 : path.startsWith('quarantine/') ? 1 : 2;
  // Ledgers come first, because what they lower must count at once. Quarantine comes before `memories/`, so that a
  // displaced text is stored before another one replaces it. Removals come last.
  return steps.sort((a, b) => rank(a) - rank(b));
}

/** The file in `memories/` that is removed while a text of its memory is added to quarantine. */
function livingOf(path: string, going: ReadonlyMap<string, string>): SyncStep['from'] {
  const what = sharedAt(path);
  if (what?.kind !== 'memory' || what.place !== 'quarantine') return undefined;
  const living = pathOfMemory('memories', what.id);
  const before = going.get(living);
  return before === undefined ? undefined : { path: living, before };
}
