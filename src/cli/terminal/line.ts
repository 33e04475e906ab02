import type { Finding } from '../../core/finding.ts';
import type { SafeText } from '../../core/text/safe-text.ts';
import type { Tier } from '../../core/trust/tiers.ts';

/** What a piece of a line means; `print.ts` chooses its colour. */
export type Style = 'label' | 'strong' | 'good' | 'warning' | 'danger';
type LinePiece = SafeText | readonly [Style, SafeText];
export type TerminalLine = readonly LinePiece[];

/** The same colour for a tier wherever it is named. */
export const TIER_STYLES: Readonly<Record<Tier, Style>> = {
  verified: 'good',
  inferred: 'warning',
  quarantined: 'danger',
};

export const SEVERITY_STYLES: Readonly<Record<Finding['severity'], Style>> = {
  block: 'danger',
  hold: 'danger',
  warn: 'warning',
  info: 'label',
};
