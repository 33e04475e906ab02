import { join } from 'node:path';
import type { By, EntryDraft } from '../../core/ledger/entry.ts';
import { type Assertion, isUsableKey } from '../../core/passkeys/assertion.ts';
import { challengeOfChange, challengeOfYes } from '../../core/passkeys/challenge.ts';
import { PASSKEYS, type PasskeyChange, type PasskeyRecord } from '../../core/passkeys/change.ts';
import { Refusal } from '../../core/refusal.ts';
import { dateOf } from '../../core/trust/clocks.ts';
import { type Assurance, refuseLookalike, type UserConsent } from '../../core/trust/consent.ts';
import type { Tier, Verb } from '../../core/trust/tiers.ts';
import { diskTrouble } from '../disk/disk-errors.ts';
import { randomHex } from '../disk/random.ts';
import { asStatement, sorted } from '../ledger/passkey-entries.ts';
import type { LedgerReport } from '../ledger/report.ts';
import { insideOf } from '../vault/inside-of-vault.ts';
import { byOf, ledgerDraft } from '../vault/ledger-entries.ts';
import type { Vault } from '../vault/vault.ts';

/** The passkeys of a store as they are now. */
interface PasskeysNow {
  /** Whether one was ever enrolled. Then every change takes an enrolled one, or the recovery code. */
  readonly isKnown: boolean;
  /** Whether two machines enrolled a first passkey without knowing of each other. Then none counts. */
  readonly isContested: boolean;
  /** Whether a yes counts only with a passkey. */
  readonly isRequired: boolean;
  /** How many recovery codes it takes to end that: each requirement has its own. */
  readonly codesInForce: number;
  readonly passkeys: readonly EnrolledPasskey[];
}

export interface EnrolledPasskey {
  readonly credential: string;
  /** A person's words. They may come from another machine. */
  readonly name: string;
  readonly enrolledAt: number;
}

export function passkeysNow(vault: Vault): PasskeysNow {
  const { ledgers } = insideOf(vault);
  ledgers.refresh();
  const set = ledgers.evidence.passkeys();
  const { isKnown = false, isContested = false, isRequired = false, codesInForce = 0 } = set ?? {};
  const passkeys = (set?.now() ?? []).flatMap(({ passkeys: change, at }) => {
    const { credential = '', name = '' } = change ?? {};
    // No browser gives an id of another form.
    return /^[\w-]+$/.test(credential) ? { credential, name, enrolledAt: at } : [];
  });
  return { isKnown, isContested, isRequired, codesInForce, passkeys };
}

/**
 * What trusting this machine would change here: no passkey would count any more, because each of the two has a first one of its
 * own; or a yes would count only with a passkey, because that machine requires one.
 */
export function passkeysIfTrusted(vault: Vault, fingerprint: string): 'contested' | 'required' | undefined {
  const { ledgers } = insideOf(vault);
  ledgers.refresh();
  const isNow = () => {
    const set = ledgers.evidence.passkeys();
    return { contested: set?.isContested === true, required: set?.isRequired === true };
  };
  const [now, then] = [isNow(), ledgers.supposing([fingerprint], isNow)];
  return (['contested', 'required'] as const).find((each) => !now[each] && then[each]);
}

/** Where no passkey counts here: whether another machine has one that would count if its word did. */
export function hasPasskeyElsewhere(vault: Vault): boolean {
  return ledgersWithPasskeys(vault).length > 0;
}

/**
 * Where no passkey counts here: whether trusting a ledger brings passkeys, or takes back besides what is required, because it was
 * released with one of them. A ledger that is in trouble cannot be trusted.
 */
export function passkeysToTrust(vault: Vault): 'none' | 'passkeys' | 'release' {
  const { ledgers } = insideOf(vault);
  const there = ledgersWithPasskeys(vault).filter(({ trusted, trouble }) => !trusted && trouble === undefined);
  if (there.length === 0) return 'none';
  const isReleased = () => ledgers.evidence.passkeys()?.isRequired === false;
  return there.some(({ fingerprint }) => ledgers.supposing([fingerprint], isReleased)) ? 'release' : 'passkeys';
}

