/** Why a code point could not stay. Closed: checks and confirmations have a word for each. */
export type RemovedKind =
  | 'control'
  | 'bidi'
  | 'zero-width'
  | 'tag'
  | 'variation-selector'
  | 'blank'
  | 'private-use'
  | 'noncharacter'
  | 'surrogate'
  | 'interlinear'
  | 'combining-flood'
  | 'ignorable'
  | 'format'
  | 'line-break';

/** `at` counts code points of the raw text. A mark that normalizing merged is found at the base it stood on. */
export type Removed = { readonly kind: RemovedKind; readonly codePoint: number; readonly at: number };

/** One character and where in the raw text it came from. */
export type Point = { readonly char: string; readonly at: number };

/** A title is a line; everything else is a body. */
export type Shape = 'line' | 'body';

export const REPLACEMENT = '\uFFFD';
export const ZWNJ = '\u200C';
export const ZWJ = '\u200D';

/** Everything some program takes for the end of a line; each becomes LF, so a line prefix cannot be dodged. */
export const LINE_BREAK = /^[\n\v\f\r\x85\u2028\u2029]$/v;

export const MARK = /^\p{M}$/v;

const FORMAT_SIGNS = String.raw`[\p{Cf}--\p{Default_Ignorable_Code_Point}--[\uFFF9-\uFFFB\u{13430}-\u{1343F}]]`;
/** Drawn around or over the digits or letters that follow, such as the Arabic number sign; takes a column. */
export const FORMAT_SIGN = new RegExp(`^${FORMAT_SIGNS}$`, 'v');

/** Stays or goes by its neighbours (joiners.ts); everything else in KINDS goes wherever it stands. */
export const CONTEXTUAL = new RegExp(
  String.raw`^[\u200C\u200D\u{E0020}-\u{E007F}\p{Variation_Selector}${FORMAT_SIGNS}]$`,
  'v',
);

/** Belongs to the character before it. */
const CLINGS = /^[\p{M}\p{Emoji_Modifier}\u200C\u200D\u{E0020}-\u{E007F}]$/v;

/** Whether text may be cut, or a marker set, between these two without tearing a mark, a flag or a joined emoji. */
export function separable(before: string, char: string): boolean {
  return before !== ZWJ && before !== ZWNJ && !CLINGS.test(char);
}

/** First match wins. The last rows catch what Unicode may yet declare invisible or a format character. */
const KINDS: readonly (readonly [RemovedKind, RegExp])[] = [
  ['surrogate', /^\p{Cs}$/v],
  ['private-use', /^\p{Co}$/v],
  ['noncharacter', /^\p{Noncharacter_Code_Point}$/v],
  ['control', /^\p{Cc}$/v],
  ['bidi', /^\p{Bidi_Control}$/v],
  ['tag', /^[\u{E0000}-\u{E007F}]$/v],
  ['variation-selector', /^\p{Variation_Selector}$/v],
  // Letters by category, nothing by sight: Hangul fillers, Khmer inherent vowels, the empty Braille cell.
  ['blank', /^[\u115F\u1160\u17B4\u17B5\u2800\u3164\uFFA0]$/v],
  ['interlinear', /^[\uFFF9-\uFFFC]$/v],
  [
    'zero-width',
    /^[\xAD\u034F\u180E\u200B-\u200D\u2060-\u2064\u206A-\u206F\uFEFF\u{1BCA0}-\u{1BCA3}\u{1D173}-\u{1D17A}]$/v,
  ],
  // Hieroglyph layout controls are invisible, though not Default_Ignorable.
  ['ignorable', /^[\p{Default_Ignorable_Code_Point}\u{13430}-\u{1343F}]$/v],
  ['format', FORMAT_SIGN],
];

/** Which kind of unwelcome character this is, or nothing. Tab and LF are the caller's to judge. */
export function kindOf(char: string): RemovedKind | undefined {
  if (char >= ' ' && char <= '~') return undefined;
  return KINDS.find(([, pattern]) => pattern.test(char))?.[0];
}

export function removal(kind: RemovedKind, point: Point): Removed {
  return { kind, codePoint: point.char.codePointAt(0) ?? 0, at: point.at };
}
