import { nameOfSegment, segmentNamed } from '../ledger/segments.ts';
import { idOfStem, type MemoryId, parseId } from '../memory/ids.ts';

/** A file of the store that machines share, by its path in the repository. */
type Shared =
  | { readonly kind: 'memory'; readonly place: 'memories' | 'quarantine'; readonly stem: string; readonly id: MemoryId }
  | { readonly kind: 'ledger'; readonly fingerprint: string; readonly first: number };

/** The folders whose files are shared. Everything else in a repository belongs to somebody else. */
export const SHARED_FOLDERS = ['memories', 'quarantine', 'ledger'] as const;

const LEDGER = 'ledger/';

/** What a repository's path means to the store; undefined for every path that is not shared. */
export function sharedAt(path: string): Shared | undefined {
  const [, place, stem] = /^(memories|quarantine)\/([a-z0-9_~]{1,140})\.md$/.exec(path) ?? [];
  if (place === 'memories' || place === 'quarantine') {
    const id = place === 'memories' ? parseId(stem ?? '') : idOfStem(stem ?? '');
    return id && { kind: 'memory', place, stem: stem ?? '', id };
  }
  const segment = path.startsWith(LEDGER) ? segmentNamed(path.slice(LEDGER.length)) : undefined;
  return segment && { kind: 'ledger', ...segment };
}

/** The memory that a file is of; undefined for every other path. */
export function memoryIdAt(path: string): MemoryId | undefined {
  const what = sharedAt(path);
  return what?.kind === 'memory' ? what.id : undefined;
}

export function pathOfLedger(fingerprint: string, first: number): string {
  return LEDGER + nameOfSegment({ fingerprint, first });
}

export function pathOfMemory(place: 'memories' | 'quarantine', stem: string): string {
  return `${place}/${stem}.md`;
}

const LONGEST_NAME = 200;
// Names that git, or a file system that folds case or spelling, treats as something else.
const TROUBLE = /[\p{C}/\\:*?"<>|\uFFFD]|^[. ]*$|^-|[. ]$|~[0-9]/u;

/** Windows device names, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9])(?:\.|$)/;

/**
 * Whether an unshared name in a repository can be carried along. It must mean one thing on every system, and nothing to git
 * or to this store. It is never written into the store's folder.
 */
export function isHarmlessName(name: string): boolean {
  if (name.length > LONGEST_NAME || TROUBLE.test(name) || name !== name.normalize('NFC')) return false;
  const folded = foldedName(name);
  if (DEVICE.test(folded)) return false;
  if (folded.startsWith('.git')) return ['.gitignore', '.gitkeep', '.github', '.gitlab-ci.yml'].includes(name);
  return ![...SHARED_FOLDERS, 'archive', '.surety'].some((own) => own === folded);
}

/** Files that a store may have beside its own. */
const EXPECTED_BESIDE: readonly string[] = ['MEMORY.md', '.gitkeep'];

/** Whether an unshared file lies beside shared ones and nobody expects it there, as `memories/Trip.md`. */
export function isStray(path: string): boolean {
  const [folder, name = ''] = path.split('/');
  return SHARED_FOLDERS.some((own) => own === folder) && !EXPECTED_BESIDE.includes(name);
}

/**
 * Whether an unshared file beside shared ones can be carried along: no system takes its name for a memory's. Beside
 * ledgers only what is expected, because nothing there is checked for secrets.
 */
export function isHarmlessBeside(folder: string, name: string): boolean {
  if (EXPECTED_BESIDE.includes(name)) return true;
  if (folder !== 'memories' && folder !== 'quarantine') return false;
  return isHarmlessName(name) && sharedAt(`${folder}/${foldedName(name)}`) === undefined;
}

/** A name as a file system sees it that ignores case and spelling. Capitals first: of ß they make two letters. */
function foldedName(name: string): string {
  const plain = name.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  return plain.toUpperCase().toLowerCase();
}
