import { isLiftedElsewhere, liftedBy } from '../../core/ledger/standing.ts';
import { surveyIds } from '../../store/reconcile/survey-changes.ts';
import type { Surveyed, Vault } from '../../store/vault/vault.ts';
import { machineInWords, machineNames } from '../review/machines.ts';
import type { Session } from '../session.ts';
import { news, type UndatedNotice } from './sync-report.ts';

/** A memory that is quarantined here, whose file stays in `memories/` for the word of machines that does not count here. */
interface RestoredElsewhere {
  readonly id: string;
  /** The fingerprints of their ledgers. */
  readonly by: ReadonlySet<string>;
}

/**
 * Those of the whole store, or of `among`. None that this machine restored itself while its own ledger is in trouble: that is
 * said of the ledger.
 */
export function restoredElsewhere(
  vault: Vault,
  among: Iterable<Surveyed> = vault.survey(),
): readonly RestoredElsewhere[] {
  const { evidence, self } = vault;
  const lifted = [...among].flatMap(({ standing, ...file }) => {
    if (file.place !== 'memories' || file.blocked !== null || !('decision' in standing)) return [];
    if (!isLiftedElsewhere(file, evidence)) return [];
    return { id: file.id, by: liftedBy(file.id, standing.decision, evidence) };
  });
  const isOwnInTrouble = lifted.length > 0 && vault.reports().some(({ own, trouble }) => own && trouble !== undefined);
  return lifted.filter(({ by }) => !isOwnInTrouble || !by.has(self.fingerprint));
}

/** Each with the machines that vouch for it. */
export function restoredInWords(session: Session): string[] {
  const found = restoredElsewhere(session.vault);
  const inWords = machinesInWords(session);
  return found.map(({ id, by }) => `${id}, vouched for by ${inWords(by)}`);
}

/** A notice of each among the memories that a sync received. */
export function newlyRestored(session: Session, received: ReadonlySet<string>): UndatedNotice[] {
  const { vault } = session;
  const found = restoredElsewhere(vault, surveyIds(vault, received));
  const inWords = machinesInWords(session);
  return found.map(({ id, by }) => {
    const why = `it is quarantined here, and the word of ${inWords(by)} for it does not count here`;
    const what = `surety show ${id} tells more, surety machines trust lets a machine’s word count, and surety restore ${id} takes it out of quarantine here`;
    return news('restored', id, `is in memories/ and served nowhere: ${why}; ${what}`);
  });
}

function machinesInWords(session: Session): (by: ReadonlySet<string>) => string {
  const names = machineNames(session);
  return (by) => [...by].map((fingerprint) => machineInWords(names, fingerprint)).join(' and ') || 'another machine';
}
