import { type MemoryId, quarantineStem } from '../../core/memory/ids.ts';
import { pathOfMemory } from '../../core/sync/shared-paths.ts';
import { mergeFiles, textKey } from './merge-file.ts';

/** All files of one memory on one side, by path: at most one in `memories/`, and any number in quarantine. */
export type Files = ReadonlyMap<string, Buffer>;

interface MergedSet {
  readonly files: ReadonlyMap<string, Buffer>;
  /** The other side's text, where both sides changed the same words. It goes into quarantine. */
  readonly conflict: Buffer | undefined;
}

/**
 * Merges the files of one memory that both sides changed. The two files in `memories/` merge into one. The files in
 * quarantine are a set of texts: two texts with one name are both kept.
 */
export function mergeSets(id: MemoryId, base: Files, ours: Files, theirs: Files): MergedSet {
  const home = pathOfMemory('memories', id);
  const [b, o, t] = [new Side(id, base), new Side(id, ours), new Side(id, theirs)];
  const living = mergeLiving(b.living, o.living, t.living);
  const quarantined = mergeQuarantined(b, o, t);

  // One side put the text into quarantine, and the other side did not rewrite it: the lower standing wins. The text
  // must then not stay in `memories/` as well.
  const kept = living.file;
  const gone = b.living !== undefined && (o.living === undefined || t.living === undefined);
  const putAway = gone && kept !== undefined && quarantined.some(({ file }) => textKey(id, file) === textKey(id, kept));

  const files = new Map<string, Buffer>();
  if (kept !== undefined && !putAway) files.set(home, kept);
  const has = new Set([...files.values(), ...quarantined.map(({ file }) => file)].map((file) => textKey(id, file)));
  // Texts that were merged into one file, or that go into quarantine as the conflict, need no further place.
  for (const file of [living.conflict, ...living.mixed]) if (file !== undefined) has.add(textKey(id, file));
  // A text is dropped only if one side had it and removed it. A text that both sides moved could otherwise get lost.
  for (const [mine, other] of [[o, t] as const, [t, o] as const]) {
    for (const [key, file] of mine.texts) {
      if (has.has(key) || (b.texts.has(key) && !other.texts.has(key))) continue;
      has.add(key);
      quarantined.push({ stem: undefined, file });
    }
  }
  const placed = new Set<string>();
  for (const { stem, file } of quarantined) {
    const own = stem !== undefined && !placed.has(stem) ? stem : quarantineStem(id, (taken) => placed.has(taken));
    placed.add(own);
    files.set(pathOfMemory('quarantine', own), file);
  }
  return { files, conflict: living.conflict };
}

/** A free name in quarantine for a text of a memory; undefined if quarantine has that text already. */
export function stemFor(id: MemoryId, file: Buffer, files: Files): string | undefined {
  const { quarantined } = new Side(id, files);
  if (quarantined.has(textKey(id, file))) return undefined;
  return quarantineStem(id, (stem) => files.has(pathOfMemory('quarantine', stem)));
}

class Side {
  readonly living: Buffer | undefined;
  /** The files in quarantine, by text. */
  readonly quarantined = new Map<string, { readonly stem: string; readonly file: Buffer }>();
  /** Every text, in `memories/` and in quarantine. */
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
      // A second file with the same text is kept too, because somebody put it there.
      this.quarantined.set(this.quarantined.has(key) ? `${key} ${stem}` : key, { stem, file });
    }
  }
}

type File = Buffer | undefined;

interface Living {
  readonly file: File;
  readonly conflict: File;
  /** Both versions, if the file was merged from them. */
  readonly mixed: readonly File[];
}

function mergeLiving(base: File, ours: File, theirs: File): Living {
  const one = (file: File, ...mixed: File[]) => ({ file, conflict: undefined, mixed });
  if (isSame(ours, theirs) || isSame(theirs, base)) return one(ours);
  if (isSame(ours, base)) return one(theirs);
  // One side removed it and the other rewrote it: the rewritten file stays.
  if (ours === undefined || theirs === undefined) return one(ours ?? theirs);
  const merged = mergeFiles(base, ours, theirs);
  return merged === undefined ? { file: ours, conflict: theirs, mixed: [] } : one(merged, ours, theirs);
}

function mergeQuarantined(
  base: Side,
  ours: Side,
  theirs: Side,
): { readonly stem: string | undefined; readonly file: Buffer }[] {
  const merged: { stem: string | undefined; file: Buffer }[] = [];
  const added: typeof merged = [];
  for (const key of new Set([...ours.quarantined.keys(), ...theirs.quarantined.keys()])) {
    const [b, o, t] = [base.quarantined.get(key), ours.quarantined.get(key), theirs.quarantined.get(key)];
    if (o !== undefined && t !== undefined) {
      const one = mergeFiles(b?.file, o.file, t.file);
      merged.push({ stem: o.stem, file: one ?? o.file });
      // Both files have one text, and frontmatter that cannot be merged: both stay.
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
