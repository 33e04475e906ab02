import { once } from '../once.ts';
import {
  contextual,
  formatSign,
  kindOf,
  type Point,
  type Removed,
  type RemovedKind,
  removal,
  ZWJ,
  ZWNJ,
} from './code-points.ts';

/** Scripts in which a joiner changes how letters are written. */
const JOINING_SCRIPTS =
  'Arabic Syriac Nko Mongolian Adlam Hanifi_Rohingya Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada ' +
  'Malayalam Sinhala Khmer Myanmar Balinese Javanese Chakma Newa Tirhuta Grantha';

/** Tatweel, the Arabic vowels and the Vedic accents belong to several scripts, so Unicode assigns them to none. */
const SHARED = String.raw`\u0640\u064B-\u0655\u0670\u0951\u0952`;

const joining = once(() => {
  const scripts = JOINING_SCRIPTS.replaceAll(/\w+ ?/g, (name) => `\\p{sc=${name.trim()}}`);
  return new RegExp(String.raw`[[\p{L}\p{M}]&&[${SHARED}${scripts}]]`, 'v');
});

function isJoining(char: string): boolean {
  return joining().test(char);
}

/** After these a joiner may end a word: Malayalam used to write chillu letters this way (IDNA has this rule too). */
const VIRAMA =
  /[\u094D\u09CD\u0A4D\u0ACD\u0B4D\u0BCD\u0C4D\u0CCD\u0D4D\u0DCA\u1039\u17D2\u1B44\uA9C0\u{1134D}\u{11442}\u{114C2}]/v;

const picture = once(() => /\p{Extended_Pictographic}/v);
const skinTone = once(() => /\p{Emoji_Modifier}/v);
const styled = once(() => /[\p{Emoji}--[0-9#*]--\p{Regional_Indicator}]/v);
const KEYCAP_BASE = /[0-9#*]/v;
const KEYCAP = '\u20E3';
const ideograph = once(() => /[\p{sc=Han}&&\p{Ideographic}]/v);
const EMOJI_STYLE = /[\uFE0E\uFE0F]/v;
const IDEOGRAPH_FORM = /[\uFE00-\uFE02\u{E0100}-\u{E01EF}]/v;
const BLACK_FLAG = '\u{1F3F4}';
const TAG = /[\u{E0020}-\u{E007F}]/v;
const FLAG_TAGS = /^[\u{E0030}-\u{E0039}\u{E0061}-\u{E007A}]{3,6}\u{E007F}/v;

/** The letters and digits that a format sign can precede, by the sign's script. */
const signed = once((): readonly (readonly [signs: RegExp, signed: RegExp])[] => [
  [/\p{sc=Syriac}/v, /[[\p{L}\p{N}]&&\p{scx=Syriac}]/v],
  [/\p{sc=Kaithi}/v, /[[\p{L}\p{N}]&&\p{scx=Kaithi}]/v],
  // All other signs are Arabic. U+0605 also precedes Coptic numbers.
  [/[\p{sc=Arabic}\p{sc=Common}]/v, /[[[\p{L}\p{N}]&&\p{scx=Arabic}]\u{102E1}-\u{102FB}]/v],
]);

/**
 * Drops joiners, selectors, tags and format signs that no script or emoji needs. It looks left at kept characters and right
 * only at characters that always stay, so a second run changes nothing.
 */
export function dropStrays(points: readonly Point[], removed: Removed[]): Point[] {
  const kept: Point[] = [];
  for (let i = 0; i < points.length; i++) {
    const point = points[i] as Point;
    if (!contextual().test(point.char)) {
      kept.push(point);
      continue;
    }
    const needed = neededHere(kept, points, i);
    if (needed === 0) removed.push(strayOf(point));
    else kept.push(...points.slice(i, i + needed));
    i += Math.max(needed, 1) - 1;
  }
  return kept;
}

/** Drops every joiner, selector, tag and format sign. For text that is still changing after the last regular pass. */
export function dropAllContextual(points: readonly Point[], removed: Removed[]): Point[] {
  const kept: Point[] = [];
  for (const point of points) {
    if (contextual().test(point.char)) removed.push(strayOf(point));
    else kept.push(point);
  }
  return kept;
}

function strayOf(point: Point): Removed {
  return removal(kindOf(point.char) as RemovedKind, point);
}

/** How many points from `i` on belong to the character before them; 0 if this point is a stray. */
function neededHere(kept: readonly Point[], points: readonly Point[], i: number): number {
  const { char } = points[i] as Point;
  const before = kept.at(-1)?.char ?? '';
  const next = points[i + 1]?.char ?? '';
  if (formatSign().test(char))
    return signed()
      .find(([signs]) => signs.test(char))?.[1]
      .test(next)
      ? 1
      : 0;
  if (EMOJI_STYLE.test(char)) return styled().test(before) || (KEYCAP_BASE.test(before) && next === KEYCAP) ? 1 : 0;
  if (IDEOGRAPH_FORM.test(char)) return ideograph().test(before) ? 1 : 0;
  // Not `before`: after the front of an overlong run is dropped, the rest would pass for a flag.
  if (TAG.test(char)) return points[i - 1]?.char === BLACK_FLAG ? flagTags(points, i) : 0;
  if (char === ZWJ && picture().test(next) && endsPicture(kept, before)) return 1;
  const joiner = char === ZWJ || char === ZWNJ;
  return joiner && (VIRAMA.test(before) || (isJoining(before) && isJoining(next))) ? 1 : 0;
}

function endsPicture(kept: readonly Point[], last: string): boolean {
  if (last === '\uFE0F') return picture().test((kept.at(-2) as Point).char);
  return picture().test(last) || skinTone().test(last);
}

/** England is a black flag, "gbeng" in tag characters and an end tag: at most 7 points, so looking ahead is cheap. */
function flagTags(points: readonly Point[], i: number): number {
  const ahead = points.slice(i, i + 7).map((point) => point.char);
  const flag = FLAG_TAGS.exec(ahead.join(''));
  return flag ? [...flag[0]].length : 0;
}
