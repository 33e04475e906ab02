import { vouches } from '../src/core/ledger/heads.ts';
import { type PasskeyLookup, PasskeySet } from '../src/core/ledger/passkey-set.ts';
import type { LedgerTrust, Statement } from '../src/core/ledger/statement.ts';
import { challengeOfChange, challengeOfYes } from '../src/core/passkeys/challenge.ts';
import { PASSKEYS, type PasskeyChange } from '../src/core/passkeys/change.ts';
import { SoftwareAuthenticator } from '../testkit/authenticator.ts';

// What counts where, asked of the code that decides it: docs/trust-model.md shows the answers.

const STORE = '0'.repeat(32);
const NONCE = 'bm9uY2U';
const OWN: LedgerTrust = { fingerprint: 'a'.repeat(64), raises: true };
const LEDGERS: readonly (readonly [string, LedgerTrust])[] = [
  ['this machine’s, or a trusted one’s', OWN],
  ['an untrusted machine’s, or one in trouble', { fingerprint: 'b'.repeat(64), raises: false }],
];

const YES: Omit<Statement, 'ledger' | 'line' | 'hash'> = {
  authentic: true,
  at: 0,
  clock: 0,
  store: STORE,
  action: 'promote',
  actor: 'operator',
  level: 3,
  id: 'user_editor',
  from: 'inferred',
  to: 'verified',
  rules: '',
  digest: 'c'.repeat(64),
  saying: null,
  was: null,
  settled: [],
  replaces: null,
  after: [],
  passkeys: null,
  assertion: null,
};

/** A record about passkeys that stands at a line of this machine's ledger, and knows every line before. */
function record(
  line: number,
  action: string,
  what: Omit<PasskeyChange, 'ledgers'>,
  by?: SoftwareAuthenticator,
): Statement {
  const passkeys: PasskeyChange = { ...what, ledgers: [[OWN.fingerprint, line, `${line - 1}`]] };
  const signed = {
    store: STORE,
    ledger: OWN.fingerprint,
    action,
    change: passkeys,
    after: [],
    day: '1970-01-01',
    nonce: NONCE,
  };
  const assertion = by?.sign(challengeOfChange(signed), NONCE) ?? null;
  return {
    ...YES,
    ledger: OWN,
    line,
    hash: `${line}`,
    action,
    id: PASSKEYS,
    to: null,
    from: null,
    passkeys,
    assertion,
  };
}

function enrolled(line: number, passkey: SoftwareAuthenticator, by?: SoftwareAuthenticator): Statement {
  return record(line, 'enrolled', { credential: passkey.credential, key: passkey.publicKey }, by);
}

function yes(ledger: LedgerTrust, line: number, by?: SoftwareAuthenticator): Statement {
  const { id, was, digest, from, settled, replaces, after, action: verb } = YES;
  const place = { store: STORE, ledger: ledger.fingerprint, day: '1970-01-01', nonce: NONCE };
  const challenge = challengeOfYes({ ...place, verb, id, was, digest, from, settled, replaces, after });
  return { ...YES, ledger, line, hash: 'yes', assertion: by?.sign(challenge, NONCE) ?? null };
}

/** One row for each sort of receipt: which ledger it is in, and how the yes was given. */
export function passkeyRows(): string[][] {
  const [kept, removed, stranger] = [
    new SoftwareAuthenticator('EdDSA'),
    new SoftwareAuthenticator('EdDSA'),
    new SoftwareAuthenticator('EdDSA'),
  ];
  const before = [
    enrolled(10, kept),
    enrolled(20, removed, kept),
    record(30, 'removed', { credential: removed.credential }, kept),
  ];
  const required = [...before, record(40, 'required', { recovery: 'd'.repeat(64) }, kept)];
  const lookup: PasskeyLookup = {
    hasAt: (_, line, hash) => hash === `${line}`,
    isInWhole: () => false,
    isRaising: () => true,
  };
  const [free, bound] = [new PasskeySet(before, lookup), new PasskeySet(required, lookup)];
  const verdict = (set: PasskeySet, statement: Statement) => {
    const judged = { ...statement, level: set.levelOf(statement) };
    return vouches(judged) ? `yes, level ${judged.level}` : 'no';
  };
  const sorts: readonly (readonly [string, number, SoftwareAuthenticator?])[] = [
    ['terminal, dialog or page, before the requirement', 35],
    ['terminal, dialog or page, since the requirement', 50],
    ['a passkey that is enrolled', 50, kept],
    ['a passkey before it was removed', 25, removed],
    ['a passkey after it was removed', 50, removed],
    ['a passkey that nobody enrolled', 50, stranger],
  ];
  return LEDGERS.flatMap(([name, ledger]) =>
    sorts.map(([sort, line, by]) => {
      const statement = yes(ledger, line, by);
      return [name, sort, verdict(free, statement), verdict(bound, statement)];
    }),
  );
}
