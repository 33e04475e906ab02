import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EVIDENCE_STEM, fileWith } from '../../../src/core/checks/sample-file.ts';
import { secrets } from '../../../src/core/checks/secrets.ts';
import type { Finding } from '../../../src/core/finding.ts';
import { subjectOf } from '../../../src/core/memory/inspected-file.ts';
import { maskSecrets, SECRET_RULES } from '../../../src/core/secrets/detect.ts';
import { MASK } from '../../../src/core/secrets/mask.ts';
import { HEX, sampleToken, UPPER_AND_DIGITS } from '../../../src/core/secrets/sample-tokens.ts';
import { read } from '../../../src/store/format/format.ts';

function inFile(file: string, stem = EVIDENCE_STEM): Finding[] {
  return [...secrets.run(subjectOf(stem, read(Buffer.from(file)), 'found'))];
}

const UUID = [8, 4, 4, 4, 12].map((length, i) => sampleToken(length, HEX, i + 1)).join('-');

const inBody = (line: string) => inFile(fileWith({}, `A line of text before the one that matters.\n${line}`));
const rulesIn = (line: string) => inBody(line).map(({ rule }) => rule);

test.each<[vector: string, line: string, rules: readonly string[]]>([
  ['S02 a redacted placeholder', '<redacted>ghp_example</redacted>', []],
  ['S02 a redacted token cut short', `<redacted>ghp_${sampleToken(8)}…</redacted>`, []],
  ['S02 a redacted live token', `<redacted>ghp_${sampleToken(36)}</redacted>`, ['github-token']],
  ['S02 a live token with the word example', `<redacted>ghp_${sampleToken(36)}example</redacted>`, ['github-token']],
  ['S02 a redacted password that is left out', '<redacted>password=****-example1</redacted>', []],
  ['S03 the bare prefix', 'tokens begin with ghp_ there', []],
  ['S04 sk-learn', 'we use sk-learn and scikit-learn', []],
  ['S05 sk- and 21', `sk-${sampleToken(21)}`, ['sk-key']],
  ['S06 sk-proj-', `sk-proj-${sampleToken(48)}`, ['sk-project-key']],
  ['S06 sk-ant-', `sk-ant-api03-${sampleToken(93)}AA`, ['sk-project-key']],
  ['S07 github_pat_', `github_pat_${sampleToken(22)}_${sampleToken(59)}`, ['github-fine-grained-token']],
  ['S08 a certificate', '-----BEGIN CERTIFICATE-----', []],
  ['S08 a public key', '-----BEGIN PUBLIC KEY-----', []],
  ['S17 Slack', `xoxb-${'2'}48371950264-${sampleToken(24)}`, ['slack-token']],
  ['S17 Google', `AIza${sampleToken(35)}`, ['google-api-key']],
  ['S22 a fingerprint of 42', `SHA256:${sampleToken(42)}`, []],
  ['S22 a fingerprint of 43', `SHA256:${sampleToken(43)}`, ['ssh-fingerprint']],
  ['fixture: sk-learn and a key on one line', `sk-learn, sk-${sampleToken(36)}`, ['sk-key']],
  ['fixture: ghp_ and 40', `ghp_${sampleToken(40)}`, ['github-token']],
  ['fixture: a private key header inline', 'it says -----BEGIN RSA PRIVATE KEY----- there', ['private-key']],
  ['full-width letters', `ｇｈｐ_${sampleToken(36)}`, ['github-token']],
  ['zero-width characters inside', `ghp_${sampleToken(18)}\u200B${sampleToken(18, undefined, 2)}`, ['github-token']],
  [
    'tag characters',
    [...`ghp_${sampleToken(36)}`].map((c) => String.fromCodePoint(0xe0000 + c.charCodeAt(0))).join(''),
    ['github-token'],
  ],
])('%s', (_, line, rules) => {
  expect(rulesIn(line)).toEqual(rules);
});

test('S22 a fingerprint is held and not blocked, because it is public', () => {
  expect(inBody(`SHA256:${sampleToken(43)}`).map(({ severity }) => severity)).toEqual(['hold']);
});

test('S25 a finding names the rule, field, line and length', () => {
  const line = `a token: ghp_${sampleToken(40)}`;
  expect(inBody(`one more line\n${line}`)).toEqual([
    {
      class: 'secret',
      rule: 'github-token',
      severity: 'block',
      field: 'body',
      line: 11,
      span: [67, 111],
      message: 'This looks like a GitHub token (44 characters). Take it out, and revoke it if it was ever live.',
    },
  ]);
});

test('line numbers are those of the file, whatever line breaks the text uses', () => {
  const token = `ghp_${sampleToken(36)}`;
  expect(inFile(fileWith({}, `one\u2028two\u0085three\nＦour … ﬁve\n${token}`))).toMatchObject([{ line: 11 }]);
  expect(inFile(fileWith({}, `one\r\ntwo\r\n${token}`))).toMatchObject([{ line: 11 }]);
});

