import { fold, unmask } from './normalize.ts';
import { examine, type Shape } from './sanitize.ts';

/** An opening or closing private tag in any case and spacing, up to the end of its name. */
const TAG = /<\s{0,4}(\/?)\s{0,4}private(?![\w-])/gi;

/**
 * Removes what the author marked as private: `<private>…</private>`, with attributes, nested, and to the end of the text if
 * unclosed. Runs before anything else sees a proposal. Full-width letters, look-alikes and invisible characters do not hide
 * a tag. `dropped` counts the outermost elements.
 */
export function dropPrivate(text: string): { readonly text: string; readonly dropped: number } {
  let current = text;
  let dropped = 0;
  for (let pass = 0; ; pass++) {
    const once = dropOnce(current, pass === MOST_PASSES);
    if (once.dropped === 0) return { text: current, dropped };
    current = once.text;
    dropped += once.dropped;
  }
}

/**
 * At most 4 more passes, because the two sides of a removed element may spell a new tag. The last pass cuts at the first
 * tag.
 */
const MOST_PASSES = 4;

function dropOnce(text: string, all: boolean): { readonly text: string; readonly dropped: number } {
  if (!/[<\uFF1C\uFE64]/.test(text)) return { text, dropped: 0 };
  const folded = fold(text);
  const plain = unmask(folded.text);
  const kept: string[] = [];
  let depth = 0;
  let from = 0;
  for (const match of plain.matchAll(TAG)) {
    if (match[1] !== '/') {
      if (depth === 0) kept.push(text.slice(from, folded.from(match.index)));
      depth++;
    } else if (depth > 0 && !all) {
      depth--;
      // An unfinished closing tag has nothing after it.
      const end = plain.indexOf('>', match.index);
      from = end === -1 ? text.length : folded.from(end + 1);
    }
  }
  const dropped = kept.length;
  if (depth === 0) kept.push(text.slice(from));
  return { text: kept.reduce(apart), dropped };
}

/** Puts a space between the two sides of a gap, so that their words do not merge. */
function apart(before: string, after: string): string {
  return before === '' || after === '' || /\s$/.test(before) || /^\s/.test(after)
    ? before + after
    : `${before} ${after}`;
}

/** What is stored of a text that was sent: nothing private, nothing hidden. */
export function storedText(sent: string, shape: Shape): string {
  return examine(dropPrivate(sent).text, shape).text.trim();
}
