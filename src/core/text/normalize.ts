import { examine, survey } from './sanitize.ts';

/** Text made plain for matching, which still knows where each character came from. */
export interface Folded {
  readonly text: string;
  /** The offset in the raw text of the character at this offset of `text`. */
  from(offset: number): number;
}

/** U+FDFA becomes eighteen letters; no token or phrase is written with such a character. */
const LONGEST_EXPANSION = 4;

/** Neither cleaning nor folding touches any of these. */
const PLAINEST = /^[\t\n -~]*$/;

/** Sanitized and compatibility-folded (NFKC), so that an invisible or full-width letter hides nothing. */
export function fold(raw: string): Folded {
  if (PLAINEST.test(raw)) return { text: raw, from: (offset) => offset };
  const { cleaned, origins } = clean(raw);
  if (cleaned === raw && raw.normalize('NFKC') === raw) return { text: raw, from: (offset) => offset };
  const parts: string[] = [];
  const places: number[] = [];
  let at = 0;
  let index = 0;
  for (const char of cleaned) {
    const folded = char <= '~' ? char : compatible(char);
    const place = origins === undefined ? at : (origins[index] ?? raw.length);
    for (let i = 0; i < folded.length; i++) places.push(place);
    parts.push(folded);
    at += char.length;
    index++;
  }
  return { text: parts.join(''), from: (offset) => places[offset] ?? raw.length };
}

function compatible(char: string): string {
  const folded = char.normalize('NFKC');
  return folded.length > LONGEST_EXPANSION ? char : folded;
}

/** Text without any of these is most likely clean, and examine() says so quickly. */
const UNUSUAL = /[[\p{C}\p{M}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\uFFFC]--[\t\n]]/v;

/** The sanitized text and, unless it is the raw text, the offset at which each of its characters stood. */
function clean(raw: string): { readonly cleaned: string; readonly origins: readonly number[] | undefined } {
  if (!UNUSUAL.test(raw) && examine(raw, 'body').text === raw) return { cleaned: raw, origins: undefined };
  const offsets: number[] = [];
  let offset = 0;
  for (const char of raw) {
    offsets.push(offset);
    offset += char.length;
  }
  const { points } = survey(raw, 'body');
  return {
    cleaned: points.map(({ char }) => char).join(''),
    origins: points.map(({ at }) => offsets[at] ?? raw.length),
  };
}

/** Letters that pass for Latin ones by sight, lower case, and what they pass for: enough to undo a disguise. */
const LOOKALIKES = 'авсԁеёһіїјкӏмнорԛгѕтуѵԝхαβϲεηικνορςτυχıɡɑ';
const LATIN = 'abcdeehiijklmhopqrstyvwxabcenikvopstuxiga';
const LOOKALIKE = new RegExp(`[${LOOKALIKES}]`, 'giu');

/** One character for one, so that offsets stay what they were. */
export function unmask(text: string): string {
  return text.replace(LOOKALIKE, (char) => LATIN[LOOKALIKES.indexOf(char.toLowerCase())] ?? char);
}
