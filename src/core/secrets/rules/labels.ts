import { isPublicFormat, isPublicPlace } from '../identifiers.ts';
import { isPlaceholder, mayBeLive } from '../placeholders.ts';
import type { SecretRule } from '../rule.ts';
import { HEX, sampleToken } from '../sample-tokens.ts';

const KINDS = /[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^A-Za-z0-9]/g;
const WORD_LIKE = /^#?(?:[A-Z]?[a-z]*|[A-Z]+|[0-9]+|[0-9]{1,4}[a-z]{1,4}|[A-Za-z0-9]{1,3})$/;
/**
 * Words in camel case, with at most a number at the end. A word in lower case is taken whole: one cut into five in every way takes
 * seconds.
 */
const NAME_LIKE = /^(?:[A-Z]?[a-z]{2,}(?![a-z])|[A-Z]{2,4}){1,5}[0-9]{0,4}$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** How GnuPG names a public key. */
const KEY_ID = /^(?:[0-9A-F]{16}|[0-9A-F]{40})$/;
const ADDRESS = /:\/\/|^[~./\\]|\\|^[\w.-]+\/[\w./-]+\.[a-z]{1,5}$|@[\w-]+\.[a-z]/i;

/**
 * Whether a labelled word looks random: letters and digits alternate about every second character. Names, versions, dates
 * and paths consist of whole words and whole numbers.
 */
