import { couldHappen } from '../trust/tiers.ts';
import { raises, type Statement } from './statement.ts';

/**
 * The decisions that no other decision supersedes. Clocks play no part: a decision names the ones it follows. It
 * supersedes those only if the trust table allows it, its line is authentic, and it is from the same ledger or from one
 * that may raise. So an untrusted or damaged ledger can add a lower head, and never remove another machine's.
 */
export function headsOf(statements: readonly Statement[]): readonly Statement[] {
  const decisions = statements.filter((s) => s.to !== null);
  if (decisions.length < 2) return decisions;
  const byHash = Map.groupBy(decisions, (s) => s.hash);
  const superseded = new Set<Statement>();
  for (const later of decisions) {
    if (!later.authentic) continue;
    for (const hash of later.after) {
      for (const earlier of byHash.get(hash) ?? []) {
        const mayTake = raises(later) || later.ledger.fingerprint === earlier.ledger.fingerprint;
        // The law comes last, because it can take an assertion to be verified.
        if (mayTake && leadsFrom(earlier, later) && isLawful(later)) superseded.add(earlier);
      }
    }
  }
  return decisions.filter((s) => !superseded.has(s));
}

/** Whether the trust table has this transition, with a person where it needs one. */
function isLawful({ action, from, to, actor, level }: Statement): boolean {
  if (to === null) return false;
  return couldHappen(action, from, to, actor) && (actor !== 'operator' || level >= 1);
}

/** Only a restore leads out of quarantine. */
function leadsFrom(earlier: Statement, later: Statement): boolean {
  return earlier.to !== 'quarantined' || later.to === 'quarantined' || later.from === 'quarantined';
}

/** Whether it is a receipt: a person, asked through a channel, vouched for a text on a machine that counts here. */
export function vouches(s: Statement): boolean {
  const isPersons = s.actor === 'operator';
  return isPersons && s.to === 'verified' && s.digest !== null && s.authentic && raises(s) && isLawful(s);
}
