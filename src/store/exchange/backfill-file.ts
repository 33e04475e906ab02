import { standingKey } from '../../core/ledger/standing.ts';
import { type BackfillPlan, planBackfill } from '../../core/memory/backfill-plan.ts';
import { Refusal } from '../../core/refusal.ts';
import type { UserConsent } from '../../core/trust/consent.ts';
import { authorize } from '../vault/authorize.ts';
import { insideOf } from '../vault/inside-of-vault.ts';
import { marked } from '../vault/ledger-entries.ts';
import type { Loaded } from '../vault/loaded-memory.ts';
import { raise } from '../vault/raise.ts';
import type { Vault } from '../vault/vault.ts';

/** What backfill would do with a file: nothing, where a ledger has decided on it or it is in quarantine. */
export function planFound(vault: Vault, loaded: Loaded): BackfillPlan {
  const { standing, subject, stamp, id } = loaded;
  if (standing.tier === 'quarantined') return { kind: 'skip', why: 'quarantined', error: false };
  const { reading } = subject;
  return planBackfill(reading.kind === 'document' ? reading.document : reading, {
    modified: Number(stamp.modified / 1_000_000n),
    machine: vault.self.machine,
    now: vault.now(),
    decided: vault.evidence.heads(id).length > 0,
  });
}

/** Vouches for a found file without a ledger decision, with a person's yes for exactly it. */
export function confirmFound(vault: Vault, seen: Loaded, consent: UserConsent): Promise<Loaded> {
  return vault.exclusively(() => {
    const { now, plan } = unsettledFind(vault, seen);
    const { id, digest, inspection } = now;
    const change = {
      verb: 'backfill',
      from: null,
      id,
      digest,
      standing: standingKey(now.standing),
      inspection,
    } as const;
    const { row, prepared: bytes } = authorize(change, consent, vault.settings.minimumAssurance, () =>
      marked(now, plan.withYes),
    );
    return raise(insideOf(vault), row, { seen: now, bytes, reason: null }, consent);
  });
}

/** Fills in what a found file lacks. It stays inferred, so nobody is asked and no ledger records it. */
export function fillIn(vault: Vault, seen: Loaded): Promise<Loaded> {
  return vault.exclusively(() => {
    const { now, plan } = unsettledFind(vault, seen);
    const { disk, files } = insideOf(vault);
    disk.replace(files.writable(now), marked(now, plan.withoutYes));
    return files.indexed(now);
  });
}

function unsettledFind(vault: Vault, seen: Loaded) {
  const now = insideOf(vault).files.unchanged(seen);
  const plan = planFound(vault, now);
  if (plan.kind === 'plan') return { now, plan };
  throw new Refusal('not-allowed', `${now.id} is no found file that waits to be filled in. Nothing was changed.`);
}
