import { loadavg } from 'node:os';
import { KINDS, type Kind } from './checker/check.ts';
import type { Means } from './ground.ts';
import type { Lane } from './lane.ts';

/** What `--json` prints. */
export interface Outcome {
  readonly seed: number;
  readonly kills: number;
  /** Kills of `surety review` at a terminal, besides. */
  readonly terminalKills: number;
  readonly faults: Readonly<Record<string, { readonly rounds: number; readonly kills: number }>>;
  /** How a full disk and a read-only folder were made. */
  readonly means: Means;
  readonly acknowledged: { proposals: number; decisions: number };
  /** Receipts that a passkey signed. */
  readonly signed: number;
  /** Memories that another one took the place of, by one answer about both. */
  readonly replaced: number;
  readonly searches: number;
  readonly edits: number;
  readonly files: number;
  readonly damage: Readonly<Record<Kind | 'unfound' | 'bugs', number>>;
  readonly refusals: Readonly<Record<string, number>>;
  readonly leftovers: number;
  readonly ledgersMended: number;
  /** Own ledgers that git set back and a server put back by itself. */
  readonly ledgersPutBack: number;
  /** Memories whose file was deleted: named by `surety doctor` as missing, and back after a yes. */
  readonly missing: { readonly told: number; readonly back: number };
  /** Verified texts that a stranger's displaced: named by `surety doctor`. */
  readonly displaced: number;
  /** Restored memories that git put back into the quarantine folder, where whatever lies is quarantined. */
  readonly carriedBack: number;
  /** Files that git put beside another of the same id, each named by `surety doctor`. */
  readonly doubledByGit: number;
  readonly seconds: number;
  readonly load: number;
  readonly harmed: boolean;
  /** The first of each kind of damage, in words. */
  readonly examples: readonly string[];
}

interface Run {
  readonly lanes: readonly Lane[];
  readonly rounds: readonly { readonly fault: string; readonly kills: number }[];
  readonly seed: number;
  readonly means: Means;
  readonly seconds: number;
}

/** At most 12 of each kind, because all that one cause damaged looks alike. */
const EXAMPLES = 12;

export function outcomeOf({ lanes, rounds, seed, means, seconds }: Run): Outcome {
  const sum = (of: (lane: Lane) => number) => lanes.reduce((total, lane) => total + of(lane), 0);
  const wrong = lanes.flatMap((lane) => lane.journal.wrong);
  const found = lanes.flatMap((lane) =>
    [...lane.damages.values()].map(({ kind, what, during }) => ({ kind, what: `${what} (${lane.name}, ${during})` })),
  );
  const all = [...found, ...wrong.map(({ kind, what }) => ({ kind: kind === 'bug' ? 'bugs' : kind, what }))];
  const count = (kind: string) => all.filter((each) => each.kind === kind).length;
  const damage = Object.fromEntries([...KINDS, 'unfound', 'bugs'].map((kind) => [kind, count(kind)]));
  const refusals: Record<string, number> = {};
  for (const { journal } of lanes)
    for (const [code, times] of journal.refusals) refusals[code] = (refusals[code] ?? 0) + times;
  return {
    seed,
    kills: sum((lane) => lane.kills),
    terminalKills: sum((lane) => lane.terminalKills),
    faults: Object.fromEntries(
      [...Map.groupBy(rounds, ({ fault }) => fault)].map(([fault, of]) => [
        fault,
        { rounds: of.length, kills: of.reduce((total, { kills }) => total + kills, 0) },
      ]),
    ),
    means,
    acknowledged: {
      proposals: sum((lane) => lane.journal.counts.proposals),
      decisions: sum((lane) => lane.journal.counts.decisions),
    },
    signed: sum((lane) => lane.signed),
    replaced: sum((lane) => lane.journal.counts.replaced),
    searches: sum((lane) => lane.journal.counts.searches),
    edits: sum((lane) => lane.journal.counts.edits),
    files: sum((lane) => lane.files),
    damage: damage as Outcome['damage'],
    refusals,
    leftovers: sum((lane) => lane.leftovers),
    ledgersMended: sum((lane) => lane.mended),
    ledgersPutBack: sum((lane) => lane.putBack),
    displaced: sum((lane) => lane.displaced),
    missing: { told: sum((lane) => lane.missing.told), back: sum((lane) => lane.missing.back) },
    carriedBack: sum((lane) => lane.journal.carriedBack.size),
    doubledByGit: sum((lane) => lane.doubledByGit.size),
    seconds: Math.round(seconds),
    load: Number((loadavg()[0] ?? 0).toFixed(1)),
    harmed: all.length > 0,
    examples: [...Map.groupBy(all, ({ kind }) => kind).values()].flatMap((of) =>
      of.slice(0, EXAMPLES).map(({ kind, what }) => `${kind}: ${what}`),
    ),
  };
}

const MEANING: Readonly<Record<string, string>> = {
  lost: 'acknowledged memories that are gone, say something else, or have no entry',
  torn: 'files or ledger lines that cannot be read, or a ledger that does not continue',
  duplicated: 'one text twice, one id twice, one file in two folders',
  above: 'standings above the evidence',
  below: 'acknowledged decisions that do not count',
  leaked: 'quarantined memories that were served',
  unfound: 'memories that a search for their own word does not find',
  bugs: 'calls that failed by a bug',
};

export function table(outcome: Outcome, order: readonly string[]): string {
  const { acknowledged, damage, refusals, faults } = outcome;
  const row = (value: number | string, what: string) => `  ${String(value).padStart(6)}  ${what}`;
  const lines = [
    `seed ${outcome.seed}, ${outcome.seconds} s, load ${outcome.load}; full and read-only disks ${outcome.means}`,
    '',
    row(outcome.kills, 'servers killed with SIGKILL'),
    ...order.flatMap((fault) => {
      const of = faults[fault];
      return of ? [row(of.kills, `  ${fault} (${of.rounds} rounds)`)] : [];
    }),
    row(outcome.terminalKills, 'kills of surety review at a terminal, besides'),
    row(acknowledged.proposals, 'proposals acknowledged'),
    row(acknowledged.decisions, 'decisions acknowledged'),
    row(outcome.signed, 'yeses that a passkey signed'),
    row(outcome.replaced, 'memories that another took the place of'),
    row(outcome.searches, 'searches'),
    row(outcome.edits, 'edits behind the server’s back'),
    row(outcome.files, 'files at the end'),
    '',
    ...Object.entries(damage).map(([kind, count]) => row(count, `${kind.padEnd(11)} ${MEANING[kind]}`)),
    '',
    row(outcome.leftovers, 'harmless leftovers: temporary files, unfinished last lines'),
    row(outcome.ledgersPutBack, 'ledgers that git set back, put back by a server'),
    row(outcome.ledgersMended, 'ledgers that git changed otherwise, put back by hand from the kept copy'),
    row(outcome.missing.told, 'memories whose file was deleted, each named by surety doctor'),
    row(outcome.missing.back, '  of them back after a yes'),
    row(outcome.displaced, 'verified texts that another machine’s displaced, each named by surety doctor'),
    row(outcome.carriedBack, 'restored memories that git put back into the quarantine folder, which quarantines them'),
    row(outcome.doubledByGit, 'doubled by git: files put beside another of the same id; surety doctor names each'),
    `refused: ${Object.entries(refusals)
      .sort(([, a], [, b]) => b - a)
      .map(([code, times]) => `${code} ${times}`)
      .join(', ')}`,
    ...outcome.examples,
  ];
  return `${lines.join('\n')}\n`;
}
