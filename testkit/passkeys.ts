import { onScreen, shownFor, shownForPasskey } from '../src/actions/review/shown.ts';
import type { EntryDraft } from '../src/core/ledger/entry.ts';
import { startOf } from '../src/core/ledger/standing.ts';
import { type PasskeyChange, type PasskeyRecord, recoveryHash } from '../src/core/passkeys/change.ts';
import { witnessed } from '../src/core/trust/consent.ts';
import {
  changePasskeys,
  type OfferedYes,
  type PasskeyQuestion,
  passkeyQuestionFor,
  planChange,
} from '../src/store/maintenance/passkeys.ts';
import { insideOf } from '../src/store/vault/inside-of-vault.ts';
import { ledgerDraft } from '../src/store/vault/ledger-entries.ts';
import type { Decided, Decision } from '../src/store/vault/vault.ts';
import type { Mistakes, SoftwareAuthenticator } from './authenticator.ts';
import type { TestStore } from './store.ts';

// A person with passkeys, and a thief who has everything else: the machine's private key, a shell and all files.

export const CODE = '00112233445566778899aabbccddeeff';

/** Enrols a passkey; every one but the first with one that is enrolled. */
export async function enrol(
  { vault }: Pick<TestStore, 'vault'>,
  passkey: SoftwareAuthenticator,
  by?: SoftwareAuthenticator,
  name = 'a key',
) {
  const { credential, publicKey: key } = passkey;
  const planned = planChange(vault, 'enrolled', { credential, key, name });
  const proof =
    by === undefined
      ? { consent: witnessed('page', shownForPasskey(planned)) }
      : { assertion: answered(by, planned.question) };
  await changePasskeys(vault, planned, proof);
}

export async function change(
  { vault }: Pick<TestStore, 'vault'>,
  action: PasskeyRecord,
  what: Omit<PasskeyChange, 'ledgers'>,
  by: SoftwareAuthenticator,
): Promise<void> {
  const planned = planChange(vault, action, what);
  await changePasskeys(vault, planned, { assertion: answered(by, planned.question) });
}

export function requirePasskey(store: Pick<TestStore, 'vault'>, by: SoftwareAuthenticator): Promise<void> {
  return change(store, 'required', { recovery: recoveryHash(CODE) }, by);
}

export function reset({ vault }: TestStore, code: string): Promise<void> {
  return changePasskeys(vault, planChange(vault, 'reset', { code }), 'recovery-code');
}

/** What a yes to this memory would be for, as it is now. */
export function offered(store: TestStore, verb: Decision, id: string): OfferedYes {
  const seen = store.load(id);
  const { settles, digest } = shownFor(verb, onScreen(seen, { vouching: true }));
  return { verb, id, digest, from: startOf(seen.standing, verb), settled: settles, replaces: null };
}

/** A person looks at a memory and touches their authenticator. */
export function decideSigned(
  store: TestStore,
  verb: Decision,
  id: string,
  by: SoftwareAuthenticator,
  mistakes?: Mistakes,
): Promise<Decided> {
  const seen = store.load(id);
  const assertion = answered(by, passkeyQuestionFor(store.vault, offered(store, verb, id)), mistakes);
  const shown = shownFor(verb, onScreen(seen, { vouching: true }));
  return store.vault.decide(verb, seen, witnessed('page', shown, { assertion }));
}

export function answered(passkey: SoftwareAuthenticator, question: PasskeyQuestion | undefined, mistakes?: Mistakes) {
  if (question === undefined) throw new Error('there is no question for a passkey');
  return passkey.sign(question.challenge, question.nonce, mistakes);
}

/** The thief writes a line into this machine's ledger, signed with its key and announced as its own lines are. */
export function forge({ vault }: TestStore, draft: Partial<EntryDraft>): void {
  const inside = insideOf(vault);
  inside.ledgers.refresh();
  const by = { actor: 'operator', channel: 'page', level: 4, client: null } as const;
  inside.ledgers.append([{ ...ledgerDraft(inside, 'seen', '', by), ...draft }]);
}

/** A forged receipt for a memory, and its file marked as verified. */
export function forgeReceipt(store: TestStore, id: string, draft: Partial<EntryDraft> = {}): void {
  const { digest, saying, standing, place } = store.load(id);
  const action = standing.tier === 'quarantined' ? 'restore' : 'promote';
  const after = insideOf(store.vault)
    .ledgers.evidence.heads(id)
    .map(({ hash }) => hash);
  forge(store, { action, id, from: standing.tier, to: 'verified', digest, saying, after, ...draft });
  if (place === 'memories') markVerified(store, id);
}

export function markVerified(store: TestStore, id: string): void {
  store.edit(id, (text) => text.replace(/^trust-level: .*$/m, 'trust-level: verified'));
}
