import { idOfStem, type MemoryId, parseId } from '../memory/ids.ts';

/** A file of the store that machines share, by its place in the repository. */
export type Shared =
  | { readonly kind: 'memory'; readonly place: 'memories' | 'quarantine'; readonly stem: string; readonly id: MemoryId }
  | { readonly kind: 'ledger'; readonly fingerprint: string };

/** The folders whose files are shared; everything else in a repository is somebody else's. */
export const SHARED_FOLDERS = ['memories', 'quarantine', 'ledger'] as const;

/** What a repository's path means to the store; undefined for everything that is not shared, whatever it looks like. */
export function sharedAt(path: string): Shared | undefined {
  const [, place, stem] = /^(memories|quarantine)\/([a-z0-9_~]{1,140})\.md$/.exec(path) ?? [];
  if (place === 'memories' || place === 'quarantine') {
    const id = place === 'memories' ? parseId(stem ?? '') : idOfStem(stem ?? '');
    return id && { kind: 'memory', place, stem: stem ?? '', id };
  }
  const fingerprint = /^ledger\/([0-9a-f]{64})\.jsonl$/.exec(path)?.[1];
  return fingerprint === undefined ? undefined : { kind: 'ledger', fingerprint };
}

export function pathOfMemory(place: 'memories' | 'quarantine', stem: string): string {
  return `${place}/${stem}.md`;
}

const LONGEST_NAME = 200;
// Names that git, or a file system that folds case or spelling, takes for something else than they seem.
const TROUBLE = /[\p{C}\\:*?"<>|\uFFFD]|^[. ]*$|^-|[. ]$|~[0-9]/u;

/** What Windows takes for a device, whatever follows a dot. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9])(?:\.|$)/;

/**
 * Whether a name in a repository, other than a shared one, can be carried along: it must mean the same on every system
 * and must not be one that git or this store gives a meaning to. Nothing of it is ever written into the store's folder.
 */
export function isHarmlessName(name: string): boolean {
  if (name.length > LONGEST_NAME || TROUBLE.test(name) || name !== name.normalize('NFC')) return false;
  const folded = name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase();
  if (DEVICE.test(folded)) return false;
  if (folded.startsWith('.git')) return ['.gitignore', '.gitkeep', '.github', '.gitlab-ci.yml'].includes(name);
  return ![...SHARED_FOLDERS, 'archive', '.surety'].some((own) => own === folded);
}
