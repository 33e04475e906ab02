import { isRandom } from './bigrams.ts';
import { mayBeLive } from './placeholders.ts';
import type { SecretRule } from './rule.ts';
import { madeUp } from './sample-tokens.ts';

const LEAST = 16;

const HEXADECIMAL = /^(?:0x)?[0-9a-f_-]+$/i;
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const ADVISORY = /^(?:GHSA|CVE|RUSTSEC|PYSEC|GO|MAL)-/;
/** How pictures, sounds, archives, certificates and public keys begin in base64. */
const MATERIAL =
  /^(?:iVBORw0KGgo|\/9j\/|R0lGOD|UklGR|AAAAB3NzaC1|AAAAC3NzaC1|AAAAE2Vj|MII[A-Za-z]|d09GM|PHN2Zy|JVBERi|H4sI)/;
/** What is written before something random that opens nothing. */
const HARMLESS_BEFORE =
  /(?:base64,|sha(?:1|256|384|512)[-:=]|\bh1:|integrity["'=: ]{1,4}|pub(?:lic)?[-_ ]?key[^\n]{0,12}|ssh-[a-z0-9-]{3,12} |fingerprint[^\n]{0,12}|(?:commit|digest|checksum|hash|etag|nonce|cursor|challenge)["'=: ]{1,4}|--recv-keys )$/i;
/** Links to shared documents: their ids look random, and open nothing to who was not let in. */
const DOCUMENT_BEFORE = /\/\/(?:[\w-]{1,20}\.){0,2}(?:google|figma|notion|miro|loom|trello)\.$/i;
const SECRET_BEFORE = /key|secret|token|passw|credential|auth|\bapi/i;
const DIGEST_BEFORE = /commit|sha-?\d|digest|hash|checksum|public|fingerprint|etag|md5|revision|\bid\b/i;
const NEAR = 28;

/** A random-looking token wherever it stands; formats that nobody listed are found by this alone. */
export const RANDOM_RULE: SecretRule = {
  rule: 'random-token',
  severity: 'hold',
  what: 'a token drawn at random',
  keywords: [''],
  pattern: /(?<![A-Za-z0-9_+/~-])[A-Za-z0-9_+/~-]{16,}={0,2}/g,
  accepts: (secret, match) => {
    const before = match.input.slice(Math.max(0, match.index - 40), match.index);
    if (
      MATERIAL.test(secret) ||
      ULID.test(secret) ||
      ADVISORY.test(secret) ||
      HARMLESS_BEFORE.test(before) ||
      DOCUMENT_BEFORE.test(before)
    )
      return false;
    if (/^\s?(?:\.\.\.|…)/.test(match.input.slice(match.index + secret.length, match.index + secret.length + 4)))
      return false;
    // A playground's link carries the whole program, packed.
    if (before.endsWith('#') && secret.startsWith('code/')) return false;
    if (HEXADECIMAL.test(secret)) return isHexKey(secret, before.slice(-NEAR));
    return secret.split('/').some(isDrawn) && isRandom(secret) && !isArmoured(match);
  },
  get catches() {
    return [
      `The gateway takes ${madeUp(32)} today.`,
      `see "${madeUp(24)}"`,
      `api ${madeUp(32, '0123456789abcdef')}`,
      `${madeUp(30)}/${madeUp(12)}==`,
    ];
  },
  get allows() {
    return [
      `Fixed in commit ${madeUp(40, '0123456789abcdef')}`,
      `integrity sha512-${madeUp(86)}==`,
      `data:image/png;base64,${madeUp(60)}`,
      `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${madeUp(43)}`,
      'request 550e8400-e29b-41d4-a716-446655440000',
      'see src/core/checks/secret-random.test.ts and internationalization-of-errors',
      'the event 01ARZ3NDEKTSV4RRFFQ69G5FAV came twice',
      `it begins ${madeUp(24)}... and goes on`,
      `https://docs.google.com/document/d/${madeUp(44)}/edit`,
      `https://www.figma.com/file/${madeUp(22)}/Sketch`,
      `https://forge.dev/them/tool/commit/${madeUp(40, '0123456789abcdef')}`,
      `https://play.dev/?target=6#code/${madeUp(120)}`,
      `gpg --recv-keys ${madeUp(40, '0123456789ABCDEF')}`,
      'GHSA-35jh-r3h4-6jhm and CVE-2024-12345',
      `-----BEGIN CERTIFICATE-----\n${madeUp(64)}\n${madeUp(64, undefined, 2)}\n-----END CERTIFICATE-----`,
    ];
  },
};

/** The part of a path that is nothing but hexadecimal names a commit or a blob. */
function isDrawn(segment: string, _: number, segments: readonly string[]): boolean {
  if (segments.length > 1 && HEXADECIMAL.test(segment)) return false;
  return segment.length >= LEAST && isRandom(segment) && mayBeLive(segment, LEAST);
}

/** A digest looks the same; what stands before it tells them apart. */
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

/** Inside a certificate or another public block, whose header stands at most so far above. */
function isArmoured({ input, index }: RegExpExecArray): boolean {
  const above = input.slice(Math.max(0, index - 4_000), index);
  const begin = above.lastIndexOf('-----BEGIN ');
  return begin !== -1 && ARMOUR.test(above.slice(begin)) && !above.includes('-----END ', begin);
}
