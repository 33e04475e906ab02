import { once } from '../once.ts';

/** Why a code point was removed. Checks and confirmations have a word for each kind. */
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

/** `at` counts code points of the raw text. A mark that normalizing merged has the position of its base. */
export type Removed = { readonly kind: RemovedKind; readonly codePoint: number; readonly at: number };

/** One character and its position in the raw text. */
export type Point = { readonly char: string; readonly at: number };

/** A name is a `line`; a `body` may have line breaks. */
export type Shape = 'line' | 'body';

export const REPLACEMENT = '\uFFFD';
export const ZWNJ = '\u200C';
export const ZWJ = '\u200D';

// Each pattern here is asked about one character at a time. Those with large classes take a millisecond to make, and most texts have
// no character that they are asked about.

/** Everything that some program treats as the end of a line. Each becomes LF, so that no line escapes its prefix. */
export const LINE_BREAK = /[\n\v\f\r\x85\u2028\u2029]/v;

export const MARK = /\p{M}/v;

const FORMAT_SIGNS = String.raw`[\p{Cf}--\p{Default_Ignorable_Code_Point}--[\uFFF9-\uFFFB\u{13430}-\u{1343F}]]`;
/** Drawn around or over the following digits or letters, such as the Arabic number sign. It takes a column. */
export const formatSign = once(() => new RegExp(FORMAT_SIGNS, 'v'));

/** Its neighbours decide whether it stays (joiners.ts). Everything else in `kinds` is always removed. */
export const contextual = once(
  () => new RegExp(String.raw`[\u200C\u200D\u{E0020}-\u{E007F}\p{Variation_Selector}${FORMAT_SIGNS}]`, 'v'),
);

/** Belongs to the character before it. */
const clings = once(() => /[\p{M}\p{Emoji_Modifier}\u200C\u200D\u{E0020}-\u{E007F}]/v);

/** Whether text may be cut, or a marker inserted, between these two without breaking a mark, a flag, a joined emoji or a signed number. */
export function separable(before: string, char: string): boolean {
  return before !== ZWJ && before !== ZWNJ && !formatSign().test(before) && !clings().test(char);
}

/** The first match wins. The last rows catch what a later Unicode may declare invisible or a format character. */
const kinds = once((): readonly (readonly [RemovedKind, RegExp])[] => [
  ['surrogate', /\p{Cs}/v],
  ['private-use', /\p{Co}/v],
  ['noncharacter', /\p{Noncharacter_Code_Point}/v],
  ['control', /\p{Cc}/v],
  ['bidi', /\p{Bidi_Control}/v],
  ['tag', /[\u{E0000}-\u{E007F}]/v],
  ['variation-selector', /\p{Variation_Selector}/v],
  // Letters by category but blank on the screen: Hangul fillers, Khmer inherent vowels, the empty Braille cell.
  ['blank', /[\u115F\u1160\u17B4\u17B5\u2800\u3164\uFFA0]/v],
  ['interlinear', /[\uFFF9-\uFFFC]/v],
  [
    'zero-width',
    /[\xAD\u034F\u180E\u200B-\u200D\u2060-\u2064\u206A-\u206F\uFEFF\u{1BCA0}-\u{1BCA3}\u{1D173}-\u{1D17A}]/v,
  ],
  // Hieroglyph layout controls are invisible, though not Default_Ignorable.
  ['ignorable', /[\p{Default_Ignorable_Code_Point}\u{13430}-\u{1343F}]/v],
  ['format', formatSign()],
]);

/** The kind of a character that must not stay. The caller judges tab and LF. */
export function kindOf(char: string): RemovedKind | undefined {
  if (char >= ' ' && char <= '~') return undefined;
  return kinds().find(([, pattern]) => pattern.test(char))?.[0];
}

export function removal(kind: RemovedKind, point: Point): Removed {
  return { kind, codePoint: point.char.codePointAt(0) ?? 0, at: point.at };
}
