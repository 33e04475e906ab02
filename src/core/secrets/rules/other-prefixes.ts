import { mayBeLive } from '../placeholders.ts';
import type { SecretRule } from '../rule.ts';
import { HEX, sampleToken, UPPER_AND_DIGITS } from '../sample-tokens.ts';

/** Accepts a token whose part after `prefix` could be live. */
function live(least: number, prefix = /^/): (secret: string) => boolean {
  return (secret) => mayBeLive(secret.replace(prefix, ''), least);
}

const X40 = 'x'.repeat(40);

/** Formats documented by their providers. No letter or digit precedes the prefix, so that no word ends in one. */
export const OTHER_PREFIX_RULES: readonly SecretRule[] = [
  {
    rule: 'github-token',
    severity: 'block',
    what: 'a GitHub token',
    keywords: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'],
    pattern: /(?<![A-Za-z0-9])gh[pousr]_[A-Za-z0-9]{36,255}/g,
    accepts: live(36, /^gh[pousr]_/),
    get catches() {
      return [
        `token ghp_${sampleToken(36)}`,
        `ghs_${sampleToken(40)} and more`,
        `<redacted>gho_${sampleToken(36)}</redacted>`,
      ];
    },
    get allows() {
      return [
        'tokens begin with ghp_ there',
        `ghp_${X40}`,
        '<redacted>ghp_example</redacted>',
        `ghp_${sampleToken(35)}`,
      ];
    },
  },
  {
    rule: 'github-fine-grained-token',
    severity: 'block',
    what: 'a fine-grained GitHub token',
    keywords: ['github_pat_'],
    pattern: /(?<![A-Za-z0-9])github_pat_[A-Za-z0-9_]{36,255}/g,
    accepts: live(36, /^github_pat_/),
    get catches() {
      return [`github_pat_${sampleToken(22)}_${sampleToken(59)}`];
    },
    allows: ['github_pat_ is the prefix', `github_pat_${X40}`],
  },
  {
    rule: 'sk-key',
    severity: 'block',
    what: 'an API key of the sk- kind',
    keywords: ['sk-'],
    pattern: /(?<![A-Za-z0-9])sk-[A-Za-z0-9]{20,200}/g,
    accepts: (secret) => /[0-9]/.test(secret) && mayBeLive(secret.slice(3), 20),
    get catches() {
      return [`sk-${sampleToken(21)}`, `sk-learn and sk-${sampleToken(48)}`];
    },
    get allows() {
      return ['sk-learn', `sk-${sampleToken(19)}`, `sk-${X40}`, 'sk-abcdefghijklmnopqrstuvwxyz'];
    },
  },
  {
    rule: 'sk-project-key',
    severity: 'block',
    what: 'an API key of the sk-…- kind',
    keywords: ['sk-'],
    pattern: /(?<![A-Za-z0-9])sk-(?:proj|ant|svcacct|admin|service|or|lf|helicone|None)-[A-Za-z0-9_-]{20,300}/g,
    accepts: (secret) => /[0-9]/.test(secret) && mayBeLive(secret.replace(/^sk-[a-zA-Z]+-/, ''), 20),
    get catches() {
      return [`sk-proj-${sampleToken(48)}`, `sk-ant-api03-${sampleToken(93)}AA`, `sk-or-v1-${sampleToken(64, HEX)}`];
    },
    allows: ['sk-ant-api03-... is the form', `sk-proj-${X40}`, 'sk-proj-your-api-key-goes-here-please'],
  },
  {
    rule: 'aws-key-id',
    severity: 'block',
    what: 'an AWS access key id',
    keywords: ['akia', 'asia'],
    pattern: /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])/g,
    accepts: (secret) => /[0-9]/.test(secret) && mayBeLive(secret.slice(4), 16),
    get catches() {
      return [`AKIA${sampleToken(16, UPPER_AND_DIGITS)}`, `ASIA${sampleToken(16, UPPER_AND_DIGITS, 2)}`];
    },
    get allows() {
      return [`AKIA${'IOSFODNN7'}EXAMPLE`, 'ASIA and the Pacific', `AKIA${sampleToken(15, UPPER_AND_DIGITS)}`];
    },
  },
  {
    rule: 'aws-secret-key',
    severity: 'block',
    what: 'an AWS secret access key',
    keywords: ['secret_access_key', 'secretaccesskey', 'secret access key', 'aws_secret'],
    pattern:
      /(?:secret[_ ]?access[_ ]?key|aws_secret(?:_key)?)["']?\s{0,4}(?:=>|[:=]|is)\s{0,4}["'`]?([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])/gi,
    accepts: live(40),
    get catches() {
      return [`aws_secret_access_key = ${sampleToken(40)}`, `SecretAccessKey: "${sampleToken(39)}/"`];
    },
    allows: [`aws_secret_access_key = ${X40}`, 'AWS_SECRET_ACCESS_KEY=$SECRET', `secret access key ${'wJalrXUtnFEMI'}`],
  },
  {
    rule: 'private-key',
    severity: 'block',
    what: 'a private key',
    keywords: ['private key'],
    // The header alone is enough. What follows belongs to it as long as it can be key material.
    pattern:
      /-----BEGIN (?:[A-Z0-9]{2,10} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:(?:\s|\\[nr]){1,8}(?:(?:Proc-Type|DEK-Info|Version|Comment): ?[^\n]{1,80}|[A-Za-z0-9+/=]{20,}))*(?:(?:(?:\s|\\[nr]){1,8}[A-Za-z0-9+/=]{1,19})?(?:\s|\\[nr]){0,8}-----END [A-Z0-9 ]{0,40}-----)?/g,
    get catches() {
      return ['RSA ', 'EC ', 'OPENSSH ', 'ENCRYPTED ', '']
        .map((kind) => `-----BEGIN ${kind}PRIVATE KEY-----`)
        .concat([
          '-----BEGIN PGP PRIVATE KEY BLOCK-----',
          `-----BEGIN RSA PRIVATE KEY-----\n${sampleToken(64)}\n-----END RSA PRIVATE KEY-----`,
        ]);
    },
    allows: ['-----BEGIN CERTIFICATE-----', '-----BEGIN PUBLIC KEY-----', '-----BEGIN RSA PUBLIC KEY-----'],
  },
  {
    rule: 'ssh-fingerprint',
    // Public material: it grants no access but names a key, so it is held and never quarantined.
    severity: 'hold',
    what: 'an SSH key fingerprint',
    keywords: ['sha256:'],
    pattern: /SHA256:[A-Za-z0-9+/]{43,64}/g,
    accepts: (secret) => !/^SHA256:[0-9A-Fa-f]{64}$/.test(secret) && mayBeLive(secret.slice(7), 43),
    get catches() {
      return [`SHA256:${sampleToken(43)}`];
    },
    get allows() {
      return [`SHA256:${sampleToken(42)}`, `SHA256:${sampleToken(64, HEX)}`, `sha256:${sampleToken(64, HEX)}`];
    },
  },
  {
    rule: 'slack-token',
    severity: 'block',
    what: 'a Slack token',
    keywords: ['xox', 'xapp-'],
    pattern: /(?<![A-Za-z0-9])(?:xox[a-eoprs]|xapp)(?:\.xox[bp])?-[A-Za-z0-9%+/-]{18,400}/g,
    accepts: (secret) => /[0-9]/.test(secret) && mayBeLive(secret.replace(/^[a-z.]+-/, ''), 18),
    get catches() {
      return [
        `xoxb-${'2'}48371950264-${sampleToken(24)}`,
        `xapp-1-A${sampleToken(9, UPPER_AND_DIGITS)}-5139027481-${sampleToken(32, HEX)}`,
      ];
    },
    allows: ['xoxb-your-token', 'xoxb-your-slack-bot-token-goes-here', `xoxb-${X40}`],
  },
  {
    rule: 'slack-webhook',
    severity: 'block',
    what: 'a Slack webhook address',
    keywords: ['hooks.slack.com/'],
    pattern: /hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9+/]{40,100}/g,
    accepts: live(40, /^.*?(?:services|workflows|triggers)/),
    get catches() {
      return [
        `https://${'hooks.slack'}.com/services/T${sampleToken(8, UPPER_AND_DIGITS)}/B${sampleToken(8, UPPER_AND_DIGITS)}/${sampleToken(24)}`,
      ];
    },
    allows: [`https://${'hooks.slack'}.com/services/T00000000/B00000000/${'X'.repeat(24)}`],
  },
  {
    rule: 'google-api-key',
    severity: 'block',
    what: 'a Google API key',
    keywords: ['aiza'],
    pattern: /(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/g,
    accepts: live(35, /^AIza/),
    get catches() {
      return [`AIza${sampleToken(35)}`];
    },
    get allows() {
      return [`AIza${sampleToken(34)}`, `AIza${'X'.repeat(35)}`];
    },
  },
  {
    rule: 'gitlab-token',
    severity: 'block',
    what: 'a GitLab token',
    keywords: ['glpat-', 'gldt-', 'glrt-', 'glptt-', 'glsoat-', 'glcbt-', 'glagent-'],
    pattern: /(?<![A-Za-z0-9])gl(?:pat|dt|rt|ptt|soat|cbt|agent)-[A-Za-z0-9_.-]{20,300}/g,
    accepts: live(20, /^gl[a-z]+-/),
    get catches() {
      return [`glpat-${sampleToken(20)}`];
    },
    allows: ['glpat-your-token-goes-here', `glpat-${X40}`],
  },
  {
    rule: 'stripe-key',
    severity: 'block',
    what: 'a Stripe key',
    keywords: ['k_live_', 'k_prod_', 'k_test_', 'sk_org_'],
    pattern: /(?<![A-Za-z0-9])(?:[sr]k_(?:live|prod|test)|sk_org)_[A-Za-z0-9]{10,250}/g,
    // Every manual contains these two test keys.
    accepts: (secret) =>
      !/^sk_test_(?:4eC39|BQoki)/.test(secret) && mayBeLive(secret.replace(/^[sr]k_[a-z]+_/, ''), 10),
    get catches() {
      return [`sk_${'live'}_${sampleToken(24)}`, `rk_${'live'}_${sampleToken(99)}`, `sk_${'test'}_${sampleToken(24)}`];
    },
    allows: ['sk_live_ keys', `sk_${'live'}_${X40}`, `sk_${'test'}_${X40}`],
  },
  {
    rule: 'npm-token',
    severity: 'block',
    what: 'an npm token',
    keywords: ['npm_'],
    pattern: /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])/g,
    accepts: live(36, /^npm_/),
    get catches() {
      return [`npm_${sampleToken(36)}`];
    },
    allows: ['npm_config_registry', `npm_${'x'.repeat(36)}`],
  },
];
