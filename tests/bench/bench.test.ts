import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bars, type Figures, report } from '../../bench/report.ts';
import { ROOT } from '../../testkit/program.ts';

const spread = (p50: number, p95 = p50) => ({ p50, p95 });
const searched = (ms: number) => ({ trip: spread(ms), empty: spread(1), found: 1, residentMb: 100 });
const written = (perSecond: number) => ({ perSecond, rawPerSecond: 100, firstMs: 50, refused: 0 });
const survived = (stored: number) => ({ started: 1, sent: 200, acknowledged: 200, stored, seconds: 1 });

function figures(changes: Partial<Figures> = {}): Figures {
  return {
    contestants: ['surety', 'other'],
    missing: null,
    coldStart: { bare: spread(100), surety: spread(120), other: spread(300) },
    bare: 60,
    bySize: {
      1000: { surety: { search: searched(2), write: written(30) }, other: { search: searched(4), write: written(90) } },
      100000: {
        surety: { search: searched(6), write: written(29), common: searched(20) },
        other: { search: { gaveUp: 'gave up after 20 s' }, write: { gaveUp: 'gave up after 20 s' } },
      },
    },
    syncs: { surety: 3, other: 0 },
    together: { surety: survived(200), other: survived(80) },
    pipelined: { surety: survived(200), other: survived(1) },
    killed: { surety: { kills: 20, acknowledged: 90, lost: 0, unreadable: 0 }, other: { gaveUp: 'did not start' } },
    many: { ...survived(2000), sent: 2000, acknowledged: 2000, inFiles: 2000, inLedger: 2000, inIndex: 2000 },
    load: [1, 2],
    seconds: 3,
    ...changes,
  };
}

test('every bar is told with its figure, met or missed', () => {
  const told = bars(figures()).map(([met, what]) => `${met ? 'met' : 'MISSED'} ${what}`);
  expect(told).toEqual([
    'met cold start beside a bare server, p50: 1.20 × of at most 1.25 ×',
    'met search at 100,000 for ten hits beside a bare server’s empty tool, p95: 6.00 × of at most 8 ×',
    'met search at 100,000 beside 1,000, p95: 3.00 × of at most 5 ×',
    'met all words common at 100,000 beside a bare server’s empty tool, p95: 20.00 × of at most 50 ×',
    'met resident memory at 100,000 beside the bare server: 1.67 × of at most 2 ×',
    'met proposals beside a raw loop with the same fsyncs: 0.30 × of at least 0.25 ×',
    'met cost of a write at the largest store beside the smallest: 1.03 ×, flat is 1 ×',
    'met 8 processes at once, acknowledged: 2000 of 2000',
    'met … in files: 2000 of 2000',
    'met … in the ledger: 2000 of 2000',
    'met … in the index: 2000 of 2000',
    'met pipelined calls, stored: 200 of 200',
  ]);
  const missed = bars(figures({ bare: 30, pipelined: { surety: survived(199) } })).filter(([met]) => !met);
  expect(missed.map(([, what]) => what)).toEqual([
    'resident memory at 100,000 beside the bare server: 3.33 × of at most 2 ×',
    'pipelined calls, stored: 199 of 200',
  ]);
});

test('what gave up says so in its cell', () => {
  const shown = report(figures());
  expect(shown).toContain('gave up after 20 s');
  expect(shown).toContain('80 of 200 told, 200 sent');
});

test('the other servers are no dependencies of the package', () => {
  const read = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
  const theirs = Object.keys(read('bench/alternatives/package.json').dependencies);
  const { dependencies, devDependencies } = read('package.json');
  expect(Object.keys({ ...dependencies, ...devDependencies }).filter((name) => theirs.includes(name))).toEqual([]);
});
