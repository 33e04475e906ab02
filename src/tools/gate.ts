import type { SafeText } from '../core/text/safe-text.ts';
import type { Decision } from '../store/vault/vault.ts';
import type { Dialog } from './dialog-channel.ts';
import type { PageAsk } from './page-channel.ts';
import type { UnansweredAsks } from './unanswered-asks.ts';

/** What differs between the tools that change trust. */
export interface Gate {
  readonly verb: Decision;
  readonly title: string;
  readonly description: string;
  /** What a person is asked, before the text itself. */
  readonly ask: (id: SafeText) => SafeText;
  readonly done: string;
  readonly meta?: Record<string, unknown>;
}

/** The ways this process has of asking a person. */
export interface Asking {
  readonly dialog: Dialog;
  readonly page: PageAsk;
  readonly unanswered: UnansweredAsks;
}
