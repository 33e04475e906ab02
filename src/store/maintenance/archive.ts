import { join } from 'node:path';
import { REASONS, standingKey } from '../../core/ledger/standing.ts';
import { quarantineStem } from '../../core/memory/ids.ts';
import { Refusal } from '../../core/refusal.ts';
import { refuseLookalike, type UserConsent } from '../../core/trust/consent.ts';
import { attempt, diskTrouble } from '../disk/disk-errors.ts';
import { insideOf } from '../vault/inside-of-vault.ts';
import { byOf, recordDraft } from '../vault/ledger-entries.ts';
import type { Loaded } from '../vault/loaded-memory.ts';
import type { Vault } from '../vault/vault.ts';

/**
 * Moves a quarantined file into the archive, below its month of quarantine (`YYYY-MM`). Nothing reads the archive, so a
 * ledger must first record this text as quarantined: then the memory and equal texts stay quarantined. After a kill in
 * between, the file is still in quarantine.
 */
export function archive(vault: Vault, seen: Loaded, month: string, consent: UserConsent): Promise<string> {
  return vault.exclusively(() => {
    const { ledgers, files } = insideOf(vault);
    const file = files.unchanged(seen);
    if (file.place !== 'quarantine' || file.standing.tier !== 'quarantined') {
      throw new Refusal('not-allowed', `${file.id} is not in quarantine; only what is there can be archived.`);
    }
    refuseLookalike(consent);
    const folder = monthFolder(vault, month);
    if (!isOnRecord(vault, file)) putOnRecord(vault, file);
    consent.spend({ verb: 'archive', id: file.id, digest: file.digest, standing: standingKey(file.standing) });

    const draft = recordDraft(
      insideOf(vault),
      'archived',
      { id: file.id, digest: null, saying: null },
      { by: byOf(consent) },
    );
    ledgers.append([draft]);
    try {
      return moveTo(vault, folder, file);
    } catch (error) {
      throw unmoved(file, error);
    }
  });
}

/**
 * Archives a file beside a verified memory with its id and an equal text, such as git leaves behind. The text is in
 * use, so nothing is decided and nothing recorded.
 */
export function archiveCopy(vault: Vault, copy: Loaded, month: string): Promise<string> {
  return vault.exclusively(() => {
    const { files } = insideOf(vault);
    const file = files.unchanged(copy);
    if (file.place !== 'quarantine' || !files.isCopy(file)) {
      throw new Refusal('not-allowed', `There is no verified memory that says what this file of ${file.id} says.`);
    }
    return moveTo(vault, monthFolder(vault, month), file);
  });
}

function moveTo(vault: Vault, folder: string, file: Loaded): string {
  const { disk, index, complain, files } = insideOf(vault);
  const stem = quarantineStem(file.id, (taken) => disk.exists(join(folder, `${taken}.md`)));
  const home = join(folder, `${stem}.md`);
  disk.move(files.path(file), home);
  attempt(complain, 'the index could not be updated', () => index.drop(file.place, file.stem));
  return home;
}

/** The decision is already recorded, so the error must not say that nothing was changed. */
function unmoved({ id }: Loaded, error: unknown): unknown {
  const why = diskTrouble(error);
  if (why === undefined) return error;
  const sentence = `It is on record that ${id} was archived, but ${why}: its file may still lie in quarantine.`;
  return new Refusal('unfinished', `${sentence} Make room or check the store’s permissions, then archive it again.`);
}

function monthFolder(vault: Vault, month: string): string {
  const { disk, places } = insideOf(vault);
  const folder = join(places.archive, month);
  for (const each of [places.archive, folder]) {
    if (!disk.exists(each)) disk.makeFolder(each);
    if (disk.isFolder(each)) continue;
    throw new Refusal(
      'root-unusable',
      'The store’s archive folder, or a month in it, is a link or a file; nothing was changed.',
    );
  }
  return folder;
}

/**
 * Whether a decision in force is about this text. A text that was unreadable or held a secret has no digest on record.
 */
function isOnRecord({ evidence }: Vault, { id, digest, standing }: Loaded): boolean {
  if (standing.reason !== 'decided') return false;
  return evidence.of(id).some((s) => s.to === 'quarantined' && (s.digest === digest || s.digest === null));
}

/** Refuses a file that no yes could archive; asked before anybody is. */
export function refuseBesideMemory(vault: Vault, file: Loaded): void {
  const { disk, files } = insideOf(vault);
  if (isOnRecord(vault, file) || !disk.exists(files.path({ place: 'memories', stem: file.id }))) return;
  const why = `A memory with the id ${file.id} is in use, and a decision on one would count for both.`;
  const todo = `Compare the two, and remove quarantine/${file.stem}.md if you do not need it.`;
  throw new Refusal('id-taken', `${why} ${todo}`);
}

function putOnRecord(vault: Vault, file: Loaded): void {
  refuseBesideMemory(vault, file);
  if (!vault.quarantine(file, REASONS[file.standing.reason]).recorded) {
    throw new Refusal('ledger-trouble', `${file.id} stays in quarantine: the ledger cannot record it now.`);
  }
}
