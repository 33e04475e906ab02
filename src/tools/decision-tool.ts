import type { SafeText } from '../core/text/safe-text.ts';
import type { Decision } from '../store/vault/vault.ts';
import type { Dialog } from './dialog-channel.ts';
import type { PageAsk } from './page-channel.ts';
import type { UnansweredAsks } from './unanswered-asks.ts';

/** What differs between the tools that change trust. */
export interface DecisionTool {
  readonly verb: Decision;
  readonly title: string;
  readonly description: string;
  /** The question, which comes before the memory's text. */
  readonly ask: (id: SafeText) => SafeText;
  /** The question without the id, for an id that does not fit its line; a dialog then has the id below. */
  readonly askWithoutId?: SafeText;
  readonly done: string;
  /** Whether it takes only memories that this process was given by propose_memory. */
  readonly takesOnlyProposed?: true;
  /** Whether Claude Code asks for permission at every call, whatever its permission mode or hooks say. */
  readonly needsPermission?: true;
}

/** The channels through which this process can ask a person. */
export interface AskChannels {
  readonly dialog: Dialog;
  readonly page: PageAsk;
  readonly unanswered: UnansweredAsks;
}
