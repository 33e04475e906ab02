import { LIMITS_OF_A_FILE } from '../../core/memory/document.ts';
import type { MemoryId } from '../../core/memory/ids.ts';
import { pathOfMemory, sharedAt } from '../../core/sync/shared-paths.ts';
import type { GitTrees, Tree } from '../git/trees.ts';
import type { Content } from '../git/writer.ts';
import { SWEEP } from '../reconcile/reconcile.ts';
import type { Pair } from './changed-back.ts';
import { parkedFile } from './merge-file.ts';
import { type LedgerFinding, mergeLedgerFiles } from './merge-ledgers.ts';
import { type Files, mergeSets } from './merge-set.ts';
import { type Placed, settlePlace } from './settle-place.ts';
import type { Circumstances, Sides } from './sides.ts';

/** One file of the store's folder that is to become another; only if it still is what was seen. */
export interface Step {
  readonly path: string;
  /** The blob that was seen there; undefined for none. */
  readonly before: string | undefined;
  readonly after: Buffer | undefined;
  /** The file that goes with it, when a memory is put into quarantine: it is moved, so that it never lies in both places. */
  readonly from?: { readonly path: string; readonly before: string };
}

/** A memory with two texts: one has its place, and this is the other, which lies in quarantine. */
export interface Parked extends Pick<Placed, 'inPlace'> {
  readonly id: MemoryId;
  readonly path: string;
  readonly file: Buffer;
  readonly machine: string;
}

export interface Plan {
  /** Every shared file of the merged commit. */
  readonly files: ReadonlyMap<string, Content>;
  readonly steps: readonly Step[];
  readonly parked: readonly Parked[];
  /** Pairs of texts that this merge changes back. */
  readonly changedBack: readonly Pair[];
  /** Memories taken out elsewhere that stay, because too many of them went at once. */
  readonly spared: readonly MemoryId[];
  /** Files over there that are too large to be what they seem; they do not come in. */
  readonly tooLarge: readonly string[];
}

export interface LedgerPlan {
  /** Every shared file as this side has it, with the ledgers as they are merged. */
  readonly files: ReadonlyMap<string, Content>;
  readonly steps: readonly Step[];
  readonly ledgers: readonly LedgerFinding[];
}

type Versions = ReadonlyMap<string, string>;
const NONE: Versions = new Map();

/** The ledgers of three trees as one, which are taken in first: by what they say it is settled which text keeps its place. */
export async function planLedgers(sides: Sides, around: Circumstances): Promise<LedgerPlan> {
  const files = new Map<string, Content>();
  for (const [path, oid] of sides.ours.shared) files.set(path, { mode: '100644', oid });
  const ledgers = await mergeLedgerFiles(sides, around, files);
  return { files, steps: stepsTo(files, sides.ours), ledgers };
}

/** What three trees become, and what that means for the folder. Writes nothing. */
export async function planMerge(sides: Sides, around: Circumstances, ledgers: LedgerPlan): Promise<Plan> {
  const { trees } = around;
  const tooLarge = await largeNews(sides, trees);
  const [base, ours] = [sides.base, sides.ours].map((tree) => byMemory(tree.shared));
  const theirs = byMemory(asIfLeftAlone(sides, tooLarge));
  if (base === undefined || ours === undefined) throw new Error('two sides');
  const ids = new Set([...ours.keys(), ...theirs.keys()]);

  const taken: MemoryId[] = [];
  const mixed: MemoryId[] = [];
  for (const id of ids) {
    const [b, o, t] = [base.get(id) ?? NONE, ours.get(id) ?? NONE, theirs.get(id) ?? NONE];
    if (sameVersions(t, b) || sameVersions(t, o)) continue;
    (sameVersions(o, b) ? taken : mixed).push(id);
  }
  const spared = around.takeDeletions ? [] : sparedOf(taken, ours, theirs);
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
  const changedBack: Pair[] = [];
  const settle = async (id: MemoryId, merged: Files, conflict?: Buffer) => {
    const known = {
      isVouched: (digest: string) => around.isVouched(id, digest),
      wasChangedBack: around.wasChangedBack,
    };
    // Asked of git only where it may be needed.
    const several = merged.size > 1 || conflict !== undefined;
    const machine = several ? await around.writerOf(pathOfMemory('memories', id)) : '';
    const park = (file: Buffer) => parkedFile(file, around.at, `sync conflict with ${machine}`, around.machine);
    const placed = settlePlace(id, merged, conflict, content(ours.get(id) ?? NONE), known, park);
    replace(id, placed.files);
    const { inPlace } = placed;
    for (const { path = '', file } of placed.parked) parked.push({ id, path, file, machine, inPlace });
    if (placed.changedBack !== undefined) changedBack.push(placed.changedBack);
  };
  for (const id of coming) await settle(id, content(theirs.get(id) ?? NONE));
  for (const id of mixed) {
    const [b, o, t] = [base, ours, theirs].map((side) => content(side.get(id) ?? NONE));
    const { files: merged, conflict } = mergeSets(id, b ?? new Map(), o ?? new Map(), t ?? new Map());
    await settle(id, merged, conflict);
  }
  return { files, steps: stepsTo(files, sides.ours), parked, changedBack, spared, tooLarge: [...tooLarge] };
}

