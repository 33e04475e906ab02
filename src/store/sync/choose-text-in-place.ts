import type { MemoryId } from '../../core/memory/ids.ts';
import { pathOfMemory } from '../../core/sync/shared-paths.ts';
import { textInPlace } from '../../core/sync/text-in-place.ts';
import type { DisplacedPair } from './changed-back.ts';
import { claimOf, textKey, unparkedFile } from './merge-file.ts';
import { type Files, stemFor } from './merge-set.ts';

/** The receipts of a memory, and what this machine changed back before. */
interface PlaceFacts {
  readonly isVouched: (digest: string) => boolean;
  readonly wasChangedBack: (pair: DisplacedPair) => boolean;
  /** Whether the memory was quarantined, and no such decision is in force here. */
  readonly isLifted: () => boolean;
  /** Whether a check of this machine blocks a text. */
  readonly isBlocked: (file: Buffer) => boolean;
}

export interface ChosenText {
  readonly files: Files;
  /**
   * Texts that did not get the place in `memories/`, as they lie in quarantine; without a path if quarantine had the
   * text already.
   */
  readonly parked: readonly { readonly path: string | undefined; readonly file: Buffer }[];
  /** The text in `memories/`: this machine's, the other side's, or a displaced one that was put back. */
  readonly inPlace: 'ours' | 'theirs' | 'put-back';
  readonly changedBack: DisplacedPair | undefined;
}

/**
 * The merged files of a memory, with a text back in `memories/` if none is left there, one came into quarantine, and the
 * memory's quarantine is lifted here: the text that was in place here, or else one with a receipt that counts. The other
 * machine moved the file because the lifting does not count there, and the next scan here would record that as a decision.
 */
export function backInPlace(id: MemoryId, merged: Files, ours: Files, known: PlaceFacts): Files {
  const home = pathOfMemory('memories', id);
  if (merged.has(home) || !known.isLifted()) return merged;
  const before = new Set([...ours].filter(([path]) => path !== home).map(([, file]) => textKey(id, file)));
  const texts = [...merged].map(([path, file]) => ({ path, file, digest: textKey(id, file) }));
  const vouched = texts.find(({ digest }) => known.isVouched(digest));
  const mine = texts.some(({ digest }) => !before.has(digest)) ? ours.get(home) : undefined;
  const back = mine ?? (vouched && unparkedFile(vouched.file));
  if (back === undefined || known.isBlocked(back)) return merged;
  const digest = textKey(id, back);
  const others = texts.filter((each) => each.digest !== digest);
  return new Map([[home, back], ...others.map(({ path, file }) => [path, file] as const)]);
}

/**
 * Decides which text of a memory lies in `memories/` after its files were merged. A text with a receipt that counts
 * displaces a text without one, even if another machine had parked it. Each pair of texts is changed back only once.
 */
export function chooseTextInPlace(
  id: MemoryId,
  merged: Files,
  conflict: Buffer | undefined,
  ours: Files,
  known: PlaceFacts,
  park: (file: Buffer) => Buffer,
): ChosenText {
  const home = pathOfMemory('memories', id);
  const living = merged.get(home);
  const asMerged: ChosenText = { files: merged, parked: [], inPlace: 'ours', changedBack: undefined };
  if (living === undefined || (conflict === undefined && merged.size === 1)) return asMerged;
  const text = (file: Buffer, path?: string) => ({ digest: textKey(id, file), file, path });
  const inUse = text(living);
  const quarantined = [...merged].filter(([path]) => path !== home).map(([path, file]) => text(file, path));
  const rivals = [...(conflict === undefined ? [] : [text(conflict)]), ...quarantined];
  const chosen = textInPlace([inUse, ...rivals], known.isVouched);
  // The next scan moves a file that says `quarantined` into quarantine, and the memory would then have no text in
  // `memories/`.
  const stands = claimOf(id, living) !== 'quarantined';

  const files = new Map(merged);
  const parked: { path: string | undefined; file: Buffer }[] = [];
  const putAside = (file: Buffer) => {
    const stem = stemFor(id, file, files);
    const path = stem === undefined ? undefined : pathOfMemory('quarantine', stem);
    const marked = park(file);
    if (path !== undefined) files.set(path, marked);
    parked.push({ path, file: marked });
  };
  if (chosen.digest === inUse.digest) {
    if (conflict !== undefined) putAside(conflict);
    return { ...asMerged, files, parked };
  }
  if (chosen.path === undefined) {
    files.set(home, chosen.file);
    putAside(living);
    return { files, parked, inPlace: 'theirs', changedBack: undefined };
  }
  const pair: DisplacedPair = { id, kept: chosen.digest, other: inUse.digest };
  const mine = ours.get(home);
  const back = mine !== undefined && textKey(id, mine) === chosen.digest ? mine : unparkedFile(chosen.file);
  if (back === undefined || (stands && known.wasChangedBack(pair))) {
    if (conflict !== undefined) putAside(conflict);
    return { ...asMerged, files, parked };
  }
  files.set(home, back);
  for (const each of quarantined) if (each.digest === chosen.digest && each.path !== undefined) files.delete(each.path);
  for (const file of [living, ...(conflict === undefined ? [] : [conflict])]) putAside(file);
  return { files, parked, inPlace: 'put-back', changedBack: pair };
}
