import { timestamp } from '../../core/trust/clocks.ts';
import { requestsOf } from '../../store/records/request-queue.ts';
import { promptedAt } from '../../store/records/typed-text-hashes.ts';
import type { Loaded } from '../../store/vault/vault.ts';
import { promptedWords } from '../history.ts';
import type { Session } from '../session.ts';

/** Whose words an agent's proposal has. Every question about it says so. It never replaces a yes. */
export interface Dictation {
  /** When exactly these words came through the person's prompt, if they did. */
  readonly prompted: string | undefined;
  /** For a person, in one line. */
  readonly says: string;
}

/** Undefined for a text that no agent proposed. A request remembers what was known when the agent asked. */
export function dictationOf(session: Session, loaded: Loaded): Dictation | undefined {
  const { vault } = session;
  const { id, digest, standing } = loaded;
  const isProposal = vault.evidence.of(id).some((each) => each.action === 'propose' && each.digest === digest);
  if (standing.tier !== 'inferred' || !isProposal) return undefined;
  const request = requestsOf(session.vault).one(id);
  const known = request?.digest === digest ? request.prompted : undefined;
  const at = promptedAt(vault, loaded) ?? (known === undefined ? undefined : Date.parse(known));
  if (at === undefined) return { prompted: undefined, says: 'the agent’s' };
  return {
    prompted: timestamp(at),
    says: promptedWords(at, vault.now()),
  };
}
