import { createPublicKey, verify } from 'node:crypto';
import { sha256 } from './file.ts';
import type { Ledger, Line } from './ledger.ts';

// Written from docs/ledger-format.md, "Passkeys"; no code of the store is used.

export interface Placed extends Line {
  readonly ledger: Ledger;
  readonly raises: boolean;
}

/** The entries that verify and need a passkey, but have no assertion that counts. */
export function unproven(all: readonly Placed[]): Placed[] {
  const records = all.filter(({ entry, authentic }) => entry.id === 'passkeys' && entry.passkeys && authentic);
  if (records.length === 0) return [];
  const files = [...new Set(all.map(({ ledger }) => ledger))];
  /** Whether an entry lies within a record: before the end of its ledger that the record names. */
  const within = ({ ledger, entry, hash }: Placed, record: Placed): boolean =>
    (record.entry.passkeys?.ledgers ?? []).some(
      ([name, count, last]) =>
        name === ledger.fingerprint &&
        entry.seq < count &&
        files.some(
          (file) =>
            file.fingerprint === name &&
            file.faults.length === 0 &&
            file.hashes[count - 1] === last &&
            file.hashes[entry.seq] === hash,
        ),
    );
  /** Whether a record tells of another one, by its hash or by an end of its ledger. */
  const tells = (record: Placed, other: Placed) => record.entry.after.includes(other.hash) || within(other, record);
  const genuine: Placed[] = [];
  const of = (action: string) => genuine.filter(({ entry }) => entry.action === action);
  /** The enrolments of the passkey that signed a record: the same key can be enrolled twice. */
  const signersOf = (record: Placed): Placed[] => {
    const { action, store = '', passkeys, after, at, assertion } = record.entry;
    const place = [store, record.ledger.fingerprint, action, passkeys, after, at.slice(0, 10), assertion?.nonce];
    const array = ['surety-passkeys-1', ...place];
    return of('enrolled').filter((each) => within(each, record) && isRight(record, each, array));
  };

  const ledgerRaises = (record: Placed) =>
    all.some(({ raises, ledger }) => raises && ledger.fingerprint === record.ledger.fingerprint);
  /** It raises, or is among the lines kept of a ledger that does. */
  const isOnRecord = (record: Placed) =>
    record.raises || (ledgerRaises(record) && !all.some(({ raises, ledger }) => raises && ledger === record.ledger));
  const isTold = (record: Placed) =>
    ledgerRaises(record) || records.some((other) => isOnRecord(other) && tells(other, record));
  let isContested = false;
  const counts = (passkey: Placed, entry: Placed): boolean => {
    const { credential } = passkey.entry.passkeys ?? {};
    const removed = of('removed').filter(
      (each) => each.entry.passkeys?.credential === credential && !within(each, passkey),
    );
    const ends = [...removed, ...of('reset').filter((reset) => within(passkey, reset))];
    if (isContested || within(entry, passkey) || ends.some((end) => !within(entry, end))) return false;
    return passkey.entry.assertion ? signersOf(passkey).some((each) => counts(each, passkey)) : passkey.raises;
  };
  const releasesOf = (required: Placed) =>
    of('released').filter((end) => within(required, end) && signersOf(end).some((each) => counts(each, end)));
  const firstsOf = (record: Placed): Placed[] =>
    record.entry.assertion ? signersOf(record).flatMap(firstsOf) : [record];
  const isHeld = (passkey: Placed, entry: Placed, first: Placed): boolean => {
    const { credential } = passkey.entry.passkeys ?? {};
    const removed = of('removed').filter((each) => each.entry.passkeys?.credential === credential);
    return (
      removed.every((each) => within(each, passkey) || within(entry, each)) &&
      (passkey === first || signersOf(passkey).some((each) => isHeld(each, passkey, first)))
    );
  };
  const isTakenBack = (required: Placed, first: Placed) =>
    of('released').some((end) => within(required, end) && signersOf(end).some((each) => isHeld(each, end, first)));
  /** Whether a reset lets another first passkey come after this one. */
  const makesRoom = (reset: Placed, first: Placed) => {
    const theirs = of('required').filter((each) => firstsOf(each).includes(first));
    const isOpened = theirs.some((each) => within(each, reset) && opens(reset, each) && !isTakenBack(each, first));
    return within(first, reset) && (isOpened || theirs.every((each) => isTakenBack(each, first)));
  };
  const isEnded = (other: Placed, reset: Placed) =>
    within(other, reset) &&
    !(of('enrolled').includes(other) && !firstsOf(other).every((first) => makesRoom(reset, first)));
  const isOver = (hash: string, resets: readonly Placed[]) =>
    resets.some(
      (reset) => reset.hash === hash || records.some((other) => other.hash === hash && isEnded(other, reset)),
    );
  const cameBefore = (other: Placed, record: Placed) => stands(other, record) || within(other, record);

  const isFirst = (record: Placed): boolean => {
    const { action, by, assertion, after } = record.entry;
    if (action !== 'enrolled' || assertion || by.actor !== 'operator' || by.level < 1 || !isTold(record)) return false;
    const resets = of('reset').filter(({ hash }) => after.includes(hash));
    const before = records.filter((other) => cameBefore(other, record));
    return before.every(({ hash, entry }) =>
      (entry.action === 'known' ? entry.after : [hash]).every((each) => isOver(each, resets)),
    );
  };
  const isReset = (record: Placed): boolean => {
    if (record.entry.action !== 'reset' || !isTold(record)) return false;
    const opened = of('required').filter((each) => within(each, record) && opens(record, each));
    const others = of('reset').filter((other) => other.entry.passkeys?.code === record.entry.passkeys?.code);
    const isNamed = (other: Placed) =>
      of('enrolled').some((each) => each.entry.after.includes(other.hash) && cameBefore(each, record));
    return opened.length > 0 && !others.some((other) => cameBefore(other, record) || isNamed(other));
  };
  for (let before = -1; before !== genuine.length; ) {
    before = genuine.length;
    for (const record of records.filter((each) => !genuine.includes(each))) {
      const isSigned = ['enrolled', 'removed', 'required', 'released'].includes(record.entry.action);
      const hasProof = isSigned && signersOf(record).length > 0;
      if (hasProof || isFirst(record) || isReset(record)) genuine.push(record);
    }
  }

  const isLost = (known: Placed) => known.entry.after.some((hash) => !genuine.some((each) => each.hash === hash));
  const lost = records.filter((each) => each.entry.action === 'known' && isOnRecord(each) && isLost(each));
  const firsts = of('enrolled').filter(
    (each) => !each.entry.assertion && !of('reset').some((reset) => makesRoom(reset, each)),
  );
  const trusted = firsts.filter(ledgerRaises);
  const isPreceded = (first: Placed) =>
    records.some(
      (record) =>
        isOnRecord(record) &&
        record !== first &&
        !tells(record, first) &&
        !stands(first, record) &&
        (lost.includes(record) || firsts.some((other) => other !== first && tells(record, other))),
    );
  isContested = trusted.length > 1 || trusted.some(isPreceded);
  const needs = (entry: Placed): boolean => {
    const isIn = (required: Placed) => {
      const released = releasesOf(required);
      const reset = of('reset').filter((end) => within(required, end) && opens(end, required));
      const isOpened = reset.length > 0 && !reset.some((end) => within(entry, end));
      return !within(entry, required) && !isOpened && released.every((end) => within(entry, end));
    };
    return lost.some((known) => !within(entry, known)) || of('required').some(isIn);
  };
  return all.filter((entry) => {
    const { to, by } = entry.entry;
    if (to !== 'verified' || by.actor !== 'operator' || !needs(entry)) return false;
    const array = signedYes(entry);
    return !of('enrolled').some((passkey) => counts(passkey, entry) && isRight(entry, passkey, array));
  });
}

