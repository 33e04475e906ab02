/** Letters that no decomposition leads back to their plain one. */
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
const SPECIAL = new RegExp(`[${Object.keys(PLAIN).join('')}]`, 'gu');
/** Accents, Arabic and Hebrew vowel signs, the stretching line. The marks of Indic and Thai letters are letters. */
const DROPPED = /[\u0300-\u036F\u0591-\u05C7\u0610-\u061A\u0640\u064B-\u065F\u0670]+/gu;
const ASCII = /^[\0-\x7F]*$/;

/** One word as it is compared: case, width, accents and vowel signs aside. */
export function folded(word: string): string {
  if (ASCII.test(word)) return word.toLowerCase();
  return word
    .normalize('NFKD')
    .toLowerCase()
    .replace(DROPPED, '')
    .normalize('NFC')
    .replace(SPECIAL, (letter) => PLAIN[letter] ?? letter);
}

/** Scripts that put no space between words, and Korean, which hangs its endings on them. */
const UNSPACED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\\p{Script=Tibetan}ー々';
const RUNS = new RegExp(`[${UNSPACED}\\p{M}]*[${UNSPACED}][${UNSPACED}\\p{M}]*|[^${UNSPACED}]+`, 'gu');
const IS_UNSPACED = new RegExp(`[${UNSPACED}]`, 'u');

/** A word cut where its script changes between one with spaces and one without: `React를` is two. */
export function scriptRuns(word: string): { readonly text: string; readonly unspaced: boolean }[] {
  if (ASCII.test(word)) return [{ text: word, unspaced: false }];
  return (word.match(RUNS) ?? []).map((text) => ({ text, unspaced: IS_UNSPACED.test(text) }));
}

/** Pairs of neighbouring characters, a character with its marks being one; the last stands alone so that it can be found. */
export function pairsOf(run: string): string[] {
  const characters = run.match(/\P{M}\p{M}*|\p{M}+/gu) ?? [];
  return characters.map((character, at) => character + (characters[at + 1] ?? ''));
}

/** Arabic hangs its article, and an “and” before it, on the word. */
export function withoutArticle(word: string): string {
  return word.replace(/^و?ال(?=.{3})/u, '');
}
