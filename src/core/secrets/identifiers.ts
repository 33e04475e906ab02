/** How public keys begin that ssh writes. */
const SSH_PUBLIC = /^AAAA(?:B3NzaC1|C3NzaC1|E2Vj|GnNr|InNr)/;
/** How pictures, sounds, archives and certificates begin in base64. */
const MATERIAL = /^(?:iVBORw0KGgo|\/9j\/|R0lGOD|UklGR|MII[A-Za-z]|d09GM|PHN2Zy|JVBERi|H4sI)/;
const BASE58 = '[1-9A-HJ-NP-Za-km-z]';

/** Formats that name something and open nothing. Each is exact in alphabet and length, so that few secrets fit it. */
const PUBLIC_FORMATS: readonly RegExp[] = [
  SSH_PUBLIC,
  // The address of a content, by its digest (IPFS).
  new RegExp(`^Qm${BASE58}{44}$`),
  /^baf[ky][a-z2-7]{55}$/,
  // Whom a file is encrypted for (age), and the public half of a wallet.
  /^age1[02-9ac-hj-np-z]{58}$/,
  new RegExp(`^[xyztuv]pub${BASE58}{107}$`),
  // The kinds of keys that ssh knows.
  /^(?:sk-)?(?:ssh|ecdsa|rsa)-[a-z0-9-]{3,24}(?:@openssh)?$/,
  // An account or a contract of Ethereum.
  /^0x[0-9a-fA-F]{40}$/,
  // A replica set: the name of its workload, two words at least, and the hash of its template.
  /^[a-z]{2,20}(?:-[a-z]{2,20}){1,5}-[0-9a-f]{8,10}$/,
  // A pod: the name of its workload, the hash of its template, five letters of Kubernetes' own choice.
  /^[a-z][a-z0-9]{0,30}(?:-[a-z0-9]{1,30}){0,6}-[0-9a-f]{7,10}-[bcdfghjklmnpqrstvwxz2456789]{5}$/,
];

/** The same, but a secret fits these now and then: they are let pass only where nothing nearby says secret. */
const LIKELY_PUBLIC: readonly RegExp[] = [
  MATERIAL,
  // ULID.
  /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/,
  // KSUID: seconds since May 2014 come first, so until 2040 it begins with a small digit.
  /^(?=.*[a-z])(?=.*[A-Z])[0-5][0-9A-Za-z]{26}$/,
  /^(?:GHSA|CVE|RUSTSEC|PYSEC|GO|MAL)-/,
  // What Stripe calls a customer, a product, an event.
  /^(?:cus|sub|prod|price|evt|acct)_[A-Za-z0-9]{14,24}$/,
  // A resource of a cloud: its kind and a short number.
  /^[a-z]{1,12}-[0-9a-f]{8,17}$/,
  // Words and the digest of what they name.
  /^[a-z]{2,20}(?:-[a-z0-9]{1,20}){1,6}-(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})$/,
  // A name of words to which a short part was added so that nobody else has it.
  /^[a-z]{2,20}(?:-[a-z]{2,20}){0,4}-(?=[a-z0-9]*[0-9])[a-z0-9]{4,12}(?:-[a-z]{2,12}){0,3}(?:-[0-9]{1,3})?$/,
];

const NIX_PATH = /^\/?(?:[a-z]{1,20}\/){0,4}nix\/store\/[0-9a-df-np-sv-z]{32}-/;

/** What is written before something random that opens nothing. */
const HARMLESS_BEFORE =
  /(?:base64,|sha(?:1|256|384|512)[-:=]|\bh1:|integrity["'=: ]{1,4}|pub(?:lic)?[-_ ]?key[^\n]{0,12}|ssh-[a-z0-9-]{3,12} |fingerprint[^\n]{0,12}|(?:commit|digest|checksum|hash|etag|nonce|cursor|challenge|(?:nano|ks?u|ul|uu|cu|\bc)id|\b(?:request|trace|span|event)[-_ ]?id)["'=: ]{1,4}|--recv-keys )$/i;
/** Links to shared documents: their ids look random, and open nothing to who was not let in. */
const DOCUMENT_BEFORE = /\/\/(?:[\w-]{1,20}\.){0,2}(?:google|figma|notion|miro|loom|trello)\.$/i;

/** A member of a key in JSON that everybody may know; the private ones are `d`, `p`, `q`, `dp`, `dq`, `qi`, `oth` and `k`. */
const PUBLIC_MEMBER = /"(?:x|y|n|e|kid|x5t(?:#S256)?|x5c)"\s{0,4}:\s{0,4}\[?\s{0,4}"$/;
/** How far from its type a member of a key in JSON may stand. */
const KEY_LENGTH = 1_600;

/** A message's id stands in angle brackets or behind its name, and goes on to a host's name. */
const MESSAGE_BEFORE = /(?:<|(?:message-id|in-reply-to|references|msgid)["'=: ]{1,4}<?)[^\s<>:]{0,80}$/i;
const MESSAGE_AFTER = /^[^\s<>"':/]{0,120}@[\w-]{1,60}\.[\w.-]{1,80}/;

/** Whether a word is public by its own format, whatever it is called. */
export function isPublicFormat(word: string): boolean {
  return PUBLIC_FORMATS.some((format) => format.test(word));
}

/** Whether a word where nothing says secret is one of the random-looking things that name something. */
export function isIdentifier(word: string): boolean {
  return isPublicFormat(word) || LIKELY_PUBLIC.some((format) => format.test(word));
}

/** Whether the word is the public member of a key in JSON, or the id of a message. */
export function isPublicPlace(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 100), start);
  if (PUBLIC_MEMBER.test(before))
    return text.slice(Math.max(0, start - KEY_LENGTH), end + KEY_LENGTH).includes('"kty"');
  return MESSAGE_BEFORE.test(before) && MESSAGE_AFTER.test(text.slice(end, end + 260));
}

/** Whether the word right before says that what follows opens nothing. */
export function isNamedPublic(before: string): boolean {
  return HARMLESS_BEFORE.test(before) || DOCUMENT_BEFORE.test(before);
}

/** A path in the store of Nix without its digest; any other word as it is. */
export function withoutNixDigest(word: string): string {
  return word.replace(NIX_PATH, '');
}