/** The receipts that say that a passkey signed them. */
export function signedReceipts({ lines }: Ledger): Line[] {
  return lines.filter(({ entry }) => entry.to === 'verified' && entry.by.level === 4);
}

/** Those of them that no passkey signed whose enrolment stands before them. */
export function falselySigned(ledger: Ledger): Line[] {
  const placed = (line: Line): Placed => ({ ...line, ledger, raises: true });
  const enrolled = ledger.lines.filter(({ entry }) => entry.action === 'enrolled').map(placed);
  return signedReceipts(ledger).filter((line) => {
    const receipt = placed(line);
    const isBefore = (each: Placed) => each.entry.seq < receipt.entry.seq;
    return !enrolled.some((each) => isBefore(each) && isRight(receipt, each, signedYes(receipt)));
  });
}

/** What a passkey signs for a yes. */
function signedYes({ entry, ledger }: Placed): unknown[] {
  const { store = '', action, id, was = null, digest, from, settled, replaces, after, at, assertion } = entry;
  const place = [store, ledger.fingerprint, action, id, was, digest, from, settled, replaces, after];
  return ['surety-yes-1', ...place, at.slice(0, 10), assertion?.nonce];
}

/** Whether an entry stands before a record in the same whole ledger. */
function stands(other: Placed, record: Placed): boolean {
  const { ledger, entry } = record;
  return other.ledger === ledger && ledger.faults.length === 0 && other.entry.seq < entry.seq;
}

function opens(reset: Placed, required: Placed): boolean {
  return sha256(`surety-recovery-1\n${reset.entry.passkeys?.code}`) === required.entry.passkeys?.recovery;
}

/** Whether an entry's assertion is one of this passkey for the array. */
function isRight({ entry: { assertion } }: Placed, passkey: Placed, array: readonly unknown[]): boolean {
  const { credential, key = '' } = passkey.entry.passkeys ?? {};
  if (assertion === undefined || assertion.credential !== credential) return false;
  const [data, client, signature] = [assertion.authenticatorData, assertion.clientDataJSON, assertion.signature].map(
    (part) => Buffer.from(part, 'base64url'),
  ) as [Buffer, Buffer, Buffer];
  const { type, challenge, origin, crossOrigin } = JSON.parse(client.toString()) as Record<string, unknown>;
  const asked = Buffer.from(sha256(JSON.stringify(array)), 'hex').toString('base64url');
  const isOurs = type === 'webauthn.get' && challenge === asked && crossOrigin === false;
  const isHere =
    /^http:\/\/surety\.localhost:[0-9]+$/.test(String(origin)) &&
    data.toString('hex', 0, 32) === sha256('surety.localhost');
  const isPerson = ((data[32] ?? 0) & 0b101) === 0b101;
  if (!isOurs || !isHere || !isPerson) return false;
  const publicKey = createPublicKey({ key: Buffer.from(key, 'base64url'), format: 'der', type: 'spki' });
  const digest = publicKey.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  return verify(digest, Buffer.concat([data, Buffer.from(sha256(client), 'hex')]), publicKey, signature);
}
