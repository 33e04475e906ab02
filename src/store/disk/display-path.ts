import { truncate, visible } from '../../core/text/safe-text.ts';

/** Removes whatever a terminal or a model could act on, because a path can come from a repository's settings. */
export function shownPath(path: string): string {
  return `"${truncate(visible(path, 'line'), 200)}"`;
}
