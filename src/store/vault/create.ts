import type { By } from '../../core/ledger/entry.ts';
import type { MemoryId } from '../../core/memory/ids.ts';
import type { Assertion } from '../../core/passkeys/assertion.ts';
import { Refusal } from '../../core/refusal.ts';
import { UserConsent } from '../../core/trust/consent.ts';
import type { Transition, Verb } from '../../core/trust/tiers.ts';
import type { Disk } from '../disk/disk.ts';
import { diskTrouble, NotDurable } from '../disk/disk-errors.ts';
import { authorize } from './authorize.ts';
import type { Inside } from './inside-of-vault.ts';
import { byOf, type Judged, recordAll, type Writer } from './ledger-entries.ts';
import type { FilePlace, Loaded } from './loaded-memory.ts';
import type { MadeFile } from './new-memory.ts';

/** A new file and the id that it will have. */
export interface NewFile extends MadeFile {
  readonly id: MemoryId;
  readonly replaces: string | null;
}

/** A new file that passed every check and can be written. */
export interface AuthorizedFile {
  readonly newFile: NewFile;
  readonly row: Transition;
  readonly by: By;
  readonly settled: readonly string[];
  /** What the person's passkey signed. */
  readonly assertion: Assertion | undefined;
  readonly path: string;
}

const home = ({ id }: NewFile): FilePlace => ({ place: 'memories', stem: id });

/**
 * Judges a new file by the trust table: verified with a person's yes for exactly this text, else inferred. The caller
 * holds the lock.
 */
export function authorizeNew(inside: Inside, verb: Verb, newFile: NewFile, by: Writer | UserConsent): AuthorizedFile {
  const { files, vouched, settings } = inside;
  const { id, bytes, digest, inspection, subject } = newFile;
  if (files.isTaken(id)) throw new Refusal('id-taken', `${id} is in use, or was once; choose another name.`);
  const change = { verb, from: null, id, digest, standing: 'new', inspection, subject } as const;
  const { row } = authorize(change, by, settings().minimumAssurance, () => undefined);
  const consent = UserConsent.isGenuine(by) ? by : undefined;
  if (consent) vouched.keep(digest, bytes);
  const { shown, assertion } = consent ?? {};
  return { newFile, row, by: byOf(by), settled: shown?.settles ?? [], assertion, path: files.writable(home(newFile)) };
}

/** Writes one new file and its receipt, or neither. The caller holds the lock. */
export function writeNew(inside: Inside, authorized: AuthorizedFile): Loaded {
  writeAll(inside, [authorized]);
  const loaded = asWritten(inside, authorized);
  inside.files.index([loaded]);
  return loaded;
}

/**
 * Writes new files and their receipts, all or none. Every file is durable before any receipt is written. Folder and
 * ledger are flushed once for all. The caller holds the lock.
 */
export function writeAll(inside: Inside, all: readonly AuthorizedFile[]): void {
  const { disk } = inside;
  const begun: AuthorizedFile[] = [];
  try {
    disk.together(() => {
      for (const each of all) {
        begun.push(each);
        disk.create(each.path, each.newFile.bytes);
      }
    });
    recordAll(inside, all.map(receiptOf));
  } catch (error) {
    // The caller gets an error, so the files must not stay.
    const left = begun.flatMap((each) => takenBack(disk, each) ?? []);
    throw left[0] ?? error;
  }
}

/** The new memory, read from its file. */
export function asWritten({ files }: Inside, { newFile }: AuthorizedFile): Loaded {
  // A proposal that passes the checks unblocked also passes them as a file.
  return files.written(home(newFile), { ...newFile, subject: { ...newFile.subject, origin: 'found' } });
}

function receiptOf({ row, newFile, settled, assertion, by }: AuthorizedFile): Judged {
  return { row, about: { ...newFile, settled, assertion }, by, reason: null };
}

/** Removes the file again. Returns undefined, or why the file is still there. */
function takenBack(disk: Disk, { path, newFile: { id, bytes } }: AuthorizedFile): unknown {
  const there = disk.read(path, bytes.length);
  // A file of this name with other content is not ours, and stays.
  if (there.kind !== 'file' || !there.bytes.equals(bytes)) return undefined;
  try {
    disk.remove(path);
    return undefined;
  } catch (error) {
    // The file is removed. Only a power cut could bring it back, and then no receipt vouches for it.
    if (error instanceof NotDurable) return undefined;
    const why = diskTrouble(error);
    if (why === undefined) return error;
    return new Refusal(
      'unfinished',
      `${id} was written, could not be recorded, and could not be taken back: ${why}. Read it before it is stored again.`,
    );
  }
}
