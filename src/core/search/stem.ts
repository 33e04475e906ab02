import { irregularForms } from './word-forms.ts';

/** The stem that English forms of a word share (Porter's algorithm), after irregular forms are replaced. */
export function stemOf(word: string): string {
  const plain = irregularForms().get(word) ?? word;
  return plain.length > 2 && /^[a-z]+$/.test(plain) ? porter(plain) : plain;
}

const VOWEL = '(?:[aeiou]|(?<=[^aeiou])y)';
const HAS_VOWEL = new RegExp(VOWEL);
const DOUBLE = /([^aeiouylsz])\1$/;
const SHORT = /[^aeiou](?:[aeiou]|(?<=[^aeiou])y)[^aeiouwxy]$/;

/** How many times vowels are followed by consonants: Porter's measure of a stem. */
function measure(stem: string): number {
  let count = 0;
  let afterVowel = false;
  for (let at = 0; at < stem.length; at++) {
    const char = stem.charAt(at);
    const vowel: boolean = 'aeiou'.includes(char) || (char === 'y' && at > 0 && !afterVowel);
    if (!vowel && afterVowel) count++;
    afterVowel = vowel;
  }
  return count;
}

const STEP_2: readonly (readonly [string, string])[] = [
  ['ational', 'ate'],
  ['ization', 'ize'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['tional', 'tion'],
  ['biliti', 'ble'],
  ['entli', 'ent'],
  ['ousli', 'ous'],
  ['ation', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['alli', 'al'],
  ['ator', 'ate'],
  ['logi', 'log'],
  ['bli', 'ble'],
  ['eli', 'e'],
];
const STEP_3: readonly (readonly [string, string])[] = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
];
const STEP_4 = /(?:ement|ance|ence|able|ible|ment|(?<=[st])ion|ant|ent|ism|ate|iti|ous|ive|ize|al|er|ic|ou)$/;

function porter(whole: string): string {
  let word = whole;
  if (word.endsWith('sses') || word.endsWith('ies')) word = word.slice(0, -2);
  else if (word.endsWith('s') && !word.endsWith('ss')) word = word.slice(0, -1);

  if (word.endsWith('eed')) {
    if (measure(word.slice(0, -3)) > 0) word = word.slice(0, -1);
  } else {
    const cut = /(?:ed|ing)$/.exec(word);
    const stem = cut ? word.slice(0, cut.index) : '';
    if (cut && HAS_VOWEL.test(stem)) word = restored(stem);
  }
  if (word.endsWith('y') && HAS_VOWEL.test(word.slice(0, -1))) word = `${word.slice(0, -1)}i`;
  word = swapped(swapped(word, STEP_2), STEP_3);

  const last = STEP_4.exec(word);
  if (last && measure(word.slice(0, last.index)) > 1) word = word.slice(0, last.index);
  if (word.endsWith('e')) {
    const stem = word.slice(0, -1);
    const length = measure(stem);
    if (length > 1 || (length === 1 && !SHORT.test(stem))) word = stem;
  }
  return word.endsWith('ll') && measure(word.slice(0, -1)) > 1 ? word.slice(0, -1) : word;
}

function restored(stem: string): string {
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (DOUBLE.test(stem)) return stem.slice(0, -1);
  return measure(stem) === 1 && SHORT.test(stem) ? `${stem}e` : stem;
}

function swapped(word: string, endings: readonly (readonly [string, string])[]): string {
  for (const [ending, other] of endings) {
    if (!word.endsWith(ending)) continue;
    const stem = word.slice(0, -ending.length);
    return measure(stem) > 0 ? stem + other : word;
  }
  return word;
}
