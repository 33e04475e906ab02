/**
 * The folder that this process was started in; the root of the disk where that folder is gone, as after `git worktree remove`.
 * Then there is no project, and nothing else depends on it. `process.cwd()` alone would fail there.
 */
export function workingFolder(): string {
  try {
    return process.cwd();
  } catch {
    return '/';
  }
}
