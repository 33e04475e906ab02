import type { Statement } from '../../core/ledger/statement.ts';
import { type MemoryType, TYPES } from '../../core/memory/limits.ts';
import { type SafeText, sanitize, text } from '../../core/text/safe-text.ts';
import { DAY_MS, dateOf, wholeDays } from '../../core/trust/clocks.ts';
import { CATEGORIES, type Reviewed } from '../../core/trust/review-categories.ts';
import { TIERS, type Tier } from '../../core/trust/tiers.ts';
import type { Surveyed, Vault } from '../../store/vault/vault.ts';
import { ANCHOR_MS } from '../anchors.ts';
import { machineNames } from '../review/machines.ts';
import { QueueSorting, type WaitingMemory } from '../review-queue.ts';
import type { Session } from '../session.ts';
import { withPauses } from '../with-pauses.ts';
import { everyMemory } from './status.ts';
import { Weeks } from './weeks.ts';

/** One picture of the store, as figures: each point has one value for each part. The page and the terminal draw it. */
export interface Chart {
  readonly id: string;
  readonly title: string;
  /** `over-time`: the points are dates, one after the other; `side-by-side`: the points are things. */
  readonly kind: 'over-time' | 'side-by-side';
  readonly parts: readonly string[];
  readonly points: readonly { readonly label: SafeText; readonly values: readonly number[] }[];
  /** Said where there is nothing to draw. */
  readonly nothing: string;
}

/** Everything that charts are made of, gathered in one pass over the memories and one over the ledgers' entries. */
interface Gathered {
  readonly vault: Vault;
  readonly now: number;
  readonly present: readonly Surveyed[];
  readonly byId: ReadonlyMap<string, readonly Statement[]>;
}

/** The pictures of a store. What they say changes nothing and is no verdict: they count. */
export async function chartsOf(session: Session): Promise<Chart[]> {
  const { vault } = session;
  const present: Surveyed[] = [];
  for await (const each of withPauses(everyMemory(vault))) present.push(each);
  const byId = new Map<string, readonly Statement[]>();
  const { evidence } = vault;
  for await (const id of withPauses(evidence.idsAfter(0)))
    byId.set(
      id,
      evidence.of(id).toSorted((a, b) => a.at - b.at),
    );
  const gathered = { vault, now: vault.now(), present, byId };
  return [
    ...growth(gathered),
    answers(gathered),
    await waiting(session, gathered),
    await used(gathered),
    staleAhead(gathered),
    vouching(session, gathered),
  ];
}

const TIERS_DOWN = TIERS.toReversed();

/** How many memories there were of each tier and of each type; of those that are in the store now. */
function growth({ now, present, byId }: Gathered): Chart[] {
  const histories = present.map(({ id, standing: { tier } }) => ({ id, tier, entries: byId.get(id) ?? [] }));
  const weeks = new Weeks(
    histories.flatMap(({ entries }) => entries[0]?.at ?? []),
    now,
  );
  const tiers = weeks.table(TIERS_DOWN.length);
  const types = weeks.table(TYPES.length);
  for (const { id, tier, entries } of histories) {
    const began = weeks.at(entries[0]?.at ?? now);
    const type = TYPES.indexOf(typeOf(id));
    for (let week = began; week < weeks.count; week++) types.add(week, type);
    let [from, was] = [began, 'inferred' as Tier];
    for (const { at, to } of entries) {
      if (to === null) continue;
      for (; from < weeks.at(at); from++) tiers.add(from, TIERS_DOWN.indexOf(was));
      was = to;
    }
    for (; from < weeks.count - 1; from++) tiers.add(from, TIERS_DOWN.indexOf(was));
    // The ledgers do not say everything about a standing: a file that changed by hand has another one.
    tiers.add(weeks.count - 1, TIERS_DOWN.indexOf(tier));
  }
  const nothing = 'Nothing is stored yet.';
  const pointsOf = (table: typeof tiers) => (present.length === 0 ? [] : table.points());
  return [
    { id: 'tiers', title: 'Memories by tier', kind: 'over-time', parts: TIERS_DOWN, points: pointsOf(tiers), nothing },
    { id: 'types', title: 'Memories by type', kind: 'over-time', parts: TYPES, points: pointsOf(types), nothing },
  ];
}

/** What people answered, whatever became of the memories since. */
function answers({ now, byId }: Gathered): Chart {
  const given = [...byId.values()].flat().filter(({ actor }) => actor === 'operator');
  const yes = given.filter(({ to }) => to === 'verified');
  const no = given.filter(({ action, to }) => action === 'declined' || to === 'quarantined');
  const weeks = new Weeks(
    [...yes, ...no].map(({ at }) => at),
    now,
  );
  const counts = weeks.table(2);
  for (const { at } of yes) counts.add(weeks.at(at), 0);
  for (const { at } of no) counts.add(weeks.at(at), 1);
  return {
    id: 'answers',
    title: weeks.step === 1 ? 'Yes and no, per week' : `Yes and no, per ${weeks.step} weeks`,
    kind: 'over-time',
    parts: ['yes', 'no'],
    points: yes.length + no.length === 0 ? [] : counts.points(),
    nothing: 'Nobody has answered yet.',
  };
}

