import type { Contradiction } from '../../core/contradictions/compare.ts';
import type { Finding } from '../../core/finding.ts';
import type { SeenAnchor } from '../../core/memory/anchors.ts';
import { hintsIn } from '../../core/memory/hints.ts';
import { namesOf, pointer, referencesIn } from '../../core/memory/references.ts';
import { type DuplicatePair, duplicatePairs } from '../../core/search/duplicate-pairs.ts';
import { type SafeText, sanitize, truncate } from '../../core/text/safe-text.ts';
import { type Retention, timestamp, wholeDays } from '../../core/trust/clocks.ts';
import type { Tier } from '../../core/trust/tiers.ts';
import type { Checkout } from '../../store/checkout/checkout.ts';
import type { Loaded, Surveyed, Vault } from '../../store/vault/vault.ts';
import { ANCHOR_MS, anchorLook, lostMentions, notHolding } from '../anchors.ts';
import { contradictionsOf } from '../contradictions.ts';
import { isStaleNow } from '../memory-state.ts';
import { quarantinedAt, retentionOf } from '../retention.ts';
import { findingsOf } from '../review/style-findings.ts';
import type { Session } from '../session.ts';
import { type Unused, unusedAmong } from '../usage.ts';
import { countsOf, everyMemory, type StatusCounts } from './status.ts';

/** What an operator should look at from time to time: ids, Surety's own words, and targets of references. */
export interface Audit {
  readonly at: string;
  readonly store: string;
  readonly memories: StatusCounts;
  readonly findings: readonly { readonly id: string; readonly tier: Tier; readonly findings: readonly Finding[] }[];
  readonly stale: readonly { readonly id: string; readonly since: string; readonly days: number }[];
  /** Pairs that share most of their words; `likeness` from 0.5 to 1. */
  readonly duplicates: readonly DuplicatePair[];
  /** Pairs that cannot hold together, as far as their words show. */
  readonly contradictions: readonly ContradictingPair[];
  /** Anchors that are lost in the repository that the audit was started in. */
  readonly lostAnchors: readonly (SeenAnchor & { readonly id: string })[];
  /** Paths, commands and variables in backticks that this repository does not have. */
  readonly lostMentions: readonly { readonly id: string; readonly names: readonly string[] }[];
  readonly brokenReferences: readonly Broken[];
  readonly quarantine: readonly {
    readonly id: string;
    readonly since: string;
    readonly days: number;
    readonly window: Retention;
  }[];
  /** How many served memories have no hints for finding them (`asked-as`). */
  readonly withoutHints: number;
  readonly unused: Unused;
}

interface ContradictingPair {
  readonly ids: readonly [string, string];
  readonly why: Contradiction;
}

interface Broken {
  readonly id: string;
  readonly to: SafeText;
  /** `missing`: no memory has this id or name. `quarantined`: the target is in quarantine. */
  readonly why: 'missing' | 'quarantined';
}

const LONGEST_TARGET = 80;

/** Reads every memory once and reports its progress. */
export async function audit(
  { vault, checkout }: Pick<Session, 'vault' | 'checkout'>,
  progress: (done: number, of: number) => void,
): Promise<Audit> {
  const all = [...everyMemory(vault)];
  const report = new Report(vault, all, checkout);
  for (const [i, known] of all.entries()) {
    const loaded = vault.loadSurveyed(known);
    if (loaded !== undefined) report.take(loaded);
    progress(i + 1, all.length);
  }
  return report.finished();
}

class Report {
  readonly #vault: Vault;
  readonly #all: readonly Surveyed[];
  readonly #findings: { id: string; tier: Tier; findings: Finding[] }[] = [];
  readonly #stale: { id: string; since: string; days: number }[] = [];
  readonly #quarantine: { id: string; since: string; days: number; window: Retention }[] = [];
  readonly #pointers: { id: string; to: string }[] = [];
  readonly #targets = new Map<string, 'served' | 'quarantined'>();
  readonly #served = new Set<string>();
  readonly #contradictions = new Map<string, ContradictingPair>();
  #withoutHints = 0;

