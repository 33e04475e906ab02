import { once } from '../once.ts';

/** Letters that do not decompose into their plain letter. */
const PLAIN: Readonly<Record<string, string>> = {
  ß: 'ss',
  ø: 'o',
  æ: 'ae',
  œ: 'oe',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  أ: 'ا',
  إ: 'ا',
  آ: 'ا',
  ٱ: 'ا',
  ى: 'ي',
  ة: 'ه',
};
const special = once(() => new RegExp(`[${Object.keys(PLAIN).join('')}]`, 'gu'));
/** Accents, Arabic and Hebrew vowel signs, tatweel. Indic and Thai marks stay, because they are letters. */
const DROPPED = /[\u0300-\u036F\u0591-\u05C7\u0610-\u061A\u0640\u064B-\u065F\u0670]+/gu;
const ASCII = /^[\0-\x7F]*$/;

/** A word as it is compared, without case, width, accents and vowel signs. */
export function folded(word: string): string {
  if (ASCII.test(word)) return word.toLowerCase();
  return word
    .normalize('NFKD')
    .toLowerCase()
    .replace(DROPPED, '')
    .normalize('NFC')
    .replace(special(), (letter) => PLAIN[letter] ?? letter);
}

/** Scripts without spaces between words, and Korean, which attaches its endings to them. */
const UNSPACED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\\p{Script=Tibetan}ー々';
const runs = once(() => new RegExp(`[${UNSPACED}\\p{M}]*[${UNSPACED}][${UNSPACED}\\p{M}]*|[^${UNSPACED}]+`, 'gu'));
const unspaced = once(() => new RegExp(`[${UNSPACED}]`, 'u'));

/** Splits a word where its script changes between one with spaces and one without: `React를` is two. */
export function scriptRuns(word: string): { readonly text: string; readonly unspaced: boolean }[] {
  if (ASCII.test(word)) return [{ text: word, unspaced: false }];
  return (word.match(runs()) ?? []).map((text) => ({ text, unspaced: unspaced().test(text) }));
}

/** Pairs of neighbouring characters, each with its marks. The last character is also a term, so that it can be found. */
export function pairsOf(run: string): string[] {
  const characters = run.match(/\P{M}\p{M}*|\p{M}+/gu) ?? [];
  return characters.map((character, at) => character + (characters[at + 1] ?? ''));
}

/** Removes the Arabic article and the “and” before it, which are attached to the word. */
export function withoutArticle(word: string): string {
  return word.replace(/^و?ال(?=.{3})/u, '');
}
