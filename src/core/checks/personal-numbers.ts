import type { Severity, Span } from '../finding.ts';
import { matchesOf } from '../text/matches-of.ts';

/** A number that stands for a person, with what it must match and what it must let pass. */
interface NumberRule {
  readonly rule: string;
  readonly severity: Severity;
  readonly message: string;
  /** The stretches of a folded text that may be a number of this kind. */
  places(text: string): Iterable<Span>;
  readonly catches: readonly string[];
  readonly allows: readonly string[];
}

/**
 * Numbers with which money or an identity is taken hold a memory. A phone number warns, as an e-mail address does: notes
 * name whom to call.
 */
export const NUMBER_RULES: readonly NumberRule[] = [
  {
    rule: 'card-number',
    severity: 'hold',
    message: 'The number of a payment card. Leave it out, or write its last four digits.',
    places: (text) => found(text, CARD, (digits) => CARD_KINDS.test(digits) && isLuhn(digits)),
    catches: [
      'My card is 4111111111111111, 12/28.',
      'pay with 5555 5555 5555 4444',
      '3782-822463-10005',
      'card 30569309025904',
    ],
    allows: [
      'The order 4111111111111112 was paid.',
      'In the sandbox the test card is 4242 4242 4242 4242.',
      'trace 1700000000000000 and 0000 0000 0000 0000',
      'id 41111111111111111111 is longer',
      'build 4111.1111.1111.1111',
    ],
  },
  {
    rule: 'iban',
    severity: 'hold',
    message: 'The number of a bank account (IBAN). Leave it out, or write the bank and the last four digits.',
    places: (text) => found(text, IBAN, isIban),
    catches: [
      'Pay to DE89 3704 0044 0532 0130 00 by Friday.',
      'iban: NL91ABNA0417164300',
      'fr14 2004 1010 0505 0001 3m02 606',
    ],
    allows: [
      'DE89 3704 0044 0532 0130 01 has a wrong digit.',
      'GB82 WEST 1234 5698 7654 32 is the example of the manual.',
      'commit de89370400440532013',
    ],
  },
  {
    rule: 'us-ssn',
    severity: 'hold',
    message: 'A United States social security number. Leave it out.',
    places: ssnPlaces,
    catches: ['SSN: 123-45-6789', 'her social security number is 536 22 8841', '536-22-8841', 'ssn=536228841'],
    allows: [
      'The part 000-12-3456 and the range 666-10-2000.',
      '1536-22-8841',
      '536-22-88412',
      'The ssn column is text.',
    ],
  },
  {
    rule: 'phone-number',
    severity: 'warn',
    message: 'A phone number. Leave it out unless the memory is about it.',
    places: (text) => found(text, PHONE, isPhone),
    catches: [
      'call (415) 867-5309',
      '415-867-5309',
      '+1 415 867 5309',
      '+44 20 7946 0018',
      '+49 (0)30 901820',
      'tel:+14158675309',
    ],
    allows: [
      'Call 555-0123 or (212) 555-0147.',
      '2026-11-16 to 2026-12-01',
      '415.867.5309.1',
      'offset +14000000',
      'v1.415.867',
    ],
  },
];

/** Digits in one run, or in groups that one kind of sign separates. */
const CARD =
  /(?<![\w.+-])(?:[0-9]{13,19}|[0-9]{4}([ -])[0-9]{4}\1[0-9]{4}\1[0-9]{1,7}|[0-9]{4}([ -])[0-9]{6}\2[0-9]{4,5})(?![\w]|[.-][0-9])/g;
/** Visa, Mastercard, American Express, Discover, Diners Club, JCB and UnionPay, each with its lengths. */
const CARD_KINDS =
  /^(?:4(?:[0-9]{12}|[0-9]{15}|[0-9]{18})|(?:5[1-5]|2(?:22[1-9]|2[3-9][0-9]|[3-6][0-9]{2}|7[01][0-9]|720))[0-9]{12,14}|3[47][0-9]{13}|(?:6011|65[0-9]{2}|64[4-9][0-9])[0-9]{12}|3(?:0[0-5]|[68][0-9])[0-9]{11}|35(?:2[89]|[3-8][0-9])[0-9]{12}|62[0-9]{14,17})$/;
const IBAN =
  /(?<![A-Za-z0-9])[A-Za-z]{2}[0-9]{2}(?:[A-Za-z0-9]{11,30}|(?: [A-Za-z0-9]{4}){2,7}(?: [A-Za-z0-9]{1,4})?)(?![A-Za-z0-9])/g;