test('every field is checked, and an unknown key is not named because it may be the secret', () => {
  const token = `ghp_${sampleToken(36)}`;
  const lower = `ghp_${sampleToken(36, 'abcdefghijklmnopqrstuvwxyz0123456789')}`;
  const fields = (file: string, stem?: string) => inFile(file, stem).map(({ field, line }) => `${field} ${line}`);
  expect(fields(fileWith({ name: token }))).toEqual(['name 2']);
  expect(fields(fileWith({ description: token }))).toEqual(['description 3']);
  expect(fields(fileWith({ tags: `[a, ${token}]` }))).toEqual(['tags 8']);
  expect(fields(fileWith({ project: token }))).toEqual(['project 8']);
  expect(fields(fileWith({ 'quarantine-reason': token }))).toEqual(['quarantine-reason 8']);
  expect(fields(fileWith({ note: token }))).toEqual(['frontmatter 8']);
  expect(fields(fileWith({ [token]: 'x' }))).toEqual(['frontmatter 8']);
  expect(fields(fileWith({}), `user_${lower}`)).toEqual(['file 1']);
});

/** Random text in a format that a rule blocks or holds. */
const planted = fc
  .tuple(
    fc.constantFrom(
      { before: 'ghp_', length: 36 },
      { before: 'sk-', length: 48 },
      { before: 'glpat-', length: 24 },
      { before: 'npm_', length: 36 },
      { before: 'the password is ', length: 14 },
      { before: 'api_key=', length: 32 },
      { before: 'Authorization: Bearer ', length: 40 },
    ),
    fc.integer({ min: 1, max: 1_000_000 }),
  )
  .map(([{ before, length }, seed]) => ({ before, secret: sampleToken(length, undefined, seed) }));

const around = fc.constantFrom('', ' and then.', '\nnext line', '`', '"', ' …', ' ﬁ');

test('S25 no message contains six characters of a secret, and masking leaves none of it', () => {
  fc.assert(
    fc.property(planted, around, around, ({ before, secret }, left, right) => {
      const text = `Some text ${left}\n${before}${secret}${right}`;
      const pieces = Array.from({ length: secret.length - 5 }, (_, i) => secret.slice(i, i + 6));
      const findings = inFile(fileWith({ note: JSON.stringify(text) }, text));
      const said = JSON.stringify(findings);
      expect(pieces.filter((piece) => said.includes(piece))).toEqual([]);
      const masked = maskSecrets(text);
      if (findings.length > 0) expect(pieces.filter((piece) => masked.includes(piece))).toEqual([]);
      expect(maskSecrets(masked)).toBe(masked);
    }),
    { numRuns: 500 },
  );
});

test('masking covers secrets disguised by invisible and full-width characters, and nothing else', () => {
  const token = `ghp_${sampleToken(18)}\u200B${sampleToken(18, undefined, 2)}`;
  expect(maskSecrets(`before ${token} after`)).toBe(`before ${MASK} after`);
  expect(maskSecrets(`… ﬁrst ｇｈｐ_${sampleToken(36)}, … after`)).toBe(`… ﬁrst ${MASK}, … after`);
  const quoted = 'kT7-mm2_Zq9vLx41';
  expect(maskSecrets(`  password = "${quoted}"`)).toBe(`  password = "${MASK}"`);
  expect(maskSecrets('the build takes ten minutes …')).toBe('the build takes ten minutes …');
});

const TOKEN = sampleToken(36);

test.each([
  ['a markdown escape', `ghp\\_${TOKEN}`],
  ['emphasis around a part', `ghp_**${TOKEN}**`],
  ['emphasis around the mark', `**ghp**_${TOKEN}`],
  ['code around a part', `\`ghp_\`${TOKEN}`],
  ['percent encoding', `https://host.dev/?t=ghp%5F${TOKEN}&a=b`],
  ['a number for a letter', `&#103;hp_${TOKEN}`],
  ['a hexadecimal number for a letter', `&#x67;hp_${TOKEN}`],
  ['a name for a mark', `ghp&lowbar;${TOKEN}`],
  ['a JSON escape', `\\u0067hp_${TOKEN}`],
  ['an element inside', `ghp_<b>${TOKEN.slice(0, 10)}</b>${TOKEN.slice(10)}`],
  ['a comment inside', `ghp_<!-- not a token -->${TOKEN}`],
  ['a space after each letter', [...`ghp_${TOKEN}`].join(' ')],
  ['base64', Buffer.from(`the token is ghp_${TOKEN} and more`).toString('base64')],
])('a token is found through %s, and masked whole', (_, written) => {
  expect(inBody(`It is ${written} today.`)).toMatchObject([{ rule: 'github-token', severity: 'block' }]);
  const masked = maskSecrets(`It is ${written} today.`);
  expect(masked).toMatch(/^It is .{0,30}today\.$/);
});

