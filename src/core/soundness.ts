import type { UserConsent } from './consent.ts';
import { type Inspection, unsettled } from './findings.ts';
import { Refusal } from './refusal.ts';

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
