/** Number words of a few languages. `a` and `an` count only before a unit. */
const WORDS: ReadonlyMap<string, number> = new Map(
  `zero 0|one 1|two 2|three 3|four 4|five 5|six 6|seven 7|eight 8|nine 9|ten 10|eleven 11|twelve 12|dozen 12|fifteen 15|
  sixteen 16|twenty 20|thirty 30|forty 40|fifty 50|sixty 60|seventy 70|eighty 80|ninety 90|hundred 100|thousand 1000|
  twice 2|ein 1|eine 1|einen 1|einer 1|zwei 2|drei 3|vier 4|fünf 5|sechs 6|sieben 7|acht 8|neun 9|zehn 10|zwölf 12|zwanzig 20|
  dreißig 30|uno 1|una 1|dos 2|tres 3|cuatro 4|cinco 5|seis 6|siete 7|ocho 8|nueve 9|diez 10|quince 15|veinte 20|treinta 30|
  deux 2|trois 3|quatre 4|cinq 5|sept 7|huit 8|neuf 9|dix 10|quinze 15|vingt 20|trente 30|一 1|二 2|两 2|三 3|四 4|五 5|六 6|
  七 7|八 8|九 9|十 10|二十 20|三十 30|五十 50|六十 60|百 100`
    .split('|')
    .map((line) => {
      const [word = '', value = ''] = line.trim().split(' ');
      return [word, Number(value)] as const;
    }),
);

const SCALE: Readonly<Record<string, number>> = { k: 1e3, m: 1e6 };

/** A number as written, in digits or in words: `1,000`, `18k`, `ten`, `2.5`. */
const WORD = `(?:${[...WORDS.keys()].filter((word) => /[a-z]/.test(word)).join('|')})`;
export const NUMBER = [
  String.raw`\d{1,3}(?:[,\u202F ]\d{3}){1,3}(?!\d)`,
  String.raw`\d{1,12}(?:\.\d{1,6})?k?(?!\d|\.\d)`,
  '(?<![一二两三四五六七八九十百])[一二两三四五六七八九十百]{1,3}',
  String.raw`(?<!\p{L})${WORD}(?:[\s-]${WORD})?(?!\p{L})`,
].join('|');

export function numberOf(written: string): number | undefined {
  const [first = '', ...rest] = written
    .toLowerCase()
    .trim()
    .split(/[\s-]+(?=[a-z])/);
  if (rest.length > 0) return rest.map(numberOf).reduce((sum, next) => join(sum, next), numberOf(first));
  return simpleNumber(first);
}

/** `four hundred` is a product, `twenty five` a sum. */
function join(sum: number | undefined, next: number | undefined): number | undefined {
  if (sum === undefined || next === undefined) return undefined;
  return next >= 100 ? sum * next : sum + next;
}

function simpleNumber(written: string): number | undefined {
  const plain = written.toLowerCase().replace(/[,\u202F ](?=\d{3})/g, '');
  const word = WORDS.get(plain);
  if (word !== undefined) return word;
  const scale = SCALE[plain.at(-1) ?? ''];
  const value = Number(scale === undefined ? plain : plain.slice(0, -1)) * (scale ?? 1);
  return Number.isNaN(value) ? undefined : value;
}
