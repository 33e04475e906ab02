import { type MemoryId, quarantineStem } from '../../core/memory/ids.ts';
import { pathOfMemory } from '../../core/sync/shared-paths.ts';
import { mergeFiles, textKey } from './merge-file.ts';

/** All files of one memory on one side, by path: at most one that lives, and any number in quarantine. */
export type Files = ReadonlyMap<string, Buffer>;

export interface MergedSet {
  readonly files: ReadonlyMap<string, Buffer>;
  /** What the other side says where both wrote something else; it goes into quarantine beside ours. */
  readonly conflict: Buffer | undefined;
}

/**
 * Merges the files of one memory where both sides changed something of it. The file in `memories/` merges with the other
 * one there; those in quarantine are a set of texts, of which none is lost because two of them got the same name.
 */
export function mergeSets(id: MemoryId, base: Files, ours: Files, theirs: Files): MergedSet {
  const home = pathOfMemory('memories', id);
  const [b, o, t] = [base, ours, theirs].map((side) => new Side(id, side));
  if (b === undefined || o === undefined || t === undefined) throw new Error('three sides');
  const living = mergeLiving(b.living, o.living, t.living);
  const shelf = mergeShelves(b, o, t);

  // One side put away what the other side did not rewrite: the lower standing wins, and the text is there once.
  const kept = living.file;
  const gone = b.living !== undefined && (o.living === undefined || t.living === undefined);
  const putAway = gone && kept !== undefined && shelf.some(({ file }) => textKey(id, file) === textKey(id, kept));

  const files = new Map<string, Buffer>();
  if (kept !== undefined && !putAway) files.set(home, kept);
  const has = new Set([...files.values(), ...shelf.map(({ file }) => file)].map((file) => textKey(id, file)));
  // What was mixed into one file, or is parked beside it, has its place.
  for (const file of [living.conflict, ...living.mixed]) if (file !== undefined) has.add(textKey(id, file));
  // A text is gone only where one side took it out knowing it; moved about on both sides it could fall between them.
  for (const [mine, other] of [[o, t] as const, [t, o] as const]) {
    for (const [key, file] of mine.texts) {
      if (has.has(key) || (b.texts.has(key) && !other.texts.has(key))) continue;
      has.add(key);
      shelf.push({ stem: undefined, file });
    }
  }
  const placed = new Set<string>();
  for (const { stem, file } of shelf) {
    const own = stem !== undefined && !placed.has(stem) ? stem : quarantineStem(id, (taken) => placed.has(taken));
    placed.add(own);
    files.set(pathOfMemory('quarantine', own), file);
  }
  return { files, conflict: living.conflict };
}

/** A name in quarantine for one more text of a memory; undefined where that text is there already. */
export function stemFor(id: MemoryId, file: Buffer, files: Files): string | undefined {
  const { shelf } = new Side(id, files);
  if (shelf.has(textKey(id, file))) return undefined;
  return quarantineStem(id, (stem) => files.has(pathOfMemory('quarantine', stem)));
}

class Side {
  readonly living: Buffer | undefined;
  /** What lies in quarantine, by its text. */
  readonly shelf = new Map<string, { readonly stem: string; readonly file: Buffer }>();
  /** Every text there is, wherever it lies. */
  readonly texts = new Map<string, Buffer>();

  constructor(id: MemoryId, files: Files) {
    for (const [path, file] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const key = textKey(id, file);
      this.texts.set(key, file);
      if (path.startsWith('memories/')) {
        this.living = file;
        continue;
      }
      const stem = path.slice('quarantine/'.length, -'.md'.length);
      // The same text twice: the second keeps a place of its own, since somebody put it there.
      this.shelf.set(this.shelf.has(key) ? `${key} ${stem}` : key, { stem, file });
    }
  }
}

type File = Buffer | undefined;

interface Living {
  readonly file: File;
  readonly conflict: File;
  /** Both versions, where the file is a mixture of them. */
  readonly mixed: readonly File[];
}

function mergeLiving(base: File, ours: File, theirs: File): Living {
  const one = (file: File, ...mixed: File[]) => ({ file, conflict: undefined, mixed });
  if (isSame(ours, theirs) || isSame(theirs, base)) return one(ours);
  if (isSame(ours, base)) return one(theirs);
  // Taken out on one side and rewritten on the other: what was written stays.
  if (ours === undefined || theirs === undefined) return one(ours ?? theirs);
  const merged = mergeFiles(base, ours, theirs);
  return merged === undefined ? { file: ours, conflict: theirs, mixed: [] } : one(merged, ours, theirs);
}

function mergeShelves(
  base: Side,
  ours: Side,
  theirs: Side,
): { readonly stem: string | undefined; readonly file: Buffer }[] {
  const merged: { stem: string | undefined; file: Buffer }[] = [];
  const added: typeof merged = [];
  for (const key of new Set([...ours.shelf.keys(), ...theirs.shelf.keys()])) {
    const [b, o, t] = [base.shelf.get(key), ours.shelf.get(key), theirs.shelf.get(key)];
    if (o !== undefined && t !== undefined) {
      const one = mergeFiles(b?.file, o.file, t.file);
      merged.push({ stem: o.stem, file: one ?? o.file });
      // One text with different remarks around it: both stay.
      if (one === undefined) added.push({ stem: undefined, file: t.file });
    }
    if (t === undefined && o !== undefined && (b === undefined || !o.file.equals(b.file))) merged.push(o);
    if (o === undefined && t !== undefined && (b === undefined || !t.file.equals(b.file))) added.push(t);
  }
  return [...merged, ...added];
}

function isSame(a: File, b: File): boolean {
  return a === b || (a !== undefined && b !== undefined && a.equals(b));
}
