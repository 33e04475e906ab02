import { truncate, visible } from '../../core/text/safe-text.ts';

/** A path can come from a repository's own settings: it is shown without anything a terminal or a model could act on. */
export function shownPath(path: string): string {
  return `"${truncate(visible(path, 'line'), 200)}"`;
}