export function looksGenerated(word: string): boolean {
  if (word.length < 12 || UUID.test(word) || ADDRESS.test(word) || isPlaceholder(word)) return false;
  const letters = word.replaceAll(/[^A-Za-z]/g, '').length;
  const numbers = word.match(/[0-9]+/g)?.length ?? 0;
  const marked = /[!@#$%^&*?~+]/.test(word) && /[A-Z]/.test(word) && /[a-z]/.test(word);
  if (letters < 4 || word.split(/[-_.:/,]/).every((part) => WORD_LIKE.test(part))) return false;
  const change = (word.match(KINDS)?.length ?? 0) / word.length;
  return change >= mixtureAsked(word.length, numbers + (marked ? 1 : 0)) && mayBeLive(word, 12);
}

/** How often the kind of character must change. A word with few digits could be a name, so it must change more often. */
function mixtureAsked(length: number, numbers: number): number {
  if (numbers >= 2) return 0.3;
  if (length < 16) return 1;
  return numbers === 1 && length >= 20 ? 0.32 : 0.42;
}

/** Whether a setting's value is not a name: lower case, upper case and digits, changing often. */
function looksTyped(value: string): boolean {
  if (!/[0-9]/.test(value) || !/[a-z]/.test(value) || !/[A-Z]/.test(value)) return false;
  if (isPlaceholder(value) || ADDRESS.test(value) || TECHNICAL.test(value)) return false;
  if (value.split(/[-_./]/).every((part) => WORD_LIKE.test(part) || NAME_LIKE.test(part))) return false;
  return (value.match(KINDS)?.length ?? 0) / value.length >= 0.42 && mayBeLive(value, 8);
}

const PASSWORD_LIKE = /^(?=.*[A-Za-z])(?=.*[0-9!@#$%^&*?~+]).{6,}$/;
const TECHNICAL = /^(?:base|sha|md|utf|aes|bcrypt|scrypt|argon|pbkdf|hmac|rsa|ed|es|hs|rs|oauth|http|ipv?|v|x)-?[0-9]/i;

/** What a value must look like if its label says password. */
export function isPassword(value: string): boolean {
  return PASSWORD_LIKE.test(value) && !TECHNICAL.test(value) && !isPlaceholder(value) && !ADDRESS.test(value);
}

function decoded(part: string): string {
  return Buffer.from(part, 'base64url').toString('utf8');
}

const guid = () => [8, 4, 4, 4, 12].map((length, i) => sampleToken(length, HEX, i + 1)).join('-');
const typed = (length: number) => `k7R${sampleToken(length - 5)}x2`;
const seven = () => `k${sampleToken(5, HEX)}${7}`;

/** Secrets without a provider's format, likely because of their place or label. */
export const LABEL_RULES: readonly SecretRule[] = [
  {
    rule: 'url-credentials',
    severity: 'hold',
    what: 'a password inside an address',
    keywords: ['://'],
    pattern: /:\/\/[^\s:@/?#"'<>`|\\]{0,80}:([^\s@/"'<>`|\\]{3,200})(?=@[A-Za-z0-9[$])/g,
    accepts: (secret, { 0: whole }) =>
      !isPlaceholder(secret) &&
      !/^(?:[a-z]{1,4}|[0-9]{1,4})$/.test(secret) &&
      whole.slice(3, -secret.length - 1) !== secret,
    get catches() {
      return [`postgres://app:${sampleToken(12)}@db.internal:5432/app`, `https://deploy:${seven()}@git.corp.dev/x.git`];
    },
    allows: [
      'postgres://user:password@localhost/db',
      'postgres://postgres:postgres@localhost:5432/app',
      'https://<user>:<password>@host/',
      `redis://:${'$'}{REDIS_PASSWORD}@cache:6379/0`,
      'redis://localhost:6379/0',
      "new URL('https://abc:xyz@host.dev')",
    ],
  },
  {
    rule: 'authorization-header',
    severity: 'hold',
    what: 'credentials in an Authorization header',
    keywords: ['bearer ', 'basic ', 'authorization'],
    pattern:
      /\b(?:bearer|basic|authorization["']?\s{0,3}[:=]\s{0,3}["']?(?:token|apikey|bot|key))\s{1,4}([A-Za-z0-9._~+/=-]{16,4000})/gi,
    accepts: (secret, { 0: whole }) =>
      /^basic/i.test(whole)
        ? isBasic(secret)
        : /[0-9]/.test(secret) && /[A-Za-z]/.test(secret) && looksGenerated(secret),
    get catches() {
      return [
        `Authorization: Bearer ${sampleToken(24)}`,
        `Authorization: Basic ${Buffer.from(`ci:${seven()}`).toString('base64')}`,
      ];
    },
    allows: [
      'Authorization: Bearer YOUR_ACCESS_TOKEN_GOES_HERE',
      'Bearer authentication-with-tokens',
      'basic troubleshooting-steps',
    ],
  },
  {
    rule: 'command-credentials',
    severity: 'hold',
    what: 'a password in a command',
    keywords: ['curl'],
    pattern: /\s(?:-u|--user)[ =]{0,2}["']?[\w.@-]{0,64}:["']?([^\s"'`$<{]{4,200})/g,
    accepts: (secret) => !isPlaceholder(secret),
    get catches() {
      return [
        `curl -u deploy:${seven()} https://host.corp.dev/`,
        `curl --user deploy:'${seven()}' https://host.corp.dev/`,
      ];
    },
    allows: [
      'curl -u user:password https://host/',
      `curl -u "${'$'}USER:${'$'}PASS" https://host/`,
      'curl -u deploy https://host/',
    ],
  },
  {
    rule: 'labelled-password',
    severity: 'hold',
    what: 'a password written beside its name',
    keywords: ['passw', 'passphrase', 'passcode', 'pwd'],
    pattern:
      /(?:password|passwd|passphrase|passcode|pwd)["'`]?(?:\s{0,4}(?::=|=>|[:=])|\s(?:is|was|to|:|=))\s{0,4}["'`]?([^\s"'`,;<>()|]{6,200})/gi,
    accepts: isPassword,
    get catches() {
      return [`the staging password is ${seven()}`, `PASSWORD=${sampleToken(14)}`, `"password": "${seven()}!"`];
    },
    get allows() {
      return [
        'the password is stored in the vault',
        'the password is base64-encoded first',
        'password: string',
        'password = os.environ["DB_PASSWORD_2"]',
        'password: changeme123',
        'password: <your password 1>',
        'password: [possible secret hidden]',
      ];
    },
  },
  {
    rule: 'labelled-uuid',
    severity: 'hold',
    what: 'a secret written beside its name',
    keywords: ['token', 'secret', 'apikey', 'api_key', 'api-key', 'api key', 'bearer'],
    // Ids are written alike, so the label must say secret and the value must follow at once.
    pattern:
      /(?:token|secret|api[_ -]?key|secret[_ -]?key|bearer)["'`\]]{0,2}(?:\s{0,4}(?::{1,3}=|=>|[:=,?>]{1,2})\s{0,4}|\sis\s|\s{1,4})(?:\w{1,10}(?:::\w{1,10})?\()?["'`*(]{0,3}([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?![0-9a-f-])/gi,
    accepts: (secret) => mayBeLive(secret, 24),
    get catches() {
      return [
        `ACME_TOKEN="${guid()}"`,
        `api-key: ${guid()}`,
        `tool login --token ${guid()}`,
        `Authorization: Bearer ${guid()}`,
        `the gateway’s token is \`${guid()}\``,
      ];
    },
    get allows() {
      return [`clientId = "${guid()}"`, `token id ${guid()}`, 'token: 00000000-0000-0000-0000-000000000000'];
    },
  },
  {
    rule: 'labelled-secret',
    severity: 'hold',
    what: 'a secret written beside its name',
    keywords: [
      'key',
      'token',
      'secret',
      'passw',
      'passphrase',
      'pwd',
      'credential',
      'login',
      'auth',
      'cookie',
      'recovery',
    ],
    pattern: labelThenWord(),
    accepts: (secret, { 0: whole, input, index }) =>
      (looksGenerated(secret) || isHexKey(secret)) &&
      !/--recv-keys |fingerprint/i.test(whole) &&
      !/^--?[a-z][\w-]{0,40}=/i.test(secret) &&
      !(KEY_ID.test(secret) && /[gp]g?p[^\n]{0,12}key\W/i.test(input.slice(Math.max(0, index - 16), index + 5))) &&
      !isPublicFormat(secret.replace(/\.$/, '')) &&
      !isPublicPlace(input, index + whole.length - secret.length, index + whole.length),
    get catches() {
      return [
        `api_key=${sampleToken(24)}`,
        `export ACME_API_KEY=${sampleToken(32)}`,
        `The API key for the weather service is ${sampleToken(40)}`,
        `signing secret ${sampleToken(32, HEX)}`,
        `client_secret: ${sampleToken(40)}`,
      ];
    },
    get allows() {
      return [
        'api_key=YOUR_API_KEY_GOES_HERE_1',
        `api_key: ${'$'}{{ secrets.DEPLOY_KEY }}`,
        'Feature flag key: enable_new_checkout_v2',
        'the token limit of claude-3-5-sonnet-20241022 applies',
        'auth lives in src/auth/tokenV2Store.ts',
        'the key is 550e8400-e29b-41d4-a716-446655440000',
        'primary key: the sha1 of the file',
        'the cookie of [rfc-6265bis-09-5.4.7]',
        'a listed key, see #3-a-publicly-listed-gpg-key',
        `gpg --keyserver keys.dev --recv-keys ${sampleToken(40, '0123456789ABCDEF')}`,
        `pubkey256 = '${sampleToken(43)}='`,
        `public key ${sampleToken(44)}`,
        `host key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${sampleToken(43)}`,
        `gpg: key ${sampleToken(16, '0123456789ABCDEF')} was signed`,
        `cache key: modules-linux-${sampleToken(64, HEX)}`,
        `{"keys":[{"kty":"OKP","crv":"Ed25519","x":"${sampleToken(43)}"}]}`,
        'the replica set is token-store-7d9c5b8f6d',
        `the token contract is at 0x${sampleToken(40, HEX)}`,
        'kubectl create secret generic db --from-file=password=./pw1.txt',
      ];
    },
  },
  {
    rule: 'assigned-secret',
    severity: 'hold',
    what: 'a secret that a setting is given',
    keywords: ['key', 'token', 'secret', 'credential'],
    // Right after a label that says secret, a value may be shorter than a nearby one.
    pattern:
      /(?:api[_ -]?key|access[_ -]?key|auth[_ -]?key|secret[_ -]?key|token|secret|credentials?)["'`\]]{0,2}\s{0,4}(?::{1,2}=|=>|[:=])\s{0,4}["'`]?([^\s"'`,;:<>()[\]{}|$]{8,200})(?![\w(.[])/gi,
    accepts: (secret, { input, index }) =>
      looksTyped(secret) && !/\bbadge[^\s]{0,30}$/.test(input.slice(Math.max(0, index - 40), index)),
    get catches() {
      return [`API_TOKEN=${typed(10)}`, `apiKey: "${typed(11)}"`, `client_secret => '${typed(9)}'`];
    },
    allows: [
      'token = getToken2(Session)',
      'token: string',
      'secret = settings.Secret2',
      'apiKey: API_KEY_V2',
      'token: JWT-HS256',
      'max_token=Claude3Opus',
      'api_key = "Your-Key-1"',
      'secret: deploy/Prod-Key2',
      'token: 2026-05-01T10Z',
      '![coverage](https://coverage.dev/main/badge.svg?token=k7RTqcLxx2)',
    ],
  },
];

/** A name for a secret and a word within a few words on its line; `accepts` judges the word. */
function labelThenWord(): RegExp {
  const label =
    '(?:key|token|secret|password|passwd|passphrase|pwd|credentials?|login|auth|cookie|recovery code)(?![a-z]{3})';
  return new RegExp(
    `(?<!pub(?:lic)?[_ -]?|cache[_ -]|--recv-)${label}[^\\n]{0,60}?(?<![\\w+/~!@#$%^&*?.-])([\\w+/~!@#$%^&*?.-][\\w+/=~!@#$%^&*?.-]{11,400})`,
    'gi',
  );
}

export function isHexKey(word: string): boolean {
  return /^(?:0x)?(?:[0-9a-f]{32}|[0-9a-f]{48}|[0-9a-f]{64})$/i.test(word) && mayBeLive(word, 32);
}

function isBasic(secret: string): boolean {
  const plain = decoded(secret);
  return /^[\x20-\x7e]{2,64}:[\x20-\x7e]{3,}$/.test(plain) && !isPlaceholder(plain.slice(plain.indexOf(':') + 1));
}
