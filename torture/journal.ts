import type { Told } from './checker/check.ts';
import type { Text } from './checker/file.ts';
import type { Tier } from './checker/standing.ts';

const VERBS = ['promote', 'adopt', 'demote', 'restore', 'reaffirm'] as const;
export type Verb = (typeof VERBS)[number];

const ASKED: Record<Verb, Tier> = {
  promote: 'verified',
  adopt: 'verified',
  demote: 'quarantined',
  restore: 'verified',
  reaffirm: 'verified',
};

/** A decision that was asked for and has no result yet. */
export interface Pending {
  readonly verb: Verb;
  readonly id: string;
  readonly before: ReadonlySet<Tier>;
  /** The memory that goes into quarantine with a yes, because this one takes its place. */
  rival?: Pending;
}

/** One thing that was done or reported, for the person who looks into a damage. */
interface Step {
  readonly at: string;
  readonly id: string;
  readonly what: string;
}

/** What the outside knows of a store, kept while servers come and go. */
export class Journal implements Told {
  readonly trail: Step[] = [];
  readonly acknowledged = new Map<string, Text>();
  readonly created = new Set<string>();
  readonly givenTwice: string[] = [];
  readonly typed = new Map<string, Text[]>();
  readonly may = new Map<string, Set<Tier>>();
  readonly yeses = new Map<string, number>();
  readonly reworded = new Map<string, Text[]>();
  readonly noes = new Map<string, number>();
  readonly refused = new Set<string>();
  /** Proposals that were sent to a server which died before it answered. */
  unanswered: Text[] = [];
  /** Restored ones that git put back into the quarantine folder, from where they count as quarantined. */
  readonly carriedBack = new Set<string>();
  readonly doubledByGit = new Set<string>();
  /** Memories under whose id a machine that nobody trusts has proposed something else. */
  readonly strangers = new Set<string>();
  /** Those whose file somebody deleted, until it is there again. */
  readonly deleted = new Set<string>();
  readonly onceDeleted = new Set<string>();
  /** Memories that somebody is deciding on, or whose file somebody is editing. */
  readonly busy = new Set<string>();
  readonly counts = { proposals: 0, decisions: 0, searches: 0, edits: 0, replaced: 0 };
  readonly refusals = new Map<string, number>();
  /** Answers that must not be. */
  readonly wrong: { readonly kind: 'leaked' | 'above' | 'unfound' | 'bug'; readonly what: string }[] = [];

  note(id: string, what: string): void {
    this.trail.push({ at: new Date().toISOString(), id, what });
  }

  proposed(id: string, text: Text, outcome: 'created' | 'existing'): void {
    this.note(id, `proposed: ${outcome}`);
    if (outcome === 'created') this.created.add(id);
    const before = this.acknowledged.get(id);
    if (before !== undefined && before.body !== text.body) this.givenTwice.push(id);
    this.acknowledged.set(id, text);
    if (!this.may.has(id)) this.may.set(id, new Set(['inferred']));
    this.counts.proposals += 1;
  }

  isAcknowledged({ body }: Text): boolean {
    return [...this.acknowledged.values()].some((text) => text.body === body);
  }

  begin(verb: Verb, id: string): Pending {
    this.busy.add(id);
    this.note(id, `${verb} is asked for`);
    return { verb, id, before: new Set(this.may.get(id)) };
  }

  /**
   * The person is shown a memory that this one contradicts, and a yes quarantines it. False if somebody else is busy with
   * that one: then the person must not say yes.
   */
  takesPlaceOf(asked: Pending, id: string): boolean {
    if (asked.rival?.id === id) return true;
    if (!this.may.has(id) || this.busy.has(id)) return false;
    asked.rival = this.begin('demote', id);
    return true;
  }

  /** A person says yes: from now on the memory may be what was asked for. */
  yes({ verb, id, rival }: Pick<Pending, 'verb' | 'id' | 'rival'>): void {
    if (rival !== undefined) this.yes(rival);
    const what = `${verb} ${id}`;
    this.note(id, `a person says yes to ${verb}`);
    this.yeses.set(what, (this.yeses.get(what) ?? 0) + 1);
    this.may.get(id)?.add(ASKED[verb]);
  }

