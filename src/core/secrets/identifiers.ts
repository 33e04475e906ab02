/** How ssh public keys begin. */
const SSH_PUBLIC = /^AAAA(?:B3NzaC1|C3NzaC1|E2Vj|GnNr|InNr)/;
/** How images, sounds, archives and certificates begin in base64. */
const MATERIAL = /^(?:iVBORw0KGgo|\/9j\/|R0lGOD|UklGR|MII[A-Za-z]|d09GM|PHN2Zy|JVBERi|H4sI)/;
const BASE58 = '[1-9A-HJ-NP-Za-km-z]';

/** Formats that name something and grant no access. Each is exact in alphabet and length, so that few secrets fit it. */
const PUBLIC_FORMATS: readonly RegExp[] = [
  SSH_PUBLIC,
  // An IPFS content address.
  new RegExp(`^Qm${BASE58}{44}$`),
  /^baf[ky][a-z2-7]{55}$/,
  // Recipients of age, and public halves of wallets.
  /^age1[02-9ac-hj-np-z]{58}$/,
  new RegExp(`^[xyztuv]pub${BASE58}{107}$`),
  // Key types of ssh.
  /^(?:sk-)?(?:ssh|ecdsa|rsa)-[a-z0-9-]{3,24}(?:@openssh)?$/,
  // An account or a contract of Ethereum.
  /^0x[0-9a-fA-F]{40}$/,
  // A Kubernetes replica set: its workload's name of at least two words and the template's hash.
  /^[a-z]{2,20}(?:-[a-z]{2,20}){1,5}-[0-9a-f]{8,10}$/,
  // A Kubernetes pod: its workload's name, the template's hash and five random letters.
  /^[a-z][a-z0-9]{0,30}(?:-[a-z0-9]{1,30}){0,6}-[0-9a-f]{7,10}-[bcdfghjklmnpqrstvwxz2456789]{5}$/,
];

/** Public formats that a secret sometimes fits. They pass only if nothing nearby says secret. */
const LIKELY_PUBLIC: readonly RegExp[] = [
  MATERIAL,
  // ULID.
  /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/,
  // KSUID: it begins with seconds since May 2014, so until 2040 with a small digit.
  /^(?=.*[a-z])(?=.*[A-Z])[0-5][0-9A-Za-z]{26}$/,
  /^(?:GHSA|CVE|RUSTSEC|PYSEC|GO|MAL)-/,
  // Ids of Stripe: a customer, a product, an event.
  /^(?:cus|sub|prod|price|evt|acct)_[A-Za-z0-9]{14,24}$/,
  // A cloud resource: its kind and a short number.
  /^[a-z]{1,12}-[0-9a-f]{8,17}$/,
  // Words and the digest of what they name.
  /^[a-z]{2,20}(?:-[a-z0-9]{1,20}){1,6}-(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})$/,
  // A name of words with a short unique suffix.
  /^[a-z]{2,20}(?:-[a-z]{2,20}){0,4}-(?=[a-z0-9]*[0-9])[a-z0-9]{4,12}(?:-[a-z]{2,12}){0,3}(?:-[0-9]{1,3})?$/,
];

const NIX_PATH = /^\/?(?:[a-z]{1,20}\/){0,4}nix\/store\/[0-9a-df-np-sv-z]{32}-/;

/** Words that precede something random but harmless. */
const HARMLESS_BEFORE =
  /(?:base64,|sha(?:1|256|384|512)[-:=]|\bh1:|integrity["'=: ]{1,4}|pub(?:lic)?[-_ ]?key[^\n]{0,12}|ssh-[a-z0-9-]{3,12} |fingerprint[^\n]{0,12}|(?:commit|digest|checksum|hash|etag|nonce|cursor|challenge|(?:nano|ks?u|ul|uu|cu|\bc)id|\b(?:request|trace|span|event)[-_ ]?id)["'=: ]{1,4}|--recv-keys )$/i;
/** Links to shared documents: their ids look random, but grant access only to invited people. */
const DOCUMENT_BEFORE = /\/\/(?:[\w-]{1,20}\.){0,2}(?:google|figma|notion|miro|loom|trello)\.$/i;

/** A public member of a JSON Web Key; the private ones are `d`, `p`, `q`, `dp`, `dq`, `qi`, `oth` and `k`. */
const PUBLIC_MEMBER = /"(?:x|y|n|e|kid|x5t(?:#S256)?|x5c)"\s{0,4}:\s{0,4}\[?\s{0,4}"$/;
/** A member of a JSON Web Key is at most 1,600 characters away from its type. */
const KEY_LENGTH = 1_600;

/** A message's id stands in angle brackets or after its header, and ends with a host name. */
const MESSAGE_BEFORE = /(?:<|(?:message-id|in-reply-to|references|msgid)["'=: ]{1,4}<?)[^\s<>:]{0,80}$/i;
const MESSAGE_AFTER = /^[^\s<>"':/]{0,120}@[\w-]{1,60}\.[\w.-]{1,80}/;

/** Whether a word is public by its format, whatever its label. */
export function isPublicFormat(word: string): boolean {
  return PUBLIC_FORMATS.some((format) => format.test(word));
}

/** Whether a word is a random-looking identifier. For places where nothing says secret. */
export function isIdentifier(word: string): boolean {
  return isPublicFormat(word) || LIKELY_PUBLIC.some((format) => format.test(word));
}

/** Whether the word is a public member of a JSON Web Key, or a message's id. */
export function isPublicPlace(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 100), start);
  if (PUBLIC_MEMBER.test(before))
    return text.slice(Math.max(0, start - KEY_LENGTH), end + KEY_LENGTH).includes('"kty"');
  return MESSAGE_BEFORE.test(before) && MESSAGE_AFTER.test(text.slice(end, end + 260));
}

/** Whether the word right before says that the next one is harmless. */
export function isNamedPublic(before: string): boolean {
  return HARMLESS_BEFORE.test(before) || DOCUMENT_BEFORE.test(before);
}

/** A Nix store path without its digest; any other word unchanged. */
export function withoutNixDigest(word: string): string {
  return word.replace(NIX_PATH, '');
}
