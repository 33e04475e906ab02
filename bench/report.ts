import type { Spread } from './latency.ts';
import { type Cell, gaveUp, type Harm, type Searched, type Survived, type Written } from './measures.ts';
import type { AtSize, Many, Usable } from './scale.ts';

/** What `--json` prints. */
export interface Figures {
  readonly contestants: readonly string[];
  /** Why others could not be installed or do not start; null when all do. */
  readonly missing: string | null;
  /** By contestant, and `bare`: milliseconds until tools/list is answered. */
  readonly coldStart: Readonly<Record<string, Spread>>;
  /** Resident megabytes of the bare server. */
  readonly bare: number;
  readonly bySize: Readonly<Record<string, Readonly<Record<string, AtSize>>>>;
  /** fsyncs in one write. */
  readonly syncs: Readonly<Record<string, Cell<number>>>;
  readonly together: Readonly<Record<string, Cell<Survived>>>;
  readonly pipelined: Readonly<Record<string, Cell<Survived>>>;
  readonly killed: Readonly<Record<string, Cell<Harm>>>;
  readonly many: Cell<Many>;
  /** Load average before and after: others on the same machine make all times longer. */
  readonly load: readonly [number, number];
  readonly seconds: number;
}

type Row = readonly [label: string, ...cells: string[]];
const US = 'surety';

export function report(figures: Figures): string {
  const { contestants, missing, load, seconds } = figures;
  const short = contestants.map((name) => name.split('/').at(-1) ?? name);
  const lines = [
    `${seconds} s, load ${load.map((each) => each.toFixed(1)).join(' to ')}; × are ratios to the floor of the same run`,
    ...(missing === null ? [] : [`other servers: ${missing}`]),
    '',
    ...aligned([['', ...short], ...besideOthers(figures)]),
    '',
    'bars',
    ...bars(figures).map(([met, what]) => `  ${met ? 'met   ' : 'MISSED'} ${what}`),
    '',
    'a store of its size',
    ...usabilityRows(figures).map((line) => `  ${line}`),
  ];
  return `${lines.join('\n')}\n`;
}

function besideOthers(figures: Figures): Row[] {
  const { contestants, coldStart, bySize, bare, syncs, together, pipelined, killed } = figures;
  const row = (label: string, cell: (name: string) => string): Row => [label, ...contestants.map(cell)];
  const bareStart = coldStart.bare?.p50 ?? 1;
  const perSize = Object.entries(bySize).flatMap(([size, by]) => {
    const label = Number(size).toLocaleString('en');
    const search = (name: string, of: (searched: Searched) => string) => told(by[name]?.search, of);
    return [
      row(`search, ${label}: p50`, (name) =>
        search(name, ({ trip, empty }) => `${times(trip.p50 / empty.p50)} (${ms(trip.p50)})`),
      ),
      row(`search, ${label}: p95`, (name) =>
        search(name, ({ trip, empty }) => `${times(trip.p95 / empty.p95)} (${ms(trip.p95)})`),
      ),
      row(`found anything, ${label}`, (name) => search(name, ({ found }) => `${(found * 100).toFixed(0)} %`)),
      row(`writes a second, ${label}`, (name) => told(by[name]?.write, writeCell)),
      row(`memory, ${label}`, (name) =>
        search(name, ({ residentMb }) => `${times(residentMb / bare)} (${residentMb.toFixed(0)} MB)`),
      ),
    ];
  });
  return [
    row('cold start: p50', (name) => {
      const p50 = coldStart[name]?.p50 ?? 0;
      return `${times(p50 / bareStart)} (${ms(p50)})`;
    }),
    ...perSize,
    row('fsyncs a write', (name) => told(syncs[name], (count) => count.toFixed(1))),
    row('4 processes at once', (name) => told(together[name], survivedCell)),
    row('pipelined in one process', (name) => told(pipelined[name], survivedCell)),
    row('lost after SIGKILL', (name) =>
      told(
        killed[name],
        (harm) => `${harm.lost} of ${harm.acknowledged}, ${harm.unreadable} of ${harm.kills} unreadable`,
      ),
    ),
  ];
}

function writeCell({ perSecond, rawPerSecond, firstMs, refused }: Written): string {
  const some = refused === 0 ? '' : `, ${refused} refused`;
  return `${times(perSecond / rawPerSecond)} (${perSecond.toFixed(0)}, first ${ms(firstMs)}${some})`;
}

function survivedCell({ started, sent, acknowledged, stored }: Survived): string {
  const some = started > 1 && started < 4 ? `, ${started} of 4 came up` : '';
  return `${stored} of ${acknowledged} told, ${sent} sent${some}`;
}

