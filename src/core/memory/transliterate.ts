/**
 * Spells a text in Latin letters as far as a table can: Cyrillic, Greek, Hangul, kana, and Latin letters that Unicode does
 * not take apart. Han, Thai and others need a dictionary; they stay as they are.
 */
export function transliterate(text: string): string {
  const whole = text.normalize('NFKC').toLowerCase();
  const spelled = kanaSpelled(hangulSpelled(whole));
  return [...spelled].map((letter) => LETTERS[letter] ?? letter).join('');
}

const LETTERS: Readonly<Record<string, string>> = {
  ...pairs('ßæœøłđðþıħŋ', 'ss ae oe o l d d th i h ng'),
  ...pairs(
    'абвгдеёжзийклмнопрстуфхцчшщъыьэюя',
    'a b v g d e e zh z i y k l m n o p r s t u f kh ts ch sh shch - y - e yu ya',
  ),
  ...pairs('іїєґў', 'i i ye g u'),
  ...pairs('αβγδεζηθικλμνξοπρσςτυφχψω', 'a b g d e z i th i k l m n x o p r s s t y f ch ps o'),
};

function pairs(letters: string, spellings: string): Record<string, string> {
  const all = parts(spellings);
  return Object.fromEntries([...letters].map((letter, i) => [letter, all[i] ?? '']));
}

function parts(spellings: string): string[] {
  return spellings.split(' ').map((each) => (each === '-' ? '' : each));
}

// Korean by the Revised Romanization. Unicode orders syllables by first consonant, vowel and last consonant.
const FIRST = parts('g kk n d tt r m b pp s ss - j jj ch k t p h');
const VOWELS = parts('a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i');
const LAST = parts('- k k k n n n t l k m l l l p l m p p t t ng t t k t p t');
/** A last consonant before a vowel is spoken as the first one of the next syllable. */
const BEFORE_VOWEL = parts('- g kk ks n nj n d r lg lm lb ls lt lp r m b ps s ss ng j ch k t p -');
const SYLLABLES = 0xac00;
/** The first consonant that is written and not spoken. */
const SILENT = 11;

function hangulSpelled(text: string): string {
  return text.replace(/[가-힣]+/g, (run) => {
    const syllables = [...run].map((each) => (each.codePointAt(0) ?? SYLLABLES) - SYLLABLES);
    const firstOf = (syllable: number) => Math.floor(syllable / (VOWELS.length * LAST.length));
    return syllables
      .map((syllable, i) => {
        const next = syllables[i + 1];
        const ends = next !== undefined && firstOf(next) === SILENT ? BEFORE_VOWEL : LAST;
        const vowel = VOWELS[Math.floor(syllable / LAST.length) % VOWELS.length];
        return `${FIRST[firstOf(syllable)]}${vowel}${ends[syllable % LAST.length]}`;
      })
      .join('');
  });
}

// Japanese by Hepburn, long vowels written short.
const KANA = pairs(
  'ぁあぃいぅうぇえぉおかがきぎくぐけげこごさざしじすずせぜそぞただちぢつづてでとどなにぬねのはばぱひびぴふぶぷへべぺほぼぽまみむめもゃやゅゆょよらりるれろゎわゐゑをんゔゕゖ',
  'a a i i u u e e o o ka ga ki gi ku gu ke ge ko go sa za shi ji su zu se ze so zo ta da chi ji tsu zu te de to do na ni nu ne no ha ba pa hi bi pi fu bu pu he be pe ho bo po ma mi mu me mo ya ya yu yu yo yo ra ri ru re ro wa wa i e o n vu ka ke',
);
const KATAKANA_TO_HIRAGANA = 0x60;

/** Beside Han, which cannot be spelled, hiragana is mostly endings and particles: they would make an id of no meaning. */
function kanaSpelled(text: string): string {
  const runs = /\p{Script=Han}/u.test(text) ? /[ァ-ヶー]+/g : /[ぁ-ゖァ-ヶー]+/g;
  return text.replace(runs, (run) => {
    let spelled = '';
    let doubles = false;
    for (const each of run) {
      const code = each.codePointAt(0) ?? 0;
      const kana = each >= 'ァ' && each <= 'ヶ' ? String.fromCodePoint(code - KATAKANA_TO_HIRAGANA) : each;
      if (kana === 'っ') doubles = true;
      else if (kana !== 'ー') {
        const sound = KANA[kana] ?? '';
        const isSmall = 'ぁぃぅぇぉゃゅょ'.includes(kana);
        spelled = isSmall ? contracted(spelled, sound) : spelled + (doubles ? doubled(sound) : sound);
        doubles = false;
      }
    }
    return spelled;
  });
}

/** A small letter takes the place of the vowel before: ki and small ya are kya, fu and small a are fa. */
function contracted(before: string, small: string): string {
  const stem = /^u$|[^a-z]u$/.test(before) ? `${before.slice(0, -1)}w` : before.replace(/[aiueo]$/, '');
  return stem + (/(?:sh|ch|j)$/.test(stem) ? small.replace('y', '') : small);
}

function doubled(sound: string): string {
  return sound.startsWith('ch') ? `t${sound}` : `${sound.replace(/^[aiueo].*/, '').slice(0, 1)}${sound}`;
}
