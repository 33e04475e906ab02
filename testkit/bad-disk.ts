import { execFileSync } from 'node:child_process';

/** What starts another program in a world where its home is on a worse disk. `sh` is handed the program as arguments. */
function inNamespace(script: string): readonly string[] {
  return ['unshare', '-rm', 'sh', '-c', script, 'sh'];
}

/** The home is there and cannot be written. */
export const READ_ONLY = inNamespace(
  'mount --bind "$HOME" "$HOME" && mount -o remount,bind,ro "$HOME" && cd "$HOME" && exec "$@"',
);

/**
 * The home is on a disk without a byte of room; only the cache is elsewhere, since throwing an index away would make some. What the program changed in the store, and what it left half-written
 * anywhere, is listed in the file `$HOME.changes` when it ends.
 */
export const FULL = inNamespace(`
cp -a "$HOME" "$HOME.copy" && mount -t tmpfs -o size=8m,mode=700 tmpfs "$HOME" && cp -a "$HOME.copy/." "$HOME" || exit 99
export XDG_CACHE_HOME="$HOME.copy/.cache"; cd "$HOME"; dd if=/dev/zero of="$HOME/filler" bs=4k 2>/dev/null
"$@"; code=$?
diff -rq -x .surety "$HOME.copy/.surety" "$HOME/.surety" > "$HOME.changes"
find "$HOME" -name '.tmp-*' >> "$HOME.changes"
exit $code`);

/** Without the right of root to read everything; nothing where this is not root. */
export const NO_RIGHTS: readonly string[] =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : [];

const tried = new Map<readonly string[], boolean>();

/** Whether this machine lets us make such worlds; each is tried once. */
export function canWrap(wrap: readonly string[]): boolean {
  const answer = tried.get(wrap) ?? tryToWrap(wrap);
  tried.set(wrap, answer);
  return answer;
}

function tryToWrap(wrap: readonly string[]): boolean {
  if (wrap.length === 0) return true;
  try {
    const env = { PATH: process.env.PATH ?? '', HOME: '/tmp' };
    const [program = '', ...rest] = wrap === FULL ? inNamespace('mount -t tmpfs tmpfs "$HOME" && exec "$@"') : wrap;
    execFileSync(program, [...rest, 'true'], { stdio: 'ignore', env });
    return true;
  } catch {
    return false;
  }
}