/** The registered lengths. A number of another length, or of no such country, is no IBAN. */
const IBAN_LENGTHS: Readonly<Record<string, number>> = Object.fromEntries(
  `NO15 BE16 DK18 FI18 FO18 GL18 NL18 SD18 FK18 MK19 SI19 AT20 BA20 EE20 KZ20 LT20 LU20 XK20 MN20 CH21 HR21 LI21 LV21
   BG22 BH22 CR22 DE22 GB22 GE22 IE22 ME22 RS22 VA22 AE23 GI23 IL23 IQ23 TL23 OM23 SO23 AD24 CZ24 ES24 MD24 PK24 RO24 SA24
   SE24 SK24 TN24 VG24 LY25 PT25 ST25 IS26 TR26 BI27 DJ27 FR27 GR27 IT27 MC27 MR27 SM27 AL28 AZ28 BY28 CY28 DO28 GT28 HN28
   HU28 LB28 NI28 PL28 SV28 BR29 EG29 PS29 QA29 UA29 JO30 KW30 MU30 YE30 MT31 SC31 LC32 RU33`
    .split(/\s+/)
    .map((each) => [each.slice(0, 2), Number(each.slice(2))]),
);
/** What a manual writes beside a number that belongs to nobody. */
const SAMPLE = /\b(?:test|tests|testing|sandbox|example|sample|dummy|fake|mock|fixture|demo)\b/i;

function* found(text: string, pattern: RegExp, accepts: (bare: string, written: string) => boolean): Iterable<Span> {
  for (const { 0: written, index } of matchesOf(text, pattern)) {
    const end = index + written.length;
    if (!accepts(written.replaceAll(/[^A-Za-z0-9]/g, ''), written)) continue;
    if (!SAMPLE.test(lineAround(text, index, end))) yield [index, end];
  }
}

/** The line a number stands in, at most 80 characters to each side. */
function lineAround(text: string, start: number, end: number): string {
  const before = text.slice(Math.max(0, start - 80), start);
  const after = text.slice(end, end + 80);
  return before.slice(before.lastIndexOf('\n') + 1) + (after.split('\n', 1)[0] ?? '');
}

/** The check digit of card numbers: every second digit from the right counts twice. */
function isLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const value = Number(digits[digits.length - 1 - i]) * (1 + (i % 2));
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}

/** The check digits of ISO 13616: the number, its first four signs at the end and letters as 10 to 35, is 1 modulo 97. */
function isIban(bare: string): boolean {
  const number = bare.toUpperCase();
  if (IBAN_LENGTHS[number.slice(0, 2)] !== number.length) return false;
  let rest = 0;
  for (const sign of number.slice(4) + number.slice(0, 4)) {
    const value = Number.parseInt(sign, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}

const SSN = /(?<![\w.-])([0-9]{3})([ -])([0-9]{2})\2([0-9]{4})(?![\w-]|\.[0-9])/g;
const CALLED_SSN =
  /\b(?:ssns?|social security(?: numbers?| no\.?)?)["']?(?: is| was)?[ :=#"']{1,4}([0-9]{3}[ -]?[0-9]{2}[ -]?[0-9]{4})(?![\w-])/gi;

/** Any such number that is called one; else only one with hyphens that can have been given to a person. */
function* ssnPlaces(text: string): Iterable<Span> {
  const seen = new Set<number>();
  for (const { 0: all, 1: number = '', index } of matchesOf(text, CALLED_SSN)) {
    const start = index + all.length - number.length;
    seen.add(start);
    const end = index + all.length;
    if (!SAMPLE.test(lineAround(text, start, end))) yield [start, end];
  }
  for (const { 0: number, 1: area = '', 2: between, 3: group, 4: serial, index } of matchesOf(text, SSN)) {
    const given = area !== '000' && area !== '666' && area < '900' && group !== '00' && serial !== '0000';
    const known = number === '123-45-6789' || number === '078-05-1120' || number === '219-09-9999';
    const end = index + number.length;
    if (given && !known && between === '-' && !seen.has(index) && !SAMPLE.test(lineAround(text, index, end)))
      yield [index, end];
  }
}

/** A North American number in groups, or an international one with its plus sign and groups or `tel:`. */
const PHONE =
  /(?<![\w.+/-])(?:(?:\+?1[ .-]?)?(?:\([2-9][0-9]{2}\) ?|[2-9][0-9]{2}([.-]))[2-9][0-9]{2}[ .-][0-9]{4}|\+1 [2-9][0-9]{2} [2-9][0-9]{2} [0-9]{4}|\+[1-9][0-9]{0,2}[ -](?:\(0?[0-9]{1,4}\)[ -]?)?[0-9]{1,5}(?:[ -]?[0-9]{2,6}){1,4}|(?<=tel:)\+[1-9][0-9]{7,14})(?![\w]|[.-][0-9])/g;

/** Numbers 555-0100 to 555-0199 belong to nobody. An international number has 8 to 15 digits. */
function isPhone(digits: string, written: string): boolean {
  if (/555[ .-]?01[0-9]{2}$/.test(written)) return false;
  return digits.length >= (written.startsWith('+') ? 8 : 10) && digits.length <= 15;
}