  /** A person says yes to other words for a memory: it may say these from now on. */
  yesInOtherWords(asked: Pending, text: Text): void {
    this.reworded.set(asked.id, [...(this.reworded.get(asked.id) ?? []), text]);
    this.yes(asked);
  }

  /** A person says no. Only to what would make a text count is that put on record. */
  no({ verb, id }: Pick<Pending, 'verb' | 'id'>): void {
    this.note(id, `a person says no to ${verb}`);
    if (verb !== 'demote') this.noes.set(id, (this.noes.get(id) ?? 0) + 1);
  }

  /**
   * `tier` is what the server says it is now; without one nothing was changed. What was asked for is on record then, also
   * where it counts for less at the moment. What is not recorded can be undone by hand.
   */
  ended({ verb, id, before, rival }: Pending, tier?: Tier, recorded = true): void {
    if (rival !== undefined) {
      this.ended(rival, tier && 'quarantined', recorded);
      if (tier !== undefined) this.counts.replaced += 1;
    }
    this.busy.delete(id);
    this.note(id, tier === undefined ? 'nothing changed, it is said' : `it is ${tier}, it is said`);
    if (tier === undefined) this.may.set(id, new Set(before));
    else this.may.set(id, new Set([tier, ASKED[verb], ...(recorded ? [] : before)]));
    if (tier !== undefined) this.counts.decisions += 1;
    if (this.strangers.has(id)) this.dispute(id);
  }

  /** The server died, or says that it could not finish: what was asked for may have happened, or not. */
  inDoubt({ id, rival }: Pending): void {
    if (rival !== undefined) this.inDoubt(rival);
    this.busy.delete(id);
    this.note(id, 'whether it happened is not known');
  }

  /** Somebody with an editor gave the file another text, so no receipt vouches for it any more. */
  edited(id: string, text: Text): void {
    this.note(id, 'edited by hand');
    this.typed.set(id, [...(this.typed.get(id) ?? []), text]);
    const quarantined = this.may.get(id)?.has('quarantined') === true;
    this.may.set(id, new Set(quarantined ? ['inferred', 'quarantined'] : ['inferred']));
    this.counts.edits += 1;
  }

  /**
   * A stranger proposes under its id: one more head that a decision here may not know of, so it may be disputed. Where it
   * was quarantined once, the stranger may have heard of that and not of what followed, and quarantine its own text.
   */
  dispute(id: string): void {
    this.strangers.add(id);
    const may = this.may.get(id);
    if (may?.has('verified')) may.add('inferred');
    if (this.yeses.has(`demote ${id}`)) may?.add('quarantined');
  }

  /** Somebody deleted the file. */
  removed(id: string): void {
    this.note(id, 'its file is deleted');
    this.deleted.add(id);
    this.onceDeleted.add(id);
  }

  /** An older state of its file may come back: what was edited may say again what a person vouched for. */
  loosen(id: string): void {
    const may = this.may.get(id);
    if (may?.has('inferred') && this.wasVouchedFor(id)) may.add('verified');
    if (may?.has('verified')) may.add('inferred');
  }

  /** Whether a person ever said yes to a text of this memory. */
  wasVouchedFor(id: string): boolean {
    return VERBS.some((verb) => verb !== 'demote' && this.yeses.has(`${verb} ${id}`));
  }

  /** What servers write to their logs; only a failure of their own is of interest. */
  hear(log: string): void {
    if (/ failed: |\n {4}at |Uncaught|uncaught/.test(log)) this.wrong.push({ kind: 'bug', what: log.slice(0, 600) });
  }

  turnedDown(code: string): void {
    this.refusals.set(code, (this.refusals.get(code) ?? 0) + 1);
    if (code === 'bug') this.wrong.push({ kind: 'bug', what: 'a call failed by a bug' });
  }

  /** Memories that certainly have this tier, whose file is there, and that nobody is busy with. */
  certainly(tier: Tier): string[] {
    const isFree = (id: string) => !this.busy.has(id) && !this.deleted.has(id);
    return [...this.may].flatMap(([id, may]) => (may.size === 1 && may.has(tier) && isFree(id) ? [id] : []));
  }
}
