import { HEX, madeUp } from './made-up.ts';
import { isStandIn, mayBeLive } from './placeholders.ts';
import type { SecretRule } from './secret-facts.ts';

const GUID = `${madeUp(8, HEX)}-${madeUp(4, HEX)}-${madeUp(4, HEX, 2)}-${madeUp(4, HEX, 3)}-${madeUp(12, HEX)}`;
const DIGITS = '3851907264';
const BECH32 = 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L';

/** Formats that a table of prefixes cannot say: a mark in the middle, an address, a place in a file. */
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
    rule: 'npmrc-token',
    severity: 'block',
    what: 'a registry token',
    keywords: ['_authtoken', '_auth=', '_auth =', '_password'],
    pattern: /_(?:authToken|auth|password)\s?=\s?["']?([A-Za-z0-9+/=_.-]{16,400})/gi,
    accepts: (secret) => !isStandIn(secret) && mayBeLive(secret, 16) && /[0-9A-Z=]/.test(secret),
    catches: [`//registry.corp.dev/:_authToken=${madeUp(36)}`],
    allows: [`//registry.corp.dev/:_authToken=${'$'}{NPM_TOKEN}`, '_authToken=your-token-goes-here'],
  },
  {
    rule: 'kubernetes-secret',
    severity: 'hold',
    what: 'a Kubernetes secret with its data',
    keywords: ['kind: secret', 'kind: "secret"', "kind: 'secret'"],
    pattern:
      /\bdata:[ \t]{0,4}\n[ \t]{1,8}[\w.-]{1,60}:[ \t]{1,4}["']?([A-Za-z0-9+/]{10,4000}={0,2})(?=["']?[ \t]{0,8}(?:\n|$))/g,
    accepts: (secret) => secret.length % 4 === 0 && mayBeLive(secret, 10),
    catches: [`kind: Secret\ndata:\n  extra: ${Buffer.from(`admin:${madeUp(9)}`).toString('base64')}`],
    allows: ['kind: Secret\ndata:\n  extra: YmFyCg==', 'kind: Secret\ndata:\n  password: {{ .Values.password }}'],
  },
  {
    rule: 'config-password',
    severity: 'hold',
    what: 'a password in a configuration file',
    keywords: ['password" value='],
    pattern: /key="(?:ClearText)?Password"\s{1,4}value="([^"%\n]{1,80}%?[^"\n]{0,80})"/gi,
    accepts: (secret) =>
      secret.length >= 6 && !/^%.*%$|^\$|^\{|^#\{/.test(secret) && !/^(?:x+|\*+|password)$/i.test(secret),
    catches: ['<add key="ClearTextPassword" value="Blue%Kite" />', `<add key="Password" value="${madeUp(9)}" />`],
    allows: ['<add key="ClearTextPassword" value="%FEED_PASSWORD%" />', '<add key="Password" value="abc" />'],
  },
  {
    rule: 'sidekiq-licence',
    severity: 'block',
    what: 'a Sidekiq licence',
    keywords: ['contribsys'],
    pattern:
      /(?:__CONTRIBSYS__COM\w{0,20}["']?\s{0,3}(?:=>|[:=]{1,4})\s{0,3}["']?([0-9a-f]{8}:[0-9a-f]{8})(?![0-9a-f])|:\/\/([0-9a-f]{8}:[0-9a-f]{8})(?=@(?:gems|enterprise)\.contribsys\.com))/gi,
    accepts: (secret) => mayBeLive(secret, 12),
    catches: [`BUNDLE_GEMS__CONTRIBSYS__COM="${madeUp(8, HEX)}:${madeUp(8, HEX, 2)}"`],
    allows: ['BUNDLE_GEMS__CONTRIBSYS__COM=xxxxxxxx:xxxxxxxx'],
  },
  {
    rule: 'terraform-password',
    severity: 'hold',
    what: 'a password in a resource',
    keywords: ['password'],
    pattern: /\b(?:administrator_login_|master_|admin_|db_)?password[ \t]{1,20}=[ \t]{1,4}"([^"$\n\s]{8,40})"/g,
    accepts: (secret) => !isStandIn(secret) && !/^(?:var|data|local|module)\./.test(secret),
    catches: [`  password = "${'correct'}horse"`, `administrator_login_password = "${madeUp(10)}"`],
    allows: ['password = var.password', `password = "${'$'}{var.password}"`, 'password = "changeme"'],
  },
];
