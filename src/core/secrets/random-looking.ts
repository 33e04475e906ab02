import { isRandom } from './bigrams.ts';
import { isIdentifier, isNamedPublic, isPublicFormat, isPublicPlace, withoutNixDigest } from './identifiers.ts';
import { mayBeLive } from './placeholders.ts';
import type { SecretRule } from './rule.ts';
import { BASE58, sampleToken } from './sample-tokens.ts';

const LEAST = 16;

const HEXADECIMAL = /^(?:0x)?[0-9a-f_-]+$/i;
const SECRET_BEFORE = /(?<!cache[_ -])key|secret|token|passw|credential|auth|\bapi/i;
const DIGEST_BEFORE = /commit|sha-?\d|digest|hash|checksum|public|fingerprint|etag|md5|revision|\bid\b/i;
const NEAR = 28;

/** A random-looking token anywhere. Only this rule finds formats that are not listed. */
export const RANDOM_RULE: SecretRule = {
  rule: 'random-token',
  severity: 'hold',
  what: 'a token drawn at random',
  keywords: [''],
  pattern: /(?<![A-Za-z0-9_+/~-])[A-Za-z0-9_+/~-]{16,}={0,2}/g,
  accepts: (secret, match) => {
    const before = match.input.slice(Math.max(0, match.index - 40), match.index);
    const rest = withoutNixDigest(secret);
    // Most words fail here, and only the others need a look at their surroundings.
    if (HEXADECIMAL.test(secret) ? !isHexKey(secret, before.slice(-NEAR)) : !looksRandom(rest)) return false;
    return !isPublic(secret, before, match) && !isArmoured(match);
  },
  get catches() {
    return [
      `The gateway takes ${sampleToken(32)} today.`,
      `see "${sampleToken(24)}"`,
      `api ${sampleToken(32, '0123456789abcdef')}`,
      `${sampleToken(30)}/${sampleToken(12)}==`,
      `https://${sampleToken(40)}@git.corp.dev/x.git`,
      `{"kty":"oct","k":"${sampleToken(43)}"}`,
      `/nix/store/${sampleToken(32, '0123456789abcdfghijklmnpqrsvwxyz')}-${sampleToken(32)}`,
    ];
  },
  get allows() {
    return [
      `Fixed in commit ${sampleToken(40, '0123456789abcdef')}`,
      `integrity sha512-${sampleToken(86)}==`,
      `data:image/png;base64,${sampleToken(60)}`,
      `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${sampleToken(43)}`,
      'request 550e8400-e29b-41d4-a716-446655440000',
      'see src/core/checks/secret-random.test.ts and internationalization-of-errors',
      'the event 01ARZ3NDEKTSV4RRFFQ69G5FAV came twice',
      `it begins ${sampleToken(24)}... and goes on`,
      `https://docs.google.com/document/d/${sampleToken(44)}/edit`,
      `https://www.figma.com/file/${sampleToken(22)}/Sketch`,
      `https://forge.dev/them/tool/commit/${sampleToken(40, '0123456789abcdef')}`,
      `https://play.dev/?target=6#code/${sampleToken(120)}`,
      `gpg --recv-keys ${sampleToken(40, '0123456789ABCDEF')}`,
      'GHSA-35jh-r3h4-6jhm and CVE-2024-12345',
      'the pod api-7d9c5b8f6d-x2kq9 and payments-5c4d8f7b99-8hj2k restart',
      `/nix/store/${sampleToken(32, '0123456789abcdfghijklmnpqrsvwxyz')}-python3-3.12.4-env/bin/python`,
      'the event 1srOrx2ZWZBpBUvZwXKQmoEXga2 came twice',
      `ipfs://Qm${sampleToken(44, BASE58)} and bafybei${sampleToken(52, 'abcdefghijklmnopqrstuvwxyz234567')}`,
      `Message-ID: <CAJ${sampleToken(40)}@mail.corp.dev>`,
      `{"kty":"EC","crv":"P-256","x":"${sampleToken(43)}","y":"${sampleToken(43, undefined, 2)}"}`,
      'arn:aws:iam::123456789012:role/deploy-yr8rhxy1mi5a and cus_QpGSMPNnDXng5f',
      `vpc-0${sampleToken(16, '0123456789abcdef')} and corp-logs-k7r2tq9x1zpw-eu-central-1`,
      `-----BEGIN CERTIFICATE-----\n${sampleToken(64)}\n${sampleToken(64, undefined, 2)}\n-----END CERTIFICATE-----`,
    ];
  },
};

function looksRandom(word: string): boolean {
  return word.split('/').some(isRandomSegment) && isRandom(word);
}

/** Whether the word or its surroundings say that it is harmless, or that most of it was omitted. */
function isPublic(word: string, before: string, { input, index }: RegExpExecArray): boolean {
  const end = index + word.length;
  const named = SECRET_BEFORE.test(before.slice(-NEAR));
  if (named ? isPublicFormat(word) : isIdentifier(word) || word.split('/').filter(isRandomSegment).every(isIdentifier))
    return true;
  if (/^\s?(?:\.\.\.|…)/.test(input.slice(end, end + 4))) return true;
  // A playground's link contains the whole program, compressed.
  if (before.endsWith('#') && word.startsWith('code/')) return true;
  return isNamedPublic(before) || isPublicPlace(input, index, end);
}

/** A hexadecimal segment of a path names a commit or a blob. */
function isRandomSegment(segment: string, _: number, segments: readonly string[]): boolean {
  if (segments.length > 1 && HEXADECIMAL.test(segment)) return false;
  return segment.length >= LEAST && isRandom(segment) && mayBeLive(segment, LEAST) && !isPublicFormat(segment);
}

/** A digest looks alike; the words before tell them apart. */
function isHexKey(secret: string, before: string): boolean {
  return (
    /^[0-9a-f]{32,}$/i.test(secret) &&
    /[a-f]/i.test(secret) &&
    SECRET_BEFORE.test(before) &&
    !DIGEST_BEFORE.test(before) &&
    mayBeLive(secret, 24)
  );
}

const ARMOUR = /^-----BEGIN [A-Z0-9 ]{1,40}-----[\sA-Za-z0-9+/=:.,-]*$/;

/** Whether it is inside a certificate or another public block, whose header is at most 4,000 characters above. */
function isArmoured({ input, index }: RegExpExecArray): boolean {
  const above = input.slice(Math.max(0, index - 4_000), index);
  const begin = above.lastIndexOf('-----BEGIN ');
  return begin !== -1 && ARMOUR.test(above.slice(begin)) && !above.includes('-----END ', begin);
}
