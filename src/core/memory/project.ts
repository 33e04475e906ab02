import { holdsToken, maskSecrets } from '../secrets/detect.ts';
import { MASK } from '../secrets/mask.ts';
import { sanitize } from '../text/safe-text.ts';
import { TOKEN_LIKE } from './ids.ts';
import { LIMITS } from './limits.ts';
import { type Memory, sha256 } from './memory.ts';

/** The project of a memory as projects are compared: files may hold other spellings, and their text is never changed. */
export function projectIn({ project }: Pick<Memory, 'project'>): string | null {
  return project === null ? null : projectSlug(sanitize(project, 'line').toString());
}

/** A project as it is stored and compared: `owner/name` in lower case, from that, from an address, or from a single name. */
export function projectSlug(given: string): string {
  const parts = partsOf(given);
  return parts.length < 2 ? nameSlug(given.replaceAll(/[/:]+/g, '')) : fitting(parts.slice(-2).map(slug).join('/'));
}

/** The project that a remote's address names; undefined for one without an owner, and where a secret stands in its place. */
export function projectOfRemote(address: string): string | undefined {
  if (partsOf(address).length < 3) return undefined;
  const project = projectSlug(address);
  return holdsSecret(address, project) ? undefined : project;
}

/** The project that a folder's name makes. A file system may give the name decomposed; what somebody types is composed. */
export function nameSlug(name: string): string {
  return fitting(slug(name.normalize('NFC')));
}

/** The project of a repository by the name of its folder. */
export function projectOfFolder(name: string): string {
  const project = nameSlug(name);
  return holdsSecret(name, project) ? nameSlug(maskSecrets(name).split(MASK).join('hidden')) : project;
}

/** At most 1,000 characters of an address are searched for a secret, because it can be 100 KB and its end names the project. */
const MOST_SEARCHED = 1_000;

/** A project is shown and stored in lower case, in which many formats are not known any more. */
function holdsSecret(given: string, project: string): boolean {
  if (!TOKEN_LIKE.test(project)) return false;
  const end = given.slice(-MOST_SEARCHED).replace(/^.*(?=\/[^/]+\/[^/]+$)/s, '');
  return maskSecrets(end) !== end || holdsToken(project);
}

/** Without the ending `.git`. No pattern looks for it, because an address can be 100 KB of dots and slashes. */
function partsOf(address: string): string[] {
  const parts = address
    .toLowerCase()
    .split(/[/:]+/)
    .filter((part) => part !== '');
  let name = parts.pop() ?? '';
  while (name.endsWith('.git')) name = name.slice(0, -'.git'.length);
  return name === '' ? parts : [...parts, name];
}

function slug(text: string): string {
  const lower = text.toLowerCase();
  const plain = lower.replace(/[^a-z0-9._-]+/g, '-');
  // Two names that differ in other letters and signs alone, as `c#` and `c++`, stay two by their hashes.
  if (/^[a-z0-9._\s-]*$/.test(lower)) return plain;
  return `${/[a-z0-9]/.test(plain) ? plain : 'x'}-${shortHash(lower)}`;
}

/** A longer one ends in a hash of the whole, so that two that begin alike stay two. */
function fitting(name: string): string {
  const { max } = LIMITS.project;
  return name.length <= max ? name : `${name.slice(0, max - HASH - 1)}-${shortHash(name)}`;
}

const HASH = 12;

function shortHash(text: string): string {
  return sha256(text).slice(0, HASH);
}
