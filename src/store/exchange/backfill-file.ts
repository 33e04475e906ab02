import { refuseBlocked, refuseUnshown } from '../../core/checks/enforce.ts';
import { standingKey } from '../../core/ledger/standing.ts';
import { type BackfillPlan, planBackfill } from '../../core/memory/backfill-plan.ts';
import { Refusal } from '../../core/refusal.ts';
import { UserConsent } from '../../core/trust/consent.ts';
import { judge, met } from '../../core/trust/tiers.ts';
import { marked } from '../vault/ledger-entries.ts';
import type { Loaded } from '../vault/loaded-memory.ts';
import type { Parts } from '../vault/parts.ts';
import { raise } from '../vault/raise.ts';
import type { Vault } from '../vault/vault.ts';

/** What backfill would do with a file as it lies: nothing, where a ledger has decided on it or it is in quarantine. */
export function planFound(parts: Pick<Parts, 'ledgers' | 'key' | 'now'>, loaded: Loaded): BackfillPlan {
  const { standing, subject, stamp, id } = loaded;
  if (standing.tier === 'quarantined') return { kind: 'skip', why: 'quarantined', error: false };
  const { reading } = subject;
  return planBackfill(reading.kind === 'document' ? reading.document : reading, {
    modified: Number(stamp.modified / 1_000_000n),
    machine: parts.key.machine,
    now: parts.now(),
    decided: parts.ledgers.evidence.heads(id).length > 0,
  });
}

/** Vouches for a found file that no ledger has decided on, with a person's yes for exactly it. */
export function confirmFound(vault: Vault, seen: Loaded, consent: UserConsent): Promise<Loaded> {
  return vault.exclusively(() => {
    const { now, plan } = unsettledFind(vault, seen);
    const checks = !now.inspection.blocked && now.inspection.crashed.length === 0;
    const genuine = UserConsent.isGenuine(consent);
    const row = judge({ verb: 'backfill', from: null, who: 'operator', met: met({ checks, consent: genuine }) });
    refuseBlocked(now.inspection);
    refuseUnshown(now.inspection, [], consent, vault.parts.settings().minimumAssurance);
    const bytes = marked(now, plan.withYes);
    consent.spend({ verb: 'backfill', id: now.id, digest: now.digest, standing: standingKey(now.standing) });
    return raise(vault.parts, vault.shelf, row, { seen: now, bytes, reason: null }, consent);
  });
}

/** Fills in what a found file lacks. It stays inferred, so nobody is asked and no ledger hears of it. */
export function fillIn(vault: Vault, seen: Loaded): Promise<Loaded> {
  return vault.exclusively(() => {
    const { now, plan } = unsettledFind(vault, seen);
    vault.parts.disk.replace(vault.shelf.writable(now), marked(now, plan.withoutYes));
    return vault.shelf.indexed(now);
  });
}

function unsettledFind(vault: Vault, seen: Loaded) {
  vault.parts.ledgers.refresh();
  const now = vault.shelf.unchanged(seen);
  const plan = planFound(vault.parts, now);
  if (plan.kind === 'plan') return { now, plan };
  throw new Refusal('not-allowed', `${now.id} is no found file that waits to be filled in. Nothing was changed.`);
}
