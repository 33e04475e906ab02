import { mayBeLive } from '../placeholders.ts';
import type { SecretRule } from '../rule.ts';
import { HEX, sampleToken } from '../sample-tokens.ts';

const DIGITS = '3851907264';

/** Addresses that grant access to anybody who has them. */
export const ADDRESS_RULES: readonly SecretRule[] = [
  {
    rule: 'azure-signature',
    severity: 'hold',
    what: 'a signed Azure address',
    keywords: ['sig='],
    pattern: /[?&]sig=([A-Za-z0-9%+/]{40,80}={0,2})/g,
    accepts: (secret) => mayBeLive(secret, 40),
    get catches() {
      return [`https://a.blob.core.windows.net/c?sv=2024&sig=${sampleToken(43)}%3D`];
    },
    allows: ['https://a.blob.core.windows.net/c?sv=2024&sig=...'],
  },
  {
    rule: 'webhook-address',
    severity: 'block',
    what: 'a webhook address that anybody who has it can post to',
    keywords: ['webhook'],
    pattern:
      /(?:discord(?:app)?\.com\/api\/webhooks\/[0-9]{17,20}\/[A-Za-z0-9_-]{60,70}|\.webhook\.office\.com\/webhookb2\/[A-Za-z0-9-]{36}@[A-Za-z0-9-]{36}\/IncomingWebhook\/[A-Za-z0-9]{32}\/[A-Za-z0-9-]{36})/g,
    accepts: (secret) => mayBeLive(secret.slice(-60), 30),
    get catches() {
      return [
        `https://discord.com/api/webhooks/${sampleToken(18, DIGITS)}/${sampleToken(68)}`,
        `https://a.webhook.office.com/webhookb2/${guid()}@${guid()}/IncomingWebhook/${sampleToken(32, HEX)}/${guid()}`,
      ];
    },
    allows: [`https://discord.com/api/webhooks/123456789012345678/${'x'.repeat(68)}`, 'a webhook address'],
  },
  {
    rule: 'zapier-webhook',
    severity: 'hold',
    what: 'a webhook address that anybody who has it can post to',
    keywords: ['hooks.zapier.com/', 'chat.googleapis.com/', 'hook.eu', 'hook.us', 'logic.azure.com'],
    pattern:
      /(?:hooks\.zapier\.com\/hooks\/catch\/[0-9]{5,10}\/[a-z0-9]{6,20}|chat\.googleapis\.com\/v1\/spaces\/[\w-]{6,20}\/messages\?key=[\w-]{20,60}|hook\.[eu][us][0-9]\.make\.com\/[a-z0-9]{32})/g,
    accepts: (secret) => mayBeLive(secret.slice(-7), 6),
    get catches() {
      return [
        `https://hooks.zapier.com/hooks/catch/${sampleToken(7, DIGITS)}/${sampleToken(7, 'abcdefghijk23456789')}`,
      ];
    },
    allows: ['https://hooks.zapier.com/hooks/catch/123456/xxxxxxx', 'hooks.zapier.com/ is theirs'],
  },
];

function guid(): string {
  return [8, 4, 4, 4, 12].map((length, i) => sampleToken(length, HEX, i + 1)).join('-');
}
