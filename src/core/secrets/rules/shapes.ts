import { isRandom } from '../bigrams.ts';
import { mayBeLive } from '../placeholders.ts';
import type { SecretRule } from '../rule.ts';
import { HEX, sampleToken } from '../sample-tokens.ts';

const DIGITS = '3851907264';
const BECH32 = 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L';

/** Formats that a table of prefixes cannot express: a mark in the middle or at the end, or distinctive parts. */
export const SHAPE_RULES: readonly SecretRule[] = [
  {
    rule: 'azure-client-secret',
    severity: 'block',
    what: 'an Azure client secret',
    keywords: ['q~'],
    pattern: /(?<![\w~.-])[\w~.]{3}[0-9]Q~[\w~.-]{31,34}(?![\w~-])/g,
    accepts: (secret) => mayBeLive(secret.slice(6), 31),
    get catches() {
      return [`${sampleToken(3)}8Q~${sampleToken(34)}`];
    },
    get allows() {
      return [`${sampleToken(3)}8Q~${'x'.repeat(34)}`, '~'.repeat(40)];
    },
  },
  {
    rule: 'azure-storage-key',
    severity: 'block',
    what: 'an Azure access key',
    keywords: ['accountkey=', 'sharedaccesskey='],
    pattern: /(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{43,88}={0,2})(?![A-Za-z0-9+/])/gi,
    accepts: (secret) => mayBeLive(secret, 43),
    get catches() {
      return [`AccountName=a;AccountKey=${sampleToken(86)}==;`, `SharedAccessKey=${sampleToken(43)}=`];
    },
    allows: [`AccountKey=${'x'.repeat(86)}==`, 'AccountKey=<key>'],
  },
  {
    rule: 'azure-devops-newer-token',
    severity: 'block',
    what: 'an Azure DevOps token',
    keywords: ['azdo'],
    pattern: /(?<![A-Za-z0-9])[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}(?![A-Za-z0-9])/g,
    accepts: (secret) => mayBeLive(secret.slice(0, 76), 76),
    get catches() {
      return [`${sampleToken(76)}AZDO${sampleToken(4)}`];
    },
    allows: [`${'x'.repeat(76)}AZDOxxxx`, 'AZDO stands near the end'],
  },
  {
    rule: 'cloudinary-address',
    severity: 'block',
    what: 'a Cloudinary address with its secret',
    keywords: ['cloudinary://'],
    pattern: /cloudinary:\/\/[0-9]{12,16}:([A-Za-z0-9_-]{24,32})(?=@)/g,
    accepts: (secret) => mayBeLive(secret, 24),
    get catches() {
      return [`CLOUDINARY_URL=cloudinary://${sampleToken(15, DIGITS)}:${sampleToken(27)}@demo`];
    },
    allows: ['cloudinary://<key>:<secret>@demo', `cloudinary://123456789012345:${'x'.repeat(27)}@demo`],
  },
  {
    rule: 'terraform-token',
    severity: 'block',
    what: 'a Terraform Cloud token',
    keywords: ['.atlasv1.'],
    pattern: /(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9=_-]{60,70}/g,
    accepts: (secret) => mayBeLive(secret.replace('.atlasv1.', ''), 60),
    get catches() {
      return [`${sampleToken(14)}.atlasv1.${sampleToken(67)}`];
    },
    allows: [`${'x'.repeat(14)}.atlasv1.${'x'.repeat(67)}`],
  },
  {
    rule: 'age-secret-key',
    severity: 'block',
    what: 'an age secret key',
    keywords: ['age-secret-key-1'],
    pattern: /AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}/g,
    accepts: (secret) => !/X{20}/.test(secret),
    get catches() {
      return [`AGE-SECRET-KEY-1${sampleToken(58, BECH32)}`];
    },
    allows: [`AGE-SECRET-KEY-1${'X'.repeat(58)}`, 'AGE-SECRET-KEY-1 begins it'],
  },
  {
    rule: 'maxmind-key',
    severity: 'block',
    what: 'a MaxMind key',
    keywords: ['_mmk'],
    pattern: /(?<![A-Za-z0-9])[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk(?![A-Za-z0-9])/g,
    accepts: (secret) => mayBeLive(secret.slice(0, -4), 35),
    get catches() {
      return [`${sampleToken(6)}_${sampleToken(29)}_mmk`];
    },
    allows: [`${'x'.repeat(6)}_${'x'.repeat(29)}_mmk`],
  },
  {
    rule: 'facebook-app-token',
    severity: 'block',
    what: 'a Facebook app token',
    keywords: ['|'],
    pattern: /(?<![A-Za-z0-9])[0-9]{15,16}(?:\||%7C)[A-Za-z0-9_-]{27,40}(?![A-Za-z0-9_-])/g,
    accepts: (secret) => mayBeLive(secret.slice(17), 27),
    get catches() {
      return [`${sampleToken(15, DIGITS)}|${sampleToken(27)}`];
    },
    get allows() {
      return [`${sampleToken(15, DIGITS)}|${'x'.repeat(27)}`, '| 123456789012345 | a cell |'];
    },
  },
  {
    rule: 'telegram-token',
    severity: 'block',
    what: 'a Telegram bot token',
    keywords: [':a'],
    pattern: /(?<![A-Za-z0-9])[0-9]{5,16}:A[A-Za-z0-9_-]{34}(?![A-Za-z0-9_-])/g,
    accepts: (secret) => mayBeLive(secret.slice(secret.indexOf(':') + 2), 34),
    get catches() {
      return [`${sampleToken(10, DIGITS)}:A${sampleToken(34)}`];
    },
    get allows() {
      return [`${sampleToken(10, DIGITS)}:A${sampleToken(33)}`, `123456789:A${'x'.repeat(34)}`];
    },
  },
  {
    rule: 'json-web-token',
    severity: 'block',
    what: 'a signed token (JWT)',
    keywords: ['eyj'],
    pattern: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]{4,8000}\.[A-Za-z0-9_-]{16,2000}/g,
    accepts: (secret) => isSigned(secret),
    get catches() {
      return [
        `${encoded('{"alg":"HS256","typ":"JWT"}')}.${encoded('{"sub":"17"}')}.${sampleToken(43)}`,
        Buffer.from(`${encoded('{"kid":"a1"}')}.${encoded('{"iss":"joe"}')}.${sampleToken(43)}`).toString('base64'),
      ];
    },
    get allows() {
      return [
        `${encoded('{"no":"header of that kind"}')}.${encoded('{"sub":"17"}')}.${sampleToken(43)}`,
        `${encoded('{"alg":"HS256"}')}.${encoded('{"sub":"1234567890","iat":1516239022}')}.${sampleToken(43)}`,
        'eyJhbGci... is the start',
      ];
    },
  },
  {
    rule: 'vault-old-token',
    severity: 'block',
    what: 'a Vault token',
    keywords: ['s.'],
    pattern: /(?<![\w.-])s\.[A-Za-z0-9]{24}(?![\w.(-])/g,
    accepts: (secret) => isThreefold(secret.slice(2)) && isRandom(secret.slice(2)),
    get catches() {
      return [`token: s.${sampleToken(24)}`];
    },
    get allows() {
      return ['it calls s.configurationOfVersion2024b there', `this.${sampleToken(24)}`];
    },
  },
  {
    rule: 'mailchimp-key',
    severity: 'block',
    what: 'a Mailchimp key',
    keywords: ['-us'],
    pattern: /(?<![A-Za-z0-9_-])[0-9a-f]{32}-us[0-9]{1,2}(?![A-Za-z0-9-])/g,
    accepts: (secret) => mayBeLive(secret.slice(0, 32), 32),
    get catches() {
      return [`${sampleToken(32, HEX)}-us14`];
    },
    get allows() {
      return [`${sampleToken(31, HEX)}-us14`, `${'0'.repeat(32)}-us1`];
    },
  },
  {
    rule: 'new-relic-licence',
    severity: 'block',
    what: 'a New Relic licence key',
    keywords: ['nral'],
    pattern: /(?<![A-Za-z0-9])(?:[a-z]{2}[0-9]{2}x{2})?[0-9a-f]{30,36}NRAL(?![A-Za-z0-9])/g,
    accepts: (secret) => mayBeLive(secret.slice(0, -4), 30),
    get catches() {
      return [`${sampleToken(36, HEX)}NRAL`, `eu01xx${sampleToken(30, HEX)}NRAL`];
    },
    allows: [`${'0'.repeat(36)}NRAL`, 'NRAL ends it'],
  },
  {
    rule: 'azure-identifiable-key',
    severity: 'block',
    what: 'an Azure key',
    keywords: [
      'jqqj99',
      '+ast',
      '+amc',
      '+aba',
      'acdb',
      'azfu',
      'azse',
      '+acr',
      'azca',
      'aiot',
      '+asb',
      '+aeh',
      '+arm',
    ],
    // Microsoft puts a mark at a fixed place so that scanners recognize its keys.
    pattern:
      /(?<![A-Za-z0-9+/])(?:[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{20,28}|[A-Za-z0-9+/]{76}(?:\+ASt|\+AMC|\+ABa|ACDb)[A-Za-z0-9+/]{5}[AQgw]==|[A-Za-z0-9_+/-]{42,44}(?:AzFu|AzSe|\+ACR|AzCa)[A-Za-z0-9+/]{4,6}(?:==)?|[A-Za-z0-9+/]{33}(?:AIoT|\+ASb|\+AEh|\+ARm)[A-P][A-Za-z0-9+/]{5}=)(?![A-Za-z0-9+/=])/g,
    accepts: (secret) => mayBeLive(secret, 40),
    get catches() {
      return [
        `${sampleToken(52)}JQQJ99${sampleToken(26)}`,
        `${sampleToken(76)}+ASt${sampleToken(5)}A==`,
        `${sampleToken(44)}AzSe${sampleToken(4)}`,
        `${sampleToken(33)}AIoTC${sampleToken(5)}=`,
      ];
    },
    get allows() {
      return [`${'x'.repeat(52)}JQQJ99${'x'.repeat(26)}`, `${sampleToken(30)}JQQJ99${sampleToken(26)}`];
    },
  },
  {
    rule: 'firebase-server-key',
    severity: 'block',
    what: 'a Firebase server key',
    keywords: [':apa91b'],
    pattern: /(?<![A-Za-z0-9_-])AAAA[A-Za-z0-9_-]{7}:APA91b[A-Za-z0-9_-]{120,150}/g,
    accepts: (secret) => mayBeLive(secret.slice(18), 120),
    get catches() {
      return [`AAAA${sampleToken(7)}:APA91b${sampleToken(134)}`];
    },
    get allows() {
      return [`AAAA${sampleToken(7)}:APA91b${'x'.repeat(134)}`];
    },
  },
  {
    rule: 'ghost-key',
    severity: 'block',
    what: 'a Ghost admin key',
    keywords: [':'],
    pattern: /(?<![A-Za-z0-9:])[0-9a-f]{24}:[0-9a-f]{64}(?![A-Za-z0-9:])/g,
    accepts: (secret) => mayBeLive(secret, 70),
    get catches() {
      return [`${sampleToken(24, HEX)}:${sampleToken(64, HEX)}`];
    },
    get allows() {
      return [`${sampleToken(24, HEX)}:${'0'.repeat(64)}`, `sha256:${sampleToken(64, HEX)}`];
    },
  },
  {
    rule: 'salesforce-session',
    severity: 'block',
    what: 'a Salesforce session',
    keywords: ['00d'],
    pattern: /(?<![A-Za-z0-9])00D[A-Za-z0-9]{12,15}!A[A-Za-z0-9_.]{80,120}/g,
    accepts: (secret) => mayBeLive(secret.slice(19), 70),
    get catches() {
      return [`00D${sampleToken(12)}!A${sampleToken(95)}`];
    },
    get allows() {
      return [`00D${sampleToken(12)}!A${'x'.repeat(95)}`, `00D${sampleToken(12)}`];
    },
  },
];

const JOSE = /^\{.*"(?:alg|enc|kid|typ|cty|zip|jku|x5[tcu])"\s*:/s;

/** A standard header. The sample token of jwt.io grants no access. */
function isSigned(token: string): boolean {
  const [header = '', payload = ''] = token.split('.');
  return JOSE.test(decoded(header)) && !/"iat"\s*:\s*1516239022/.test(decoded(payload));
}

function decoded(part: string): string {
  return Buffer.from(part, 'base64url').toString('utf8');
}

function encoded(json: string): string {
  return Buffer.from(json).toString('base64url');
}

function isThreefold(word: string): boolean {
  return /[0-9]/.test(word) && /[a-z]/.test(word) && /[A-Z]/.test(word);
}
