import type { UserConsent } from '../../core/trust/consent.ts';
import { archive as putAway, refuseBesideMemory } from '../../store/maintenance/archive.ts';
import type { Loaded } from '../../store/vault/vault.ts';
import { monthOfQuarantine, quarantinedAt, retentionOf } from '../retention.ts';
import type { Session } from '../session.ts';

/** Memories quarantined long enough to be archived, oldest first. */
export function archiveCandidates({ vault }: Session): Loaded[] {
  return [...vault.survey('quarantine')]
    .flatMap(({ place, stem }) => vault.loadSpot({ place, stem }) ?? [])
    .filter((loaded) => loaded.standing.tier === 'quarantined' && retentionOf(vault, loaded) === 'archive-candidate')
    .sort((a, b) => quarantinedAt(a) - quarantinedAt(b));
}

/** Refuses what no yes could archive, and records that. */
export function refuseInVain({ vault, audit }: Session, loaded: Loaded): void {
  const { id, digest } = loaded;
  const attempt = { channel: 'terminal', action: 'archive', id, digest };
  audit.recordIfItThrows(attempt, () => refuseBesideMemory(vault, loaded));
}

/** Moves a memory to the archive of its quarantine's month, and returns the new path. */
export function archive({ vault, audit }: Session, loaded: Loaded, consent: UserConsent): Promise<string> {
  const { id, digest } = loaded;
  return audit.runAndRecord({ channel: consent.channel, action: 'archive', id, digest }, () =>
    putAway(vault, loaded, monthOfQuarantine(loaded), consent),
  );
}