/** Ages in whole days: each part holds what is younger than its bound. */
const AGES = [
  ['up to a week', 7],
  ['up to a month', 31],
  ['up to three months', 92],
  ['longer', Number.POSITIVE_INFINITY],
] as const;

function ageIndex(days: number): number {
  return AGES.findIndex(([, bound]) => days < bound);
}

async function waiting(session: Session, { now, present }: Gathered): Promise<Chart> {
  const sorting = new QueueSorting(session, ANCHOR_MS.person);
  const queue: WaitingMemory<Reviewed>[] = [...sorting.others];
  for await (const each of withPauses(present.filter(({ place }) => place === 'memories')))
    queue.push(...[sorting.entryFor(each) ?? []].flat());
  const points = CATEGORIES.flatMap((category) => {
    const values = AGES.map(() => 0);
    for (const { since } of queue.filter((each) => each.category === category)) {
      const part = ageIndex(since === null ? 0 : wholeDays(Date.parse(since), now));
      values[part] = (values[part] ?? 0) + 1;
    }
    return values.every((value) => value === 0) ? [] : [{ label: sanitize(category, 'line'), values }];
  });
  const parts = AGES.map(([name]) => name);
  const title = 'What waits, and for how long';
  return { id: 'waiting', title, kind: 'side-by-side', parts, points, nothing: 'Nothing waits for you.' };
}

const SERVED: readonly Tier[] = ['verified', 'inferred'];

/** When agents last got each memory that they can get. */
async function used({ vault, now, present }: Gathered): Promise<Chart> {
  const { since, last } = (await vault.uses()).known();
  const labels = ['in the last week', 'in the last month', 'in the last three months', 'longer ago', 'never'] as const;
  const values = labels.map(() => SERVED.map(() => 0));
  for (const { id, standing } of present) {
    const part = SERVED.indexOf(standing.tier);
    const at = last.get(id);
    const row = values[at === undefined ? labels.length - 1 : ageIndex(wholeDays(at, now))];
    if (part >= 0 && row !== undefined) row[part] = (row[part] ?? 0) + 1;
  }
  return {
    id: 'used',
    title: since === undefined ? 'Used by agents' : `Used by agents, as recorded here since ${dateOf(since)}`,
    kind: 'side-by-side',
    parts: SERVED,
    points:
      since === undefined
        ? []
        : labels.map((label, i) => ({ label: sanitize(label, 'line'), values: values[i] ?? [] })),
    nothing: 'No use by an agent is recorded on this machine yet.',
  };
}

/** At most 13 spans until the last date: with the usual 90 days that is one a week. */
const SPANS = 13;

/** On which dates verified memories become stale, if nobody looks at them. */
function staleAhead({ vault, now, present }: Gathered): Chart {
  const { staleDays } = vault.settings;
  const span = Math.ceil((staleDays + 1) / SPANS);
  const labels = ['today', ...Array.from({ length: SPANS }, (_, i) => dateOf(now + (i + 1) * span * DAY_MS))];
  const values = labels.map(() => [0]);
  for (const { standing } of present) {
    if (standing.tier !== 'verified') continue;
    const left = staleDays - wholeDays(standing.receipt.at, now);
    const row = values[left < 0 ? 0 : Math.min(SPANS, Math.floor(left / span) + 1)];
    if (row !== undefined) row[0] = (row[0] ?? 0) + 1;
  }
  const isAny = values.some(([value]) => value !== 0);
  return {
    id: 'stale',
    title: 'When verified memories become stale',
    kind: 'over-time',
    parts: ['verified'],
    points: isAny ? labels.map((label, i) => ({ label: sanitize(label, 'line'), values: values[i] ?? [] })) : [],
    nothing: 'No memory is verified yet.',
  };
}

/** On which machine and through which channel people vouched for what is verified now. */
function vouching(session: Session, { present }: Gathered): Chart {
  const machines = machineNames(session);
  const rows = new Map<string, { label: SafeText; values: number[] }>();
  for (const { id, standing } of present) {
    if (standing.tier !== 'verified') continue;
    const { ledger, channel, level } = standing.receipt;
    const key = `${ledger.fingerprint} ${channel} ${level}`;
    const name = machines.get(ledger.fingerprint) ?? text`unknown`;
    const way = sanitize(`${ledger.fingerprint.slice(0, 8)}, ${channel ?? 'unknown channel'}, level ${level}`, 'line');
    const row = rows.get(key) ?? { label: text`${name} ${way}`, values: TYPES.map(() => 0) };
    const part = TYPES.indexOf(typeOf(id));
    row.values[part] = (row.values[part] ?? 0) + 1;
    rows.set(key, row);
  }
  return {
    id: 'vouching',
    title: 'Which machines vouch for what is verified',
    kind: 'side-by-side',
    parts: TYPES,
    points: [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row),
    nothing: 'No memory is verified yet.',
  };
}

/** An id begins with its type. */
export function typeOf(id: string): MemoryType {
  return TYPES.find((type) => id.startsWith(`${type}_`)) ?? 'reference';
}