function ledgersWithPasskeys(vault: Vault): LedgerReport[] {
  const { ledgers } = insideOf(vault);
  ledgers.refresh();
  const counts = () => (ledgers.evidence.passkeys()?.now().length ?? 0) > 0;
  return vault.reports().filter(({ own, fingerprint }) => !own && ledgers.supposing([fingerprint], counts));
}

/**
 * The level that a yes needs for trusting a machine and for repairing a ledger: the one in the settings, also where a passkey
 * is required. Nothing of that ledger counts that needs a passkey and has none.
 */
export function levelForLedgers(vault: Vault): Assurance {
  return insideOf(vault).configured.minimumAssurance;
}

/**
 * Whether this is the first time that a person is offered here to enrol a passkey. It is offered once for each store and machine:
 * who passed it over is not asked again. Where the disk cannot remember that, no offer is made.
 */
export function isFirstPasskeyOffer(vault: Vault, place: 'init' | 'page'): boolean {
  const { disk, places } = insideOf(vault);
  const file = join(places.state, `passkey-offered-${place}`);
  if (disk.exists(file)) return false;
  try {
    disk.replace(file, '');
    return true;
  } catch (error) {
    if (diskTrouble(error) === undefined) throw error;
    return false;
  }
}

/** A yes that a person may give, as far as what was shown decides it. */
export interface OfferedYes {
  readonly verb: Verb;
  readonly id: string;
  readonly digest: string | null;
  readonly was?: string | undefined;
  readonly from: Tier | null;
  readonly settled: readonly string[];
  readonly replaces: string | null;
}

/** A question for an authenticator. Its answer counts for this question and no other. */
export interface PasskeyQuestion {
  /** In base64url. */
  readonly challenge: string;
  readonly nonce: string;
  /** The passkeys that may answer. */
  readonly credentials: readonly string[];
}

/** The question for a yes to what was shown, as the entry would be written now; undefined where no passkey can answer. */
export function passkeyQuestionFor(vault: Vault, yes: OfferedYes): PasskeyQuestion | undefined {
  const { ledgers } = insideOf(vault);
  const credentials = passkeysNow(vault).passkeys.map(({ credential }) => credential);
  const { ledger, store, at } = ledgers.nextPlace();
  if (credentials.length === 0 || store === undefined) return undefined;
  const nonce = newNonce();
  const after = ledgers.evidence.heads(yes.id).map(({ hash }) => hash);
  const place = { store, ledger: ledger.fingerprint, after, day: dateOf(at), nonce };
  return { challenge: challengeOfYes({ ...yes, was: yes.was ?? null, ...place }), nonce, credentials };
}

/** A change of the passkeys, fixed before a person confirms it. */
export interface PlannedChange {
  readonly action: PasskeyRecord;
  readonly change: PasskeyChange;
  readonly after: readonly string[];
  /** What an enrolled passkey has to sign; undefined for the first one. */
  readonly question: PasskeyQuestion | undefined;
}

export function planChange(vault: Vault, action: PasskeyRecord, what: Omit<PasskeyChange, 'ledgers'>): PlannedChange {
  const { ledgers } = insideOf(vault);
  // First, because it reads the ledgers: their ends are part of what is signed.
  const { passkeys } = passkeysNow(vault);
  const { ledger, store, at, ends } = ledgers.nextPlace();
  // A ledger that raises no more can still require a passkey.
  const others = what.code === undefined ? [] : ledgers.evidence.passkeySet().endsFor(what.code);
  const change = { ...what, ledgers: sorted([...ends, ...others]) };
  const isFirst = action === 'enrolled' && passkeys.length === 0;
  const after = isFirst ? ledgers.evidence.passkeySet().resets : [];
  if (isFirst || store === undefined) return { action, change, after, question: undefined };
  const nonce = newNonce();
  const place = { store, ledger: ledger.fingerprint, after, day: dateOf(at), nonce };
  const credentials = passkeys.map(({ credential }) => credential);
  return {
    action,
    change,
    after,
    question: { challenge: challengeOfChange({ ...place, action, change }), nonce, credentials },
  };
}

