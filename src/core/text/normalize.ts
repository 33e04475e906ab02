import { examinePoints, isOrdinary } from './sanitize.ts';

/** Text folded for matching, with each character's position in the raw text. */
export interface Folded {
  readonly text: string;
  /** The raw offset of the character at this offset of `text`. */
  from(offset: number): number;
}

/** At most 4, because longer expansions (U+FDFA becomes eighteen letters) occur in no token or phrase. */
const LONGEST_EXPANSION = 4;

/** Neither cleaning nor folding changes any of these. */
const PLAINEST = /^[\t\n -~]*$/;

/** Sanitizes and applies NFKC, so that an invisible or full-width letter hides nothing. */
export function fold(raw: string): Folded {
  return foldedBy(raw, compatible);
}

/**
 * `fold` with framed letters as plain ones, for reading what a text says. Other checks do not take it, because the flags of
 * eight countries in a row would look like a token drawn at random.
 */
export function foldFramed(raw: string): Folded {
  return foldedBy(raw, (char) => (FRAMED.test(char) ? unframed(char) : compatible(char)));
}

/** Whether `foldFramed` gives another text than `fold`. */
export function hasFramed(raw: string): boolean {
  return FRAMED.test(raw);
}

function foldedBy(raw: string, plain: (char: string) => string): Folded {
  if (PLAINEST.test(raw)) return { text: raw, from: (offset) => offset };
  const { cleaned, origins } = clean(raw);
  if (plain === compatible && cleaned === raw && raw.normalize('NFKC') === raw)
    return { text: raw, from: (offset) => offset };
  const parts: string[] = [];
  const places: number[] = [];
  let at = 0;
  let index = 0;
  for (const char of cleaned) {
    const folded = char <= '~' ? char : plain(char);
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

/** Letters in filled circles, in filled squares and those of flags: three alphabets that NFKC leaves as they are. */
const FRAMED = /[\u{1f150}-\u{1f169}\u{1f170}-\u{1f189}\u{1f1e6}-\u{1f1ff}]/u;

function unframed(char: string): string {
  const point = char.codePointAt(0) ?? 0;
  const first = [0x1f1e6, 0x1f170, 0x1f150].find((start) => point >= start) ?? point;
  return String.fromCharCode(0x41 + point - first);
}

/** The sanitized text and each character's raw offset; no offsets if nothing changed. */
function clean(raw: string): { readonly cleaned: string; readonly origins: readonly number[] | undefined } {
  if (isOrdinary(raw, 'body')) return { cleaned: raw, origins: undefined };
  const offsets: number[] = [];
  let offset = 0;
  for (const char of raw) {
    offsets.push(offset);
    offset += char.length;
  }
  const { points } = examinePoints(raw, 'body');
  return {
    cleaned: points.map(({ char }) => char).join(''),
    origins: points.map(({ at }) => offsets[at] ?? raw.length),
  };
}

/** Lower-case letters and small capitals that look Latin, and the letters they look like: enough to undo a disguise. */
const LOOKALIKES = 'авсԁеёһіїјкӏмнорԛгѕтуѵԝхαβϲεηικνορςτυχıɡɑᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ';
const LATIN = 'abcdeehiijklmhopqrstyvwxabcenikvopstuxigaabcdefghijklmnoprstuvwyz';
const LOOKALIKE = new RegExp(`[${LOOKALIKES}]`, 'giu');

/** Replaces one character by one, so that offsets stay valid. */
export function unmask(text: string): string {
  return text.replace(LOOKALIKE, (char) => LATIN[LOOKALIKES.indexOf(char.toLowerCase())] ?? char);
}
