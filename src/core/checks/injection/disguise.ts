import { unescaped } from '../../secrets/decoded.ts';
import { matchesOf } from '../../text/matches-of.ts';

/** A text with its disguise removed. */
interface Disguised {
  readonly text: string;
  /** The folded text's offset for an offset in `text`; undefined if letters were replaced one by one. */
  readonly from?: (offset: number) => number;
}

/** Digits and signs that stand for letters. */
const LEET: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};
const MIXED = /[a-z013457@$!]{3,}/g;
/** A letter beside one of these signs. Looking for one takes less than trying every word. */
const MAY_BE_MIXED = /[a-z][013457@$!]|[013457@$!][a-z]/;
/** A disguised word must spell one of these before the whole text is read. */
const TELLING = /ignore|disregard|forget|override|instruct|prompt|pretend|unrestrict|jailbr/;
/** Eight and more single letters, whatever stands between them. */
const APART = /(?<![\p{L}\p{N}])[a-z](?:[^\p{L}\p{N}]{1,8}[a-z](?![\p{L}\p{N}])){7,400}/giu;
const BASE64 = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,4000}={0,2}/g;
const BITS = /(?<!\S)(?:0[01]{7}(?:\s{1,4}|$)){8,4000}/g;
/** Four letters in a row that are written as HTML, percent or JSON escapes: ordinary text escapes signs and not letters. */
const ESCAPED =
  /(?:&#0{0,4}(?:6[5-9]|[7-9][0-9]|1[01][0-9]|12[012]);|&#x0{0,4}[4-7][0-9a-f];|%[4-7][0-9a-f]|\\(?:u00|x)[4-7][0-9a-f]){4}/i;
/** A Latin letter under marks. */
const MARKED = /[a-z]\p{M}|[\u00c0-\u024f\u1e00-\u1eff]/iu;
const SENTENCE = /^[\t\n\r\x20-\x7e]{12,}$/;

/** Numbers for letters, letters apart, bits, base64, escapes, letters under marks. Each costs one search in an ordinary text. */
export function disguised(words: string, folded: string): readonly Disguised[] {
  const found: Disguised[] = [];
  const spelled = MAY_BE_MIXED.test(words) ? words.replaceAll(MIXED, lettersFor) : words;
  if (spelled !== words && TELLING.test(spelled)) found.push({ text: spelled });
  const pieces: { readonly text: string; readonly at: number }[] = [];
  for (const { 0: run, index } of matchesOf(folded, APART)) pieces.push({ text: together(run), at: index });
  for (const { 0: run, index } of matchesOf(folded, BITS)) {
    const codes = run.trim().split(/\s+/, 4_000);
    const plain = codes.map((code) => String.fromCharCode(Number.parseInt(code, 2))).join('');
    pieces.push({ text: plain.toLowerCase(), at: index });
  }
  if (ESCAPED.test(folded)) pieces.push({ text: unescaped(folded).toLowerCase(), at: 0 });
  if (MARKED.test(folded)) pieces.push(...withoutMarks(folded));
  for (const { 0: run, index } of matchesOf(folded, BASE64)) {
    const plain = Buffer.from(run, 'base64').toString('latin1');
    if (SENTENCE.test(plain) && plain.includes(' ')) pieces.push({ text: plain.toLowerCase(), at: index });
  }
  if (pieces.length > 0) found.push(joined(pieces));
  return found;
}

const ENGLISH = /\b(?:all|any|your|previous|prior|earlier|above|the)\b/;
/** English beside a telling word: "a ignoré les instructions" is no order. At most 40 characters apart, because a sentence is short. */
const TOLD_IN_ENGLISH = new RegExp(
  `(?:${TELLING.source})[^.!?\\n]{0,40}?${ENGLISH.source}|${ENGLISH.source}[^.!?\\n]{0,40}?(?:${TELLING.source})`,
);

/** The lines without marks, if they then read like an order in English. */
function withoutMarks(folded: string): readonly { readonly text: string; readonly at: number }[] {
  const plain = folded
    .normalize('NFD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase();
  if (!TOLD_IN_ENGLISH.test(plain)) return [];
  const starts = [0, ...Array.from(folded.matchAll(/\n/g), ({ index }) => index + 1)];
  return plain.split('\n').map((text, index) => ({ text, at: starts[index] ?? 0 }));
}

function lettersFor(word: string): string {
  const isMixed = /[a-z]/.test(word) && /[013457@$!]/.test(word);
  return isMixed ? [...word].map((char) => LEET[char] ?? char).join('') : word;
}

/**
 * Letters apart, put together: once with every gap closed, and once with a space where the gap is not the usual one, because
 * that is where a word ends.
 */
function together(run: string): string {
  const gaps = run.match(/[^\p{L}\p{N}]+/gu) ?? [];
  const counts = Map.groupBy(gaps, (gap) => gap);
  const usual = [...counts.values()].sort((a, b) => b.length - a.length)[0]?.[0];
  const closed = run.replaceAll(/[^\p{L}\p{N}]+/gu, '').toLowerCase();
  if (counts.size < 2) return closed;
  const words = run.replaceAll(/[^\p{L}\p{N}]+/gu, (gap) => (gap === usual ? '' : ' ')).toLowerCase();
  return `${words}\n${closed}`;
}

/** Joins all pieces into one text, so that ten thousand pieces cost no more than one. */
function joined(pieces: readonly { readonly text: string; readonly at: number }[]): Disguised {
  const starts: number[] = [];
  let length = 0;
  for (const { text } of pieces) {
    starts.push(length);
    length += text.length + 1;
  }
  return {
    text: pieces.map(({ text }) => text).join('\n'),
    from: (offset) => pieces[starts.findLastIndex((start) => start <= offset)]?.at ?? 0,
  };
}