/** Each promise with its figure; only what this run measured. */
export function bars(figures: Figures): (readonly [met: boolean, what: string])[] {
  const { coldStart, bySize, bare, pipelined, many } = figures;
  const at = (size: number) => bySize[size]?.[US];
  const searched = (size: number) => figure(at(size)?.search);
  const [small, middle, large] = [searched(1_000), searched(10_000), searched(100_000)];
  const common = figure(at(100_000)?.common);
  const written = [1_000, 10_000, 100_000].flatMap((size) => figure(at(size)?.write) ?? []);
  const [first, last] = [written[0], written.at(-1)];
  const [mine, floor] = [coldStart[US], coldStart.bare];
  const list: (readonly [boolean, string])[] = [];
  const most = (what: string, value: number | undefined, limit: number) => {
    if (value !== undefined) list.push([value <= limit, `${what}: ${times(value)} of at most ${limit} ×`]);
  };
  const all = (what: string, count: number | undefined, of: number | undefined) => {
    if (count !== undefined) list.push([count === of, `${what}: ${count} of ${of}`]);
  };
  most('cold start beside a bare server, p50', mine && floor && mine.p50 / floor.p50, 1.25);
  most(
    'search at 10,000 for ten hits beside a bare server’s empty tool, p95',
    middle && middle.trip.p95 / middle.empty.p95,
    3,
  );
  most(
    'search at 100,000 for ten hits beside a bare server’s empty tool, p95',
    large && large.trip.p95 / large.empty.p95,
    8,
  );
  most('search at 100,000 beside 1,000, p95', large && small && large.trip.p95 / small.trip.p95, 5);
  most(
    'all words common at 100,000 beside a bare server’s empty tool, p95',
    common && common.trip.p95 / common.empty.p95,
    50,
  );
  most('resident memory at 100,000 beside the bare server', large && large.residentMb / bare, 2);
  for (const { perSecond, rawPerSecond } of written.slice(0, 1)) {
    const share = perSecond / rawPerSecond;
    list.push([share >= 0.25, `proposals beside a raw loop with the same fsyncs: ${times(share)} of at least 0.25 ×`]);
  }
  if (first && last && first !== last) {
    // Not beside the raw loop: most of it is computing, which does not follow the disk's pace.
    const cost = first.perSecond / last.perSecond;
    list.push([cost <= 1.25, `cost of a write at the largest store beside the smallest: ${times(cost)}, flat is 1 ×`]);
  }
  const together = figure(many);
  all('8 processes at once, acknowledged', together?.acknowledged, together?.sent);
  all('… in files', together?.inFiles, together?.sent);
  all('… in the ledger', together?.inLedger, together?.sent);
  all('… in the index', together?.inIndex, together?.sent);
  const line = figure(pipelined[US]);
  all('pipelined calls, stored', line?.stored, line?.sent);
  return list;
}

function usabilityRows({ bySize }: Figures): string[] {
  return Object.entries(bySize).flatMap(([size, by]) => {
    const us = by[US];
    const usable = figure(us?.usable);
    const search = figure(us?.search);
    const common = figure(us?.common);
    if (usable === undefined || search === undefined) return [];
    return [
      `${Number(size).toLocaleString('en')} memories`,
      `  first look at a store never seen ${told(us?.firstLook, ms)}`,
      ...usableLines(usable, search, common, figure(us?.write)).map((one) => `  ${one}`),
    ];
  });
}

function usableLines(
  usable: Usable,
  search: Searched,
  common: Searched | undefined,
  write: Written | undefined,
): string[] {
  const { start, bareStart, firstSearchMs, queue, hook, node } = usable;
  return [
    `start ${times(start.p50 / bareStart.p50)} a bare server (${ms(start.p50)})`,
    `first search of a session, start included ${ms(firstSearchMs)}`,
    `search ${times(search.trip.p95 / search.empty.p95)} an empty tool at p95 (p50 ${ms(search.trip.p50)}, p95 ${ms(search.trip.p95)})`,
    ...(common
      ? [
          `search of only common words ${times(common.trip.p95 / common.empty.p95)} an empty tool at p95 (${ms(common.trip.p95)})`,
        ]
      : []),
    ...(write ? [`proposal ${ms(1_000 / write.perSecond)}, raw loop ${ms(1_000 / write.rawPerSecond)}`] : []),
    `review queue ${ms(queue.p50)}`,
    `session-start hook ${times(hook.p50 / node.p50)} node -e 0 (${ms(hook.p50)})`,
  ];
}

function figure<T>(cell: Cell<T> | undefined): T | undefined {
  return cell === undefined || gaveUp(cell) ? undefined : cell;
}

function told<T>(cell: Cell<T> | undefined, as: (value: T) => string): string {
  if (cell === undefined) return '–';
  return gaveUp(cell) ? cell.gaveUp : as(cell);
}

function times(ratio: number): string {
  return `${ratio >= 100 ? ratio.toFixed(0) : ratio.toFixed(2)} ×`;
}

function ms(value: number): string {
  return value >= 1_000 ? `${(value / 1_000).toFixed(1)} s` : `${value.toFixed(value < 10 ? 2 : 0)} ms`;
}

function aligned(rows: readonly Row[]): string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => (row[at] ?? '').length)));
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
