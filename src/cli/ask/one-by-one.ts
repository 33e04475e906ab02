import type { Fact } from '../../actions/review/case-facts.ts';
import { refuseVerifying } from '../../actions/review/review.ts';
import type { Session } from '../../actions/session.ts';
import type { ProposedTier } from '../../core/memory/backfill-plan.ts';
import { type Refusal, refusalIn } from '../../core/refusal.ts';
import { sanitize, text } from '../../core/text/safe-text.ts';
import type { SheetContent } from './sheet.ts';
import type { Answer, KeyChoice, Witness } from './witness.ts';

/** `r` (infer the rest) is answered once and returned as `i` from then on. */
export type OneByOneKey = 'y' | 'i' | 's' | 'r' | 'q';

const PROPOSED: Record<ProposedTier, string> = {
  verified: 'verified, as is usual for user and feedback',
  ask: 'nothing: with project memories it is yours to choose',
  inferred: 'inferred: it is a reference, says so itself, where it comes from is unclear, or a check holds it back',
};

interface OneByOneItem {
  /** What is shown; the proposal and anything that prevents a yes are added. */
  readonly sheet: SheetContent;
  readonly proposed: ProposedTier;
  readonly verb: 'import' | 'backfill';
  /** What skipping means, in two or three words. */
  readonly skipping: string;
}

/** Asks about one memory after another until the person lets the rest be inferred. A yes covers only the memory shown. */
export class OneByOne {
  asking = true;
  readonly #witness: Witness;
  readonly #tooWeak: Refusal | undefined;

  constructor({ vault }: Session, witness: Witness) {
    this.#witness = witness;
    this.#tooWeak = refusalIn(() => refuseVerifying(vault));
  }

  async ask({ sheet, proposed, verb, skipping }: OneByOneItem): Promise<Answer<OneByOneKey>> {
    if (!this.asking) return { key: 'i', isAnswered: true, consent: undefined };
    const facts: Fact[] = [
      { label: 'proposed', ours: PROPOSED[proposed] },
      ...(this.#tooWeak ? [{ label: 'not now', ours: `it cannot be verified: ${this.#tooWeak.message}` }] : []),
    ];
    const choices: KeyChoice<OneByOneKey>[] = [
      ...(this.#tooWeak ? [] : [{ key: 'y', means: 'yes, verified', verb } as const]),
      { key: 'i', means: 'as inferred' },
      { key: 's', means: skipping },
      { key: 'r', means: 'this and the rest as inferred' },
      { key: 'q', means: 'stop here' },
    ];
    const answer = await this.#witness.ask({
      sheet: { ...sheet, facts: [...sheet.facts, ...facts] },
      sentence: text`Vouch for this text: ${sanitize(sheet.id, 'line')}?`,
      choices,
      otherwise: 'i',
      leave: 'q',
    });
    if (answer.key !== 'r') return answer;
    this.asking = false;
    return { key: 'i', isAnswered: true, consent: undefined };
  }
}

/** Whether a refusal would meet every other memory too. */
export function stopsAll({ code }: Refusal): boolean {
  return ['root-unusable', 'format-unknown', 'key-unusable', 'ledger-trouble', 'clock-jump', 'disk-failed'].includes(
    code,
  );
}
