import type { Finding } from '../finding.ts';
import { raises, type Statement } from '../ledger/statement.ts';
import type { InspectedFile } from '../memory/inspected-file.ts';
import { NEEDS_PASSKEY } from '../passkeys/needs-passkey.ts';
import { Refusal } from '../refusal.ts';
import type { UserConsent } from '../trust/consent.ts';
import { blockingMessages, type Inspection, unsettled } from './inspect.ts';

/** Refuses a text that a check blocks, or on which a check crashed. */
export function refuseBlocked({ findings, blocked, crashed }: Inspection): void {
  if (crashed.length > 0) {
    throw new Refusal(
      'check-crashed',
      'A check could not finish on this text, so nothing was decided. Please report it.',
      findings,
    );
  }
  if (blocked) throw new Refusal('checks-failed', `A check blocks this text. ${blockingMessages(findings)}`, findings);
}

/** Quarantine is read-only: an edited file there is another text and must be proposed like a new one. */
export function refuseEdited({ id, digest }: { id: string; digest: string | null }, said: readonly Statement[]): void {
  const decisions = said.filter((s) => s.to === 'quarantined');
  // A text that was unreadable or held a secret was recorded without a digest.
  if (decisions.length === 0 || decisions.some((s) => s.digest === null || s.digest === digest)) return;
  // A sync parked this text beside another, by a machine whose word counts.
  if (said.some((s) => s.action === 'parked' && s.digest === digest && s.authentic && raises(s))) return;
  throw new Refusal(
    'not-allowed',
    `${id} was edited in quarantine. Put its text back, or say it in your own words with surety adopt.`,
  );
}

/** Refuses possible secrets: only a person can say that a text is not a secret. */
export function refuseSecrets({ findings }: Inspection, subject?: InspectedFile): void {
  const secrets = findings.filter((f) => f.class === 'secret');
  if (secrets.length === 0) return;
  const document = subject?.document;
  // The author counts lines of the body, from the first with text, and never sees the frontmatter.
  const blank = /^\n*/.exec(document?.body ?? '')?.[0].length ?? 0;
  const before = (document?.bodyLine ?? 1) + blank - 1;
  const place = ({ field, line }: Finding) => (field === 'body' ? `body line ${line - before}` : field);
  const where = [...new Set(secrets.map(place))].join(', ');
  throw new Refusal(
    'secret-found',
    `This text holds what is, or looks like, a secret (${where}). Nothing of it was stored; leave the value out, say where it is kept instead, and try again.`,
    secrets,
  );
}

/**
 * Refuses a yes that cannot count for this text. Every hold finding must have been on the screen, or settled by an earlier
 * yes to this text, and the channel's level must be as high as the operator requires.
 */
export function refuseUnshown(
  inspection: Inspection,
  settledBefore: Iterable<string>,
  consent: UserConsent,
  minimumAssurance: number,
): void {
  const settled = new Set([...consent.shown.settles, ...settledBefore]);
  if (unsettled(inspection.findings, settled).length > 0) {
    throw new Refusal(
      'checks-failed',
      'A suspicious finding was not shown with the question; ask again.',
      inspection.findings,
    );
  }
  if (consent.level < minimumAssurance) {
    throw new Refusal(
      'assurance-too-low',
      minimumAssurance === 4
        ? NEEDS_PASSKEY
        : 'The operator asks for a stronger channel than this one (minimumAssurance); use the page.',
    );
  }
}
