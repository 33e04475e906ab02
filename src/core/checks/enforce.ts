import type { Finding } from '../finding.ts';
import { raises, type Statement } from '../ledger/statement.ts';
import type { Subject } from '../memory/inspected-file.ts';
import { Refusal } from '../refusal.ts';
import type { UserConsent } from '../trust/consent.ts';
import { type Inspection, unsettled } from './inspect.ts';

/** Refuses a text that a check blocks, or that a check could not finish on. */
export function refuseBlocked({ findings, blocked, crashed }: Inspection): void {
  if (crashed.length > 0) {
    throw new Refusal(
      'check-crashed',
      'A check could not finish on this text, so nothing was decided. Please report it.',
      findings,
    );
  }
  if (blocked) {
    const what = [...new Set(findings.filter((f) => f.severity === 'block').map((f) => f.message))].join(' ');
    throw new Refusal('checks-failed', `A check blocks this text. ${what}`, findings);
  }
}

/** Quarantine is read-only: what was edited there is another text, and takes the way of a new one. */
export function refuseEdited({ id, digest }: { id: string; digest: string | null }, said: readonly Statement[]): void {
  const decisions = said.filter((s) => s.to === 'quarantined');
  // Of a text that could not be read, or held a secret, no digest was written down.
  if (decisions.length === 0 || decisions.some((s) => s.digest === null || s.digest === digest)) return;
  // What a sync put there beside another text was put there as it is, by a machine whose word counts.
  if (said.some((s) => s.action === 'parked' && s.digest === digest && s.authentic && raises(s))) return;
  throw new Refusal(
    'not-allowed',
    `${id} was edited in quarantine. Put its text back, or say it in your own words with surety adopt.`,
  );
}

/** Nothing that even looks like a secret comes in without a person who says that it is none. */
export function refuseSecrets({ findings }: Inspection, subject?: Subject): void {
  const secrets = findings.filter((f) => f.class === 'secret');
  if (secrets.length === 0) return;
  const document = subject?.document;
  // Its author knows the lines of the body, from the first with text on; they never see the frontmatter before it.
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
 * Refuses a yes that cannot count for this text: every suspicious finding must have been on the screen (or settled by an
 * earlier yes for the same text), and the channel must be as strong as the operator asks.
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
      'The operator asks for a stronger channel than this one (minimumAssurance); use the page.',
    );
  }
}
