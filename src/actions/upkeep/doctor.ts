import { canRaise } from '../../core/ledger/entry.ts';
import { standingOf } from '../../core/ledger/standing.ts';
import { Refusal } from '../../core/refusal.ts';
import { parseTimestamp } from '../../core/trust/clocks.ts';
import { Disk } from '../../store/disk/disk.ts';
import { asDiskRefusal } from '../../store/disk/disk-errors.ts';
import { levelForLedgers } from '../../store/maintenance/passkeys.ts';
import { evidenceAfter, type LedgerRepair, unrememberedEntries } from '../../store/maintenance/repair-ledger.ts';
import { isKeyThere, takeOver } from '../../store/open-vault.ts';
import type { Places } from '../../store/places/places.ts';
import { refuseMissing, refuseStranger } from '../../store/places/refuse-root.ts';
import { updateIndex } from '../../store/reconcile/reconcile.ts';
import { withoutYes } from '../../store/records/audit-log.ts';
import type { Vault } from '../../store/vault/vault.ts';
import { placesForRoot } from '../places-for-root.ts';
import { ACTOR_WORDS } from '../report/entry-words.ts';
import type { Vouched } from '../review/machines.ts';
import { refuseTooWeak } from '../review/review.ts';
import { auditOf, openForReading, type ReadSession } from '../session.ts';
import { type ClientHere, clientsHere } from './clients-here.ts';
import { clientProblems, PLACE_PROBLEMS } from './doctor-places.ts';
import { projectProblems } from './doctor-project.ts';
import { repositoryProblems } from './doctor-repository.ts';
import { STORE_PROBLEMS } from './doctor-store.ts';
import { inVault, type Problem, type ProblemRow, problemsOf } from './problem.ts';

export interface Examination {
  readonly store: string;
  readonly problems: readonly Problem[];
  readonly clients: readonly ClientHere[];
}

/** Examines everything and changes nothing; refuses a missing store. */
export async function examine(root: string | undefined): Promise<Examination> {
  const places = placesForRoot(root);
  const disk = new Disk();
  refuseStranger(places, disk);
  refuseMissing(places, disk);
  const outside = [...problemsOf(PLACE_PROBLEMS, places), ...(await repositoryProblems(places)), ...clientProblems()];
  const here = { store: places.root, clients: clientsHere() };
  const look = await lookAt(root);
  if (look instanceof Refusal) {
    return { ...here, problems: [...problemsOf(KEY_PROBLEMS, { places, refusal: look }), ...outside] };
  }
  try {
    const { keyTrouble } = look.vault;
    const inside =
      keyTrouble === undefined
        ? problemsOf(STORE_PROBLEMS, look)
        : problemsOf(KEY_PROBLEMS, { places, refusal: keyTrouble, was: wereVerified(look.vault) });
    return { ...here, problems: [...inside, ...projectProblems(look), ...outside] };
  } finally {
    look.vault.close();
  }
}

/** On a machine that never had a key the store cannot be looked at. */
async function lookAt(root: string | undefined): Promise<ReadSession | Refusal> {
  try {
    return await openForReading(root, () => {});
  } catch (error) {
    if (error instanceof Refusal && error.code === 'no-store') return error;
    throw error;
  }
}

const KEY_MEANS =
  'Nothing can be signed, so nothing can be stored or vouched for, and nothing counts as verified here.';

/** The memories that some ledger has as verified: with a new key each takes a yes of its own again. */
function wereVerified({ evidence }: Vault): string[] {
  return [...evidence.everVerified()]
    .filter(({ id }) => evidence.heads(id).every(({ to }) => to === 'verified'))
    .map(({ id }) => `${id} (was verified)`);
}

const NEW_KEY = {
  done: 'This machine has a new key. Nothing is verified with it yet: surety review asks about each memory.',
  apply: ({ places }: KeyLook) => takeOver(places),
};

interface KeyLook {
  readonly places: Places;
  readonly refusal: Refusal;
  /** Memories that were verified with the key that cannot be used. */
  readonly was?: readonly string[];
}