test('masking covers a whole private key', () => {
  const key = `-----BEGIN RSA PRIVATE KEY-----\n${sampleToken(64)}\n${sampleToken(64, undefined, 2)}\n${sampleToken(12)}==\n-----END RSA PRIVATE KEY-----`;
  expect(maskSecrets(`before\n${key}\nafter`)).toBe(`before\n${MASK}\nafter`);
  expect(maskSecrets(`before\n${key.slice(0, 120)}`)).toBe(`before\n${MASK}`);
  expect(maskSecrets('a header -----BEGIN RSA PRIVATE KEY----- in prose')).toBe(`a header ${MASK} in prose`);
});

test('a masked text has no findings', () => {
  for (let from = 0; from < SECRET_RULES.length; from += 50) {
    const rules = SECRET_RULES.slice(from, from + 50);
    const text = rules.flatMap(({ catches }) => catches).join('\n');
    expect(inBody(text).length).toBeGreaterThan(rules.length - 1);
    expect(inBody(maskSecrets(text))).toEqual([]);
  }
});

test('many secrets of one kind give five findings a field', () => {
  const lines = Array.from({ length: 40 }, (_, i) => `AKIA${sampleToken(16, UPPER_AND_DIGITS, i + 1)}`);
  const lively = lines.filter((line) => /[0-9]/.test(line.slice(4)));
  expect(inBody(lively.join('\n'))).toHaveLength(5);
});

/** How people write a name and its value: settings, code, markup, commands, tables, sentences. */
const WRITTEN: readonly string[] = [
  '<n>Token="<v>"',
  '<n>Token=<v>',
  '<n>_token = <v>',
  '{\n  "<n>_token": "<v>"\n}',
  '{\\n  \\"<n>_token\\": \\"<v>\\"\\n}',
  '{"name": "<n>_token", "value": "<v>"}',
  '<<n>Token><v></<n>Token>',
  '<<n>Token>\n    <v>\n</<n>Token>',
  '<entry name="<n>Token" value="<v>" />',
  "<n>_token: '<v>'",
  '<n>_token: |\n  <v>',
  '<n>_token: >\n  <v>',
  'var <n>Token string = "<v>"',
  'let <n>Token: String = "<v>"',
  '<n>Token := `<v>`',
  '$<n>Token ??= "<v>"',
  '$<n>Token .= "<v>"',
  "define('<n>_KEY', '<v>');",
  '"<n>Token" => "<v>"',
  '<n>_TOKEN :::= "<v>"',
  '<n>_TOKEN ?= "<v>"',
  'export <n>_API_KEY=<v>',
  'ENV <n>_TOKEN <v>',
  '--<n>-token <v>',
  '--<n>-token=<v>',
  'X-<n>-Token: <v>',
  '<n>.configure(api_key="<v>")',
  '<n>Token,<v>,',
  '| <n> key | <v> |',
  'the <n> key is <v>',
  'Our <n> token: `<v>`',
];

test.each(WRITTEN)('a key is blocked because of its provider’s name, written as %j', (form) => {
  const named = { datadog: sampleToken(40), meraki: sampleToken(40, HEX), heroku: UUID };
  for (const [name, value] of Object.entries(named)) {
    const severities = inBody(form.replaceAll('<n>', name).replaceAll('<v>', value)).map(({ severity }) => severity);
    expect([name, ...severities]).toContain('block');
  }
});

test('a key is blocked because of its prefix, however it is written', () => {
  for (const form of WRITTEN) {
    const text = form.replaceAll('<n>', 'acme').replaceAll('<v>', `ghp_${sampleToken(36)}`);
    expect([form, ...rulesIn(text)]).toContain('github-token');
  }
});

test('digests, commits, ids and versions are not secrets', () => {
  const lines = [
    `Fixed in commit ${sampleToken(40, HEX)}`,
    `image: app@sha256:${sampleToken(64, HEX)}`,
    'request id 550e8400-e29b-41d4-a716-446655440000 reproduces the bug',
    'The token limit is 200000 for claude-sonnet-4-5-20250929.',
    'Set AWS_PROFILE=staging-eu-central-1 before running terraform plan.',
    'The secret to fast builds is the remote cache.',
    'We pass the auth token via the X-Auth-Token header.',
    'The key is in 1Password under "deploy 2024".',
  ];
  for (const line of lines) expect([line, rulesIn(line)]).toEqual([line, []]);
});

test('the flags of many countries in a row are no secret', () => {
  const line = 'Our shops are in 🇩🇪🇦🇹🇨🇭🇫🇷🇮🇹🇪🇸🇵🇱🇨🇿🇺🇸🇬🇧🇨🇦🇲🇽🇯🇵🇰🇷🇨🇳🇮🇳🇧🇷🇦🇷🇨🇱 today.';
  expect(inBody(line)).toEqual([]);
  expect(maskSecrets(line)).toBe(line);
});
