import { quarantineStem } from '../../core/memory/ids.ts';
import { insideOf } from '../vault/inside-of-vault.ts';
import type { Missing, Vault } from '../vault/vault.ts';

/** As many files are put back under one lock: others want to write too. */
const AT_ONCE = 64;

/**
 * Puts missing memories back, each with exactly the text the ledgers name: the copy this machine has kept, else one of
 * `others`, such as git's. That raises nothing, so one yes to the whole list is enough. Says which are back.
 */
export async function putBackMissing(
  vault: Vault,
  ids: readonly Missing['id'][],
  others: ReadonlyMap<string, Buffer> = new Map(),
): Promise<string[]> {
  const { missing, disk, files, places } = insideOf(vault);
  if (!disk.exists(places.memories)) disk.makeFolder(places.memories);
  const back: string[] = [];
  const putBack = (id: Missing['id']) => {
    const gone = missing.one(id);
    if (gone === undefined) return;
    const other = others.get(id);
    const bytes = missing.keptText(gone) ?? (other && missing.isText(id, gone.digest, other) ? other : undefined);
    if (bytes === undefined) return;
    const path = files.writable({ place: 'memories', stem: id });
    if (gone.damaged) {
      // What lies there is kept beside it: nobody has read it, and somebody may want to.
      const stem = quarantineStem(id, (taken) => disk.exists(files.path({ place: 'quarantine', stem: taken })));
      const damaged = disk.read(path, 1 << 20);
      if (damaged.kind === 'file' && damaged.bytes.length > 0)
        disk.create(files.writable({ place: 'quarantine', stem }), damaged.bytes);
      disk.replace(path, bytes);
    } else disk.create(path, bytes);
    files.indexed({ place: 'memories', stem: id });
    back.push(id);
  };
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const some = ids.slice(from, from + AT_ONCE);
    await vault.exclusively(() => some.forEach(putBack));
  }
  return back;
}