/** Why a planned change is right: a passkey signed it, a person said yes to the first one, or somebody has the code. */
type Proof = { readonly assertion: Assertion } | { readonly consent: UserConsent } | 'recovery-code';

/** Writes a change of the passkeys, if it counts. */
export function changePasskeys(vault: Vault, planned: PlannedChange, proof: Proof): Promise<void> {
  return vault.exclusively(() => {
    const inside = insideOf(vault);
    const { ledgers } = inside;
    const { action, change, after } = planned;
    if (action === 'enrolled' && !isUsableKey(change.key ?? ''))
      throw new Refusal(
        'invalid-input',
        'This passkey has a kind of key that Surety does not know. Nothing was changed.',
      );
    refuseLast(vault, planned);
    if (action === 'required') refuseRequiringTwice(vault);
    ledgers.refuseRaising();
    const assertion = typeof proof === 'object' && 'assertion' in proof ? proof.assertion : undefined;
    const draft: EntryDraft = {
      ...ledgerDraft(inside, action, PASSKEYS, byProof(planned, proof)),
      passkeys: change,
      after,
      ...(assertion !== undefined && { assertion }),
    };
    const place = ledgers.nextPlace();
    if (!ledgers.evidence.passkeySet().allows(asStatement(draft, place))) throw wouldNotCount(action);
    ledgers.append([draft]);
  });
}

/** Without any passkey nobody could enrol one: every later enrolment takes one that is enrolled. */
function refuseLast(vault: Vault, { action, change }: PlannedChange): void {
  const { passkeys } = passkeysNow(vault);
  if (action !== 'removed') return;
  if (!passkeys.some(({ credential }) => credential === change.credential))
    throw new Refusal('invalid-input', 'No such passkey is enrolled. Nothing was changed.');
  if (passkeys.length === 1) throw lastPasskey(vault);
}

export function lastPasskey(vault: Vault): Refusal {
  const toHaveNone = passkeysNow(vault).isRequired
    ? 'run surety passkey reset with the recovery code'
    : 'run surety passkey require and then surety passkey reset with the code that was shown';
  return new Refusal(
    'not-allowed',
    `This is the only passkey. Enrol another one first with surety passkey add; or, to have none, ${toHaveNone}. Nothing was changed.`,
  );
}

/** Each requirement is ended by its own code only, and one code ends all passkeys: a person with one of two is locked out. */
export function refuseRequiringTwice(vault: Vault): void {
  if (!passkeysNow(vault).isRequired) return;
  throw new Refusal(
    'not-allowed',
    'A passkey is required in this store already, and the recovery code was shown then. For another code run surety passkey release and then surety passkey require. Nothing was changed.',
  );
}

function byProof({ change }: PlannedChange, proof: Proof): By {
  if (typeof proof === 'string') return { actor: 'operator', channel: 'terminal', level: 1, client: null };
  if ('assertion' in proof) return { actor: 'operator', channel: 'page', level: 4, client: null };
  refuseLookalike(proof.consent);
  const shown = { verb: 'enrol-passkey', id: change.credential ?? '', digest: change.key ?? null } as const;
  proof.consent.spend({ ...shown, standing: 'new' });
  return byOf(proof.consent);
}

function wouldNotCount(action: PasskeyRecord): Refusal {
  return action === 'reset'
    ? new Refusal(
        'invalid-input',
        'That is not the recovery code of a requirement that is in force here; each code counts once. Nothing was changed.',
      )
    : new Refusal(
        'changed-meanwhile',
        'This takes a passkey that is enrolled here, and its answer to this very question. Nothing was changed; try again.',
      );
}

function newNonce(): string {
  return Buffer.from(randomHex(16), 'hex').toString('base64url');
}
