import { HEX, madeUp } from './made-up.ts';
import { mayBeLive } from './placeholders.ts';
import type { SecretRule } from './secret-facts.ts';
import { isRandom } from './secret-random.ts';

const GUID = `${madeUp(8, HEX)}-${madeUp(4, HEX)}-${madeUp(4, HEX, 2)}-${madeUp(4, HEX, 3)}-${madeUp(12, HEX)}`;
const DIGITS = '3851907264';
const BECH32 = 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L';

/** Formats that a table of prefixes cannot say: a mark in the middle or at the end, parts that tell, an address. */
export const SHAPE_RULES: readonly SecretRule[] = [
  {
    rule: 'azure-client-secret',
    severity: 'block',
    what: 'an Azure client secret',
    keywords: ['q~'],
    pattern: /(?<![\w~.-])[\w~.]{3}[0-9]Q~[\w~.-]{31,34}(?![\w~-])/g,
    accepts: (secret) => mayBeLive(secret.slice(6), 31),
    catches: [`${madeUp(3)}8Q~${madeUp(34)}`],
    allows: [`${madeUp(3)}8Q~${'x'.repeat(34)}`, '~'.repeat(40)],
  },
  {
    rule: 'azure-storage-key',
    severity: 'block',
    what: 'an Azure access key',
    keywords: ['accountkey=', 'sharedaccesskey='],
    pattern: /(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{43,88}={0,2})(?![A-Za-z0-9+/])/gi,
    accepts: (secret) => mayBeLive(secret, 43),
    catches: [`AccountName=a;AccountKey=${madeUp(86)}==;`, `SharedAccessKey=${madeUp(43)}=`],
    allows: [`AccountKey=${'x'.repeat(86)}==`, 'AccountKey=<key>'],
  },
  {
    rule: 'azure-signature',
    severity: 'hold',
    what: 'a signed Azure address',
    keywords: ['sig='],
    pattern: /[?&]sig=([A-Za-z0-9%+/]{40,80}={0,2})/g,
    accepts: (secret) => mayBeLive(secret, 40),
    catches: [`https://a.blob.core.windows.net/c?sv=2024&sig=${madeUp(43)}%3D`],
    allows: ['https://a.blob.core.windows.net/c?sv=2024&sig=...'],
  },
  {
    rule: 'terraform-token',
    severity: 'block',
    what: 'a Terraform Cloud token',
    keywords: ['.atlasv1.'],
    pattern: /(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9=_-]{60,70}/g,
    accepts: (secret) => mayBeLive(secret.replace('.atlasv1.', ''), 60),
    catches: [`${madeUp(14)}.atlasv1.${madeUp(67)}`],
    allows: [`${'x'.repeat(14)}.atlasv1.${'x'.repeat(67)}`],
  },
  {
    rule: 'age-secret-key',
    severity: 'block',
    what: 'an age secret key',
    keywords: ['age-secret-key-1'],
    pattern: /AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}/g,
    accepts: (secret) => !/X{20}/.test(secret),
    catches: [`AGE-SECRET-KEY-1${madeUp(58, BECH32)}`],
    allows: [`AGE-SECRET-KEY-1${'X'.repeat(58)}`, 'AGE-SECRET-KEY-1 begins it'],
  },
  {
    rule: 'maxmind-key',
    severity: 'block',
    what: 'a MaxMind key',
    keywords: ['_mmk'],
    pattern: /(?<![A-Za-z0-9])[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk(?![A-Za-z0-9])/g,
    accepts: (secret) => mayBeLive(secret.slice(0, -4), 35),
    catches: [`${madeUp(6)}_${madeUp(29)}_mmk`],
    allows: [`${'x'.repeat(6)}_${'x'.repeat(29)}_mmk`],
  },
  {
    rule: 'facebook-app-token',
    severity: 'block',
    what: 'a Facebook app token',
    keywords: ['|'],
    pattern: /(?<![A-Za-z0-9])[0-9]{15,16}(?:\||%7C)[A-Za-z0-9_-]{27,40}(?![A-Za-z0-9_-])/g,
    accepts: (secret) => mayBeLive(secret.slice(17), 27),
    catches: [`${madeUp(15, DIGITS)}|${madeUp(27)}`],
    allows: [`${madeUp(15, DIGITS)}|${'x'.repeat(27)}`, '| 123456789012345 | a cell |'],
  },
  {
    rule: 'telegram-token',
    severity: 'block',
    what: 'a Telegram bot token',
    keywords: [':a'],
    pattern: /(?<![A-Za-z0-9])[0-9]{5,16}:A[A-Za-z0-9_-]{34}(?![A-Za-z0-9_-])/g,
    accepts: (secret) => mayBeLive(secret.slice(secret.indexOf(':') + 2), 34),
    catches: [`${madeUp(10, DIGITS)}:A${madeUp(34)}`],
    allows: [`${madeUp(10, DIGITS)}:A${madeUp(33)}`, `123456789:A${'x'.repeat(34)}`],
  },
  {
    rule: 'webhook-address',
    severity: 'block',
    what: 'a webhook address that whoever has it can post to',
    keywords: ['webhook'],
    pattern:
      /(?:discord(?:app)?\.com\/api\/webhooks\/[0-9]{17,20}\/[A-Za-z0-9_-]{60,70}|\.webhook\.office\.com\/webhookb2\/[A-Za-z0-9-]{36}@[A-Za-z0-9-]{36}\/IncomingWebhook\/[A-Za-z0-9]{32}\/[A-Za-z0-9-]{36})/g,
    accepts: (secret) => mayBeLive(secret.slice(-60), 30),
    catches: [
      `https://discord.com/api/webhooks/${madeUp(18, DIGITS)}/${madeUp(68)}`,
      `https://a.webhook.office.com/webhookb2/${GUID}@${GUID}/IncomingWebhook/${madeUp(32, HEX)}/${GUID}`,
    ],
    allows: [`https://discord.com/api/webhooks/123456789012345678/${'x'.repeat(68)}`, 'a webhook address'],
  },
  {
    rule: 'zapier-webhook',
    severity: 'hold',
    what: 'a webhook address that whoever has it can post to',
    keywords: ['hooks.zapier.com/', 'chat.googleapis.com/', 'hook.eu', 'hook.us', 'logic.azure.com'],
    pattern:
      /(?:hooks\.zapier\.com\/hooks\/catch\/[0-9]{5,10}\/[a-z0-9]{6,20}|chat\.googleapis\.com\/v1\/spaces\/[\w-]{6,20}\/messages\?key=[\w-]{20,60}|hook\.[eu][us][0-9]\.make\.com\/[a-z0-9]{32})/g,
    accepts: (secret) => mayBeLive(secret.slice(-7), 6),
    catches: [`https://hooks.zapier.com/hooks/catch/${madeUp(7, DIGITS)}/${madeUp(7, 'abcdefghijk23456789')}`],
    allows: ['https://hooks.zapier.com/hooks/catch/123456/xxxxxxx', 'hooks.zapier.com/ is theirs'],
  },
  {
    rule: 'json-web-token',
    severity: 'block',
    what: 'a signed token (JWT)',
    keywords: ['eyj'],
    pattern: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]{4,8000}\.[A-Za-z0-9_-]{16,2000}/g,
    accepts: (secret) => isSigned(secret),
    catches: [
      `${encoded('{"alg":"HS256","typ":"JWT"}')}.${encoded('{"sub":"17"}')}.${madeUp(43)}`,
      Buffer.from(`${encoded('{"kid":"a1"}')}.${encoded('{"iss":"joe"}')}.${madeUp(43)}`).toString('base64'),
    ],
    allows: [
      `${encoded('{"no":"header of that kind"}')}.${encoded('{"sub":"17"}')}.${madeUp(43)}`,
      `${encoded('{"alg":"HS256"}')}.${encoded('{"sub":"1234567890","iat":1516239022}')}.${madeUp(43)}`,
      'eyJhbGci... is the start',
    ],
  },
  {
    rule: 'vault-old-token',
    severity: 'block',
    what: 'a Vault token',
    keywords: ['s.'],
    pattern: /(?<![\w.-])s\.[A-Za-z0-9]{24}(?![\w.(-])/g,
    accepts: (secret) => isThreefold(secret.slice(2)) && isRandom(secret.slice(2)),
    catches: [`token: s.${madeUp(24)}`],
    allows: ['it calls s.configurationOfVersion2024b there', `this.${madeUp(24)}`],
  },
  {
    rule: 'mailchimp-key',
    severity: 'block',
    what: 'a Mailchimp key',
    keywords: ['-us'],
    pattern: /(?<![A-Za-z0-9_-])[0-9a-f]{32}-us[0-9]{1,2}(?![A-Za-z0-9-])/g,
    accepts: (secret) => mayBeLive(secret.slice(0, 32), 32),
    catches: [`${madeUp(32, HEX)}-us14`],
    allows: [`${madeUp(31, HEX)}-us14`, `${'0'.repeat(32)}-us1`],
  },
  {
    rule: 'new-relic-licence',
    severity: 'block',
    what: 'a New Relic licence key',
    keywords: ['nral'],
    pattern: /(?<![A-Za-z0-9])(?:[a-z]{2}[0-9]{2}x{2})?[0-9a-f]{30,36}NRAL(?![A-Za-z0-9])/g,
    accepts: (secret) => mayBeLive(secret.slice(0, -4), 30),
    catches: [`${madeUp(36, HEX)}NRAL`, `eu01xx${madeUp(30, HEX)}NRAL`],
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
    // Microsoft puts a mark at a fixed place so that scanners can tell whose key it is.
    pattern:
      /(?<![A-Za-z0-9+/])(?:[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{20,28}|[A-Za-z0-9+/]{76}(?:\+ASt|\+AMC|\+ABa|ACDb)[A-Za-z0-9+/]{5}[AQgw]==|[A-Za-z0-9_+/-]{42,44}(?:AzFu|AzSe|\+ACR|AzCa)[A-Za-z0-9+/]{4,6}(?:==)?|[A-Za-z0-9+/]{33}(?:AIoT|\+ASb|\+AEh|\+ARm)[A-P][A-Za-z0-9+/]{5}=)(?![A-Za-z0-9+/=])/g,
    accepts: (secret) => mayBeLive(secret, 40),
    catches: [
      `${madeUp(52)}JQQJ99${madeUp(26)}`,
      `${madeUp(76)}+ASt${madeUp(5)}A==`,
      `${madeUp(44)}AzSe${madeUp(4)}`,
      `${madeUp(33)}AIoTC${madeUp(5)}=`,
    ],
    allows: [`${'x'.repeat(52)}JQQJ99${'x'.repeat(26)}`, `${madeUp(30)}JQQJ99${madeUp(26)}`],
  },
  {
    rule: 'firebase-server-key',
    severity: 'block',
    what: 'a Firebase server key',
    keywords: [':apa91b'],
    pattern: /(?<![A-Za-z0-9_-])AAAA[A-Za-z0-9_-]{7}:APA91b[A-Za-z0-9_-]{120,150}/g,
    accepts: (secret) => mayBeLive(secret.slice(18), 120),
    catches: [`AAAA${madeUp(7)}:APA91b${madeUp(134)}`],
    allows: [`AAAA${madeUp(7)}:APA91b${'x'.repeat(134)}`],
  },
  {
    rule: 'ghost-key',
    severity: 'block',
    what: 'a Ghost admin key',
    keywords: [':'],
    pattern: /(?<![A-Za-z0-9:])[0-9a-f]{24}:[0-9a-f]{64}(?![A-Za-z0-9:])/g,
    accepts: (secret) => mayBeLive(secret, 70),
    catches: [`${madeUp(24, HEX)}:${madeUp(64, HEX)}`],
    allows: [`${madeUp(24, HEX)}:${'0'.repeat(64)}`, `sha256:${madeUp(64, HEX)}`],
  },
  {
    rule: 'salesforce-session',
    severity: 'block',
    what: 'a Salesforce session',
    keywords: ['00d'],
    pattern: /(?<![A-Za-z0-9])00D[A-Za-z0-9]{12,15}!A[A-Za-z0-9_.]{80,120}/g,
    accepts: (secret) => mayBeLive(secret.slice(19), 70),
    catches: [`00D${madeUp(12)}!A${madeUp(95)}`],
    allows: [`00D${madeUp(12)}!A${'x'.repeat(95)}`, `00D${madeUp(12)}`],
  },
];

const JOSE = /^\{.*"(?:alg|enc|kid|typ|cty|zip|jku|x5[tcu])"\s*:/s;

/** A header as the standard has it; the token that jwt.io shows everybody opens nothing. */
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
