import { join } from 'node:path';
import { refuseBlocked } from '../../core/checks/enforce.ts';
import { quarantineStem } from '../../core/memory/ids.ts';
import { Refusal } from '../../core/refusal.ts';
import { pathOfMemory } from '../../core/sync/shared-paths.ts';
import { timestamp } from '../../core/trust/clocks.ts';
import { attempt } from '../disk/disk-errors.ts';
import { insideOf } from '../vault/inside-of-vault.ts';
import { recordDraft } from '../vault/ledger-entries.ts';
import type { FilePlace, Loaded } from '../vault/loaded-memory.ts';
import type { Vault } from '../vault/vault.ts';
import { ChangedBack } from './changed-back.ts';
import { parkedFile, unparkedFile } from './merge-file.ts';

const REASON = 'sync conflict; a person put the verified text back';

/**
 * Puts a displaced text back in `memories/`, and the text there into quarantine. It raises nothing, because the
 * recorded receipt is for exactly this text. The order of the writes keeps each text in at least one place, and a file
 * in `memories/`, after a kill at any moment.
 */
export function putInPlace(vault: Vault, seen: Loaded): Promise<Loaded> {
  return vault.exclusively(() => {
    const inside = insideOf(vault);
    const { disk, files, places, key, index, ledgers, complain } = inside;
    const now = files.unchanged(seen);
    const home: FilePlace = { place: 'memories', stem: now.id };
    const other = files.load(home);
    if (!vault.isDisplaced(now) || other === undefined) {
      throw new Refusal('not-allowed', `${now.id} is not displaced any more. Nothing was changed.`);
    }
    refuseBlocked(now.inspection);
    const back = unparkedFile(now.bytes);
    if (back === undefined) {
      throw new Refusal('unreadable-file', `The file of ${now.id} cannot be marked; correct its frontmatter by hand.`);
    }
    let aside: FilePlace | undefined;
    const free = quarantineStem(now.id, (stem) => {
      const there = files.load({ place: 'quarantine', stem });
      if (there !== undefined && there.digest === other.digest) aside ??= { place: 'quarantine', stem };
      return disk.exists(join(places.root, pathOfMemory('quarantine', stem)));
    });
    // Later syncs must not undo this by themselves, because the person has seen both texts.
    new ChangedBack(vault).add([{ id: now.id, kept: other.digest ?? '', other: now.digest ?? '' }]);
    if (aside === undefined) {
      aside = { place: 'quarantine', stem: free };
      disk.create(files.writable(aside), parkedFile(other.bytes, timestamp(inside.now()), REASON, key.machine));
    }
    disk.replace(files.writable(home), back);
    disk.remove(files.writable(now));
    attempt(complain, 'the index could not be updated', () => index.drop(now.place, now.stem));
    const { id, digest, saying } = files.indexed(aside);
    // The file holds the reason too, so a ledger in trouble need not stop a text from being put back.
    attempt(complain, 'the text that gave way could not be written down', () => {
      ledgers.append([recordDraft(inside, 'parked', { id, digest, saying }, { reason: REASON })]);
    });
    return files.indexed(home);
  });
}
