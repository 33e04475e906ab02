import { createHash } from 'node:crypto';
import { mayBeLive } from '../placeholders.ts';
import type { SecretRule } from '../rule.ts';
import { HEX, sampleToken } from '../sample-tokens.ts';
import { seedWordNumber } from '../seed-word-list.ts';

/** Between two words of a list, with the next one's number. */
const NEXT = '[ \\t,;\\n]{1,3}(?:[0-9]{1,2}[.):]?[ \\t]{1,2})?';
const WORDS = () => new RegExp(`\\b(?:[a-z]{3,8}${NEXT}){11,23}[a-z]{3,8}\\b`, 'g');
const COUNTS = [24, 21, 18, 15, 12];
/** At least 9 different words: test accounts repeat one word, and a random list of twelve hardly ever repeats three. */
const LEAST_DIFFERENT = 9;

/** The list numbers of the words at the start of a run. */
function listedAtStart(run: string): readonly number[] {
  const numbers: number[] = [];
  for (const [word] of run.matchAll(/[a-z]+/g)) {
    const number = seedWordNumber(word);
    if (number === undefined) break;
    numbers.push(number);
  }
  return new Set(numbers).size >= LEAST_DIFFERENT ? numbers : [];
}

/** BIP 39's checksum: the last bits of the words are the first bits of the others' digest. */
function sumIsRight(numbers: readonly number[]): boolean {
  const bits = numbers.map((number) => number.toString(2).padStart(11, '0')).join('');
  const length = (bits.length * 32) / 33;
  const bytes = (bits.slice(0, length).match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2));
  const [first = 0] = createHash('sha256').update(Buffer.from(bytes)).digest();
  return first.toString(2).padStart(8, '0').startsWith(bits.slice(length));
}

const SAMPLE = 'vessel ladder alter error federal sibling chat ability sun glass valve picture';

/** Labels of a digest of this length. */
const DIGEST = /hash|\btx|transaction|digest|block|root|topic|slot|keccak|sha-?\d|checksum|public|commit|signature/i;

/** Keys and words that open wallets. */
export const WALLET_RULES: readonly SecretRule[] = [
  {
    rule: 'seed-words',
    severity: 'block',
    what: 'the recovery words of a wallet',
    keywords: [''],
    pattern: WORDS(),
    accepts: (secret) => {
      const numbers = listedAtStart(secret);
      return COUNTS.some((count) => numbers.length >= count && sumIsRight(numbers.slice(0, count)));
    },
    catches: [SAMPLE, `Write these down: ${SAMPLE.split(' ').join(', ')}`, numbered(SAMPLE)],
    allows: [
      'test test test test test test test test test test test junk',
      'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about',
      'vessel ladder alter error federal sibling chat ability sun glass valve',
      'The phrase has twelve words that are drawn from one list and the last of them holds the sum',
    ],
  },
  {
    rule: 'seed-phrase',
    severity: 'hold',
    what: 'the recovery phrase of a wallet or an account',
    keywords: ['phrase', 'mnemonic', 'seed', 'words', 'frase', 'semilla', 'сид', 'фраза'],
    // Twelve words of the list with a wrong checksum, or twelve words after their name without filler words.
    pattern: WORDS(),
    accepts: (secret, { input, index }) =>
      listedAtStart(secret).length >= 12 ||
      (/(?:phrase|mnemonic|seed|words|frase|semilla|сид|фраза)["'`]?\s{0,3}(?:is|are|[:=])\s{0,3}["'`]?(?:1[.)] )?$/i.test(
        input.slice(Math.max(0, index - 40), index),
      ) &&
        new Set(secret.split(/[^a-z]+/i)).size >= LEAST_DIFFERENT &&
        !/\b(?:the|and|for|with|that|not|you)\b/i.test(secret)),
    catches: [
      'Seed phrase: kite lamp river stone cloud apple tiger melon frost cabin orbit spoon',
      'my seed, with one word wrong: vessel ladder alter error federal sibling chat ability sun glass valve zebra',
    ],
    allows: [
      'The phrase is used when the build has failed and nobody can tell which of them broke it',
      'mnemonic: word word word word word word word word word word word word',
    ],
  },
  {
    rule: 'wallet-key',
    severity: 'hold',
    what: 'the private key of a wallet',
    keywords: [
      'private',
      'privat',
      'privé',
      'wallet',
      'signs with',
      'signer',
      'deployer',
      'accounts',
      'eth',
      'schlüssel',
      'prywatny',
      'privada',
      'ключ',
      '私钥',
      '私鑰',
      '秘密鍵',
      '개인',
    ],
    pattern:
      /(?:private[-_ ]?key|priv[-_]?key|wallet|signs with|signer|deployer|accounts["']?\s{0,2}[:=]\s{0,2}\[|\beth\w{0,12}|schlüssel|clé privée|(?:clave|chave) privada|chiave privata|privésleutel|klucz prywatny|(?:приватн|закрыт)\S{1,4} ключ|私[钥鑰]|秘密鍵|개인 ?키)[^\n]{0,40}?(?<![0-9a-z])((?:0x)?[0-9a-f]{64})(?![0-9a-z])/gi,
    accepts: (secret, { 0: whole }) => !DIGEST.test(whole.slice(0, -secret.length)) && mayBeLive(secret, 40),
    get catches() {
      return [
        `The deployer account signs with 0x${sampleToken(64, HEX)}`,
        `accounts: ["0x${sampleToken(64, HEX, 2)}"]`,
        `Ethereum-Schlüssel: 0x${sampleToken(64, HEX, 3)}`,
        `私钥：${sampleToken(64, HEX, 4)}`,
      ];
    },
    get allows() {
      return [
        `Ethereum transaction 0x${sampleToken(64, HEX)}`,
        `the wallet's last tx is 0x${sampleToken(64, HEX)}`,
        `wallet 0x${sampleToken(40, HEX)}`,
        `accounts: ["0x${'0'.repeat(64)}"]`,
      ];
    },
  },
];

function numbered(words: string): string {
  return words
    .split(' ')
    .map((word, i) => `${i + 1}. ${word}`)
    .join('\n');
}