/** The files of each memory, by path. */
function byMemory(shared: ReadonlyMap<string, string>): Map<MemoryId, Map<string, string>> {
  const found = new Map<MemoryId, Map<string, string>>();
  for (const [path, oid] of shared) {
    const what = sharedAt(path);
    if (what?.kind !== 'memory') continue;
    const files = found.get(what.id) ?? new Map<string, string>();
    found.set(what.id, files.set(path, oid));
  }
  return found;
}

async function largeNews({ base, ours, theirs }: Sides, trees: GitTrees): Promise<ReadonlySet<string>> {
  const news = [...theirs.shared].filter(
    ([path, oid]) =>
      sharedAt(path)?.kind === 'memory' && ours.shared.get(path) !== oid && base.shared.get(path) !== oid,
  );
  const fitting = await trees.fitting(
    news.map(([, oid]) => oid),
    LIMITS_OF_A_FILE.bytes,
  );
  return new Set(news.filter(([, oid]) => !fitting.has(oid)).map(([path]) => path));
}

/** The other side as if it had left alone what is too large, or has something that is no file in its place. */
function asIfLeftAlone({ base, theirs }: Sides, large: ReadonlySet<string>): ReadonlyMap<string, string> {
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

/** More than a few living memories gone at once is somebody's mistake until a person says otherwise. */
function sparedOf(taken: readonly MemoryId[], ours: ByMemory, theirs: ByMemory): readonly MemoryId[] {
  const lives = (id: MemoryId) => ours.get(id)?.has(pathOfMemory('memories', id)) === true;
  const gone = taken.filter((id) => lives(id) && !isLeft(id, ours.get(id) ?? NONE, theirs.get(id) ?? NONE));
  const living = [...ours.keys()].filter(lives).length;
  return gone.length > SWEEP.files && gone.length > living * SWEEP.share ? gone : [];
}

/** Whether a memory is still in use, or was put into quarantine. A text of it that lay there before is neither. */
function isLeft(id: MemoryId, before: Versions, after: Versions): boolean {
  if (after.has(pathOfMemory('memories', id))) return true;
  return [...after].some(([path, oid]) => before.get(path) !== oid);
}

function sameVersions(a: Versions, b: Versions): boolean {
  return a.size === b.size && [...a].every(([path, oid]) => b.get(path) === oid);
}

function stepsTo(files: ReadonlyMap<string, Content>, ours: Tree): Step[] {
  const steps: Step[] = [];
  const going = new Map([...ours.shared].filter(([path]) => !files.has(path)));
  for (const [path, content] of files) {
    if (!Buffer.isBuffer(content)) continue;
    const before = ours.shared.get(path);
    const from = before === undefined ? livingOf(path, going) : undefined;
    if (from !== undefined) going.delete(from.path);
    steps.push({ path, before, after: content, ...(from && { from }) });
  }
  for (const [path, before] of going) steps.push({ path, before, after: undefined });
  const rank = ({ path, after }: Step) =>
    path.startsWith('ledger/') ? 0 : after === undefined ? 3 : path.startsWith('quarantine/') ? 1 : 2;
  // Ledgers first: what they lower counts as soon as they are there. What goes, last, and a text that gives way to another
  // comes into quarantine before: nothing is gone before it came.
  return steps.sort((a, b) => rank(a) - rank(b));
}

/** The living file of a memory that goes while one of its texts comes into quarantine. */
function livingOf(path: string, going: ReadonlyMap<string, string>): Step['from'] {
  const what = sharedAt(path);
  if (what?.kind !== 'memory' || what.place !== 'quarantine') return undefined;
  const living = pathOfMemory('memories', what.id);
  const before = going.get(living);
  return before === undefined ? undefined : { path: living, before };
}