export const KEY_PROBLEMS: readonly ProblemRow<KeyLook>[] = [
  {
    code: 'key-missing',
    severity: 'problem',
    find: (look) => (isKeyThere(look.places) ? [] : [aboutKey(look, look.was === undefined)]),
    what: 'This machine has no key.',
    means: KEY_MEANS,
    advice:
      'Put the key back from a backup, or have a new one made. What was verified with the old one then takes a yes of its own each, or your trust in the old ledger with surety machines trust.',
    repair: { ...NEW_KEY, name: 'make-key', question: 'Make a new key, which verifies none of these memories?' },
  },
  {
    code: 'key-unusable',
    severity: 'problem',
    find: (look) => (isKeyThere(look.places) ? [{ ...aboutKey(look), what: look.refusal.message }] : []),
    what: 'This machine’s key cannot be used.',
    means: KEY_MEANS,
    advice:
      'Put the key back from a backup, or have it put aside and a new one made. What this machine vouched for with the old key is advisory until you trust its old ledger with surety machines trust.',
    repair: { ...NEW_KEY, name: 'new-key', question: 'Put the key aside and make a new one?' },
  },
];

/** A machine that never had a key has nothing to give up, so surety init makes one. */
function aboutKey({ places, was = [] }: KeyLook, never = false): Partial<Problem> {
  const found = { about: [places.config, ...was], whole: true };
  return never ? { ...found, advice: 'Run surety init, which makes one.', repairs: [] } : found;
}

/**
 * Runs a repair that takes a consent in the opened store, without printing the store's problems again. It refuses before a
 * person reads a list, if their yes would be too weak.
 */
export function whileMending<T>(root: string | undefined, work: (vault: Vault) => Promise<T>): Promise<T> {
  return inVault(placesForRoot(root), async (vault) => {
    await updateIndex(vault);
    // No page repairs ledgers, so a person is not sent to one.
    refuseTooWeak(Math.min(levelForLedgers(vault), 3));
    return work(vault);
  });
}

/** A memory that a repair would verify, and who vouched for it. */
export type RaisedByRepair = Omit<Vouched, 'name'>;

/** Memories that a yes to this repair would verify. */
export function raisedBy(vault: Vault, repair: LedgerRepair): RaisedByRepair[] {
  const evidence = evidenceAfter(vault, repair);
  return [...vault.survey()].flatMap((known) => {
    const then = standingOf(known, evidence);
    const loaded = vault.loadSurveyed(known);
    if (then.tier !== 'verified' || known.standing.tier === 'verified' || loaded?.withheld !== false) return [];
    const { at, channel = 'unknown', level } = then.receipt;
    return [{ id: known.id, at, channel, level }];
  });
}

/** An entry of this machine's ledger that it does not remember, and what it did. */
interface UnknownEntry extends RaisedByRepair {
  readonly action: string;
  readonly to: string | null;
  readonly actor: string;
}

/** What the entries did that this machine does not remember, and how many others there are, such as first sights. */
export function unknownTo(
  vault: Vault,
  repair: LedgerRepair,
): { readonly decisions: UnknownEntry[]; readonly more: number } {
  const entries = unrememberedEntries(vault, repair);
  const decisions = entries.filter((entry) => entry.to !== null || canRaise(entry));
  return {
    decisions: decisions.map(({ id, at, action, to, by: { actor, channel, level } }) => ({
      id,
      at: parseTimestamp(at) ?? 0,
      action,
      to,
      actor: ACTOR_WORDS[actor],
      channel,
      level,
    })),
    more: entries.length - decisions.length,
  };
}

/** Records what became of an offered repair; without `work` whether the person said no or left the question. */
export async function recordedRepair(
  root: string | undefined,
  name: string,
  id: string | undefined,
  work: (() => void | Promise<void>) | undefined,
  isAnswered: boolean,
): Promise<void> {
  const audit = auditOf(placesForRoot(root), () => {});
  const attempt = { channel: 'terminal', action: `doctor-${name}`, id } as const;
  if (work === undefined) return audit.record({ ...attempt, ...withoutYes(isAnswered) });
  try {
    await work();
    audit.record({ ...attempt, outcome: 'accepted' });
  } catch (thrown) {
    const error = asDiskRefusal(thrown);
    audit.recordFailure(attempt, error);
    throw error;
  }
}

/** Records a refused repair, unless it was tried and that is on record. */
export function recordRefusedRepair(root: string | undefined, name: string, refusal: Refusal): void {
  auditOf(placesForRoot(root), () => {}).recordFailureOnce({ channel: 'terminal', action: `doctor-${name}` }, refusal);
}