  readonly #anchors: (SeenAnchor & { readonly id: string })[] = [];
  readonly #mentions: { readonly id: string; readonly names: readonly string[] }[] = [];
  readonly #checkout: Checkout | undefined;

  constructor(vault: Vault, all: readonly Surveyed[], checkout: Checkout | undefined) {
    this.#checkout = checkout;
    this.#vault = vault;
    this.#all = all;
  }

  take(loaded: Loaded): void {
    const { id, standing, shown, withheld } = loaded;
    const telling = findingsOf(this.#vault, loaded).filter(({ severity }) => severity !== 'info');
    if (telling.length > 0) this.#findings.push({ id, tier: standing.tier, findings: telling });
    if (standing.tier === 'quarantined') {
      this.#quarantine.push({ id, ...this.#age(quarantinedAt(loaded)), window: retentionOf(this.#vault, loaded) });
    }
    const served = !withheld && standing.tier !== 'quarantined';
    const name = served && shown !== undefined ? sanitize(shown.name, 'line').toString() : undefined;
    for (const known of namesOf(id, name)) {
      if (served || !this.#targets.has(known)) this.#targets.set(known, served ? 'served' : 'quarantined');
    }
    if (!served || shown === undefined) return;
    this.#served.add(id);
    if (standing.tier === 'verified' && isStaleNow(this.#vault, standing)) {
      this.#stale.push({ id, ...this.#age(standing.receipt.at) });
    }
    if (hintsIn(loaded.subject.document).length === 0) this.#withoutHints += 1;
    const look = anchorLook(this.#checkout, ANCHOR_MS.person);
    for (const anchor of notHolding(look, shown)) this.#anchors.push({ id, ...anchor });
    const names = lostMentions(this.#checkout, shown, ANCHOR_MS.person);
    if (names.length > 0) this.#mentions.push({ id, names });
    for (const { loaded: other, why } of contradictionsOf(this.#vault, loaded)) {
      const ids: [string, string] = id < other.id ? [id, other.id] : [other.id, id];
      this.#contradictions.set(ids.join(' '), { ids, why });
    }
    const body = sanitize(shown.body, 'body').toString();
    for (const to of referencesIn(body)) this.#pointers.push({ id, to });
  }

  async finished(): Promise<Audit> {
    const vault = this.#vault;
    return {
      at: timestamp(vault.now()),
      store: vault.places.root,
      memories: countsOf(vault, this.#all),
      findings: this.#findings,
      stale: this.#stale.toSorted((a, b) => b.days - a.days),
      duplicates: this.#duplicates(),
      contradictions: [...this.#contradictions.values()],
      lostAnchors: this.#anchors,
      lostMentions: this.#mentions,
      brokenReferences: this.#pointers.flatMap((each) => this.#broken(each)),
      quarantine: this.#quarantine.toSorted((a, b) => b.days - a.days),
      withoutHints: this.#withoutHints,
      unused: await unusedAmong(vault, [...this.#served]),
    };
  }

  #duplicates(): DuplicatePair[] {
    const texts = this.#vault.termVectors().filter(({ id }) => this.#served.has(id));
    return duplicatePairs(texts).map((pair) => ({
      ...pair,
      likeness: Math.round(pair.likeness * 100) / 100,
    }));
  }

  #broken({ id, to }: { id: string; to: string }): Broken[] {
    const found = this.#targets.get(pointer(to));
    if (found === 'served') return [];
    return [{ id, to: truncate(sanitize(to, 'line'), LONGEST_TARGET), why: found ?? 'missing' }];
  }

  #age(at: number): { since: string; days: number } {
    return { since: timestamp(at), days: wholeDays(at, this.#vault.now()) };
  }
}
