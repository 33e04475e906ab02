import type { SafeText } from '../../core/text/safe-text.ts';

/** What a piece of a line means; `print.ts` chooses its colour. */
export type Style = 'label' | 'strong' | 'good' | 'warning' | 'danger';
export type Piece = SafeText | readonly [Style, SafeText];
export type Line = readonly Piece[];
